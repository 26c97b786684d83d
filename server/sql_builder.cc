#include "server/sql_builder.h"

#include <algorithm>
#include <charconv>

#include "server/arithmetic.h"
#include "server/functions.h"

namespace wherestar::server {

using document::LegKind;
using document::PathLeg;
using Kind = Expression::Kind;

void SqlBuilder::fail(Span span, std::string_view what, ErrorCode code) {
  if (!error_) error_ = Error{code, sql_place(text_, span) + ": " + std::string(what)};
}

std::string SqlBuilder::slice(Span span) const {
  return std::string(text_.substr(span.begin, span.end - span.begin));
}

SqlNode SqlBuilder::literal(SqlValue value) {
  SqlNode node;
  node.expression.literal = std::move(value);
  return node;
}

SqlNode SqlBuilder::number(const std::string& text, Span span) {
  if (text.find_first_of("eE") != std::string::npos) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) fail(span, "a number out of range", ErrorCode::kNumberOutOfRange);
    return literal(SqlValue::real(value));
  }
  if (text.find('.') == std::string::npos) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc())
      return literal(value <= INT64_MAX ? SqlValue::signed_integer(static_cast<int64_t>(value))
                                        : SqlValue::unsigned_integer(value));
  }
  if (text.size() > 66) fail(span, "a number of more than 65 digits", ErrorCode::kNumberOutOfRange);
  return literal(SqlValue::decimal(text.starts_with('.') ? "0" + text : text));
}

SqlNode SqlBuilder::placeholder() {
  SqlNode node;
  node.expression.kind = Kind::kPlaceholder;
  node.expression.slot = static_cast<uint32_t>(placeholders++);
  return node;
}

SqlNode SqlBuilder::any_path() {
  SqlNode node;
  node.expression.kind = Kind::kAnyPath;
  return node;
}

SqlNode SqlBuilder::variable(const std::string& name) {
  SqlNode node;
  node.expression.kind = Kind::kVariable;
  // Of @@session.x the scope does not matter to a reader.
  const size_t dot = name.rfind('.');
  node.expression.name = dot == std::string::npos ? name : name.substr(dot + 1);
  return node;
}

SqlNode SqlBuilder::combine(Operator op, SqlNodes operands, Span span) {
  SqlNode node;
  node.expression.kind = Kind::kOperator;
  node.expression.op = op;
  for (SqlNode& operand : operands) {
    node.depth = std::max(node.depth, operand.depth + 1);
    node.expression.operands.push_back(std::move(operand.expression));
  }
  if (node.depth > kMaxExpressionDepth) {
    fail(span, "an expression of more than " + std::to_string(kMaxExpressionDepth) + " levels",
         ErrorCode::kLimitExceeded);
    return {};
  }
  return node;
}

SqlNode SqlBuilder::connect(Operator op, SqlNode left, SqlNode right, Span span) {
  if (left.expression.kind != Kind::kOperator || left.expression.op != op)
    return combine(op, {std::move(left), std::move(right)}, span);
  left.depth = std::max(left.depth, right.depth + 1);
  left.expression.operands.push_back(std::move(right.expression));
  if (left.depth > kMaxExpressionDepth)
    fail(span, "an expression of more than 100 levels", ErrorCode::kLimitExceeded);
  return left;
}

SqlNode SqlBuilder::not_of(SqlNode operand, Span span) {
  return combine(Operator::kNot, {std::move(operand)}, span);
}

SqlNode SqlBuilder::negate(SqlNode operand, Span span) {
  if (operand.expression.kind == Kind::kLiteral) {
    SqlValue& value = operand.expression.literal;
    EvaluationContext context;
    if (value.type() == SqlType::kUnsigned && value.as_unsigned() == uint64_t{1} << 63) {
      value = SqlValue::signed_integer(INT64_MIN);
      return operand;
    }
    const bool number = value.type() >= SqlType::kSigned && value.type() <= SqlType::kDecimal;
    if (number && value.type() != SqlType::kUnsigned && !value.is_boolean()) {
      if (auto negative = server::negate(value, context)) {
        value = *std::move(negative);
        return operand;
      }
    }
  }
  return combine(Operator::kNegate, {std::move(operand)}, span);
}

