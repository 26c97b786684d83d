#include <cmath>
#include <numbers>
#include <random>

#include "server/arithmetic.h"
#include "server/conversion.h"
#include "server/functions.h"

namespace wherestar::server {
namespace {

// What is not defined there is NULL.
template <double (*function)(double)>
Result<SqlValue> real(const Call& call) {
  ASSIGN_OR_RETURN(const auto x, to_real(call[0], call.context));
  if (!x) return SqlValue::null();
  const double y = function(*x);
  return std::isfinite(y) ? SqlValue::real(y) : SqlValue::null();
}

double positive_log(double x) {
  return x > 0 ? std::log(x) : NAN;
}
double positive_log2(double x) {
  return x > 0 ? std::log2(x) : NAN;
}
double positive_log10(double x) {
  return x > 0 ? std::log10(x) : NAN;
}
double to_degrees(double x) {
  return x * 180 / std::numbers::pi;
}
double to_radians(double x) {
  return x * std::numbers::pi / 180;
}
double cotangent(double x) {
  return 1 / std::tan(x);
}

Result<SqlValue> call_log(const Call& call) {
  if (call.size() == 1) return real<positive_log>(call);
  ASSIGN_OR_RETURN(const auto base, to_real(call[0], call.context));
  ASSIGN_OR_RETURN(const auto x, to_real(call[1], call.context));
  if (!base || !x || *base <= 0 || *base == 1 || *x <= 0) return SqlValue::null();
  return SqlValue::real(std::log(*x) / std::log(*base));
}

Result<SqlValue> call_pow(const Call& call) {
  ASSIGN_OR_RETURN(const auto x, to_real(call[0], call.context));
  ASSIGN_OR_RETURN(const auto y, to_real(call[1], call.context));
  if (!x || !y) return SqlValue::null();
  const double out = std::pow(*x, *y);
  if (!std::isfinite(out))
    return fail(ErrorCode::kNumberOutOfRange, "DOUBLE value is out of range");
  return SqlValue::real(out);
}

Result<SqlValue> call_atan2(const Call& call) {
  if (call.size() == 1) return real<std::atan>(call);
  ASSIGN_OR_RETURN(const auto y, to_real(call[0], call.context));
  ASSIGN_OR_RETURN(const auto x, to_real(call[1], call.context));
  if (!x || !y) return SqlValue::null();
  return SqlValue::real(std::atan2(*y, *x));
}

Result<SqlValue> call_abs(const Call& call) {
  ASSIGN_OR_RETURN(const auto number, to_numeric(call[0], call.context));
  if (!number) return SqlValue::null();
  if (const auto* value = std::get_if<double>(&*number)) return SqlValue::real(std::fabs(*value));
  const auto decimal = to_decimal(*number);
  return decimal->units() < 0 ? negate(from_numeric(*number), call.context) : from_numeric(*number);
}

Result<SqlValue> call_sign(const Call& call) {
  ASSIGN_OR_RETURN(const auto number, to_numeric(call[0], call.context));
  if (!number) return SqlValue::null();
  const auto order = compare_numeric(*number, Numeric(int64_t{0}));
  return SqlValue::signed_integer(order < 0 ? -1 : order > 0 ? 1 : 0);
}

Result<SqlValue> whole(const Call& call, bool up) {
  ASSIGN_OR_RETURN(const auto number, to_numeric(call[0], call.context));
  if (!number) return SqlValue::null();
  if (const auto* value = std::get_if<double>(&*number))
    return SqlValue::real(up ? std::ceil(*value) : std::floor(*value));
  const auto* decimal = std::get_if<Decimal>(&*number);
  if (decimal == nullptr) return from_numeric(*number);
  Decimal out = decimal->truncated(0);
  if (up ? out < *decimal : *decimal < out) out = up ? out + Decimal(1, 0) : out - Decimal(1, 0);
  if (out.units() > INT64_MAX || out.units() < INT64_MIN) return SqlValue::decimal(out.to_text());
  return SqlValue::signed_integer(static_cast<int64_t>(out.units()));
}
Result<SqlValue> call_ceil(const Call& call) {
  return whole(call, true);
}
Result<SqlValue> call_floor(const Call& call) {
  return whole(call, false);
}

Result<SqlValue> shorten(const Call& call, bool rounds) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto number, to_numeric(call[0], call.context));
  int places = 0;
  if (call.size() > 1) {
    ASSIGN_OR_RETURN(const auto wanted, to_integer(call[1], call.context));
    places = static_cast<int>(std::clamp<int64_t>(*wanted, -64, Decimal::kMaxScale));
  }
  if (const auto* value = std::get_if<double>(&*number)) {
    const double unit = std::pow(10.0, places);
    const double scaled = *value * unit;
    if (!std::isfinite(scaled)) return SqlValue::real(*value);
    return SqlValue::real((rounds ? std::nearbyint(scaled) : std::trunc(scaled)) / unit);
  }
  const Decimal decimal = *to_decimal(*number);
  const Decimal out = rounds ? decimal.rounded(places) : decimal.truncated(places);
  if (std::holds_alternative<Decimal>(*number)) return SqlValue::decimal(out.to_text());
  if (out.units() >= INT64_MIN && out.units() <= INT64_MAX)
    return SqlValue::signed_integer(static_cast<int64_t>(out.units()));
  if (out.units() > 0 && out.units() <= UINT64_MAX)
    return SqlValue::unsigned_integer(static_cast<uint64_t>(out.units()));
  return SqlValue::decimal(out.to_text());
}
Result<SqlValue> call_round(const Call& call) {
  return shorten(call, true);
}
Result<SqlValue> call_truncate(const Call& call) {
  return shorten(call, false);
}

