#include "server/bind.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace wherestar::server {

using document::LegKind;
using Kind = Expression::Kind;

namespace {

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    const auto lower = [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    return lower(x) == lower(y);
  });
}

// A name of one plain part, as aliases and columns are.
std::optional<std::string_view> simple_name(const Expression& expression) {
  const auto& legs = expression.path.legs();
  if (legs.size() != 1 || legs[0].kind != LegKind::kMember) return std::nullopt;
  return legs[0].name;
}

Expression column(uint32_t slot, std::string name, std::string text) {
  Expression out;
  out.kind = Kind::kColumn;
  out.slot = slot;
  out.name = std::move(name);
  out.text = std::move(text);
  return out;
}

constexpr std::array<std::string_view, kBaseSlotCount> kPseudoColumns = {
    "collection", "_id", "doc", "matches", "path", "place", "value"};

class Binder {
 public:
  Binder(const SourceShape& shape, bool matches, std::array<bool, kBaseSlotCount>* used,
         bool* needs_document)
      : shape_(shape), matches_(matches), used_(used), needs_document_(needs_document) {}

  // `top`: it is a whole item of the select list.
  Status resolve(Expression& expression, bool top = false) {
    if (expression.kind == Kind::kIdentifier) return resolve_name(expression, top);
    if (expression.kind == Kind::kPath) return resolve_path(expression);
    if (expression.kind == Kind::kAnyPath) {
      if (!shape_.has_documents)
        return fail(ErrorCode::kInvalidExpression,
                    "`*` asks documents of collections; the rows of a view have columns only");
      *needs_document_ = true;
    }
    for (Expression& operand : expression.operands) RETURN_IF_ERROR(resolve(operand));
    return {};
  }

 private:
  void use(uint32_t slot) { (*used_)[slot] = true; }

  void strip_qualifier(Expression& expression) {
    const auto& legs = expression.path.legs();
    if (legs.size() < 2 || legs[0].kind != LegKind::kMember) return;
    const std::string& known = shape_.alias.empty() ? shape_.name : shape_.alias;
    size_t drop = 0;
    if (!known.empty() && legs[0].name == known)
      drop = 1;
    else if (legs.size() > 2 && legs[0].name == shape_.database && legs[1].name == shape_.name)
      drop = 2;
    if (drop == 0) return;
    expression.path = document::PathExpression(
        std::vector<document::PathLeg>(legs.begin() + static_cast<ptrdiff_t>(drop), legs.end()));
  }

  Status resolve_view_column(Expression& expression) {
    const auto& legs = expression.path.legs();
    const std::string_view name = legs.empty() ? std::string_view() : legs.back().name;
    for (uint32_t slot = 0; slot < shape_.columns.size(); ++slot) {
      if (!equal_ignoring_case(shape_.columns[slot].name, name)) continue;
      expression = column(slot, shape_.columns[slot].name, expression.text);
      return {};
    }
    return fail(ErrorCode::kUnknownColumn,
                "Unknown column '" +
                    (expression.text.empty() ? std::string(name) : expression.text) +
                    "' in 'field list'");
  }

  Status resolve_name(Expression& expression, bool top) {
    if (!shape_.has_documents && shape_.columns.empty())
      return fail(ErrorCode::kUnknownColumn,
                  "Unknown column '" + expression.text + "' in 'field list'");
    if (!shape_.has_documents) return resolve_view_column(expression);
    strip_qualifier(expression);
    if (const auto name = simple_name(expression)) {
      const auto found = std::ranges::find(kPseudoColumns, *name);
      const auto slot = static_cast<uint32_t>(found - kPseudoColumns.begin());
      const bool pseudo =
          slot <= kDocSlot ? slot != kIdSlot || top : slot < kBaseSlotCount && matches_;
      if (pseudo) {
        use(slot);
        if (slot == kIdSlot) *needs_document_ = true;
        expression = column(slot, std::string(*found), expression.text);
        return {};
      }
    }
    expression.kind = Kind::kPath;
    *needs_document_ = true;
    return {};
  }

  Status resolve_path(Expression& expression) {
    if (!shape_.columns.empty() && simple_name(expression)) return resolve_view_column(expression);
    *needs_document_ = true;
    return {};
  }

  const SourceShape& shape_;
  const bool matches_;
  std::array<bool, kBaseSlotCount>* used_;
  bool* needs_document_;
};

bool looks_at_match(const Expression& expression) {
  if (expression.kind == Kind::kColumn)
    return expression.slot >= kMatchesSlot && expression.slot < kBaseSlotCount;
  return std::ranges::any_of(expression.operands, looks_at_match);
}

