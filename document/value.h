// Scalars of JSON documents as the index, the statistics and expressions see them.
//
// Numbers have one total order: exact for integers of 64 bits (signed or unsigned) and for every
// double; 9007199254740993 is not 9007199254740992, 1974 equals 1974.0, -0 equals 0. A number text
// that is integral and fits 64 bits is an integer whatever its spelling (1974.0, 1e3); any other is
// the nearest double. Value types are ordered null < false < true < numbers < strings in the index
// only; comparisons between types are the caller's business.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace wherestar::document {

// As statistics count them. kInteger: written without fraction and exponent.
enum class JsonType : uint8_t { kNull, kBoolean, kInteger, kDouble, kString, kObject, kArray };
inline constexpr size_t kJsonTypeCount = 7;
std::string_view json_type_name(JsonType type);  // "null", "boolean", "integer", ...

class Number {
 public:
  static Number from_int64(int64_t value);
  static Number from_uint64(uint64_t value);
  static Number from_double(double value);  // finite; an integral one that fits becomes integer
  // A JSON number. kNumberOutOfRange for one beyond the range of doubles (1e400).
  static Result<Number> from_text(std::string_view text);

  bool is_integer() const { return kind_ != Kind::kDouble; }
  bool fits_int64() const { return kind_ == Kind::kSigned; }
  int64_t as_int64() const { return static_cast<int64_t>(bits_); }  // if fits_int64()
  uint64_t as_uint64() const { return bits_; }                      // if integer and not negative
  double as_double() const;                                         // nearest

  friend std::strong_ordering operator<=>(const Number& a, const Number& b);
  friend bool operator==(const Number& a, const Number& b) { return (a <=> b) == 0; }

 private:
  enum class Kind : uint8_t { kSigned, kUnsigned, kDouble };  // kUnsigned: above INT64_MAX only
  Kind kind_ = Kind::kSigned;
  uint64_t bits_ = 0;
};

struct Null {
  friend auto operator<=>(const Null&, const Null&) = default;
};
// The string is UTF-8, unescaped, and lives where its owner keeps it.
using Scalar = std::variant<Null, bool, Number, std::string_view>;

}  // namespace wherestar::document
