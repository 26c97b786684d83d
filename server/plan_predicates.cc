// One predicate as a question to the index. Every node's set holds at least the documents for which
// the predicate is true (false, when negated); what cannot be asked is `everything`.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "server/bind.h"
#include "server/plan_values.h"
#include "server/planner.h"

namespace wherestar::server {

using document::JsonType;
using document::LegKind;
using document::PathExpression;
using document::PathLeg;
using index::PathId;
using NodeKind = PlanNode::Kind;
using ProbeKind = index::Probe::Kind;

namespace {

constexpr size_t kMaxCells = 3;  // array cells in a path beyond which the index is not asked

// Where a predicate looks.
struct Target {
  bool any_path = false;
  bool existential = false;  // `*` or a wildcard: one scalar there is enough
  std::vector<PathId> paths;
  bool exact = true;  // these paths and no others, wherever they stand in the document
  bool known = true;  // false: the index cannot tell
  std::string text;
  bool nowhere() const { return known && !any_path && paths.empty(); }
};

bool is_cell(const PathLeg& leg) {
  return leg.kind == LegKind::kElement || leg.kind == LegKind::kElementRange;
}

// A cell selects an element, or by auto-wrapping the value itself: both spellings of the path.
void spellings(const std::vector<PathLeg>& legs, size_t from, std::vector<PathLeg>& taken,
               std::vector<PathExpression>& out) {
  if (from == legs.size()) {
    out.emplace_back(taken);
    return;
  }
  taken.push_back(legs[from]);
  spellings(legs, from + 1, taken, out);
  taken.pop_back();
  if (is_cell(legs[from])) spellings(legs, from + 1, taken, out);
}

Result<Target> target_of(const PlanInput& input, const Expression& expression) {
  Target target;
  if (expression.kind == Expression::Kind::kAnyPath) {
    target.any_path = target.existential = true;
    target.text = "*";
    return target;
  }
  const PathExpression& path = expression.path;
  target.text = path.to_string();
  target.existential = path.has_wildcard();
  const auto cells = static_cast<size_t>(std::ranges::count_if(path.legs(), is_cell));
  if (cells > kMaxCells) {
    target.known = false;
    return target;
  }
  target.exact = cells == 0 && !target.existential;
  std::vector<PathExpression> all;
  std::vector<PathLeg> taken;
  spellings(path.legs(), 0, taken, all);
  for (const PathExpression& spelling : all) {
    ASSIGN_OR_RETURN(const auto found, input.core->index->matching_paths(input.part(), spelling));
    for (const index::PathInfo& info : found) {
      target.paths.push_back(info.id);
      target.exact &= !info.is_folded;
    }
  }
  std::ranges::sort(target.paths);
  const auto tail = std::ranges::unique(target.paths);
  target.paths.erase(tail.begin(), tail.end());
  return target;
}

// Also what lies in arrays there, however deep: JSON_CONTAINS looks into them.
Status add_elements(const PlanInput& input, Target& target) {
  if (target.any_path) return {};
  ASSIGN_OR_RETURN(const auto all, input.core->index->paths(input.part()));
  bool added = true;
  while (added) {  // paths are sorted by id, parents mostly first
    added = false;
    for (const index::PathInfo& info : all) {
      if (!info.is_element || !std::ranges::binary_search(target.paths, info.parent) ||
          std::ranges::binary_search(target.paths, info.id))
        continue;
      target.paths.insert(std::ranges::upper_bound(target.paths, info.id), info.id);
      added = true;
    }
  }
  return {};
}

PlanNode probe(const Target& target, ProbeKind kind, std::optional<SqlValue> low,
               std::optional<SqlValue> high, std::string text) {
  PlanNode node;
  node.kind = NodeKind::kProbe;
  node.probe = kind;
  node.any_path = target.any_path;
  node.paths = target.paths;
  node.exact = target.exact;
  node.low = std::move(low);
  node.high = std::move(high);
  node.text = std::move(text);
  return node;
}

PlanNode equal(const Target& target, const SqlValue& value) {
  return probe(target, ProbeKind::kEqual, value, std::nullopt,
               target.text + " = " + display(value));
}

PlanNode below(const Target& target, const SqlValue& value, bool inclusive) {
  PlanNode node = probe(target, ProbeKind::kRange, std::nullopt, value,
                        target.text + (inclusive ? " <= " : " < ") + display(value));
  node.high_inclusive = inclusive;
  return node;
}

PlanNode above(const Target& target, const SqlValue& value, bool inclusive) {
  PlanNode node = probe(target, ProbeKind::kRange, value, std::nullopt,
                        target.text + (inclusive ? " >= " : " > ") + display(value));
  node.low_inclusive = inclusive;
  return node;
}

PlanNode between(const Target& target, const SqlValue& low, const SqlValue& high) {
  return probe(target, ProbeKind::kRange, low, high,
               target.text + " BETWEEN " + display(low) + " AND " + display(high));
}

PlanNode of_types(const Target& target, std::vector<JsonType> types) {
  PlanNode node;
  node.kind = NodeKind::kTypes;
  node.paths = target.paths;
  node.exact = target.exact;
  node.text = target.text + " is ";
  for (size_t i = 0; i < types.size(); ++i)
    node.text += (i > 0 ? " or " : "") + std::string(document::json_type_name(types[i]));
  node.types = std::move(types);
  return node;
}

PlanNode any_of(std::vector<PlanNode> nodes) {
  if (nodes.empty()) return nothing();
  if (nodes.size() == 1) return std::move(nodes.front());
  PlanNode node;
  node.kind = NodeKind::kOr;
  node.exact = std::ranges::all_of(nodes, &PlanNode::exact);
  node.children = std::move(nodes);
  return node;
}

PlanNode none_of(PlanNode node) {
  PlanNode out;
  out.kind = NodeKind::kNot;
  out.exact = true;
  out.children.push_back(std::move(node));
  return out;
}

PlanNode inexact(PlanNode node) {
  node.exact = false;
  return node;
}

bool is_text(const SqlValue& value) {
  return value.type() == SqlType::kText ||
         (value.type() == SqlType::kJson && value.as_json().is_string());
}
bool is_number(const SqlValue& value) {
  const auto scalar = scalar_of(value);
  return scalar && std::holds_alternative<document::Number>(*scalar);
}
std::string text_of(const SqlValue& value) {
  return value.type() == SqlType::kJson ? value.as_json().as_string() : value.string();
}

const std::vector<JsonType> kAllTypes = {JsonType::kNull,   JsonType::kBoolean, JsonType::kInteger,
                                         JsonType::kDouble, JsonType::kString,  JsonType::kObject,
                                         JsonType::kArray};

// What LIKE 'x%' asks for in front of its first wildcard.
std::string like_prefix(std::string_view pattern, char escape) {
  std::string prefix;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == escape && i + 1 < pattern.size()) {
      prefix += pattern[++i];
      continue;
    }
    if (pattern[i] == '%' || pattern[i] == '_') break;
    prefix += pattern[i];
  }
  return prefix;
}

