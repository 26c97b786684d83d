#include "tools/text.h"

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

namespace wherestar::tools {
namespace {

struct Character {
  UChar32 code = 0;  // negative: wrong UTF-8, one byte
  size_t bytes = 1;
};

Character decode(std::string_view text, size_t offset) {
  // A window of 4 bytes keeps ICU's 32-bit offsets out of the way of long texts.
  const std::string_view window = text.substr(offset, 4);
  int32_t at = 0;
  UChar32 code = 0;
  const auto length = static_cast<int32_t>(window.size());
  const auto* bytes = reinterpret_cast<const uint8_t*>(window.data());
  U8_NEXT(bytes, at, length, code);
  return {code, code < 0 ? 1 : static_cast<size_t>(at)};
}

size_t width_of(UChar32 code) {
  if (code < 0x20) return code < 0 ? 1 : 0;
  if (code < 0x300) return code >= 0x7f && code < 0xa0 ? 0 : 1;
  const int8_t type = u_charType(code);
  if (type == U_NON_SPACING_MARK || type == U_ENCLOSING_MARK || type == U_FORMAT_CHAR) return 0;
  const int32_t width = u_getIntPropertyValue(code, UCHAR_EAST_ASIAN_WIDTH);
  return width == U_EA_FULLWIDTH || width == U_EA_WIDE ? 2 : 1;
}

bool is_dangerous(UChar32 code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  return code == 0x061c || code == 0x200e || code == 0x200f || code == 0x2028 || code == 0x2029 ||
         (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff;
}

}  // namespace

size_t display_width(std::string_view text) {
  size_t width = 0;
  for (size_t at = 0; at < text.size();) {
    const Character character = decode(text, at);
    width += width_of(character.code);
    at += character.bytes;
  }
  return width;
}

size_t character_count(std::string_view text) {
  size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return count;
}

std::string cut_to_width(std::string_view text, size_t width) {
  size_t used = 0;
  size_t fitting = 0;  // bytes that leave room for the ellipsis
  for (size_t at = 0; at < text.size();) {
    const Character character = decode(text, at);
    used += width_of(character.code);
    at += character.bytes;
    if (used + 1 <= width) fitting = at;
    if (used > width)
      return width == 0 ? std::string() : std::string(text.substr(0, fitting)) + "…";
  }
  return std::string(text);
}

std::string escape_for_terminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const Character character = decode(text, at);
    const std::string_view bytes = text.substr(at, character.bytes);
    at += character.bytes;
    if (character.code < 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
    } else if (!is_dangerous(character.code)) {
      out += bytes;
    } else if (character.code == '\n') {
      out += "\\n";
    } else if (character.code == '\t') {
      out += "\\t";
    } else if (character.code == '\r') {
      out += "\\r";
    } else {
      out += fmt::format("\\u{{{:x}}}", static_cast<uint32_t>(character.code));
    }
  }
  return out;
}

std::string pad(std::string_view text, size_t width, bool right) {
  const size_t used = display_width(text);
  const std::string blanks(used < width ? width - used : 0, ' ');
  return right ? blanks + std::string(text) : std::string(text) + blanks;
}

}  // namespace wherestar::tools