// a <=> b: equal, or both NULL.
SqlNode SqlBuilder::null_safe_equal(SqlNode left, SqlNode right, Span span) {
  SqlNode equal =
      is(combine(Operator::kEqual, {left, right}, span), false, SqlValue::boolean(true), span);
  SqlNode both = connect(Operator::kAnd, is(std::move(left), false, SqlValue::null(), span),
                         is(std::move(right), false, SqlValue::null(), span), span);
  return connect(Operator::kOr, std::move(equal), std::move(both), span);
}

SqlNode SqlBuilder::is(SqlNode operand, bool negated, SqlValue value, Span span) {
  return combine(negated ? Operator::kIsNot : Operator::kIs,
                 {std::move(operand), literal(std::move(value))}, span);
}

SqlNode SqlBuilder::call(SqlNode name, SqlNodes arguments, bool distinct, Span span) {
  const auto& legs = name.expression.path.legs();
  const bool names =
      !legs.empty() && legs.size() <= 2 &&
      std::ranges::all_of(legs, [](const PathLeg& leg) { return leg.kind == LegKind::kMember; });
  if (name.expression.kind != Kind::kIdentifier || !names) {
    fail(span, "no name of a function");
    return {};
  }
  if (arguments.size() == 1 && arguments[0].expression.kind == Kind::kAnyPath)
    arguments[0].expression.kind = Kind::kStar;
  // DATE_ADD(x, INTERVAL 1 DAY) arrives with its second argument marked as an interval.
  const std::string upper = upper_case(legs.back().name);
  const bool adds = upper == "DATE_ADD" || upper == "ADDDATE";
  const bool subtracts = upper == "DATE_SUB" || upper == "SUBDATE";
  if ((adds || subtracts) && arguments.size() == 2 &&
      arguments[1].expression.kind == Kind::kOperator &&
      arguments[1].expression.op == Operator::kDateAdd &&
      arguments[1].expression.operands.size() == 1) {
    SqlNode amount{std::move(arguments[1].expression.operands[0]), arguments[1].depth};
    return date_arithmetic(std::move(arguments[0]), std::move(amount), arguments[1].expression.name,
                           subtracts, span);
  }
  for (const SqlNode& argument : arguments)
    if (argument.expression.op == Operator::kDateAdd && argument.expression.operands.size() == 1)
      fail(span, "an INTERVAL that nothing is added to");
  SqlNode node = combine(Operator::kAnd, std::move(arguments), span);
  node.expression.kind = Kind::kFunction;
  node.expression.name = legs.back().name;
  if (legs.size() == 2) node.expression.qualifier = legs[0].name;
  node.expression.distinct = distinct;
  return node;
}

SqlNode SqlBuilder::date_arithmetic(SqlNode value, SqlNode amount, const std::string& unit,
                                    bool subtract, Span span) {
  SqlNode node = combine(subtract ? Operator::kDateSub : Operator::kDateAdd,
                         {std::move(value), std::move(amount)}, span);
  node.expression.name = upper_case(unit);
  return node;
}

SqlNode SqlBuilder::cast(SqlNode value, std::string type, Span span) {
  SqlNode node = combine(Operator::kCast, {std::move(value)}, span);
  node.expression.name = upper_case(type);
  return node;
}

SqlNode SqlBuilder::case_of(std::optional<SqlNode> subject, SqlNodes branches,
                            std::optional<SqlNode> other, Span span) {
  if (subject)
    for (size_t i = 0; i < branches.size(); i += 2)
      branches[i] = combine(Operator::kEqual, {*subject, std::move(branches[i])}, span);
  if (other) branches.push_back(*std::move(other));
  SqlNode node = combine(Operator::kAnd, std::move(branches), span);
  node.expression.kind = Kind::kCase;
  node.expression.has_else = other.has_value();
  return node;
}

SqlNode SqlBuilder::array(SqlNodes elements, Span span) {
  SqlNode node = combine(Operator::kAnd, std::move(elements), span);
  node.expression.kind = Kind::kArray;
  return node;
}