// --- existential: `*` and wildcards
// ---------------------------------------------------------------

PlanNode existential_comparison(const Target& target, Operator op, const SqlValue& value) {
  if (!scalar_of(value)) return value.is_null() ? nothing() : everything();
  const bool ordered = is_text(value) || is_number(value);
  switch (op) {
    case Operator::kEqual:
      return equal(target, value);
    case Operator::kNotEqual: {
      if (!ordered) return everything();
      std::vector<PlanNode> sides;
      sides.push_back(below(target, value, false));
      sides.push_back(above(target, value, false));
      return inexact(any_of(std::move(sides)));
    }
    case Operator::kLess:
    case Operator::kLessEqual:
      return ordered ? below(target, value, op == Operator::kLessEqual) : everything();
    case Operator::kGreater:
    case Operator::kGreaterEqual:
      return ordered ? above(target, value, op == Operator::kGreaterEqual) : everything();
    default:
      return everything();
  }
}

PlanNode existential_in(const Target& target, const std::vector<SqlValue>& values) {
  std::vector<PlanNode> nodes;
  for (const SqlValue& value : values) {
    if (value.is_null()) continue;
    if (!scalar_of(value)) return everything();
    nodes.push_back(equal(target, value));
  }
  return any_of(std::move(nodes));
}

