// Points in time as ISO 8601 writes them, counted in milliseconds since 1970. Stateless.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wherestar::tools {

// "2026-02-01T10:00:00.5Z", seconds and their fraction may be absent, the zone ("+01:00", "-0800")
// must be there. Digits beyond milliseconds are dropped. nullopt: no such date.
std::optional<int64_t> parse_iso_date(std::string_view text);

// "2026-02-01T10:00:00.500Z"; nullopt outside the years 0000 to 9999.
std::optional<std::string> iso_date_text(int64_t milliseconds);

}  // namespace wherestar::tools
