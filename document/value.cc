#include "document/value.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "document/number_text.h"

namespace wherestar::document {

namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

// A decimal written as digits * 10^exponent, the digits without zeros at either end.
struct Decimal {
  bool negative = false;
  std::string_view leading;   // digits before the point, zeros at the front cut
  std::string_view fraction;  // digits behind it
  int64_t exponent = 0;       // as written, clamped
};

// Exponents beyond this decide the outcome whatever the digits, since a text has fewer digits.
constexpr int64_t kExponentClamp = int64_t{1} << 40;

Decimal split(std::string_view text) {
  Decimal out;
  if (text.starts_with('-')) {
    out.negative = true;
    text.remove_prefix(1);
  }
  size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  out.leading = text.substr(0, at);
  if (at < text.size() && text[at] == '.') {
    const size_t start = ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
    out.fraction = text.substr(start, at - start);
  }
  if (at < text.size()) {  // 'e' or 'E'
    ++at;
    const bool minus = text[at] == '-';
    if (minus || text[at] == '+') ++at;
    for (; at < text.size(); ++at)
      out.exponent = std::min(out.exponent * 10 + (text[at] - '0'), kExponentClamp);
    if (minus) out.exponent = -out.exponent;
  }
  while (out.fraction.ends_with('0')) out.fraction.remove_suffix(1);
  while (out.leading.starts_with('0')) out.leading.remove_prefix(1);
  return out;
}

// Its value when integral and below 2^64.
bool magnitude(const Decimal& decimal, uint64_t& value) {
  if (decimal.leading.size() > 40 && decimal.exponent >= 0) return false;
  std::string_view leading = decimal.leading;
  // Where the last digit that is not zero stands: 10^power of the last digit.
  int64_t power = decimal.exponent - static_cast<int64_t>(decimal.fraction.size());
  std::string_view fraction = decimal.fraction;
  if (fraction.empty()) {
    while (leading.ends_with('0')) {
      leading.remove_suffix(1);
      ++power;
    }
  }
  if (leading.empty())
    while (fraction.starts_with('0')) fraction.remove_prefix(1);
  value = 0;
  if (leading.empty() && fraction.empty()) return true;  // zero
  if (power < 0 || power > 19 || leading.size() + fraction.size() > 20) return false;
  auto append = [&value](unsigned digit) {
    return !__builtin_mul_overflow(value, uint64_t{10}, &value) &&
           !__builtin_add_overflow(value, uint64_t{digit}, &value);
  };
  for (const std::string_view part : {leading, fraction})
    for (const char digit : part)
      if (!append(static_cast<unsigned>(digit - '0'))) return false;
  for (; power > 0; --power)
    if (!append(0)) return false;
  return true;
}

// Did from_chars fail because the number is too great, not because it is next to zero?
bool is_huge(const Decimal& decimal) {
  if (!decimal.leading.empty())
    return decimal.exponent + static_cast<int64_t>(decimal.leading.size()) > 0;
  size_t zeros = 0;
  while (zeros < decimal.fraction.size() && decimal.fraction[zeros] == '0') ++zeros;
  return decimal.exponent > static_cast<int64_t>(zeros);
}

std::strong_ordering compare_integer(const Number& a, const Number& b) {
  if (a.fits_int64() && b.fits_int64()) return a.as_int64() <=> b.as_int64();
  if (a.fits_int64() != b.fits_int64())
    return a.fits_int64() ? std::strong_ordering::less : std::strong_ordering::greater;
  return a.as_uint64() <=> b.as_uint64();
}

// A double that no integer equals: it has a fraction or lies outside of 64 bits.
std::strong_ordering compare_mixed(const Number& integer, double real) {
  if (real >= kTwoTo64) return std::strong_ordering::less;
  if (real < -kTwoTo63) return std::strong_ordering::greater;
  const Number below = Number::from_double(std::floor(real));
  const auto order = compare_integer(integer, below);
  return order == 0 ? std::strong_ordering::less : order;
}

}  // namespace

std::string_view json_type_name(JsonType type) {
  switch (type) {
    case JsonType::kNull:
      return "null";
    case JsonType::kBoolean:
      return "boolean";
    case JsonType::kInteger:
      return "integer";
    case JsonType::kDouble:
      return "double";
    case JsonType::kString:
      return "string";
    case JsonType::kObject:
      return "object";
    case JsonType::kArray:
      return "array";
  }
  return "unknown";
}

Number Number::from_int64(int64_t value) {
  Number number;
  number.bits_ = static_cast<uint64_t>(value);
  return number;
}

Number Number::from_uint64(uint64_t value) {
  Number number;
  number.bits_ = value;
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    number.kind_ = Kind::kUnsigned;
  return number;
}

Number Number::from_double(double value) {
  if (value == std::floor(value)) {
    if (value >= -kTwoTo63 && value < kTwoTo63) return from_int64(static_cast<int64_t>(value));
    if (value > 0 && value < kTwoTo64) return from_uint64(static_cast<uint64_t>(value));
  }
  Number number;
  number.kind_ = Kind::kDouble;
  number.bits_ = std::bit_cast<uint64_t>(value);
  return number;
}

Result<Number> Number::from_text(std::string_view text) {
  bool is_integer = false;
  if (number_length(text, is_integer) != text.size() || text.empty())
    return fail(ErrorCode::kInvalidArgument,
                "not a JSON number: " + std::string(text.substr(0, 40)));
  return number_of_checked_text(text, is_integer);
}

Result<Number> number_of_checked_text(std::string_view text, bool is_integer) {
  if (is_integer && text.size() <= 18) {
    const bool negative = text.front() == '-';
    int64_t value = 0;
    for (const char digit : text.substr(negative ? 1 : 0)) value = value * 10 + (digit - '0');
    return Number::from_int64(negative ? -value : value);
  }
  const Decimal decimal = split(text);
  uint64_t value = 0;
  if (magnitude(decimal, value)) {
    constexpr uint64_t kLowest = uint64_t{1} << 63;
    if (!decimal.negative) return Number::from_uint64(value);
    if (value <= kLowest) return Number::from_int64(static_cast<int64_t>(~value + 1));
  }
  double real = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), real);
  if (error == std::errc::result_out_of_range || !std::isfinite(real)) {
    if (!is_huge(decimal)) return Number::from_int64(0);
    const std::string shown(text.size() > 40 ? std::string(text.substr(0, 40)) + "..." : text);
    return fail(ErrorCode::kNumberOutOfRange,
                "the number " + shown + " is beyond the range of doubles");
  }
  return Number::from_double(real);
}

double Number::as_double() const {
  switch (kind_) {
    case Kind::kSigned:
      return static_cast<double>(static_cast<int64_t>(bits_));
    case Kind::kUnsigned:
      return static_cast<double>(bits_);
    case Kind::kDouble:
      return std::bit_cast<double>(bits_);
  }
  return 0;
}

std::strong_ordering operator<=>(const Number& a, const Number& b) {
  if (a.is_integer() && b.is_integer()) return compare_integer(a, b);
  if (a.is_integer()) return compare_mixed(a, b.as_double());
  if (b.is_integer()) return 0 <=> compare_mixed(b, a.as_double());
  const double x = a.as_double(), y = b.as_double();
  return x < y   ? std::strong_ordering::less
         : x > y ? std::strong_ordering::greater
                 : std::strong_ordering::equal;
}

}  // namespace wherestar::document