PlanNode existential_between(const Target& target, const SqlValue& low, const SqlValue& high) {
  if (low.is_null() || high.is_null()) return inexact(nothing());
  const bool alike = (is_text(low) && is_text(high)) || (is_number(low) && is_number(high));
  return alike ? between(target, low, high) : everything();
}

PlanNode like_strings(const Target& target, const std::string& prefix) {
  return inexact(probe(target, ProbeKind::kPrefix, SqlValue::text(prefix), std::nullopt,
                       target.text + " LIKE " + display(SqlValue::text(prefix + "%"))));
}

// --- named paths: MySQL's rules
// -------------------------------------------------------------------

PlanNode with_types(PlanNode node, const Target& target, std::vector<JsonType> types) {
  std::vector<PlanNode> nodes;
  nodes.push_back(std::move(node));
  nodes.push_back(of_types(target, std::move(types)));
  return any_of(std::move(nodes));
}

PlanNode named_comparison(const Target& target, Operator op, const SqlValue& value) {
  if (value.is_null()) return nothing();
  if (!scalar_of(value)) return everything();
  if (op == Operator::kEqual) return equal(target, value);
  const bool text = is_text(value);
  if (!text && !is_number(value)) return everything();
  // null < number < string < object < array < boolean
  if (op == Operator::kLess || op == Operator::kLessEqual) {
    PlanNode node = below(target, value, op == Operator::kLessEqual);
    std::vector<JsonType> lower = {JsonType::kNull};
    if (text) lower.insert(lower.end(), {JsonType::kInteger, JsonType::kDouble});
    return inexact(with_types(std::move(node), target, std::move(lower)));
  }
  if (op == Operator::kGreater || op == Operator::kGreaterEqual) {
    PlanNode node = above(target, value, op == Operator::kGreaterEqual);
    std::vector<JsonType> higher = {JsonType::kObject, JsonType::kArray, JsonType::kBoolean};
    if (!text) higher.push_back(JsonType::kString);
    return inexact(with_types(std::move(node), target, std::move(higher)));
  }
  return everything();
}

// IN and BETWEEN compare numbers as doubles: a range of all numbers that may round to the same.
PlanNode around(const Target& target, double low, double high) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double least = std::nextafter(low, -kInfinity);
  const double greatest = std::nextafter(high, kInfinity);
  if (!std::isfinite(least) || !std::isfinite(greatest)) return everything();
  return inexact(between(target, SqlValue::real(least), SqlValue::real(greatest)));
}

double as_double(const SqlValue& value) {
  return std::get<document::Number>(*scalar_of(value)).as_double();
}

// One element of an IN list, compared with the text of the value.
PlanNode named_in_element(const Target& target, const SqlValue& value) {
  std::vector<PlanNode> nodes;
  if (is_number(value)) {
    const double number = as_double(value);
    if (number == 0) return everything();  // any text that is no number counts as 0
    nodes.push_back(around(target, number, number));
    if (nodes.back().kind == NodeKind::kEverything) return everything();
    nodes.push_back(
        inexact(of_types(target, {JsonType::kString, JsonType::kArray, JsonType::kObject})));
    return any_of(std::move(nodes));
  }
  if (!is_text(value)) return everything();
  const std::string text = text_of(value);
  if (!text.empty() && (text[0] == '[' || text[0] == '{')) return everything();
  nodes.push_back(inexact(equal(target, SqlValue::text(text))));
  if (auto number = document::Number::from_text(text))
    nodes.push_back(around(target, number->as_double(), number->as_double()));
  if (text == "true" || text == "false")
    nodes.push_back(inexact(equal(target, SqlValue::boolean(text == "true"))));
  if (text == "null")
    nodes.push_back(inexact(equal(target, SqlValue::json(document::Json::null()))));
  if (std::ranges::any_of(nodes,
                          [](const PlanNode& node) { return node.kind == NodeKind::kEverything; }))
    return everything();
  return any_of(std::move(nodes));
}