Result<SqlValue> call_mod(const Call& call) {
  return arithmetic(Operator::kModulo, call[0], call[1], call.context);
}
Result<SqlValue> call_pi(const Call&) {
  return SqlValue::real(std::numbers::pi);
}

Result<SqlValue> call_rand(const Call& call) {
  if (call.size() == 1) {
    ASSIGN_OR_RETURN(const auto seed, to_integer(call[0], call.context));
    std::mt19937_64 seeded(static_cast<uint64_t>(seed.value_or(0)));
    return SqlValue::real(std::uniform_real_distribution<double>()(seeded));
  }
  thread_local std::mt19937_64 random{std::random_device{}()};
  return SqlValue::real(std::uniform_real_distribution<double>()(random));
}

// CONV(text, from base, to base).
Result<SqlValue> call_conv(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto from, to_integer(call[1], call.context));
  ASSIGN_OR_RETURN(const auto to, to_integer(call[2], call.context));
  if (*from < 2 || *from > 36 || *to < 2 || *to > 36) return SqlValue::null();
  uint64_t value = 0;
  for (const char c : upper_case(to_text(call[0]))) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
    if (digit >= *from) break;
    value = value * static_cast<uint64_t>(*from) + static_cast<uint64_t>(digit);
  }
  std::string out;
  do {
    out.insert(out.begin(),
               "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[value % static_cast<uint64_t>(*to)]);
    value /= static_cast<uint64_t>(*to);
  } while (value != 0);
  return SqlValue::text(std::move(out));
}

constexpr auto kDouble = SqlType::kDouble;

constexpr Function kFunctions[] = {
    {"ABS", 1, 1, SqlType::kNull, call_abs},
    {"SIGN", 1, 1, SqlType::kSigned, call_sign},
    {"CEIL", 1, 1, SqlType::kNull, call_ceil},
    {"CEILING", 1, 1, SqlType::kNull, call_ceil},
    {"FLOOR", 1, 1, SqlType::kNull, call_floor},
    {"ROUND", 1, 2, SqlType::kNull, call_round},
    {"TRUNCATE", 2, 2, SqlType::kNull, call_truncate},
    {"MOD", 2, 2, SqlType::kNull, call_mod},
    {"POW", 2, 2, kDouble, call_pow},
    {"POWER", 2, 2, kDouble, call_pow},
    {"SQRT", 1, 1, kDouble, real<std::sqrt>},
    {"EXP", 1, 1, kDouble, real<std::exp>},
    {"LN", 1, 1, kDouble, real<positive_log>},
    {"LOG", 1, 2, kDouble, call_log},
    {"LOG2", 1, 1, kDouble, real<positive_log2>},
    {"LOG10", 1, 1, kDouble, real<positive_log10>},
    {"SIN", 1, 1, kDouble, real<std::sin>},
    {"COS", 1, 1, kDouble, real<std::cos>},
    {"TAN", 1, 1, kDouble, real<std::tan>},
    {"COT", 1, 1, kDouble, real<cotangent>},
    {"ASIN", 1, 1, kDouble, real<std::asin>},
    {"ACOS", 1, 1, kDouble, real<std::acos>},
    {"ATAN", 1, 2, kDouble, call_atan2},
    {"ATAN2", 2, 2, kDouble, call_atan2},
    {"DEGREES", 1, 1, kDouble, real<to_degrees>},
    {"RADIANS", 1, 1, kDouble, real<to_radians>},
    {"PI", 0, 0, kDouble, call_pi},
    {"RAND", 0, 1, kDouble, call_rand},
    {"CONV", 3, 3, SqlType::kText, call_conv},
};

}  // namespace

std::span<const Function> math_functions() {
  return kFunctions;
}

}  // namespace wherestar::server