Expression conjunction(std::vector<Expression> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  Expression out;
  out.kind = Kind::kOperator;
  out.op = Operator::kAnd;
  out.operands.push_back(std::move(parts[0]));
  out.operands.push_back(std::move(parts[1]));
  for (size_t i = 2; i < parts.size(); ++i) out.operands.push_back(std::move(parts[i]));
  return out;
}

// What decides on the document alone is asked before its matches are collected.
void split_where(Expression where, BoundSelect& bound) {
  bound.filters_matches = looks_at_match(where);
  if (bound.filters_matches) {
    std::vector<const Expression*> conjuncts;
    collect_conjuncts(where, conjuncts);
    std::vector<Expression> on_document;
    for (const Expression* conjunct : conjuncts)
      if (!looks_at_match(*conjunct)) on_document.push_back(*conjunct);
    if (!on_document.empty()) bound.document_filter = conjunction(std::move(on_document));
  } else {
    bound.document_filter = where;
  }
  bound.where = std::move(where);
}

Result<uint64_t> limit_value(const Expression& expression, StatementContext& context) {
  ASSIGN_OR_RETURN(const SqlValue value, constant_value(expression, context));
  if (value.type() == SqlType::kUnsigned) return value.as_unsigned();
  if (value.type() == SqlType::kSigned && value.as_signed() >= 0)
    return static_cast<uint64_t>(value.as_signed());
  return fail(ErrorCode::kInvalidArgument, "LIMIT and OFFSET take a number that is not negative");
}

Status bind_limit(const Limit& limit, BoundSelect& bound, StatementContext& context) {
  if (limit.row_count) {
    ASSIGN_OR_RETURN(bound.row_count, limit_value(*limit.row_count, context));
  }
  if (limit.offset) {
    ASSIGN_OR_RETURN(bound.offset, limit_value(*limit.offset, context));
  }
  return {};
}

// Replaces names that are aliases of the select list by what they stand for.
void substitute_aliases(Expression& expression, const std::map<std::string, Expression>& aliases,
                        bool paths_too) {
  if (expression.kind == Kind::kIdentifier || (paths_too && expression.kind == Kind::kPath)) {
    const auto name = simple_name(expression);
    const auto found = name ? aliases.find(std::string(*name)) : aliases.end();
    if (found == aliases.end()) return;
    std::string text = std::move(expression.text);
    expression = found->second;
    expression.text = std::move(text);
    return;
  }
  if (is_aggregate(expression)) return;  // its operand is about the rows, not about the result
  for (Expression& operand : expression.operands) substitute_aliases(operand, aliases, paths_too);
}

// Takes aggregates out of the expression into `bound` and leaves their columns.
void extract_aggregates(Expression& expression, BoundSelect& bound) {
  if (is_aggregate(expression)) {
    const auto slot = bound.base_slots + static_cast<uint32_t>(bound.aggregates.size());
    std::string text = expression.text;
    Expression stand_in = column(slot, expression.name, std::move(text));
    bound.aggregates.push_back(std::move(expression));
    expression = std::move(stand_in);
    return;
  }
  for (Expression& operand : expression.operands) extract_aggregates(operand, bound);
}

SqlType column_type(const Expression& expression, const BoundSelect& bound,
                    const SourceShape& shape) {
  if (expression.kind != Kind::kColumn) return static_type(expression);
  if (expression.slot >= bound.base_slots)
    return static_type(bound.aggregates[expression.slot - bound.base_slots]);
  if (!shape.columns.empty()) return shape.columns[expression.slot].type;
  switch (expression.slot) {
    case kDocSlot:
    case kMatchesSlot:
    case kValueSlot:
      return SqlType::kJson;
    default:
      return SqlType::kText;
  }
}

struct Item {
  Expression expression;
  std::string name;
};

// The select list with `*` written out; document mode as one JSON column.
std::vector<Item> select_list(const Select& select, const SourceShape& shape) {
  std::vector<Item> items;
  if (select.document_mode) {
    if (select.projections.empty()) {
      items.push_back({column(kDocSlot, "doc", "doc"), "doc"});
    } else if (select.projections.size() == 1 && select.projections[0].alias.empty() &&
               select.projections[0].expression.kind == Kind::kObject) {
      items.push_back({select.projections[0].expression, "doc"});
    } else {
      Expression object;
      object.kind = Kind::kObject;
      for (const Projection& projection : select.projections) {
        object.keys.push_back(projection.alias.empty() ? projection.expression.text
                                                       : projection.alias);
        object.operands.push_back(projection.expression);
      }
      items.push_back({std::move(object), "doc"});
    }
    return items;
  }
  for (const Projection& projection : select.projections) {
    if (projection.expression.kind != Kind::kStar) {
      std::string name = projection.alias.empty() ? projection.expression.text : projection.alias;
      items.push_back({projection.expression, std::move(name)});
      continue;
    }
    if (shape.has_documents) {
      if (shape.many_collections)
        items.push_back({column(kCollectionSlot, "collection", "collection"), "collection"});
      items.push_back({column(kIdSlot, "_id", "_id"), "_id"});
      items.push_back({column(kDocSlot, "doc", "doc"), "doc"});
    }
    for (uint32_t slot = 0; slot < shape.columns.size(); ++slot)
      items.push_back({column(slot, shape.columns[slot].name, shape.columns[slot].name),
                       shape.columns[slot].name});
  }
  return items;
}