PlanNode named_in(const Target& target, const std::vector<SqlValue>& values) {
  std::vector<PlanNode> nodes;
  for (const SqlValue& value : values) {
    if (value.is_null()) continue;
    PlanNode node = named_in_element(target, value);
    if (node.kind == NodeKind::kEverything) return node;
    nodes.push_back(std::move(node));
  }
  return any_of(std::move(nodes));
}

PlanNode named_between(const Target& target, const SqlValue& low, const SqlValue& high) {
  if (is_text(low) && is_text(high))
    return inexact(with_types(between(target, low, high), target,
                              {JsonType::kNull, JsonType::kBoolean, JsonType::kInteger,
                               JsonType::kDouble, JsonType::kObject, JsonType::kArray}));
  if (!is_number(low) || !is_number(high)) return everything();
  const double least = as_double(low), greatest = as_double(high);
  if (least <= 0 && greatest >= 0) return everything();
  PlanNode numbers = around(target, least, greatest);
  if (numbers.kind == NodeKind::kEverything) return numbers;
  return inexact(with_types(std::move(numbers), target, {JsonType::kString}));
}

PlanNode named_like(const Target& target, const std::string& prefix) {
  PlanNode node = like_strings(target, prefix);
  const char first = prefix.front();
  std::vector<JsonType> types;  // whose text may begin so
  if ((first >= '0' && first <= '9') || first == '-')
    types = {JsonType::kInteger, JsonType::kDouble};
  if (first == 't' || first == 'f') types = {JsonType::kBoolean};
  if (first == 'n') types = {JsonType::kNull};
  if (first == '{') types = {JsonType::kObject};
  if (first == '[') types = {JsonType::kArray};
  return types.empty() ? std::move(node)
                       : inexact(with_types(std::move(node), target, std::move(types)));
}

// --- by operator
// ----------------------------------------------------------------------------------

// Something whose JSON value the index knows. The text of a path, `->>`, is another value: see
// plan_text().
bool is_place(const Expression& expression) {
  return expression.kind == Expression::Kind::kAnyPath ||
         (expression.kind == Expression::Kind::kPath && !expression.unquote);
}

bool is_text_of_place(const Expression& expression) {
  return expression.kind == Expression::Kind::kPath && expression.unquote &&
         !expression.path.has_wildcard();
}

Operator flipped(Operator op) {
  switch (op) {
    case Operator::kLess:
      return Operator::kGreater;
    case Operator::kLessEqual:
      return Operator::kGreaterEqual;
    case Operator::kGreater:
      return Operator::kLess;
    case Operator::kGreaterEqual:
      return Operator::kLessEqual;
    default:
      return op;
  }
}

bool is_document_id(const Expression& expression) {
  if (!is_place(expression) || expression.kind != Expression::Kind::kPath) return false;
  const auto& legs = expression.path.legs();
  return legs.size() == 1 && legs[0].kind == LegKind::kMember && legs[0].name == "_id";
}

Result<PlanNode> id_lookup(const SqlValue& value) {
  ASSIGN_OR_RETURN(const document::Json json, to_json(value));
  if (!json.is_string() && !json.is_number()) return everything();
  auto key = document::document_key(json);
  if (!key) return nothing();  // too long for any _id
  PlanNode node;
  node.kind = NodeKind::kId;
  node.exact = true;
  node.id = std::move(*key);
  node.text = "_id = " + display(value);
  return node;
}

Result<std::vector<SqlValue>> constants(const Expression& expression, size_t from,
                                        StatementContext& context) {
  std::vector<SqlValue> values;
  for (size_t i = from; i < expression.operands.size(); ++i) {
    ASSIGN_OR_RETURN(SqlValue value, constant_value(expression.operands[i], context));
    values.push_back(std::move(value));
  }
  return values;
}

// With its exact complement where the predicate is about any path.
PlanNode signed_node(const Target& target, PlanNode node, bool negated) {
  if (!negated) return target.nowhere() ? nothing() : std::move(node);
  if (!target.any_path || !node.exact || node.kind == NodeKind::kEverything) return everything();
  if (node.kind == NodeKind::kNothing) return everything();
  return none_of(std::move(node));
}

