// Text for a terminal: how wide it is, how to cut it, how to make it harmless.
//
// Stateless; any thread. Wrong UTF-8 counts as one column a byte and is never an error.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wherestar::tools {

// Columns that a terminal uses: East Asian wide characters 2, combining and format characters 0.
size_t display_width(std::string_view text);
size_t character_count(std::string_view text);

// At most `width` columns; what is cut off is replaced by one `…`.
std::string cut_to_width(std::string_view text, size_t width);

// Control characters, bidirectional overrides and wrong UTF-8 as visible escapes (\n, \u{202e},
// \xff), so that data cannot steer the terminal it is shown on.
std::string escape_for_terminal(std::string_view text);

// `text` and blanks up to `width` columns; `right`: the blanks in front.
std::string pad(std::string_view text, size_t width, bool right = false);

}  // namespace wherestar::tools
