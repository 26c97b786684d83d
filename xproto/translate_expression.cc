#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "xproto/translate.h"
#include "xproto/values.h"

namespace wherestar::xproto {
namespace {

using Mysqlx::Expr::DocumentPathItem;
using Mysqlx::Expr::Expr;
using server::Expression;
using server::Operator;

struct OperatorInfo {
  std::string_view name;
  Operator op;
  int least_operands;
  int most_operands;
};

constexpr int kAnyNumber = INT32_MAX;

// Names are case-sensitive. Node's client says `between_not` where others say `not_between`.
constexpr auto kOperators = std::to_array<OperatorInfo>({
    {"!", Operator::kNot, 1, 1},
    {"not", Operator::kNot, 1, 1},
    {"sign_plus", Operator::kPlus, 1, 1},
    {"sign_minus", Operator::kNegate, 1, 1},
    {"~", Operator::kBitNot, 1, 1},
    {"&&", Operator::kAnd, 2, 2},
    {"||", Operator::kOr, 2, 2},
    {"xor", Operator::kXor, 2, 2},
    {"==", Operator::kEqual, 2, 2},
    {"!=", Operator::kNotEqual, 2, 2},
    {"<", Operator::kLess, 2, 2},
    {"<=", Operator::kLessEqual, 2, 2},
    {">", Operator::kGreater, 2, 2},
    {">=", Operator::kGreaterEqual, 2, 2},
    {"+", Operator::kAdd, 2, 2},
    {"-", Operator::kSubtract, 2, 2},
    {"*", Operator::kMultiply, 2, 2},
    {"/", Operator::kDivide, 2, 2},
    {"div", Operator::kIntegerDivide, 2, 2},
    {"%", Operator::kModulo, 2, 2},
    {"&", Operator::kBitAnd, 2, 2},
    {"|", Operator::kBitOr, 2, 2},
    {"^", Operator::kBitXor, 2, 2},
    {"<<", Operator::kShiftLeft, 2, 2},
    {">>", Operator::kShiftRight, 2, 2},
    {"is", Operator::kIs, 2, 2},
    {"is_not", Operator::kIsNot, 2, 2},
    {"regexp", Operator::kRegexp, 2, 2},
    {"not_regexp", Operator::kNotRegexp, 2, 2},
    {"cont_in", Operator::kContainedIn, 2, 2},
    {"not_cont_in", Operator::kNotContainedIn, 2, 2},
    {"overlaps", Operator::kOverlaps, 2, 2},
    {"not_overlaps", Operator::kNotOverlaps, 2, 2},
    {"cast", Operator::kCast, 2, 2},
    {"like", Operator::kLike, 2, 3},
    {"not_like", Operator::kNotLike, 2, 3},
    {"between", Operator::kBetween, 3, 3},
    {"not_between", Operator::kNotBetween, 3, 3},
    {"between_not", Operator::kNotBetween, 3, 3},
    {"date_add", Operator::kDateAdd, 3, 3},
    {"date_sub", Operator::kDateSub, 3, 3},
    {"in", Operator::kIn, 2, kAnyNumber},
    {"not_in", Operator::kNotIn, 2, kAnyNumber},
});

constexpr auto kJsonFunctions = std::to_array<std::string_view>(
    {"JSON_ARRAY", "JSON_ARRAY_APPEND", "JSON_ARRAY_INSERT", "JSON_EXTRACT", "JSON_INSERT",
     "JSON_KEYS", "JSON_MERGE", "JSON_MERGE_PATCH", "JSON_MERGE_PRESERVE", "JSON_OBJECT",
     "JSON_QUOTE", "JSON_REMOVE", "JSON_REPLACE", "JSON_SEARCH", "JSON_SET"});

constexpr auto kDateUnits = std::to_array<std::string_view>({"MICROSECOND",
                                                             "SECOND",
                                                             "MINUTE",
                                                             "HOUR",
                                                             "DAY",
                                                             "WEEK",
                                                             "MONTH",
                                                             "QUARTER",
                                                             "YEAR",
                                                             "SECOND_MICROSECOND",
                                                             "MINUTE_MICROSECOND",
                                                             "MINUTE_SECOND",
                                                             "HOUR_MICROSECOND",
                                                             "HOUR_SECOND",
                                                             "HOUR_MINUTE",
                                                             "DAY_MICROSECOND",
                                                             "DAY_SECOND",
                                                             "DAY_MINUTE",
                                                             "DAY_HOUR",
                                                             "YEAR_MONTH"});

std::string upper(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return result;
}

// `*` stands for any path as the operand of these.
bool takes_any_path(Operator op) {
  switch (op) {
    case Operator::kEqual:
    case Operator::kNotEqual:
    case Operator::kLess:
    case Operator::kLessEqual:
    case Operator::kGreater:
    case Operator::kGreaterEqual:
    case Operator::kIs:
    case Operator::kIsNot:
    case Operator::kLike:
    case Operator::kNotLike:
    case Operator::kRegexp:
    case Operator::kNotRegexp:
    case Operator::kBetween:
    case Operator::kNotBetween:
    case Operator::kIn:
    case Operator::kNotIn:
      return true;
    default:
      return false;
  }
}

std::unexpected<XError> bad_value(std::string message) {
  return x_fail(code::kExpressionBadValue, std::move(message));
}

// The text of a type or unit, which clients send as an octets literal.
std::optional<std::string_view> literal_text(const Expr& expr) {
  if (expr.type() != Expr::LITERAL || !expr.has_literal()) return std::nullopt;
  const auto& scalar = expr.literal();
  if (scalar.has_v_octets()) return scalar.v_octets().value();
  if (scalar.has_v_string()) return scalar.v_string().value();
  return std::nullopt;
}

// BINARY[(n)] CHAR[(n)] DATE DATETIME DECIMAL[(m[,d])] JSON SIGNED [INTEGER] TIME
// UNSIGNED [INTEGER], in upper case.
bool is_cast_type(std::string_view text) {
  size_t word_end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  std::string_view word = text.substr(0, word_end);
  std::string_view rest = word_end == std::string_view::npos ? "" : text.substr(word_end);
  if (word == "SIGNED" || word == "UNSIGNED") return rest.empty() || rest == " INTEGER";
  if (rest.empty()) {
    return word == "BINARY" || word == "CHAR" || word == "DATE" || word == "DATETIME" ||
           word == "DECIMAL" || word == "JSON" || word == "TIME" || word == "DOUBLE" ||
           word == "FLOAT";
  }
  if (rest.size() < 3 || rest.size() > 12 || rest.front() != '(' || rest.back() != ')')
    return false;
  std::string_view inner = rest.substr(1, rest.size() - 2);
  size_t comma = inner.find(',');
  auto is_number = [](std::string_view digits) {
    return !digits.empty() && digits.size() <= 5 &&
           digits.find_first_not_of("0123456789") == std::string_view::npos;
  };
  if (comma != std::string_view::npos) {
    return word == "DECIMAL" && is_number(inner.substr(0, comma)) &&
           is_number(inner.substr(comma + 1));
  }
  return (word == "BINARY" || word == "CHAR" || word == "DECIMAL" || word == "TIME" ||
          word == "DATETIME") &&
         is_number(inner);
}

// Containment and overlap compare JSON values; anything else is refused, as MySQL does.
bool produces_json(const Expr& expr) {
  switch (expr.type()) {
    case Expr::LITERAL:
    case Expr::PLACEHOLDER:
    case Expr::IDENT:
    case Expr::OBJECT:
    case Expr::ARRAY:
      return true;
    case Expr::FUNC_CALL:
      return std::ranges::find(kJsonFunctions, upper(expr.function_call().name().name())) !=
             kJsonFunctions.end();
    case Expr::OPERATOR:
      return expr.operator_().name() == "cast" && expr.operator_().param_size() == 2 &&
             literal_text(expr.operator_().param(1)) == "JSON";
    default:
      return false;
  }
}

Expression make_literal(server::SqlValue value) {
  Expression result;
  result.kind = Expression::Kind::kLiteral;
  result.literal = std::move(value);
  return result;
}

Expression make_operator(Operator op) {
  Expression result;
  result.kind = Expression::Kind::kOperator;
  result.op = op;
  return result;
}

}  // namespace

XResult<document::PathExpression> to_path(
    const google::protobuf::RepeatedPtrField<DocumentPathItem>& items) {
  std::vector<document::PathLeg> legs;
  if (items.size() == 1 && items[0].type() == DocumentPathItem::MEMBER &&
      items[0].value().empty()) {
    return document::PathExpression();  // `$`
  }
  if (items.size() > 100) return bad_value("Document path has more than 100 legs");
  for (const auto& item : items) {
    document::PathLeg leg;
    switch (item.type()) {
      case DocumentPathItem::MEMBER:
        if (item.value().empty()) {
          return bad_value("Invalid empty value for Mysqlx::Expr::DocumentPathItem::MEMBER");
        }
        if (!is_utf8(item.value())) return bad_value("Document path is not UTF-8");
        leg.kind = document::LegKind::kMember;
        leg.name = item.value();
        break;
      case DocumentPathItem::MEMBER_ASTERISK:
        leg.kind = document::LegKind::kAnyMember;
        break;
      case DocumentPathItem::ARRAY_INDEX:
        leg.kind = document::LegKind::kElement;
        leg.first.offset = item.index();
        break;
      case DocumentPathItem::ARRAY_INDEX_ASTERISK:
        leg.kind = document::LegKind::kAnyElement;
        break;
      case DocumentPathItem::DOUBLE_ASTERISK:
        leg.kind = document::LegKind::kDescendants;
        break;
    }
    if (leg.kind == document::LegKind::kDescendants && !legs.empty() &&
        legs.back().kind == document::LegKind::kDescendants) {
      return bad_value("Document path has two '**' in a row");
    }
    legs.push_back(std::move(leg));
  }
  if (!legs.empty() && legs.back().kind == document::LegKind::kDescendants) {
    return bad_value("Document path may not end in '**'");
  }
  return document::PathExpression(std::move(legs));
}

XResult<Expression> ExpressionTranslator::expression(const Expr& expr) {
  return translate(expr, 0);
}

XResult<Expression> ExpressionTranslator::having(const Expr& expr,
                                                 std::span<const std::string> aliases) {
  in_having_ = true;
  aliases_ = aliases;
  auto result = translate(expr, 0);
  in_having_ = false;
  return result;
}

XResult<Expression> ExpressionTranslator::document_value(const Expr& expr) {
  if (expr.type() == Expr::OBJECT || expr.type() == Expr::ARRAY) {
    std::string text;
    auto constant = append_constant_json(text, expr);
    if (!constant) return std::unexpected(std::move(constant).error());
    if (*constant) return make_literal(server::SqlValue::json_text(std::move(text)));
  }
  return expression(expr);
}

XResult<Expression> ExpressionTranslator::translate(const Expr& expr, size_t depth) {
  if (depth >= server::kMaxExpressionDepth) {
    return x_fail(code::kTooDeep, "Expression is nested deeper than " +
                                      std::to_string(server::kMaxExpressionDepth) + " levels");
  }
  if (!expr.has_type()) return x_fail(code::kExpressionBadType, "Expression without a type");
  switch (expr.type()) {
    case Expr::IDENT:
      return identifier(expr.identifier());
    case Expr::LITERAL: {
      if (!expr.has_literal()) return bad_value("Invalid value: literal is missing");
      auto value = to_sql_value(expr.literal());
      if (!value) return std::unexpected(std::move(value).error());
      return make_literal(*std::move(value));
    }
    case Expr::VARIABLE:
      return x_fail(code::kExpressionBadType, "Mysqlx::Expr::Expr::VARIABLE is not supported yet");
    case Expr::FUNC_CALL:
      return function(expr.function_call(), depth);
    case Expr::OPERATOR:
      return operation(expr.operator_(), depth);
    case Expr::PLACEHOLDER: {
      if (!expr.has_position() || expr.position() >= 65'536) {
        return bad_value("Invalid value of placeholder");
      }
      Expression result;
      result.kind = Expression::Kind::kPlaceholder;
      result.slot = expr.position();
      placeholders_ = std::max(placeholders_, expr.position() + 1);
      return result;
    }
    case Expr::OBJECT:
      return object(expr.object(), depth);
    case Expr::ARRAY:
      return array(expr.array(), depth);
  }
  return x_fail(code::kExpressionBadType, "Invalid value for Mysqlx::Expr::Expr_Type");
}

XResult<Expression> ExpressionTranslator::identifier(
    const Mysqlx::Expr::ColumnIdentifier& identifier) {
  auto path = to_path(identifier.document_path());
  if (!path) return std::unexpected(std::move(path).error());
  Expression result;
  bool is_alias = in_having_ && document_mode_ && !path->is_root() &&
                  path->legs()[0].kind == document::LegKind::kMember &&
                  std::ranges::find(aliases_, path->legs()[0].name) != aliases_.end();
  if (identifier.name().empty() && !is_alias) {
    if (!identifier.table_name().empty() || !identifier.schema_name().empty()) {
      return bad_value("Table name without a column name in an identifier");
    }
    result.kind = Expression::Kind::kPath;
    result.path = *std::move(path);
    return result;
  }
  if (!is_utf8(identifier.name()) || !is_utf8(identifier.table_name())) {
    return bad_value("Identifier is not UTF-8");
  }
  result.kind = Expression::Kind::kIdentifier;
  result.name = is_alias ? path->legs()[0].name : identifier.name();
  result.qualifier = identifier.table_name();
  result.text = result.name;
  std::vector<document::PathLeg> legs = path->legs();
  if (!is_alias) {
    legs.insert(legs.begin(), document::PathLeg{.kind = document::LegKind::kMember,
                                                .name = identifier.name(),
                                                .first = {},
                                                .last = {}});
  }
  result.path = document::PathExpression(std::move(legs));
  return result;
}

XResult<Expression> ExpressionTranslator::function(const Mysqlx::Expr::FunctionCall& call,
                                                   size_t depth) {
  Expression result;
  result.kind = Expression::Kind::kFunction;
  result.name = call.name().name();
  result.qualifier = call.name().schema_name();
  if (result.name.empty() || !is_utf8(result.name)) return bad_value("Function without a name");
  if (auto status = operands(call.param(), depth, false, result); !status) {
    return std::unexpected(std::move(status).error());
  }
  return result;
}

XResult<Expression> ExpressionTranslator::object(const Mysqlx::Expr::Object& object, size_t depth) {
  Expression result;
  result.kind = Expression::Kind::kObject;
  for (const auto& field : object.fld()) {
    if (!is_utf8(field.key())) return bad_value("Object key is not UTF-8");
    auto value = translate(field.value(), depth + 1);
    if (!value) return value;
    result.keys.push_back(field.key());
    result.operands.push_back(*std::move(value));
  }
  return result;
}

XResult<Expression> ExpressionTranslator::array(const Mysqlx::Expr::Array& array, size_t depth) {
  Expression result;
  result.kind = Expression::Kind::kArray;
  if (auto status = operands(array.value(), depth, false, result); !status) {
    return std::unexpected(std::move(status).error());
  }
  return result;
}

XStatus ExpressionTranslator::operands(const google::protobuf::RepeatedPtrField<Expr>& params,
                                       size_t depth, bool star_is_any_path, Expression& parent) {
  parent.operands.reserve(static_cast<size_t>(params.size()));
  for (const Expr& param : params) {
    auto operand = translate(param, depth + 1);
    if (!operand) return std::unexpected(std::move(operand).error());
    if (star_is_any_path && operand->kind == Expression::Kind::kStar) {
      operand->kind = Expression::Kind::kAnyPath;
    }
    parent.operands.push_back(*std::move(operand));
  }
  return {};
}

XResult<Expression> ExpressionTranslator::nullary(const Mysqlx::Expr::Operator& operation) {
  Expression result;
  if (operation.name() == "*") {
    result.kind = Expression::Kind::kStar;
  } else if (operation.name() == "default") {
    result.kind = Expression::Kind::kDefault;
  } else {
    return x_fail(code::kExpressionBadOperator, "Invalid operator " + operation.name());
  }
  return result;
}

XResult<Expression> ExpressionTranslator::operation(const Mysqlx::Expr::Operator& operation,
                                                    size_t depth) {
  const auto* info = std::ranges::find(kOperators, operation.name(), &OperatorInfo::name);
  if (info == kOperators.end() || (operation.param_size() == 0 && operation.name() == "*")) {
    if (operation.param_size() == 0 || info != kOperators.end()) return nullary(operation);
    if (operation.name() != "default") {
      return x_fail(code::kExpressionBadOperator, "Invalid operator " + operation.name());
    }
  }
  if (info == kOperators.end() || operation.param_size() < info->least_operands ||
      operation.param_size() > info->most_operands) {
    return x_fail(code::kExpressionBadArity, "Invalid number of operands for operator '" +
                                                 operation.name() +
                                                 "': " + std::to_string(operation.param_size()));
  }
  Operator op = info->op;
  if (op == Operator::kCast) return cast(operation, depth);
  if (op == Operator::kDateAdd || op == Operator::kDateSub) {
    return date_arithmetic(operation, op, depth);
  }
  bool is_relation = op == Operator::kContainedIn || op == Operator::kNotContainedIn ||
                     op == Operator::kOverlaps || op == Operator::kNotOverlaps;
  if (is_relation && !(produces_json(operation.param(0)) && produces_json(operation.param(1)))) {
    return bad_value("Operator '" + operation.name() +
                     "' requires operands that produce a JSON value");
  }
  // `x IN ([1, 2])`: one operand that is an array means containment.
  if ((op == Operator::kIn || op == Operator::kNotIn) && operation.param_size() == 2 &&
      operation.param(1).type() == Expr::ARRAY) {
    op = op == Operator::kIn ? Operator::kContainedIn : Operator::kNotContainedIn;
  }
  Expression result = make_operator(op);
  auto status = operands(operation.param(), depth, takes_any_path(op), result);
  if (!status) return std::unexpected(std::move(status).error());
  if (op == Operator::kIs || op == Operator::kIsNot) {
    const Expression& right = result.operands[1];
    if (right.kind != Expression::Kind::kLiteral ||
        !(right.literal.is_null() || right.literal.is_boolean())) {
      return bad_value("Operator '" + operation.name() + "' needs NULL, TRUE or FALSE");
    }
  }
  return result;
}

XResult<Expression> ExpressionTranslator::cast(const Mysqlx::Expr::Operator& operation,
                                               size_t depth) {
  auto type = literal_text(operation.param(1));
  if (!type || !is_cast_type(*type)) return bad_value("CAST type invalid");
  Expression result = make_operator(Operator::kCast);
  result.name = *type;
  auto operand = translate(operation.param(0), depth + 1);
  if (!operand) return operand;
  result.operands.push_back(*std::move(operand));
  return result;
}

XResult<Expression> ExpressionTranslator::date_arithmetic(const Mysqlx::Expr::Operator& operation,
                                                          Operator op, size_t depth) {
  auto unit = literal_text(operation.param(2));
  if (!unit || std::ranges::find(kDateUnits, *unit) == kDateUnits.end()) {
    return bad_value("DATE interval unit invalid");
  }
  Expression result = make_operator(op);
  result.name = *unit;
  for (int i = 0; i < 2; ++i) {
    auto operand = translate(operation.param(i), depth + 1);
    if (!operand) return operand;
    result.operands.push_back(*std::move(operand));
  }
  return result;
}

}  // namespace wherestar::xproto