// path->> held against texts: a text that is not a string's may be that of a number, a boolean or a
// null, so what named_in() looks for, and a recheck.
Result<PlanNode> plan_text(const PlanInput& input, const Expression& place,
                           const std::vector<SqlValue>& values, bool negated) {
  if (negated) return everything();
  for (const SqlValue& value : values)
    if (!value.is_null() && value.type() != SqlType::kText) return everything();
  ASSIGN_OR_RETURN(const Target target, target_of(input, place));
  if (!target.known) return everything();
  if (target.nowhere()) return nothing();
  return inexact(named_in(target, values));
}

Result<PlanNode> plan_comparison(const PlanInput& input, const Expression& predicate, bool negated,
                                 StatementContext& context) {
  const Expression* place = &predicate.operands[0];
  const Expression* constant = &predicate.operands[1];
  Operator op = predicate.op;
  if (!is_place(*place) && !is_text_of_place(*place)) {
    std::swap(place, constant);
    op = flipped(op);
  }
  if (op == Operator::kEqual && is_text_of_place(*place) && is_constant(*constant)) {
    ASSIGN_OR_RETURN(const SqlValue value, constant_value(*constant, context));
    return plan_text(input, *place, {value}, negated);
  }
  if (!is_place(*place) || !is_constant(*constant)) return everything();
  ASSIGN_OR_RETURN(const SqlValue value, constant_value(*constant, context));
  if (op == Operator::kEqual && !negated && is_document_id(*place) && !value.is_null())
    return id_lookup(value);
  ASSIGN_OR_RETURN(const Target target, target_of(input, *place));
  if (!target.known) return everything();
  if (target.existential)
    return signed_node(target, existential_comparison(target, op, value), negated);
  return signed_node(target, named_comparison(target, op, value), negated);
}

Result<PlanNode> plan_in(const PlanInput& input, const Expression& predicate, bool negated,
                         StatementContext& context) {
  const Expression& place = predicate.operands[0];
  if (!is_place(place) && !is_text_of_place(place)) return everything();
  for (size_t i = 1; i < predicate.operands.size(); ++i)
    if (!is_constant(predicate.operands[i])) return everything();
  ASSIGN_OR_RETURN(const auto values, constants(predicate, 1, context));
  if (is_text_of_place(place)) return plan_text(input, place, values, negated);
  ASSIGN_OR_RETURN(const Target target, target_of(input, predicate.operands[0]));
  if (!target.known) return everything();
  const bool has_null = std::ranges::any_of(values, &SqlValue::is_null);
  if (negated && has_null) return everything();
  return signed_node(target,
                     target.existential ? existential_in(target, values) : named_in(target, values),
                     negated);
}

Result<PlanNode> plan_between(const PlanInput& input, const Expression& predicate, bool negated,
                              StatementContext& context) {
  if (!is_place(predicate.operands[0]) || !is_constant(predicate.operands[1]) ||
      !is_constant(predicate.operands[2]))
    return everything();
  ASSIGN_OR_RETURN(const auto bounds, constants(predicate, 1, context));
  ASSIGN_OR_RETURN(const Target target, target_of(input, predicate.operands[0]));
  if (!target.known) return everything();
  return signed_node(target,
                     target.existential ? existential_between(target, bounds[0], bounds[1])
                                        : named_between(target, bounds[0], bounds[1]),
                     negated);
}

Result<PlanNode> plan_like(const PlanInput& input, const Expression& predicate, bool negated,
                           StatementContext& context) {
  if (!is_place(predicate.operands[0]) || predicate.case_insensitive || negated)
    return everything();
  for (size_t i = 1; i < predicate.operands.size(); ++i)
    if (!is_constant(predicate.operands[i])) return everything();
  ASSIGN_OR_RETURN(const auto values, constants(predicate, 1, context));
  if (!is_text(values[0])) return everything();
  char escape = '\\';
  if (values.size() > 1) {
    if (!is_text(values[1]) || text_of(values[1]).size() != 1) return everything();
    escape = text_of(values[1])[0];
  }
  const std::string prefix = like_prefix(text_of(values[0]), escape);
  if (prefix.empty()) return everything();
  ASSIGN_OR_RETURN(const Target target, target_of(input, predicate.operands[0]));
  if (!target.known) return everything();
  return signed_node(target,
                     target.existential ? like_strings(target, prefix) : named_like(target, prefix),
                     false);
}

