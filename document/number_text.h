// The grammar of JSON numbers (RFC 8259, section 6), shared by the parser, the scanner and Number.
#pragma once

#include <string_view>

#include "base/result.h"
#include "document/value.h"

namespace wherestar::document {

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Bytes of the number that `text` begins with, 0 if none. `1.` and `1e` and `01` end early: the
// caller sees a rest that cannot follow a number. `is_integer`: no fraction, no exponent.
inline size_t number_length(std::string_view text, bool& is_integer) {
  const char* at = text.data();
  const char* const end = at + text.size();
  is_integer = true;
  if (at != end && *at == '-') ++at;
  if (at == end || !is_digit(*at)) return 0;
  if (*at == '0') {
    ++at;
  } else {
    while (at != end && is_digit(*at)) ++at;
  }
  if (end - at >= 2 && at[0] == '.' && is_digit(at[1])) {
    is_integer = false;
    at += 2;
    while (at != end && is_digit(*at)) ++at;
  }
  if (end - at >= 2 && (*at == 'e' || *at == 'E')) {
    const char* exponent = at + 1;
    if (*exponent == '+' || *exponent == '-') ++exponent;
    if (exponent != end && is_digit(*exponent)) {
      is_integer = false;
      at = exponent;
      while (at != end && is_digit(*at)) ++at;
    }
  }
  return static_cast<size_t>(at - text.data());
}

// The value of a text that number_length accepted as a whole. kNumberOutOfRange.
Result<Number> number_of_checked_text(std::string_view text, bool is_integer);

}  // namespace wherestar::document
