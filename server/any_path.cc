#include "server/any_path.h"

#include <algorithm>
#include <optional>

#include "server/conversion.h"
#include "server/text_match.h"

namespace wherestar::server {

using document::Json;
using document::JsonType;
using Kind = Expression::Kind;

namespace {

bool is_many(const Expression& expression) {
  if (expression.kind == Kind::kAnyPath) return true;
  const bool path = expression.kind == Kind::kPath || expression.kind == Kind::kIdentifier;
  return path && !expression.unquote && expression.path.has_wildcard();
}

bool takes_existential(Operator op) {
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
    case Operator::kContainedIn:
    case Operator::kNotContainedIn:
      return true;
    default:
      return false;
  }
}

bool is_comparison(Operator op) {
  return op >= Operator::kEqual && op <= Operator::kGreaterEqual;
}

bool is_containment(Operator op) {
  return op == Operator::kContainedIn || op == Operator::kNotContainedIn;
}

// Which operand stands for many places. `v IN path` has it on the right.
std::optional<size_t> many_operand(const Expression& predicate) {
  if (predicate.kind != Kind::kOperator || !takes_existential(predicate.op) ||
      predicate.operands.empty())
    return std::nullopt;
  const bool contained = is_containment(predicate.op);
  if (!contained && is_many(predicate.operands[0])) return 0;
  if ((contained || is_comparison(predicate.op)) && predicate.operands.size() == 2 &&
      is_many(predicate.operands[1]))
    return 1;
  return std::nullopt;
}

enum class Class { kNull, kBoolean, kNumber, kString, kContainer };

Class class_of(const Json& json) {
  switch (json.type()) {
    case JsonType::kNull:
      return Class::kNull;
    case JsonType::kBoolean:
      return Class::kBoolean;
    case JsonType::kInteger:
    case JsonType::kDouble:
      return Class::kNumber;
    case JsonType::kString:
      return Class::kString;
    default:
      return Class::kContainer;
  }
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

bool holds(Operator op, std::weak_ordering order) {
  switch (op) {
    case Operator::kEqual:
      return order == 0;
    case Operator::kNotEqual:
      return order != 0;
    case Operator::kLess:
      return order < 0;
    case Operator::kLessEqual:
      return order <= 0;
    case Operator::kGreater:
      return order > 0;
    default:
      return order >= 0;
  }
}

// The predicate with everything but the place evaluated once.
class Tester {
 public:
  static Result<std::optional<Tester>> make(const Expression& predicate, size_t many,
                                            const Row& row, EvaluationContext& context) {
    Tester tester(predicate, many);
    for (size_t i = 0; i < predicate.operands.size(); ++i) {
      if (i == many) continue;
      if (is_many(predicate.operands[i]))
        return fail(ErrorCode::kInvalidExpression,
                    "a comparison of two paths that both stand for many places");
      ASSIGN_OR_RETURN(const SqlValue value, evaluate(predicate.operands[i], row, context));
      const bool is_null_test = predicate.op == Operator::kIs || predicate.op == Operator::kIsNot;
      const bool is_list = predicate.op == Operator::kIn || predicate.op == Operator::kNotIn;
      if (value.is_null() && is_list) {
        tester.has_null_ = true;
        continue;
      }
      const Kind kind = predicate.operands[i].kind;
      const bool is_json_null =
          is_containment(predicate.op) && (kind == Kind::kLiteral || kind == Kind::kPlaceholder);
      if (value.is_null() && !is_null_test && !is_json_null) return std::optional<Tester>();
      ASSIGN_OR_RETURN(Json json, to_json(value));
      tester.values_.push_back(std::move(json));
    }
    RETURN_IF_ERROR(tester.prepare(context));
    return std::optional<Tester>(std::move(tester));
  }

  const std::vector<Json>& values() const { return values_; }
  bool has_null() const { return has_null_; }  // in the list of IN
  bool is_slow() const { return regexp_ != nullptr; }

  Result<bool> test(const Json& scalar) const {
    const Class kind = class_of(scalar);
    switch (op_) {
      case Operator::kIs:
        return is(scalar);
      case Operator::kIsNot:
        return !is(scalar);
      case Operator::kLike:
      case Operator::kNotLike: {
        if (kind != Class::kString) return false;
        RETURN_IF_ERROR(check_like(scalar.as_string(), pattern_));
        const bool matched = predicate_->case_insensitive
                                 ? like_matches(fold_case(scalar.as_string()), pattern_, escape_)
                                 : like_matches(scalar.as_string(), pattern_, escape_);
        return matched == (op_ == Operator::kLike);
      }
      case Operator::kRegexp:
      case Operator::kNotRegexp: {
        if (kind != Class::kString) return false;
        ASSIGN_OR_RETURN(const bool matched, regexp_->found_in(scalar.as_string()));
        return matched == (op_ == Operator::kRegexp);
      }
      case Operator::kBetween:
        return between(scalar, kind);
      case Operator::kNotBetween:
        return kind == class_of(values_[0]) && kind == class_of(values_[1]) &&
               !between(scalar, kind);
      case Operator::kIn:
        return std::ranges::find(values_, scalar) != values_.end();
      case Operator::kNotIn:
        return !has_null_ && std::ranges::any_of(values_, [&](const Json& value) {
          return class_of(value) == kind;
        }) && std::ranges::find(values_, scalar) == values_.end();
      case Operator::kContainedIn:
      case Operator::kNotContainedIn:
        return class_of(values_[0]) == kind && values_[0] == scalar;
      default:
        return class_of(values_[0]) == kind && holds(op_, scalar.compare(values_[0]));
    }
  }

 private:
  Tester(const Expression& predicate, size_t many)
      : predicate_(&predicate), op_(many == 1 ? flipped(predicate.op) : predicate.op) {}

  Status prepare(EvaluationContext& context) {
    if (op_ == Operator::kLike || op_ == Operator::kNotLike || op_ == Operator::kRegexp ||
        op_ == Operator::kNotRegexp) {
      pattern_ = unquoted(values_[0]);
      if (values_.size() > 1) {
        ASSIGN_OR_RETURN(escape_, parse_escape(SqlValue::text(unquoted(values_[1]))));
      }
      const bool like = op_ == Operator::kLike || op_ == Operator::kNotLike;
      if (like && predicate_->case_insensitive) pattern_ = fold_case(pattern_);
      if (!like) {
        ASSIGN_OR_RETURN(regexp_, Regexp::cached(pattern_, predicate_->case_insensitive, context));
      }
    }
    return {};
  }

  bool between(const Json& scalar, Class kind) const {
    return kind == class_of(values_[0]) && kind == class_of(values_[1]) &&
           scalar.compare(values_[0]) >= 0 && scalar.compare(values_[1]) <= 0;
  }

  // IS NULL: a JSON null; IS TRUE and IS FALSE: that boolean.
  bool is(const Json& scalar) const {
    const Class kind = class_of(scalar);
    if (class_of(values_[0]) == Class::kNull) return kind == Class::kNull;
    const bool wanted = values_[0].type() == JsonType::kBoolean ? values_[0].as_bool() : true;
    return kind == Class::kBoolean && scalar.as_bool() == wanted;
  }

  const Expression* predicate_;
  Operator op_;
  std::vector<Json> values_;
  bool has_null_ = false;
  std::string pattern_;
  std::shared_ptr<const Regexp> regexp_;
  char32_t escape_ = U'\\';
};

// Scalars at and below a value; `below` only through arrays, or through everything.
template <class Visit>
Result<bool> visit_scalars(const Json& json, bool into_objects, const Visit& visit) {
  if (json.is_array()) {
    for (const Json& element : json.elements()) {
      ASSIGN_OR_RETURN(const bool stop, visit_scalars(element, into_objects, visit));
      if (stop) return true;
    }
    return false;
  }
  if (json.is_object()) {
    if (!into_objects) return false;
    for (const auto& [name, value] : json.members()) {
      ASSIGN_OR_RETURN(const bool stop, visit_scalars(value, into_objects, visit));
      if (stop) return true;
    }
    return false;
  }
  return visit(json);
}

// `$**.*`: every member of every object, so every scalar of a document.
bool is_every_member(const document::PathExpression& path) {
  const auto& legs = path.legs();
  return legs.size() == 2 && legs[0].kind == document::LegKind::kDescendants &&
         legs[1].kind == document::LegKind::kAnyMember;
}

// Visits the scalars a place stands for until one stops it. False: the place does not exist.
template <class Visit>
Result<bool> visit_place(const Expression& place, bool through_arrays, const Json& document,
                         const Visit& visit) {
  if (place.kind == Kind::kAnyPath || (through_arrays && is_every_member(place.path))) {
    RETURN_IF_ERROR(visit_scalars(document, true, visit));
    return !document.is_object() || !document.members().empty();
  }
  const std::vector<const Json*> selected = document.select(place.path);
  for (const Json* json : selected) {
    if (!through_arrays && (json->is_array() || json->is_object())) continue;
    ASSIGN_OR_RETURN(const bool stop, visit_scalars(*json, false, visit));
    if (stop) break;
  }
  return !selected.empty();
}

// `v IN path` with an array or object as v: JSON_CONTAINS of what the path selects.
std::optional<bool> contains_container(const Expression& predicate, const Json& value,
                                       const Json& document) {
  static const auto everywhere = document::PathExpression::parse("$**.*");
  const Expression& place = predicate.operands[1];
  const auto found = document.extract(place.kind == Kind::kAnyPath ? *everywhere : place.path);
  if (!found) return std::nullopt;
  return found->contains(value) == (predicate.op == Operator::kContainedIn);
}

}  // namespace

bool is_existential(const Expression& expression) {
  return many_operand(expression).has_value();
}

Result<std::optional<bool>> evaluate_existential(const Expression& predicate, const Row& row,
                                                 EvaluationContext& context,
                                                 std::vector<const Json*>* matches) {
  const size_t many = *many_operand(predicate);
  ASSIGN_OR_RETURN(const auto tester, Tester::make(predicate, many, row, context));
  if (!tester || row.document == nullptr) return std::optional<bool>();
  const bool contains = is_containment(predicate.op);
  if (contains) {
    const Json& value = tester->values().front();
    if (value.is_array() || value.is_object())
      return contains_container(predicate, value, *row.document);
  }
  bool any = false;
  size_t looked_at = 0;
  const auto visit = [&](const Json& scalar) -> Result<bool> {
    if (tester->is_slow() || ++looked_at % 4096 == 0) RETURN_IF_ERROR(check_deadline(context));
    ASSIGN_OR_RETURN(const bool matched, tester->test(scalar));
    if (!matched) return false;
    any = true;
    if (matches == nullptr) return true;
    matches->push_back(&scalar);
    return false;
  };
  ASSIGN_OR_RETURN(const bool exists,
                   visit_place(predicate.operands[many], contains, *row.document, visit));
  if (contains) {
    if (!exists) return std::optional<bool>();
    return std::optional<bool>(any == (predicate.op == Operator::kContainedIn));
  }
  if (!any && tester->has_null()) return std::optional<bool>();
  return std::optional<bool>(any);
}

bool has_any_path_predicate(const Expression& condition) {
  if (condition.kind == Kind::kAnyPath || is_existential(condition)) return true;
  return std::ranges::any_of(condition.operands, has_any_path_predicate);
}

namespace {

// What is denied has no places; what is denied twice has.
Status collect(const Expression& condition, bool denied, const Row& row, EvaluationContext& context,
               std::vector<const Json*>& matches) {
  if (is_existential(condition)) {
    if (!denied) RETURN_IF_ERROR(evaluate_existential(condition, row, context, &matches));
    return {};
  }
  if (condition.kind == Kind::kOperator && condition.op == Operator::kNot) denied = !denied;
  for (const Expression& operand : condition.operands)
    RETURN_IF_ERROR(collect(operand, denied, row, context, matches));
  return {};
}

}  // namespace

Result<std::vector<document::Place>> collect_matches(const Expression& condition, const Row& row,
                                                     EvaluationContext& context) {
  std::vector<document::Place> out;
  if (row.document == nullptr) return out;
  std::vector<const Json*> matches;
  RETURN_IF_ERROR(collect(condition, false, row, context, matches));
  if (matches.empty()) return out;
  std::sort(matches.begin(), matches.end());
  for (document::Place& place : document::scalar_places(*row.document))
    if (std::binary_search(matches.begin(), matches.end(), place.value))
      out.push_back(std::move(place));
  return out;
}

}  // namespace wherestar::server
