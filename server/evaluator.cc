#include "server/evaluator.h"

#include <algorithm>
#include <utility>

#include "server/any_path.h"
#include "server/arithmetic.h"
#include "server/cast.h"
#include "server/conversion.h"
#include "server/functions.h"
#include "server/temporal.h"
#include "server/text_match.h"

namespace wherestar::server {

using document::Json;
using document::JsonType;
using Kind = Expression::Kind;

namespace {

enum class Form { kRaw, kText };

// A path or a column, whose JSON becomes text in text operators; nested expressions stay as they
// are (docs/expressions.md, "Operands").
bool is_place(const Expression& expression) {
  return expression.kind == Kind::kPath || expression.kind == Kind::kIdentifier ||
         expression.kind == Kind::kColumn;
}

Result<SqlValue> operand(const Expression& expression, Form form, const Row& row,
                         EvaluationContext& context) {
  ASSIGN_OR_RETURN(SqlValue value, evaluate(expression, row, context));
  if (form == Form::kText && is_json(value) && is_place(expression))
    return SqlValue::text(unquoted(value.as_json()));
  return value;
}

Result<SqlValue> path_value(const Expression& expression, const Row& row) {
  if (row.document == nullptr) return SqlValue::null();
  std::optional<Json> found = row.document->extract(expression.path);
  if (!found) return SqlValue::null();
  if (expression.unquote) return SqlValue::text(unquoted(*found));
  return SqlValue::json(*std::move(found));
}

// A JSON document of an object or array expression. What is NULL becomes a JSON null.
Result<SqlValue> build_json(const Expression& expression, const Row& row,
                            EvaluationContext& context) {
  Json out = expression.kind == Kind::kObject ? Json::object() : Json::array();
  for (size_t i = 0; i < expression.operands.size(); ++i) {
    ASSIGN_OR_RETURN(const SqlValue value, evaluate(expression.operands[i], row, context));
    ASSIGN_OR_RETURN(Json json, to_json(value));
    if (json.depth() >= document::kMaxDepth)
      return fail(ErrorCode::kTooDeep,
                  "JSON of more than " + std::to_string(document::kMaxDepth) + " levels");
    if (expression.kind == Kind::kObject)
      out.set_member(expression.keys[i], std::move(json));
    else
      out.elements().push_back(std::move(json));
  }
  return SqlValue::json(std::move(out));
}

// --- logic -------------------------------------------------------------------------------------

Result<std::optional<bool>> truth_of(const Expression& expression, const Row& row,
                                     EvaluationContext& context) {
  if (is_existential(expression)) return evaluate_existential(expression, row, context, nullptr);
  ASSIGN_OR_RETURN(const SqlValue value, evaluate(expression, row, context));
  return to_truth(value, context);
}

Result<SqlValue> connect(const Expression& expression, const Row& row, EvaluationContext& context) {
  const bool deciding = expression.op == Operator::kOr;  // this value decides at once
  bool unknown = false;
  for (const Expression& part : expression.operands) {
    ASSIGN_OR_RETURN(const auto truth, truth_of(part, row, context));
    if (truth && *truth == deciding) return SqlValue::boolean(deciding);
    unknown |= !truth;
  }
  return unknown ? SqlValue::null() : SqlValue::boolean(!deciding);
}

Result<SqlValue> exclusive_or(const Expression& expression, const Row& row,
                              EvaluationContext& context) {
  bool out = false;
  for (const Expression& part : expression.operands) {
    ASSIGN_OR_RETURN(const auto truth, truth_of(part, row, context));
    if (!truth) return SqlValue::null();
    out ^= *truth;
  }
  return SqlValue::boolean(out);
}

// --- comparisons -------------------------------------------------------------------------------

Result<SqlValue> compare(const Expression& expression, const Row& row, EvaluationContext& context) {
  ASSIGN_OR_RETURN(const SqlValue a, evaluate(expression.operands[0], row, context));
  ASSIGN_OR_RETURN(const SqlValue b, evaluate(expression.operands[1], row, context));
  ASSIGN_OR_RETURN(const auto order, compare_values(a, b, context));
  if (!order) return SqlValue::null();
  switch (expression.op) {
    case Operator::kEqual:
      return SqlValue::boolean(*order == 0);
    case Operator::kNotEqual:
      return SqlValue::boolean(*order != 0);
    case Operator::kLess:
      return SqlValue::boolean(*order < 0);
    case Operator::kLessEqual:
      return SqlValue::boolean(*order <= 0);
    case Operator::kGreater:
      return SqlValue::boolean(*order > 0);
    default:
      return SqlValue::boolean(*order >= 0);
  }
}

Result<SqlValue> is_test(const Expression& expression, const Row& row, EvaluationContext& context) {
  ASSIGN_OR_RETURN(const SqlValue a, evaluate(expression.operands[0], row, context));
  ASSIGN_OR_RETURN(const SqlValue b, evaluate(expression.operands[1], row, context));
  bool out = false;
  if (b.is_null()) {
    out = a.is_null();
  } else if (!a.is_null()) {
    ASSIGN_OR_RETURN(const auto wanted, to_truth(b, context));
    const bool judged =
        !is_json(a) || a.as_json().is_number() || a.as_json().type() == JsonType::kBoolean;
    ASSIGN_OR_RETURN(const auto truth, to_truth(a, context));
    out = judged && truth == wanted;
  }
  return SqlValue::boolean(out == (expression.op == Operator::kIs));
}

Result<SqlValue> match_text(const Expression& expression, const Row& row,
                            EvaluationContext& context) {
  ASSIGN_OR_RETURN(const SqlValue a, operand(expression.operands[0], Form::kText, row, context));
  ASSIGN_OR_RETURN(const SqlValue b, operand(expression.operands[1], Form::kText, row, context));
  if (a.is_null() || b.is_null()) return SqlValue::null();
  std::string text = to_text(a);
  std::string pattern = to_text(b);
  bool matched = false;
  bool wanted = false;
  if (expression.op == Operator::kLike || expression.op == Operator::kNotLike) {
    wanted = expression.op == Operator::kLike;
    char32_t escape = U'\\';
    if (expression.operands.size() > 2) {
      ASSIGN_OR_RETURN(const SqlValue value, evaluate(expression.operands[2], row, context));
      ASSIGN_OR_RETURN(escape, parse_escape(value));
    }
    if (expression.case_insensitive) {
      text = fold_case(text);
      pattern = fold_case(pattern);
    }
    RETURN_IF_ERROR(check_like(text, pattern));
    matched = like_matches(text, pattern, escape);
  } else {
    wanted = expression.op == Operator::kRegexp;
    ASSIGN_OR_RETURN(const auto regexp,
                     Regexp::cached(pattern, expression.case_insensitive, context));
    ASSIGN_OR_RETURN(matched, regexp->found_in(text));
  }
  return SqlValue::boolean(matched == wanted);
}

// An operand of IN and BETWEEN: text of a path, but its number where the other side is one too.
struct Side {
  SqlValue text;
  std::optional<SqlValue> number;
};

Result<Side> side_of(const Expression& expression, const Row& row, EvaluationContext& context) {
  ASSIGN_OR_RETURN(SqlValue value, evaluate(expression, row, context));
  Side side;
  if (is_json(value) && is_place(expression)) {
    const Json& json = value.as_json();
    if (json.is_number()) side.number = number_value(json.as_number());
    side.text = SqlValue::text(unquoted(json));
    return side;
  }
  if (is_number(value)) side.number = value;
  side.text = std::move(value);
  return side;
}

Result<std::optional<std::weak_ordering>> compare_sides(const Side& a, const Side& b,
                                                        EvaluationContext& context) {
  if (a.number && b.number) return compare_values(*a.number, *b.number, context);
  return compare_values(a.text, b.text, context);
}

Result<SqlValue> between(const Expression& expression, const Row& row, EvaluationContext& context) {
  ASSIGN_OR_RETURN(const Side a, side_of(expression.operands[0], row, context));
  ASSIGN_OR_RETURN(const Side low, side_of(expression.operands[1], row, context));
  ASSIGN_OR_RETURN(const Side high, side_of(expression.operands[2], row, context));
  ASSIGN_OR_RETURN(const auto first, compare_sides(a, low, context));
  ASSIGN_OR_RETURN(const auto second, compare_sides(a, high, context));
  std::optional<bool> out;
  if ((first && *first < 0) || (second && *second > 0))
    out = false;
  else if (first && second)
    out = true;
  if (out && expression.op == Operator::kNotBetween) out = !*out;
  return from_optional(out);
}

Result<SqlValue> in_list(const Expression& expression, const Row& row, EvaluationContext& context) {
  ASSIGN_OR_RETURN(const Side a, side_of(expression.operands[0], row, context));
  if (a.text.is_null()) return SqlValue::null();
  bool unknown = false;
  for (size_t i = 1; i < expression.operands.size(); ++i) {
    ASSIGN_OR_RETURN(const Side b, side_of(expression.operands[i], row, context));
    ASSIGN_OR_RETURN(const auto order, compare_sides(a, b, context));
    if (!order) {
      unknown = true;
    } else if (*order == 0) {
      return SqlValue::boolean(expression.op == Operator::kIn);
    }
  }
  return unknown ? SqlValue::null() : SqlValue::boolean(expression.op == Operator::kNotIn);
}

// Literals are JSON here: NULL is a JSON null, and missing only what a path does not find.
Result<std::optional<Json>> json_operand(const Expression& expression, const Row& row,
                                         EvaluationContext& context) {
  ASSIGN_OR_RETURN(const SqlValue value, evaluate(expression, row, context));
  const bool literal = expression.kind == Kind::kLiteral || expression.kind == Kind::kPlaceholder;
  if (value.is_null() && !literal) return std::nullopt;
  ASSIGN_OR_RETURN(Json json, to_json(value));
  return std::optional<Json>(std::move(json));
}

Result<SqlValue> relate(const Expression& expression, const Row& row, EvaluationContext& context) {
  ASSIGN_OR_RETURN(const auto a, json_operand(expression.operands[0], row, context));
  ASSIGN_OR_RETURN(const auto b, json_operand(expression.operands[1], row, context));
  if (!a || !b) return SqlValue::null();
  switch (expression.op) {
    case Operator::kContainedIn:
      return SqlValue::boolean(b->contains(*a));
    case Operator::kNotContainedIn:
      return SqlValue::boolean(!b->contains(*a));
    case Operator::kOverlaps:
      return SqlValue::boolean(a->overlaps(*b));
    default:
      return SqlValue::boolean(!a->overlaps(*b));
  }
}

// --- the rest ----------------------------------------------------------------------------------

Result<SqlValue> calculate(const Expression& expression, const Row& row,
                           EvaluationContext& context) {
  const Form form = expression.op == Operator::kMultiply ? Form::kText : Form::kRaw;
  ASSIGN_OR_RETURN(const SqlValue a, operand(expression.operands[0], form, row, context));
  switch (expression.op) {
    case Operator::kNegate:
      return negate(a, context);
    case Operator::kPlus:
      return a;
    case Operator::kBitNot:
      return bit_operation(expression.op, a, a, context);
    default:
      break;
  }
  ASSIGN_OR_RETURN(const SqlValue b, operand(expression.operands[1], form, row, context));
  if (expression.op >= Operator::kBitAnd && expression.op <= Operator::kShiftRight)
    return bit_operation(expression.op, a, b, context);
  return arithmetic(expression.op, a, b, context);
}

Result<SqlValue> apply_operator(const Expression& expression, const Row& row,
                                EvaluationContext& context) {
  if (is_existential(expression)) {
    ASSIGN_OR_RETURN(const auto truth, evaluate_existential(expression, row, context, nullptr));
    return from_optional(truth);
  }
  switch (expression.op) {
    case Operator::kOr:
    case Operator::kAnd:
      return connect(expression, row, context);
    case Operator::kXor:
      return exclusive_or(expression, row, context);
    case Operator::kNot: {
      ASSIGN_OR_RETURN(const auto truth, truth_of(expression.operands[0], row, context));
      return truth ? SqlValue::boolean(!*truth) : SqlValue::null();
    }
    case Operator::kEqual:
    case Operator::kNotEqual:
    case Operator::kLess:
    case Operator::kLessEqual:
    case Operator::kGreater:
    case Operator::kGreaterEqual:
      return compare(expression, row, context);
    case Operator::kIs:
    case Operator::kIsNot:
      return is_test(expression, row, context);
    case Operator::kLike:
    case Operator::kNotLike:
    case Operator::kRegexp:
    case Operator::kNotRegexp:
      return match_text(expression, row, context);
    case Operator::kBetween:
    case Operator::kNotBetween:
      return between(expression, row, context);
    case Operator::kIn:
    case Operator::kNotIn:
      return in_list(expression, row, context);
    case Operator::kContainedIn:
    case Operator::kNotContainedIn:
    case Operator::kOverlaps:
    case Operator::kNotOverlaps:
      return relate(expression, row, context);
    case Operator::kCast: {
      ASSIGN_OR_RETURN(const SqlValue value,
                       operand(expression.operands[0], Form::kText, row, context));
      return cast_value(value, expression.name, context);
    }
    case Operator::kDateAdd:
    case Operator::kDateSub: {
      ASSIGN_OR_RETURN(const SqlValue value,
                       operand(expression.operands[0], Form::kText, row, context));
      ASSIGN_OR_RETURN(const SqlValue interval,
                       operand(expression.operands[1], Form::kText, row, context));
      return date_add(value, interval, expression.name,
                      expression.op == Operator::kDateAdd ? 1 : -1, context);
    }
    default:
      return calculate(expression, row, context);
  }
}

// IF, IFNULL and COALESCE evaluate only what they give; the condition of IF is one like WHERE's.
Result<SqlValue> choose(const Expression& expression, bool is_if, const Row& row,
                        EvaluationContext& context) {
  if (is_if) {
    ASSIGN_OR_RETURN(const auto truth, truth_of(expression.operands[0], row, context));
    return operand(expression.operands[truth.value_or(false) ? 1 : 2], Form::kText, row, context);
  }
  for (const Expression& choice : expression.operands) {
    ASSIGN_OR_RETURN(SqlValue value, operand(choice, Form::kText, row, context));
    if (!value.is_null()) return value;
  }
  return SqlValue::null();
}

Result<SqlValue> call_function(const Expression& expression, const Row& row,
                               EvaluationContext& context) {
  const Function* function = find_function(expression.name);
  if (function == nullptr) {
    if (is_aggregate(expression))
      return fail(ErrorCode::kInvalidExpression, "Invalid use of group function");
    const std::string schema =
        expression.qualifier.empty() ? context.database : expression.qualifier;
    return fail(ErrorCode::kUnknownFunction, "FUNCTION " + (schema.empty() ? "" : schema + ".") +
                                                 expression.name + " does not exist");
  }
  const size_t count = expression.operands.size();
  if (count < function->least || (function->most != 255 && count > function->most))
    return fail(
        ErrorCode::kWrongArgumentCount,
        "Incorrect parameter count in the call to native function '" + expression.name + "'");
  if (function->call == nullptr) return choose(expression, function->name == "IF", row, context);
  const Form form = takes_json(function->name) ? Form::kRaw : Form::kText;
  std::vector<SqlValue> arguments;
  arguments.reserve(count);
  for (const Expression& argument : expression.operands) {
    ASSIGN_OR_RETURN(SqlValue value, operand(argument, form, row, context));
    arguments.push_back(std::move(value));
  }
  return function->call({expression, arguments, context});
}

Result<SqlValue> evaluate_case(const Expression& expression, const Row& row,
                               EvaluationContext& context) {
  const size_t pairs = expression.operands.size() / 2;
  for (size_t i = 0; i < pairs; ++i) {
    ASSIGN_OR_RETURN(const auto truth, truth_of(expression.operands[2 * i], row, context));
    if (truth && *truth) return evaluate(expression.operands[2 * i + 1], row, context);
  }
  if (expression.has_else) return evaluate(expression.operands.back(), row, context);
  return SqlValue::null();
}

Result<SqlValue> variable(const Expression& expression, EvaluationContext& context) {
  if (context.variables != nullptr) {
    const std::string name = upper_case(expression.name);
    for (const auto& [known, value] : *context.variables)
      if (upper_case(known) == name) return value;
  }
  return fail(ErrorCode::kUnknownVariable, "Unknown system variable '" + expression.name + "'");
}

}  // namespace

Result<SqlValue> evaluate(const Expression& expression, const Row& row,
                          EvaluationContext& context) {
  switch (expression.kind) {
    case Kind::kLiteral:
      return expression.literal;
    case Kind::kPath:
    case Kind::kIdentifier:
      return path_value(expression, row);
    case Kind::kAnyPath:
      return fail(ErrorCode::kInvalidExpression,
                  "`*` stands for any path only as one side of a comparison, as in * = 'x'");
    case Kind::kColumn:
      if (expression.slot >= row.columns.size())
        return fail(ErrorCode::kInternal, "nothing filled the column '" + expression.name + "'");
      if (expression.unquote && is_json(row.columns[expression.slot]))
        return SqlValue::text(unquoted(row.columns[expression.slot].as_json()));
      return row.columns[expression.slot];
    case Kind::kOperator:
      return apply_operator(expression, row, context);
    case Kind::kFunction:
      return call_function(expression, row, context);
    case Kind::kObject:
    case Kind::kArray:
      return build_json(expression, row, context);
    case Kind::kPlaceholder:
      if (expression.slot < context.arguments.size()) return context.arguments[expression.slot];
      return fail(ErrorCode::kMissingArgument,
                  "no value for placeholder number " + std::to_string(expression.slot + 1));
    case Kind::kStar:
      return fail(ErrorCode::kInvalidExpression, "`*` is no value here");
    case Kind::kDefault:
      return fail(ErrorCode::kInvalidExpression, "DEFAULT is no value here");
    case Kind::kCase:
      return evaluate_case(expression, row, context);
    case Kind::kVariable:
      return variable(expression, context);
  }
  return fail(ErrorCode::kInternal, "an expression of an unknown kind");
}

Result<std::optional<bool>> evaluate_condition(const Expression& expression, const Row& row,
                                               EvaluationContext& context) {
  return truth_of(expression, row, context);
}

}  // namespace wherestar::server
