// Gives the names of a SELECT their meaning: pseudo-columns, columns of a view, aliases, members.
//
// A row of documents has the columns of BaseSlot, a row of a view those of its shape; aggregates
// follow behind. Names resolve in this order: a column of a view; a pseudo-column (`path`, `place`,
// `value` and `matches` are such only where the WHERE holds an any-path or wildcard predicate); an
// alias of the select list in GROUP BY, HAVING and ORDER BY; else a member of the document.
// `$.name` is always the member.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/result_set.h"
#include "server/statement.h"
#include "server/statement_context.h"

namespace wherestar::server {

enum BaseSlot : uint32_t {
  kCollectionSlot,
  kIdSlot,
  kDocSlot,
  kMatchesSlot,
  kPathSlot,
  kPlaceSlot,
  kValueSlot,
  kBaseSlotCount
};

// Where the rows come from. No columns: documents, or a SELECT without FROM.
struct SourceShape {
  bool has_documents = false;
  bool many_collections = false;  // SELECT * names the collection
  std::string database;           // for metadata
  std::string name;
  std::string alias;
  std::vector<Column> columns;  // of a view
};

struct BoundSelect {
  std::optional<Expression> where;  // decides on the row
  // The conjuncts of `where` that decide on the document, all of them unless filters_matches.
  std::optional<Expression> document_filter;
  bool filters_matches = false;  // `where` looks at matches, path, place or value
  std::vector<Expression> projections;
  std::vector<Column> columns;
  bool grouped = false;
  std::vector<Expression> group_by;
  std::vector<Expression> aggregates;  // the i-th stands in slot base_slots + i
  std::optional<Expression> having;
  std::vector<OrderItem> order_by;
  bool distinct = false;
  std::optional<uint64_t> row_count;
  uint64_t offset = 0;
  uint32_t base_slots = kBaseSlotCount;
  std::array<bool, kBaseSlotCount> used{};  // which columns of documents are needed
  bool needs_document = false;              // some expression looks into the document
  bool expands_matches = false;             // one row per match
  bool counts_only = false;                 // grouped into one row, and all aggregates are COUNT(*)
};

// kUnknownColumn in a view; kInvalidArgument for a bad LIMIT.
Result<BoundSelect> bind_select(const Select& select, const SourceShape& shape,
                                StatementContext& context);
// The WHERE and ORDER BY of an UPDATE or DELETE.
Result<BoundSelect> bind_change(const std::optional<Expression>& where,
                                const std::vector<OrderItem>& order_by, const Limit& limit,
                                const SourceShape& shape, StatementContext& context);
// A value of UPDATE ... SET over the rows of `bound`, which learns the columns that it needs.
Status bind_value(Expression& value, const SourceShape& shape, BoundSelect& bound);

// An expression without row: literal, placeholder, variable or arithmetic of such.
bool is_constant(const Expression& expression);
Result<SqlValue> constant_value(const Expression& expression, StatementContext& context);
// Splits ANDs.
void collect_conjuncts(const Expression& expression, std::vector<const Expression*>& out);

}  // namespace wherestar::server
