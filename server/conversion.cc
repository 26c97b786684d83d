#include "server/conversion.h"

#include <charconv>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <unicode/utf8.h>

namespace wherestar::server {

using document::Json;
using document::JsonType;

namespace {

constexpr size_t kMaxWarnings = 64;
constexpr uint32_t kWrongValue = 1292;
constexpr uint32_t kDivisionByZeroCode = 1365;
constexpr uint32_t kInvalidJsonNumber = 3156;

std::string excerpt(std::string_view text) {
  return std::string(text.substr(0, 64)) + (text.size() > 64 ? "..." : "");
}

}  // namespace

Status warn(EvaluationContext& context, uint32_t code, std::string message) {
  if (context.strict && code == kDivisionByZeroCode)
    return fail(ErrorCode::kDivisionByZero, "Division by 0");
  if (context.strict && code == kWrongValue) return fail(ErrorCode::kInvalidData, message);
  ++context.warning_count;
  if (context.warnings.size() < kMaxWarnings)
    context.warnings.push_back({Warning::Level::kWarning, code, std::move(message)});
  return {};
}

Status check_deadline(const EvaluationContext& context) {
  if (context.deadline && std::chrono::steady_clock::now() > *context.deadline)
    return fail(ErrorCode::kTimeout, "the statement took longer than its time limit");
  return {};
}

Status check_text_size(size_t bytes) {
  if (bytes <= kMaxTextBytes) return {};
  return fail(ErrorCode::kLimitExceeded, "a text of " + std::to_string(bytes) + " bytes; at most " +
                                             std::to_string(kMaxTextBytes) + " are allowed");
}

bool is_number(const SqlValue& value) {
  return value.type() >= SqlType::kSigned && value.type() <= SqlType::kDecimal;
}
bool is_texty(const SqlValue& value) {
  return value.type() == SqlType::kText || value.type() == SqlType::kBinary;
}
bool is_temporal(const SqlValue& value) {
  return value.type() >= SqlType::kDate;
}

double parse_double_prefix(std::string_view text, bool& trailing) {
  size_t begin = 0;
  while (begin < text.size() &&
         (text[begin] == ' ' || text[begin] == '\t' || text[begin] == '\n' || text[begin] == '\r'))
    ++begin;
  if (begin < text.size() && text[begin] == '+') ++begin;
  double value = 0;
  const char* first = text.data() + begin;
  const char* last = text.data() + text.size();
  // Not "inf" and "nan", which from_chars knows.
  const bool digits =
      first < last && (*first == '-' || *first == '.' || (*first >= '0' && *first <= '9'));
  const auto [end, error] = digits ? std::from_chars(first, last, value)
                                   : std::from_chars_result{first, std::errc::invalid_argument};
  if (error == std::errc::result_out_of_range)
    value = *first == '-' ? -HUGE_VAL : HUGE_VAL;
  else if (error != std::errc() || !std::isfinite(value))
    value = 0;
  trailing = error != std::errc();
  for (const char* at = end; at < last; ++at)
    if (*at != ' ' && *at != '\n' && *at != '\t' && *at != '\r') trailing = true;
  return value;
}

std::string double_text(double value) {
  if (value == 0) return "0";
  std::string text = fmt::format("{}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  // fmt writes 1e+20 and 1e-07.
  if (const size_t at = text.find("e+"); at != std::string::npos) text.erase(at + 1, 1);
  if (const size_t at = text.find("e-0"); at != std::string::npos) text.erase(at + 2, 1);
  return text;
}

Result<std::optional<Numeric>> to_numeric(const SqlValue& value, EvaluationContext& context) {
  switch (value.type()) {
    case SqlType::kNull:
      return std::nullopt;
    case SqlType::kSigned:
      return Numeric(value.as_signed());
    case SqlType::kUnsigned:
      return Numeric(value.as_unsigned());
    case SqlType::kDouble:
      return Numeric(value.as_double());
    case SqlType::kDecimal:
      if (auto decimal = Decimal::parse(value.string())) return Numeric(*std::move(decimal));
      return Numeric(0.0);
    case SqlType::kJson: {
      const Json& json = value.as_json();
      if (json.is_number()) return Numeric(json.as_number().as_double());
      if (json.type() == JsonType::kBoolean) return Numeric(json.as_bool() ? 1.0 : 0.0);
      if (json.is_string()) return to_numeric(SqlValue::text(json.as_string()), context);
      RETURN_IF_ERROR(warn(context, kInvalidJsonNumber,
                           "Invalid JSON value for CAST to DOUBLE: " + excerpt(json.to_text())));
      return Numeric(0.0);
    }
    case SqlType::kDate:
    case SqlType::kTime:
    case SqlType::kDateTime: {
      std::string digits;
      for (const char c : value.string())
        if ((c >= '0' && c <= '9') || c == '.' || (c == '-' && digits.empty())) digits += c;
      bool trailing = false;
      return Numeric(parse_double_prefix(digits, trailing));
    }
    case SqlType::kText:
    case SqlType::kBinary: {
      bool trailing = false;
      const double number = parse_double_prefix(value.string(), trailing);
      if (trailing)
        RETURN_IF_ERROR(
            warn(context, kWrongValue,
                 "Truncated incorrect DOUBLE value: '" + excerpt(value.string()) + "'"));
      return Numeric(number);
    }
  }
  return std::nullopt;
}

SqlValue from_numeric(const Numeric& number) {
  if (const auto* value = std::get_if<int64_t>(&number)) return SqlValue::signed_integer(*value);
  if (const auto* value = std::get_if<uint64_t>(&number)) return SqlValue::unsigned_integer(*value);
  if (const auto* value = std::get_if<Decimal>(&number)) return SqlValue::decimal(value->to_text());
  return SqlValue::real(std::get<double>(number));
}

SqlValue number_value(const document::Number& number) {
  if (!number.is_integer()) return SqlValue::real(number.as_double());
  return number.fits_int64() ? SqlValue::signed_integer(number.as_int64())
                             : SqlValue::unsigned_integer(number.as_uint64());
}

double to_double(const Numeric& number) {
  if (const auto* value = std::get_if<int64_t>(&number)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<uint64_t>(&number)) return static_cast<double>(*value);
  if (const auto* value = std::get_if<Decimal>(&number)) return value->to_double();
  return std::get<double>(number);
}

std::optional<Decimal> to_decimal(const Numeric& number) {
  if (const auto* value = std::get_if<int64_t>(&number)) return Decimal(*value, 0);
  if (const auto* value = std::get_if<uint64_t>(&number)) return Decimal(*value, 0);
  if (const auto* value = std::get_if<Decimal>(&number)) return *value;
  return std::nullopt;
}

// What a number is worth for comparing. A whole double counts as what it is; any other as the
// decimal it is written as, so that 0.1 equals 1e-1. Both keep the order of doubles, as the decimal
// lies between the double's neighbours. nullopt for infinity.
std::optional<Decimal> worth(const Numeric& number) {
  if (auto decimal = to_decimal(number)) return decimal;
  const double real = std::get<double>(number);
  if (!std::isfinite(real)) return std::nullopt;
  if (real == std::trunc(real)) return Decimal(Decimal::Units(real), 0);
  return Decimal::parse(double_text(real));
}

std::weak_ordering compare_numeric(const Numeric& a, const Numeric& b) {
  const auto* p = std::get_if<int64_t>(&a);
  const auto* q = std::get_if<int64_t>(&b);
  if (p != nullptr && q != nullptr) return *p <=> *q;
  const bool reals = std::holds_alternative<double>(a) && std::holds_alternative<double>(b);
  const auto x = reals ? std::nullopt : worth(a);
  const auto y = reals ? std::nullopt : worth(b);
  if (x && y) return *x <=> *y;
  const double left = to_double(a);
  const double right = to_double(b);
  return left < right   ? std::weak_ordering::less
         : left > right ? std::weak_ordering::greater
                        : std::weak_ordering::equivalent;
}

Result<std::optional<double>> to_real(const SqlValue& value, EvaluationContext& context) {
  ASSIGN_OR_RETURN(const auto number, to_numeric(value, context));
  if (!number) return std::nullopt;
  return to_double(*number);
}

Result<std::optional<int64_t>> to_integer(const SqlValue& value, EvaluationContext& context) {
  ASSIGN_OR_RETURN(const auto number, to_numeric(value, context));
  if (!number) return std::nullopt;
  if (const auto* exact = std::get_if<int64_t>(&*number)) return *exact;
  const double real = std::round(to_double(*number));
  if (real >= 9223372036854775807.0) return INT64_MAX;
  if (real <= -9223372036854775808.0) return INT64_MIN;
  return static_cast<int64_t>(real);
}

Result<std::optional<bool>> to_truth(const SqlValue& value, EvaluationContext& context) {
  if (value.is_null()) return std::nullopt;
  if (is_json(value)) {
    const Json& json = value.as_json();
    if (json.type() == JsonType::kBoolean) return json.as_bool();
    if (json.is_number()) return json.as_number().as_double() != 0;
    return true;
  }
  ASSIGN_OR_RETURN(const auto number, to_real(value, context));
  return *number != 0;
}

bool is_utf8(std::string_view text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  for (size_t at = 0; at < text.size();) {
    UChar32 character = 0;
    U8_NEXT(bytes, at, text.size(), character);
    if (character < 0) return false;
  }
  return true;
}

std::string unquoted(const Json& json) {
  return json.is_string() ? json.as_string() : json.to_text(true);
}

std::string to_text(const SqlValue& value) {
  switch (value.type()) {
    case SqlType::kNull:
      return {};
    case SqlType::kSigned:
      return std::to_string(value.as_signed());
    case SqlType::kUnsigned:
      return std::to_string(value.as_unsigned());
    case SqlType::kDouble:
      return double_text(value.as_double());
    case SqlType::kJson:
      return value.as_json().to_text(true);
    default:
      return value.string();
  }
}

Result<Json> to_json(const SqlValue& value) {
  switch (value.type()) {
    case SqlType::kNull:
      return Json::null();
    case SqlType::kSigned:
      if (value.is_boolean()) return Json::boolean(value.as_signed() != 0);
      return Json::integer(value.as_signed());
    case SqlType::kUnsigned:
      return Json::unsigned_integer(value.as_unsigned());
    case SqlType::kDouble:
      if (!std::isfinite(value.as_double()))
        return fail(ErrorCode::kNumberOutOfRange, "a number that JSON cannot hold");
      return Json::real(value.as_double());
    case SqlType::kDecimal:
      return Json::number_text(value.string());
    case SqlType::kJson:
      return value.as_json();
    default:
      if (!is_utf8(value.string()))
        return fail(ErrorCode::kInvalidUtf8, "bytes that are no UTF-8 cannot be put into JSON");
      return Json::string(value.string());
  }
}

Result<std::optional<std::weak_ordering>> compare_values(const SqlValue& a, const SqlValue& b,
                                                         EvaluationContext& context) {
  if (a.is_null() || b.is_null()) return std::nullopt;
  if (is_json(a) || is_json(b)) {
    if (is_json(a) && is_json(b)) return a.as_json().compare(b.as_json());
    ASSIGN_OR_RETURN(const Json other, to_json(is_json(a) ? b : a));
    return is_json(a) ? a.as_json().compare(other) : other.compare(b.as_json());
  }
  if (is_number(a) || is_number(b)) {
    ASSIGN_OR_RETURN(const auto x, to_numeric(a, context));
    ASSIGN_OR_RETURN(const auto y, to_numeric(b, context));
    return compare_numeric(*x, *y);
  }
  std::string_view x = a.string();
  std::string_view y = b.string();
  std::string padded;  // a date is the first moment of its day
  const auto pad = [&](const SqlValue& date, const SqlValue& other, std::string_view& text) {
    if (date.type() != SqlType::kDate || other.type() == SqlType::kDate ||
        other.string().size() < 19)
      return;
    padded = date.string() + " 00:00:00";
    text = padded;
  };
  pad(a, b, x);
  pad(b, a, y);
  return std::weak_ordering(x <=> y);
}

}  // namespace wherestar::server
