#include "tools/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace wherestar::tools {

std::string grouped(uint64_t value) {
  std::string digits = std::to_string(value);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string estimate(double value, bool is_exact) {
  const auto rounded = static_cast<uint64_t>(std::llround(std::max(value, 0.0)));
  if (is_exact) return grouped(rounded);
  // Three digits are more than the estimate's error allows.
  uint64_t unit = 1;
  while (rounded / unit >= 1000) unit *= 10;
  return "~" + grouped((rounded + unit / 2) / unit * unit);
}

std::string percentage(uint64_t part, uint64_t whole) {
  if (whole == 0 || part == 0) return "0%";
  if (part >= whole) return "100%";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (percent >= 99.95) return ">99.9%";
  if (percent < 0.05) return "<0.1%";
  return fmt::format("{:.1f}%", percent);
}

std::string presence(uint64_t documents, uint64_t all) {
  if (documents == 1 && all > 1) return "1 doc";
  return percentage(documents, all);
}

std::string presence_bar(uint64_t part, uint64_t whole) {
  static constexpr std::array<const char*, 8> kEighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (whole == 0 || part == 0) return "";
  part = std::min(part, whole);
  const double share = static_cast<double>(part) / static_cast<double>(whole);
  auto eighths = static_cast<size_t>(share * 80);
  if (part < whole) eighths = std::min<size_t>(eighths, 79);
  eighths = std::max<size_t>(eighths, 1);
  std::string bar;
  for (size_t cell = 0; cell < eighths / 8; ++cell) bar += "█";
  return bar + kEighths[eighths % 8];
}

std::string byte_size(uint64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return value < 9.95 ? fmt::format("{:.1f} {}", value, kUnits[unit])
                      : fmt::format("{:.0f} {}", value, kUnits[unit]);
}

std::string seconds_text(double seconds) {
  if (seconds < 0.0095) return fmt::format("{:.1f} ms", seconds * 1000);
  if (seconds < 1) return fmt::format("{:.2f} s", seconds);
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<uint64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  return fmt::format("{}:{:02} min", whole / 60, whole % 60);
}

std::string counted(uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

}  // namespace wherestar::tools
