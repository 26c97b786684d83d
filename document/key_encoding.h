// Order-preserving bytes for scalars: memcmp of two encodings is the order of their values.
//
//   scalar = u8 type (1 null, 2 false, 3 true, 4 number, 5 string), then
//   number: 8 bytes, the greatest double not above it, sign-flipped big-endian; u16 big-endian,
//   what
//           an integer is above that double (0 for most; below 2048)
//   string: its bytes with 00 written 00 FF; ended by 00 01. Longer than the cut: the first `cut`
//           bytes (ending at a character), 00 02, 16 bytes XXH3-128 of the whole: found by
//           equality and prefix, to be rechecked against the document
//
// Every encoding is self-delimiting, so composite keys are concatenations. Decoding untrusted keys
// returns kCorruption.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "base/result.h"
#include "document/value.h"

namespace wherestar::document {

inline constexpr uint8_t kKeyNull = 1, kKeyFalse = 2, kKeyTrue = 3, kKeyNumber = 4, kKeyString = 5;
inline constexpr size_t kDefaultStringCutBytes = 96;

void encode_scalar(std::string& out, const Scalar& value,
                   size_t cut_bytes = kDefaultStringCutBytes);
void encode_number(std::string& out, const Number& number);  // without the type byte
void encode_string(std::string& out, std::string_view text, size_t cut_bytes);  // without type byte
// The bytes that every encoding of a string beginning with `prefix` begins with (type byte first).
// Only the part of the prefix within the cut is used: longer ones need a recheck.
std::string string_prefix_key(std::string_view prefix, size_t cut_bytes = kDefaultStringCutBytes);
bool is_cut(std::string_view text, size_t cut_bytes = kDefaultStringCutBytes);

struct DecodedScalar {
  uint8_t type = 0;
  Number number;
  std::string text;  // of a string; its first bytes when cut
  bool cut = false;
};
Result<DecodedScalar> decode_scalar(Reader& reader);
// Skips one encoded scalar; false if damaged.
bool skip_scalar(Reader& reader);

}  // namespace wherestar::document
