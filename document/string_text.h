// The text of JSON strings: escapes, UTF-8, and how an error names what it found.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace wherestar::document {

// Bytes of the UTF-8 character that `text` begins with, 0 if it is none (RFC 3629: no surrogates,
// shortest form).
size_t utf8_length(std::string_view text);
bool is_valid_utf8(std::string_view text);

// Appends what the inside of a quoted JSON string means. False for an unknown or short escape or a
// lone surrogate; `bad_offset` then tells where the escape begins. Expects no bare control
// characters and valid UTF-8 (not checked).
bool unescape(std::string_view inside, std::string& out, size_t* bad_offset = nullptr);

// "'}'", "byte 0x1f", "the end of the text".
std::string describe_at(std::string_view text, size_t offset);

inline size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (const char byte : text) count += (static_cast<unsigned char>(byte) & 0xc0) != 0x80;
  return count;
}

}  // namespace wherestar::document