void mark_columns(const Expression& expression, const SourceShape& shape, BoundSelect& bound) {
  if (expression.kind == Kind::kColumn && shape.has_documents && expression.slot < kBaseSlotCount) {
    bound.used[expression.slot] = true;
    if (expression.slot == kIdSlot) bound.needs_document = true;
  }
  for (const Expression& operand : expression.operands) mark_columns(operand, shape, bound);
}

std::map<std::string, Expression> aliases_of(const Select& select) {
  std::map<std::string, Expression> aliases;
  for (const Projection& projection : select.projections)
    if (!projection.alias.empty()) aliases.emplace(projection.alias, projection.expression);
  return aliases;
}

// ORDER BY 2 and GROUP BY 2 are about the second item of the select list.
Status substitute_position(Expression& expression, const std::vector<Item>& items,
                           std::string_view clause) {
  if (expression.kind != Kind::kLiteral || expression.literal.is_boolean()) return {};
  const SqlValue& literal = expression.literal;
  if (literal.type() != SqlType::kSigned && literal.type() != SqlType::kUnsigned) return {};
  if (literal.type() == SqlType::kSigned && literal.as_signed() < 0) return {};  // just a number
  const std::string text = to_text(literal);
  const bool fits = literal.type() == SqlType::kSigned && literal.as_signed() >= 1 &&
                    literal.as_signed() <= static_cast<int64_t>(items.size());
  if (!fits)
    return fail(ErrorCode::kUnknownColumn, "Unknown column '" + text + "' in '" +
                                               std::string(clause) + "': the select list has " +
                                               std::to_string(items.size()) + " items");
  expression = items[static_cast<size_t>(literal.as_signed() - 1)].expression;
  return {};
}

bool has_aggregate(const Expression& expression) {
  return is_aggregate(expression) || std::ranges::any_of(expression.operands, has_aggregate);
}

Status bind_where(const std::optional<Expression>& where, Binder& binder, BoundSelect& bound) {
  if (!where) return {};
  Expression copy = *where;
  RETURN_IF_ERROR(binder.resolve(copy));
  split_where(std::move(copy), bound);
  return {};
}

void finish(BoundSelect& bound) {
  const bool match_columns =
      bound.used[kPathSlot] || bound.used[kPlaceSlot] || bound.used[kValueSlot];
  bound.expands_matches = match_columns;
  if (match_columns || bound.used[kMatchesSlot]) bound.needs_document = true;
}

Status bind_grouping(const Select& select, const std::map<std::string, Expression>& aliases,
                     const std::vector<Item>& items, Binder& binder, BoundSelect& bound) {
  for (const Expression& key : select.group_by) {
    Expression copy = key;
    if (!select.document_mode) RETURN_IF_ERROR(substitute_position(copy, items, "group statement"));
    substitute_aliases(copy, aliases, select.document_mode);
    if (has_aggregate(copy))
      return fail(ErrorCode::kInvalidArgument, "Can't group on '" + copy.text + "'");
    RETURN_IF_ERROR(binder.resolve(copy));
    bound.group_by.push_back(std::move(copy));
  }
  if (select.having) {
    bound.having = *select.having;
    substitute_aliases(*bound.having, aliases, select.document_mode);
    RETURN_IF_ERROR(binder.resolve(*bound.having));
    extract_aggregates(*bound.having, bound);
  }
  return {};
}

Status bind_items(std::vector<Item> items, const SourceShape& shape, Binder& binder,
                  BoundSelect& bound) {
  for (Item& item : items) {
    if (item.expression.kind == Kind::kColumn) mark_columns(item.expression, shape, bound);
    RETURN_IF_ERROR(binder.resolve(item.expression, true));
    Column out;
    out.name = item.name;
    out.original_name =
        item.expression.kind == Kind::kColumn ? item.expression.name : std::string();
    extract_aggregates(item.expression, bound);
    out.table = shape.alias.empty() ? shape.name : shape.alias;
    out.original_table = shape.name;
    out.database = shape.database;
    out.type = column_type(item.expression, bound, shape);
    bound.columns.push_back(std::move(out));
    bound.projections.push_back(std::move(item.expression));
  }
  return {};
}

