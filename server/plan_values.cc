#include "server/plan_values.h"

#include <cmath>

#include "server/evaluator.h"

namespace wherestar::server {

using document::Json;
using document::JsonType;
using document::Number;
using document::Scalar;

namespace {

std::optional<Scalar> scalar_of_json(const Json& json) {
  switch (json.type()) {
    case JsonType::kNull:
      return document::Null{};
    case JsonType::kBoolean:
      return json.as_bool();
    case JsonType::kInteger:
    case JsonType::kDouble:
      return json.as_number();
    case JsonType::kString:
      return std::string_view(json.as_string());
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Scalar> scalar_of(const SqlValue& value) {
  switch (value.type()) {
    case SqlType::kSigned:
      if (value.is_boolean()) return value.as_signed() != 0;
      return Number::from_int64(value.as_signed());
    case SqlType::kUnsigned:
      return Number::from_uint64(value.as_unsigned());
    case SqlType::kDouble:
      if (!std::isfinite(value.as_double())) return std::nullopt;
      return Number::from_double(value.as_double());
    case SqlType::kDecimal:
      if (auto number = Number::from_text(value.string())) return *number;
      return std::nullopt;
    case SqlType::kText:
      return std::string_view(value.string());
    case SqlType::kJson:
      return scalar_of_json(value.as_json());
    default:
      return std::nullopt;
  }
}

std::optional<index::Probe> probe_of(const PlanNode& node) {
  index::Probe probe;
  probe.kind = node.probe;
  probe.has_low = node.low.has_value();
  probe.has_high = node.high.has_value();
  probe.low_inclusive = node.low_inclusive;
  probe.high_inclusive = node.high_inclusive;
  if (node.low) {
    const auto low = scalar_of(*node.low);
    if (!low) return std::nullopt;
    probe.low = *low;
  }
  if (node.high) {
    const auto high = scalar_of(*node.high);
    if (!high) return std::nullopt;
    probe.high = *high;
  }
  // An open bound is open within the type of the other one.
  if (!node.low) probe.low = probe.high;
  if (!node.high) probe.high = probe.low;
  return probe;
}

std::string display(const SqlValue& value) {
  if (value.type() == SqlType::kJson) return value.json_as_text();
  if (value.is_null()) return "NULL";
  if (value.is_boolean()) return value.as_signed() != 0 ? "true" : "false";
  if (value.type() != SqlType::kText) return to_text(value);
  std::string out = "'";
  for (char c : value.string()) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

}  // namespace wherestar::server