Result<PlanNode> plan_is(const PlanInput& input, const Expression& predicate, bool negated) {
  const Expression& place = predicate.operands[0];
  const Expression& constant = predicate.operands[1];
  if (!is_place(place) || constant.kind != Expression::Kind::kLiteral ||
      !constant.literal.is_null())
    return everything();
  ASSIGN_OR_RETURN(const Target target, target_of(input, place));
  if (!target.known) return everything();
  if (target.existential) {
    if (predicate.op == Operator::kIsNot) return everything();
    return signed_node(target, equal(target, SqlValue::json(document::Json::null())), negated);
  }
  const bool asks_for_missing = (predicate.op == Operator::kIs) != negated;
  PlanNode present = of_types(target, kAllTypes);
  if (!asks_for_missing) return target.nowhere() ? nothing() : std::move(present);
  if (!target.exact || target.nowhere()) return everything();
  return none_of(std::move(present));
}

// v IN path, JSON_CONTAINS(path, v) with a scalar.
Result<PlanNode> plan_contained(const PlanInput& input, const Expression& place,
                                const SqlValue& value) {
  const auto scalar = scalar_of(value);
  if (!scalar) return everything();
  ASSIGN_OR_RETURN(Target target, target_of(input, place));
  if (!target.known) return everything();
  const auto& legs = place.path.legs();
  const bool everywhere = place.kind == Expression::Kind::kPath && legs.size() == 2 &&
                          legs[0].kind == LegKind::kDescendants &&
                          legs[1].kind == LegKind::kAnyMember;
  if (everywhere) {  // every scalar of an object stands in some member
    target.any_path = true;
    target.paths.clear();
  }
  RETURN_IF_ERROR(add_elements(input, target));
  if (target.nowhere()) return nothing();
  return inexact(equal(target, value));
}

Result<PlanNode> plan_function(const PlanInput& input, const Expression& function,
                               StatementContext& context) {
  std::string name = function.name;
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  if (name != "JSON_CONTAINS" || function.operands.size() != 2 || !is_place(function.operands[0]) ||
      !is_constant(function.operands[1]))
    return everything();
  ASSIGN_OR_RETURN(SqlValue value, constant_value(function.operands[1], context));
  if (value.type() == SqlType::kText) {
    auto json = document::Json::parse(value.string());
    if (!json) return everything();
    value = SqlValue::json(std::move(*json));
  }
  if (value.type() != SqlType::kJson) return everything();
  return plan_contained(input, function.operands[0], value);
}

}  // namespace

Result<PlanNode> plan_predicate(const PlanInput& input, const Expression& predicate, bool negated,
                                StatementContext& context) {
  if (predicate.kind == Expression::Kind::kFunction)
    return negated ? everything() : plan_function(input, predicate, context);
  if (predicate.kind != Expression::Kind::kOperator || predicate.operands.size() < 2)
    return everything();
  switch (predicate.op) {
    case Operator::kEqual:
    case Operator::kNotEqual:
    case Operator::kLess:
    case Operator::kLessEqual:
    case Operator::kGreater:
    case Operator::kGreaterEqual:
      return plan_comparison(input, predicate, negated, context);
    case Operator::kIn:
      return plan_in(input, predicate, negated, context);
    case Operator::kBetween:
      if (predicate.operands.size() != 3) return everything();
      return plan_between(input, predicate, negated, context);
    case Operator::kLike:
      return plan_like(input, predicate, negated, context);
    case Operator::kIs:
    case Operator::kIsNot:
      return plan_is(input, predicate, negated);
    case Operator::kContainedIn: {
      if (negated || !is_place(predicate.operands[1]) || !is_constant(predicate.operands[0]))
        return everything();
      ASSIGN_OR_RETURN(const SqlValue value, constant_value(predicate.operands[0], context));
      return plan_contained(input, predicate.operands[1], value);
    }
    default:
      return everything();
  }
}

}  // namespace wherestar::server