bool is_count_star(const Expression& expression) {
  return equal_ignoring_case(expression.name, "count") && !expression.distinct &&
         (expression.operands.empty() ||
          (expression.operands.size() == 1 && expression.operands[0].kind == Kind::kStar));
}

// Does it look at the row, and not only at aggregates?
bool reads_row(const Expression& expression, uint32_t base_slots) {
  if (expression.kind == Kind::kPath || expression.kind == Kind::kAnyPath) return true;
  if (expression.kind == Kind::kColumn) return expression.slot < base_slots;
  return std::ranges::any_of(expression.operands, [&](const Expression& operand) {
    return reads_row(operand, base_slots);
  });
}

bool counts_only(const BoundSelect& bound) {
  const auto reads = [&](const Expression& expression) {
    return reads_row(expression, bound.base_slots);
  };
  return bound.grouped && bound.group_by.empty() &&
         std::ranges::all_of(bound.aggregates, is_count_star) &&
         std::ranges::none_of(bound.projections, reads) &&
         !(bound.having && reads(*bound.having)) &&
         std::ranges::none_of(bound.order_by,
                              [&](const OrderItem& item) { return reads(item.expression); });
}

}  // namespace

bool is_constant(const Expression& expression) {
  switch (expression.kind) {
    case Kind::kLiteral:
    case Kind::kPlaceholder:
    case Kind::kVariable:
      return true;
    case Kind::kOperator:
    case Kind::kArray:
    case Kind::kObject:
      return std::ranges::all_of(expression.operands, is_constant);
    default:
      return false;
  }
}

Result<SqlValue> constant_value(const Expression& expression, StatementContext& context) {
  return evaluate(expression, Row{}, context.evaluation);
}

void collect_conjuncts(const Expression& expression, std::vector<const Expression*>& out) {
  if (expression.kind == Kind::kOperator && expression.op == Operator::kAnd) {
    for (const Expression& operand : expression.operands) collect_conjuncts(operand, out);
  } else {
    out.push_back(&expression);
  }
}

Result<BoundSelect> bind_select(const Select& select, const SourceShape& shape,
                                StatementContext& context) {
  BoundSelect bound;
  if (!shape.has_documents) bound.base_slots = static_cast<uint32_t>(shape.columns.size());
  const bool matches = shape.has_documents && select.where && has_any_path_predicate(*select.where);
  Binder binder(shape, matches, &bound.used, &bound.needs_document);
  RETURN_IF_ERROR(bind_where(select.where, binder, bound));
  const auto aliases = aliases_of(select);
  const std::vector<Item> items = select_list(select, shape);
  RETURN_IF_ERROR(bind_grouping(select, aliases, items, binder, bound));
  for (const OrderItem& item : select.order_by) {
    OrderItem copy = item;
    if (!select.document_mode) {
      RETURN_IF_ERROR(substitute_position(copy.expression, items, "order clause"));
      substitute_aliases(copy.expression, aliases, false);
    }
    RETURN_IF_ERROR(binder.resolve(copy.expression));
    extract_aggregates(copy.expression, bound);
    bound.order_by.push_back(std::move(copy));
  }
  RETURN_IF_ERROR(bind_items(items, shape, binder, bound));
  bound.distinct = select.distinct;
  bound.grouped = !bound.group_by.empty() || !bound.aggregates.empty();
  bound.counts_only = counts_only(bound);
  RETURN_IF_ERROR(bind_limit(select.limit, bound, context));
  finish(bound);
  return bound;
}

Result<BoundSelect> bind_change(const std::optional<Expression>& where,
                                const std::vector<OrderItem>& order_by, const Limit& limit,
                                const SourceShape& shape, StatementContext& context) {
  BoundSelect bound;
  Binder binder(shape, false, &bound.used, &bound.needs_document);
  RETURN_IF_ERROR(bind_where(where, binder, bound));
  for (const OrderItem& item : order_by) {
    bound.order_by.push_back(item);
    RETURN_IF_ERROR(binder.resolve(bound.order_by.back().expression));
  }
  RETURN_IF_ERROR(bind_limit(limit, bound, context));
  bound.needs_document = true;
  return bound;
}

Status bind_value(Expression& value, const SourceShape& shape, BoundSelect& bound) {
  return Binder(shape, false, &bound.used, &bound.needs_document).resolve(value);
}

}  // namespace wherestar::server
