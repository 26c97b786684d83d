// Between SQL's types and JSON: numbers out of anything, truth, text, and the warnings on the way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "server/decimal.h"
#include "server/evaluator.h"

namespace wherestar::server {

inline constexpr size_t kMaxTextBytes = 64u << 20;  // of one value made by a function

// Notes a warning; in strict mode the codes of wrong data and of a division by zero are errors.
Status warn(EvaluationContext& context, uint32_t code, std::string message);
Status check_deadline(const EvaluationContext& context);
Status check_text_size(size_t bytes);  // kLimitExceeded

// A number as arithmetic sees it. Text and JSON become doubles.
using Numeric = std::variant<int64_t, uint64_t, Decimal, double>;
Result<std::optional<Numeric>> to_numeric(const SqlValue& value, EvaluationContext& context);
SqlValue from_numeric(const Numeric& number);
SqlValue number_value(const document::Number& number);  // exact, of a JSON number
double to_double(const Numeric& number);
std::optional<Decimal> to_decimal(const Numeric& number);  // not of doubles
std::optional<Decimal> worth(const Numeric& number);       // for comparing; nullopt for infinity
std::weak_ordering compare_numeric(const Numeric& a, const Numeric& b);
Result<std::optional<double>> to_real(const SqlValue& value, EvaluationContext& context);
// Rounded to an integer; clamped to int64.
Result<std::optional<int64_t>> to_integer(const SqlValue& value, EvaluationContext& context);
// The longest prefix that is a number; a remainder that is not blank sets `trailing`.
double parse_double_prefix(std::string_view text, bool& trailing);
std::string double_text(double value);  // shortest that reads back, as MySQL prints: 0.5, 1e20

// As a condition. JSON: false and 0 are false, everything else is true.
Result<std::optional<bool>> to_truth(const SqlValue& value, EvaluationContext& context);

bool is_utf8(std::string_view text);
// What `->>` makes of JSON: strings bare, the rest as text with blanks.
std::string unquoted(const document::Json& json);
inline SqlValue from_optional(std::optional<bool> truth) {
  return truth ? SqlValue::boolean(*truth) : SqlValue::null();
}
inline bool is_json(const SqlValue& value) {
  return value.type() == SqlType::kJson;
}
bool is_number(const SqlValue& value);
bool is_texty(const SqlValue& value);  // text or binary
bool is_temporal(const SqlValue& value);

// NULL if one is; else SQL's comparison (docs/expressions.md, "Comparison").
Result<std::optional<std::weak_ordering>> compare_values(const SqlValue& a, const SqlValue& b,
                                                         EvaluationContext& context);

}  // namespace wherestar::server
