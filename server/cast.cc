#include "server/cast.h"

#include <cmath>
#include <cstdlib>
#include <utility>

#include "server/conversion.h"
#include "server/temporal.h"

namespace wherestar::server {
namespace {

struct CastType {
  std::string_view name;
  std::optional<int> first;
  std::optional<int> second;
};

// "DECIMAL(10,2)" -> DECIMAL 10 2.
CastType split(std::string_view type) {
  CastType out;
  const size_t open = type.find('(');
  out.name = type.substr(0, open);
  while (out.name.ends_with(' ')) out.name.remove_suffix(1);
  if (open == std::string_view::npos) return out;
  const std::string rest(type.substr(open + 1));
  out.first = std::atoi(rest.c_str());
  if (const size_t comma = rest.find(','); comma != std::string::npos)
    out.second = std::atoi(rest.c_str() + comma + 1);
  return out;
}

Status truncated(EvaluationContext& context, std::string_view type, const SqlValue& value) {
  return warn(context, 1292,
              "Truncated incorrect " + std::string(type) + " value: '" +
                  to_text(value).substr(0, 64) + "'");
}

Result<SqlValue> to_integer_type(const SqlValue& value, bool is_unsigned,
                                 EvaluationContext& context) {
  Decimal number;
  if (is_texty(value)) {
    // The leading integer part counts.
    const std::string& text = value.string();
    size_t end = text.find_first_not_of(" \t\n");
    const size_t begin = end == std::string::npos ? text.size() : end;
    end = begin;
    if (end < text.size() && (text[end] == '-' || text[end] == '+')) ++end;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9' && end - begin < 100) ++end;
    number = Decimal::parse(std::string_view(text).substr(begin, end - begin)).value_or(Decimal());
    if (end < text.size() || end == begin) RETURN_IF_ERROR(truncated(context, "INTEGER", value));
  } else {
    ASSIGN_OR_RETURN(const auto numeric, to_numeric(value, context));
    if (const auto decimal = to_decimal(*numeric)) {
      number = decimal->rounded(0);
    } else {
      const double real = std::round(std::clamp(to_double(*numeric), -2e19, 2e19));
      number = Decimal(Decimal::Units(real), 0);
    }
  }
  const Decimal::Units& units = number.units();
  const auto clamped = [&](SqlValue out) -> Result<SqlValue> {
    RETURN_IF_ERROR(truncated(context, "INTEGER", value));
    return out;
  };
  if (is_unsigned) {
    if (units > UINT64_MAX) return clamped(SqlValue::unsigned_integer(UINT64_MAX));
    if (units < INT64_MIN) return clamped(SqlValue::unsigned_integer(0));
    return SqlValue::unsigned_integer(units < 0 ? static_cast<uint64_t>(static_cast<int64_t>(units))
                                                : static_cast<uint64_t>(units));
  }
  if (value.type() == SqlType::kUnsigned)
    return SqlValue::signed_integer(static_cast<int64_t>(value.as_unsigned()));
  if (units > INT64_MAX) return clamped(SqlValue::signed_integer(INT64_MAX));
  if (units < INT64_MIN) return clamped(SqlValue::signed_integer(INT64_MIN));
  return SqlValue::signed_integer(static_cast<int64_t>(units));
}

Result<SqlValue> to_decimal_type(const SqlValue& value, const CastType& type,
                                 EvaluationContext& context) {
  const int digits = std::clamp(type.first.value_or(10), 1, 65);
  const int scale = std::clamp(type.second.value_or(0), 0, std::min(30, digits));
  std::optional<Decimal> number;
  if (is_texty(value)) {
    number = Decimal::parse(value.string());
  }
  if (!number) {
    ASSIGN_OR_RETURN(const auto numeric, to_numeric(value, context));
    number = to_decimal(*numeric);
    if (!number) number = Decimal::parse(double_text(to_double(*numeric)));
    if (!number) number = Decimal();
  }
  Decimal out = number->rounded(scale) + Decimal(0, scale);
  Decimal::Units limit = 1;
  for (int i = 0; i < digits; ++i) limit *= 10;
  if (abs(out.units()) >= limit) {
    RETURN_IF_ERROR(warn(context, 1264, "Out of range value for CAST to DECIMAL"));
    out = Decimal(out.units() < 0 ? Decimal::Units(1 - limit) : Decimal::Units(limit - 1), scale);
  }
  return SqlValue::decimal(out.to_text());
}

Result<SqlValue> to_char(const SqlValue& value, std::optional<int> length, bool binary,
                         EvaluationContext& context) {
  std::string text = to_text(value);
  if (length) {
    const auto limit = static_cast<size_t>(std::max(0, *length));
    RETURN_IF_ERROR(check_text_size(limit));
    size_t at = 0;
    size_t characters = 0;
    while (at < text.size() && characters < limit) {
      ++at;
      if (!binary)
        while (at < text.size() && (static_cast<uint8_t>(text[at]) & 0xc0) == 0x80) ++at;
      ++characters;
    }
    if (at < text.size()) {
      RETURN_IF_ERROR(truncated(context, binary ? "BINARY" : "CHAR", value));
      text.resize(at);
    }
    if (binary) text.resize(limit, '\0');
  }
  return binary ? SqlValue::binary(std::move(text)) : SqlValue::text(std::move(text));
}

Result<SqlValue> to_temporal(const SqlValue& value, std::string_view name,
                             EvaluationContext& context) {
  const std::string text = to_text(value);
  if (name == "TIME") {
    if (const auto moment = Moment::parse(text); moment && moment->has_time)
      return SqlValue::temporal(SqlType::kTime, moment->time_text());
    if (const auto us = parse_time_us(text))
      return SqlValue::temporal(SqlType::kTime, time_text(*us));
  } else if (const auto moment = Moment::parse(text)) {
    if (name == "YEAR") return SqlValue::signed_integer(moment->civil().year);
    if (name == "DATE") return SqlValue::temporal(SqlType::kDate, moment->date_text());
    return SqlValue::temporal(SqlType::kDateTime, moment->text());
  } else if (name == "YEAR") {
    return to_integer_type(value, false, context);
  }
  RETURN_IF_ERROR(warn(context, 1292,
                       "Incorrect " + std::string(name) + " value: '" + text.substr(0, 64) + "'"));
  return SqlValue::null();
}

}  // namespace

SqlType cast_type(std::string_view type) {
  const std::string_view name = split(type).name;
  if (name.starts_with("UNSIGNED")) return SqlType::kUnsigned;
  if (name.starts_with("SIGNED") || name.starts_with("INT") || name == "YEAR")
    return SqlType::kSigned;
  if (name.starts_with("DEC")) return SqlType::kDecimal;
  if (name == "DOUBLE" || name == "REAL" || name == "FLOAT") return SqlType::kDouble;
  if (name == "JSON") return SqlType::kJson;
  if (name == "BINARY") return SqlType::kBinary;
  if (name == "DATE") return SqlType::kDate;
  if (name == "TIME") return SqlType::kTime;
  if (name == "DATETIME") return SqlType::kDateTime;
  return SqlType::kText;
}

Result<SqlValue> cast_value(const SqlValue& value, std::string_view type,
                            EvaluationContext& context) {
  const CastType parts = split(type);
  if (value.is_null()) return SqlValue::null();
  switch (cast_type(type)) {
    case SqlType::kUnsigned:
      return to_integer_type(value, true, context);
    case SqlType::kSigned:
      if (parts.name == "YEAR") return to_temporal(value, parts.name, context);
      return to_integer_type(value, false, context);
    case SqlType::kDecimal:
      return to_decimal_type(value, parts, context);
    case SqlType::kDouble: {
      ASSIGN_OR_RETURN(const auto real, to_real(value, context));
      return SqlValue::real(*real);
    }
    case SqlType::kJson: {
      if (!is_texty(value)) {
        ASSIGN_OR_RETURN(document::Json json, to_json(value));
        return SqlValue::json(std::move(json));
      }
      auto json = document::Json::parse(value.string());
      if (!json)
        return fail(
            ErrorCode::kInvalidJson,
            "Invalid JSON text in argument 1 to function cast_as_json: " + json.error().message);
      return SqlValue::json(*std::move(json));
    }
    case SqlType::kBinary:
      return to_char(value, parts.first, true, context);
    case SqlType::kDate:
    case SqlType::kTime:
    case SqlType::kDateTime:
      return to_temporal(value, parts.name, context);
    default:
      if (parts.name == "CHAR" || parts.name == "NCHAR" || parts.name == "VARCHAR" ||
          parts.name == "TEXT")
        return to_char(value, parts.first, false, context);
      return fail(ErrorCode::kInvalidExpression,
                  "CAST to an unknown type '" + std::string(type) + "'");
  }
}

}  // namespace wherestar::server