SqlNode SqlBuilder::object(std::vector<std::pair<std::string, SqlNode>> members, Span span) {
  SqlNodes values;
  std::vector<std::string> keys;
  for (auto& [key, value] : members) {
    keys.push_back(std::move(key));
    values.push_back(std::move(value));
  }
  SqlNode node = combine(Operator::kAnd, std::move(values), span);
  node.expression.kind = Kind::kObject;
  node.expression.keys = std::move(keys);
  return node;
}

SqlNode SqlBuilder::path(std::vector<PathLeg> legs, bool from_root, Span span) {
  SqlNode node;
  node.expression.kind = from_root ? Kind::kPath : Kind::kIdentifier;
  node.expression.path = document::PathExpression(std::move(legs));
  node.expression.text = slice(span);
  return node;
}

void SqlBuilder::add_leg(SqlNode& path, PathLeg leg, Span span) {
  std::vector<PathLeg> legs = path.expression.path.legs();
  if (legs.size() >= 100) fail(span, "a path of more than 100 legs", ErrorCode::kLimitExceeded);
  legs.push_back(std::move(leg));
  path.expression.path = document::PathExpression(std::move(legs));
  path.expression.text = slice(span);
}

SqlNode SqlBuilder::arrow(SqlNode base, const std::string& text, bool unquote, Span span) {
  const auto parsed = document::PathExpression::parse(text);
  if (!parsed) {
    fail(span, parsed.error().message, parsed.error().code);
    return base;
  }
  std::vector<PathLeg> legs = base.expression.path.legs();
  // `doc` is the document itself.
  const bool whole = !legs.empty() && legs.size() <= 3 && legs.back().kind == LegKind::kMember &&
                     legs.back().name == "doc";
  if (whole) legs.clear();
  legs.insert(legs.end(), parsed->legs().begin(), parsed->legs().end());
  base.expression.kind = Kind::kPath;
  base.expression.path = document::PathExpression(std::move(legs));
  base.expression.unquote = unquote;
  base.expression.text = slice(span);
  return base;
}

PathLeg SqlBuilder::cell(const std::string& number, Span span) {
  PathLeg leg;
  leg.kind = LegKind::kElement;
  leg.first.offset =
      static_cast<uint32_t>(std::min<uint64_t>(unsigned_number(number, span), UINT32_MAX));
  return leg;
}

document::PathExpression SqlBuilder::target(const SqlNode& node, Span span) {
  const auto& legs = node.expression.path.legs();
  if (node.expression.kind == Kind::kIdentifier && legs.size() == 1 && legs[0].name == "doc")
    return {};
  if (node.expression.kind != Kind::kPath && node.expression.kind != Kind::kIdentifier)
    fail(span, "expected a path");
  return node.expression.path;
}

std::vector<Expression> SqlBuilder::finish(SqlNodes nodes) {
  std::vector<Expression> out;
  for (SqlNode& node : nodes) out.push_back(std::move(node.expression));
  return out;
}

Expression SqlBuilder::setting(SqlNode node) {
  const auto& legs = node.expression.path.legs();
  if (node.expression.kind == Kind::kIdentifier && legs.size() == 1)
    return literal(SqlValue::text(legs[0].name)).expression;
  return std::move(node.expression);
}

Projection SqlBuilder::projection(SqlNode node, std::string alias, Span span) {
  Projection out;
  out.expression = std::move(node.expression);
  if (out.expression.kind == Kind::kAnyPath) out.expression.kind = Kind::kStar;
  // `c.*` of SELECT is everything.
  const auto& legs = out.expression.path.legs();
  if (out.expression.kind == Kind::kIdentifier && legs.size() == 2 &&
      legs[1].kind == LegKind::kAnyMember)
    out.expression.kind = Kind::kStar;
  out.expression.text = slice(span);
  out.alias = std::move(alias);
  return out;
}

uint64_t SqlBuilder::unsigned_number(const std::string& text, Span span) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(span, "expected a whole number");
  return value;
}

}  // namespace wherestar::server
