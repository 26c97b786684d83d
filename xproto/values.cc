#include "xproto/values.h"

#include <array>
#include <charconv>
#include <cmath>

#include "document/json.h"
#include "server/statement.h"
#include "xproto/error_map.h"

namespace wherestar::xproto {
namespace {

using Mysqlx::Datatypes::Any;
using Mysqlx::Datatypes::Scalar;
using server::SqlValue;

constexpr uint32_t kOctetsJson = 2;

std::unexpected<XError> mismatch(const char* type) {
  return x_fail(code::kInvalidArgument,
                std::string("Invalid argument: scalar of type ") + type + " without its value");
}

std::unexpected<XError> not_utf8() {
  return x_fail(code::kInvalidUtf8, "Invalid utf8mb4 character string in an argument");
}

std::unexpected<XError> too_deep() {
  return std::unexpected(XError{.code = code::kTooDeep,
                                .message = "The JSON document exceeds the maximum depth of " +
                                           std::to_string(document::kMaxDepth) + " levels",
                                .sql_state = "22032"});
}

// The shortest text that reads back as this double; "1" for 1.0. False when not finite.
template <class Float>
bool format_number(std::string& out, Float value) {
  if (!std::isfinite(value)) return false;
  std::array<char, 64> buffer{};
  auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  if (error != std::errc()) return false;
  std::string_view text(buffer.data(), static_cast<size_t>(end - buffer.data()));
  out.append(text == "-0" ? "0" : text);
  return true;
}

XResult<SqlValue> from_real(const std::string& text, double value) {
  if (text.find('e') != std::string::npos) return SqlValue::real(value);
  if (text.find('.') != std::string::npos) return SqlValue::decimal(text);
  int64_t integer = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
  if (error == std::errc() && end == text.data() + text.size()) {
    return SqlValue::signed_integer(integer);
  }
  return SqlValue::real(value);
}

XResult<SqlValue> from_octets(const Scalar::Octets& octets) {
  const std::string& bytes = octets.value();
  if (octets.content_type() == kOctetsJson) {
    auto json = document::Json::parse(bytes);
    if (!json) return std::unexpected(to_x_error(std::move(json).error(), ErrorContext::kSql));
    return SqlValue::json(*std::move(json));
  }
  if (is_utf8(bytes)) return SqlValue::text(bytes);
  return SqlValue::binary(bytes);
}

}  // namespace

bool is_utf8(std::string_view text) {
  size_t i = 0;
  auto byte = [&](size_t at) { return static_cast<uint8_t>(text[at]); };
  while (i < text.size()) {
    uint8_t first = byte(i);
    if (first < 0x80) {
      ++i;
      continue;
    }
    size_t count = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
    if (first < 0xc2 || first > 0xf4 || count >= text.size() - i) return false;
    uint32_t character = first & (0x3fu >> count);
    for (size_t k = 1; k <= count; ++k) {
      if ((byte(i + k) & 0xc0) != 0x80) return false;
      character = character << 6 | (byte(i + k) & 0x3fu);
    }
    if (count == 2 && (character < 0x800 || (character >= 0xd800 && character < 0xe000))) {
      return false;
    }
    if (count == 3 && (character < 0x10000 || character > 0x10ffff)) return false;
    i += count + 1;
  }
  return true;
}

XResult<SqlValue> to_sql_value(const Scalar& scalar) {
  if (!scalar.has_type()) {
    return x_fail(code::kExpressionBadValue, "Invalid value: scalar without a type");
  }
  switch (scalar.type()) {
    case Scalar::V_SINT:
      if (!scalar.has_v_signed_int()) return mismatch("V_SINT");
      return SqlValue::signed_integer(scalar.v_signed_int());
    case Scalar::V_UINT:
      if (!scalar.has_v_unsigned_int()) return mismatch("V_UINT");
      // What fits is signed, as an integer literal in SQL is.
      if (scalar.v_unsigned_int() <= static_cast<uint64_t>(INT64_MAX)) {
        return SqlValue::signed_integer(static_cast<int64_t>(scalar.v_unsigned_int()));
      }
      return SqlValue::unsigned_integer(scalar.v_unsigned_int());
    case Scalar::V_NULL:
      return SqlValue::null();
    case Scalar::V_OCTETS:
      if (!scalar.has_v_octets()) return mismatch("V_OCTETS");
      return from_octets(scalar.v_octets());
    case Scalar::V_DOUBLE: {
      if (!scalar.has_v_double()) return mismatch("V_DOUBLE");
      std::string text;
      if (!format_number(text, scalar.v_double())) {
        return x_fail(code::kInvalidArgument, "Invalid argument: number is not finite");
      }
      return from_real(text, scalar.v_double());
    }
    case Scalar::V_FLOAT: {
      if (!scalar.has_v_float()) return mismatch("V_FLOAT");
      std::string text;
      if (!format_number(text, scalar.v_float())) {
        return x_fail(code::kInvalidArgument, "Invalid argument: number is not finite");
      }
      return from_real(text, static_cast<double>(scalar.v_float()));
    }
    case Scalar::V_BOOL:
      if (!scalar.has_v_bool()) return mismatch("V_BOOL");
      return SqlValue::boolean(scalar.v_bool());
    case Scalar::V_STRING:
      if (!scalar.has_v_string()) return mismatch("V_STRING");
      if (!is_utf8(scalar.v_string().value())) return not_utf8();
      return SqlValue::text(scalar.v_string().value());
  }
  return x_fail(code::kInvalidArgument, "Invalid argument: scalar of an unknown type");
}

XResult<SqlValue> to_sql_value(const Any& any, uint32_t non_scalar_code) {
  if (any.type() != Any::SCALAR || !any.has_scalar()) {
    return x_fail(non_scalar_code, "Invalid argument: only scalar values can be bound");
  }
  return to_sql_value(any.scalar());
}

namespace {

XStatus append_scalar_json(std::string& out, const Scalar& scalar) {
  switch (scalar.type()) {
    case Scalar::V_BOOL:
      if (!scalar.has_v_bool()) return mismatch("V_BOOL");
      out.append(scalar.v_bool() ? "true" : "false");
      return {};
    case Scalar::V_DOUBLE:
      if (!scalar.has_v_double() || !format_number(out, scalar.v_double())) {
        return x_fail(code::kInvalidArgument, "Invalid argument: number is not finite");
      }
      return {};
    case Scalar::V_FLOAT:
      if (!scalar.has_v_float() || !format_number(out, scalar.v_float())) {
        return x_fail(code::kInvalidArgument, "Invalid argument: number is not finite");
      }
      return {};
    case Scalar::V_STRING:
      if (!scalar.has_v_string()) return mismatch("V_STRING");
      if (!is_utf8(scalar.v_string().value())) return not_utf8();
      document::append_json_string(out, scalar.v_string().value());
      return {};
    default:
      break;
  }
  auto value = to_sql_value(scalar);
  if (!value) return std::unexpected(std::move(value).error());
  switch (value->type()) {
    case server::SqlType::kNull:
      out.append("null");
      return {};
    case server::SqlType::kSigned:
      out.append(std::to_string(value->as_signed()));
      return {};
    case server::SqlType::kUnsigned:
      out.append(std::to_string(value->as_unsigned()));
      return {};
    case server::SqlType::kJson:
      out.append(value->json_as_text());
      return {};
    case server::SqlType::kText:
      document::append_json_string(out, value->string());
      return {};
    default:
      return not_utf8();  // octets that are no text have no place in JSON
  }
}

XStatus append_any_json(std::string& out, const Any& any, size_t depth) {
  if (any.type() != Any::SCALAR && depth >= document::kMaxDepth) return too_deep();
  switch (any.type()) {
    case Any::SCALAR:
      return append_scalar_json(out, any.scalar());
    case Any::OBJECT: {
      char separator = '{';
      for (const auto& field : any.obj().fld()) {
        out.push_back(separator);
        separator = ',';
        if (!is_utf8(field.key())) return not_utf8();
        document::append_json_string(out, field.key());
        out.push_back(':');
        if (auto status = append_any_json(out, field.value(), depth + 1); !status) return status;
      }
      out.append(separator == '{' ? "{}" : "}");
      return {};
    }
    case Any::ARRAY: {
      char separator = '[';
      for (const auto& value : any.array().value()) {
        out.push_back(separator);
        separator = ',';
        if (auto status = append_any_json(out, value, depth + 1); !status) return status;
      }
      out.append(separator == '[' ? "[]" : "]");
      return {};
    }
  }
  return x_fail(code::kInvalidArgument, "Invalid argument: value of an unknown type");
}

}  // namespace

XStatus append_json(std::string& out, const Any& any) {
  return append_any_json(out, any, 0);
}

XResult<bool> append_constant_json(std::string& out, const Mysqlx::Expr::Expr& expr, size_t depth) {
  using Mysqlx::Expr::Expr;
  if (expr.type() == Expr::LITERAL && expr.has_literal()) {
    if (auto status = append_scalar_json(out, expr.literal()); !status) {
      return std::unexpected(std::move(status).error());
    }
    return true;
  }
  bool is_object = expr.type() == Expr::OBJECT && expr.has_object();
  bool is_array = expr.type() == Expr::ARRAY && expr.has_array();
  if (!is_object && !is_array) return false;
  if (depth >= document::kMaxDepth) return too_deep();
  bool first = true;
  out.push_back(is_object ? '{' : '[');
  auto value = [&](const Expr& element) -> XResult<bool> {
    return append_constant_json(out, element, depth + 1);
  };
  for (const auto& field : expr.object().fld()) {
    if (!std::exchange(first, false)) out.push_back(',');
    if (!is_utf8(field.key())) return not_utf8();
    document::append_json_string(out, field.key());
    out.push_back(':');
    if (auto constant = value(field.value()); !constant || !*constant) return constant;
  }
  for (const auto& element : expr.array().value()) {
    if (!std::exchange(first, false)) out.push_back(',');
    if (auto constant = value(element); !constant || !*constant) return constant;
  }
  out.push_back(is_object ? '}' : ']');
  return true;
}

}  // namespace wherestar::xproto
