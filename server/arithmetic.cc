#include "server/arithmetic.h"

#include <cmath>

#include "server/conversion.h"

namespace wherestar::server {
namespace {

constexpr int kDivisionDigits = 4;

std::unexpected<Error> out_of_range(std::string_view type) {
  return fail(ErrorCode::kNumberOutOfRange, std::string(type) + " value is out of range");
}

bool is_integer(const Numeric& number) {
  return std::holds_alternative<int64_t>(number) || std::holds_alternative<uint64_t>(number);
}

Result<SqlValue> integer_result(const Decimal::Units& value, bool is_unsigned) {
  if (is_unsigned) {
    if (value < 0 || value > UINT64_MAX) return out_of_range("BIGINT UNSIGNED");
    return SqlValue::unsigned_integer(static_cast<uint64_t>(value));
  }
  if (value < INT64_MIN || value > INT64_MAX) return out_of_range("BIGINT");
  return SqlValue::signed_integer(static_cast<int64_t>(value));
}

Result<SqlValue> decimal_result(const Decimal& value) {
  if (!value.fits()) return out_of_range("DECIMAL");
  return SqlValue::decimal(value.to_text());
}

Result<SqlValue> real_result(double value) {
  if (!std::isfinite(value)) return out_of_range("DOUBLE");
  return SqlValue::real(value);
}

Result<SqlValue> on_reals(Operator op, double a, double b) {
  switch (op) {
    case Operator::kAdd:
      return real_result(a + b);
    case Operator::kSubtract:
      return real_result(a - b);
    case Operator::kMultiply:
      return real_result(a * b);
    case Operator::kDivide:
      return real_result(a / b);
    case Operator::kModulo:
      return real_result(std::fmod(a, b));
    default: {
      const double quotient = std::trunc(a / b);
      if (!(std::fabs(quotient) < 9.2e18)) return out_of_range("BIGINT");
      return SqlValue::signed_integer(static_cast<int64_t>(quotient));
    }
  }
}

Result<SqlValue> on_decimals(Operator op, const Decimal& a, const Decimal& b, bool integers,
                             bool is_unsigned) {
  switch (op) {
    case Operator::kAdd:
    case Operator::kSubtract:
    case Operator::kMultiply: {
      const Decimal out = op == Operator::kAdd ? a + b : op == Operator::kSubtract ? a - b : a * b;
      return integers ? integer_result(out.units(), is_unsigned) : decimal_result(out);
    }
    case Operator::kDivide:
      return decimal_result(
          Decimal::divide(a, b, std::min(a.scale() + kDivisionDigits, Decimal::kMaxScale)));
    case Operator::kModulo: {
      const Decimal out = Decimal::remainder(a, b);
      return integers ? integer_result(out.units(), is_unsigned) : decimal_result(out);
    }
    default:
      return integer_result((a - Decimal::remainder(a, b)).units() == 0
                                ? Decimal::Units(0)
                                : Decimal::divide(a - Decimal::remainder(a, b), b, 0).units(),
                            is_unsigned);
  }
}

}  // namespace

Result<SqlValue> arithmetic(Operator op, const SqlValue& a, const SqlValue& b,
                            EvaluationContext& context) {
  ASSIGN_OR_RETURN(const auto x, to_numeric(a, context));
  ASSIGN_OR_RETURN(const auto y, to_numeric(b, context));
  if (!x || !y) return SqlValue::null();
  const bool divides =
      op == Operator::kDivide || op == Operator::kModulo || op == Operator::kIntegerDivide;
  const auto p = to_decimal(*x);
  const auto q = to_decimal(*y);
  if (divides && (q ? q->is_zero() : to_double(*y) == 0)) {
    RETURN_IF_ERROR(warn(context, 1365, "Division by 0"));
    return SqlValue::null();
  }
  if (!p || !q) return on_reals(op, to_double(*x), to_double(*y));
  const bool is_unsigned =
      std::holds_alternative<uint64_t>(*x) || std::holds_alternative<uint64_t>(*y);
  return on_decimals(op, *p, *q, is_integer(*x) && is_integer(*y), is_unsigned);
}

Result<std::optional<uint64_t>> to_bits(const SqlValue& value, EvaluationContext& context) {
  if (value.type() == SqlType::kUnsigned) return value.as_unsigned();
  if (is_json(value) && value.as_json().is_number()) {
    const document::Number number = value.as_json().as_number();
    if (number.is_integer())
      return number.fits_int64() ? static_cast<uint64_t>(number.as_int64()) : number.as_uint64();
  }
  ASSIGN_OR_RETURN(const auto integer, to_integer(value, context));
  if (!integer) return std::nullopt;
  return static_cast<uint64_t>(*integer);
}

Result<SqlValue> bit_operation(Operator op, const SqlValue& a, const SqlValue& b,
                               EvaluationContext& context) {
  ASSIGN_OR_RETURN(const auto x, to_bits(a, context));
  if (op == Operator::kBitNot) return x ? SqlValue::unsigned_integer(~*x) : SqlValue::null();
  ASSIGN_OR_RETURN(const auto y, to_bits(b, context));
  if (!x || !y) return SqlValue::null();
  switch (op) {
    case Operator::kBitAnd:
      return SqlValue::unsigned_integer(*x & *y);
    case Operator::kBitOr:
      return SqlValue::unsigned_integer(*x | *y);
    case Operator::kBitXor:
      return SqlValue::unsigned_integer(*x ^ *y);
    case Operator::kShiftLeft:
      return SqlValue::unsigned_integer(*y < 64 ? *x << *y : 0);
    default:
      return SqlValue::unsigned_integer(*y < 64 ? *x >> *y : 0);
  }
}

Result<SqlValue> negate(const SqlValue& value, EvaluationContext& context) {
  ASSIGN_OR_RETURN(const auto number, to_numeric(value, context));
  if (!number) return SqlValue::null();
  if (const auto* real = std::get_if<double>(&*number)) return SqlValue::real(-*real);
  const Decimal negative = Decimal() - *to_decimal(*number);
  return is_integer(*number) ? integer_result(negative.units(), false) : decimal_result(negative);
}

}  // namespace wherestar::server
