// The information views, as tables of rows that the executor filters, groups and sorts.
//
// Of `information_schema`: collections, collection_paths, collection_shapes, schemata, tables,
// views. Of `performance_schema`: session_status. Their names are case-insensitive. What they say
// is as of the reading transaction's snapshot.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/bind.h"
#include "server/result_set.h"
#include "server/select.h"
#include "server/statement.h"

namespace wherestar::server {

struct View {
  std::string database;
  std::string name;
  std::vector<Column> columns;
};

// What a statement wants of a view, so that rows and cells that nobody sees are not made: they may
// cost far more than those that are seen.
class ViewFilter {
 public:
  ViewFilter(const BoundSelect& bound, const EvaluationContext& context);
  // False: no row that begins with these cells satisfies the WHERE.
  bool may_hold(std::span<const SqlValue> first_cells);
  bool uses(uint32_t slot) const { return used_.contains(slot); }

 private:
  void use(const Expression& expression);

  std::vector<const Expression*> conjuncts_;
  std::set<uint32_t> used_;
  EvaluationContext context_;  // of its own: what is asked here warns nobody
};

bool is_view_database(std::string_view name);
// nullopt when `from` is about collections. kUnknownCollection for an unknown view.
Result<std::optional<View>> find_view(const std::string& default_database,
                                      const CollectionRef& from);
// Rows of a view that find_view() gave, `bound` over its columns; cells that `bound` does not use
// may be NULL.
Result<std::vector<ResultRow>> view_rows(const ExecutionInput& input, const View& view,
                                         const BoundSelect& bound);

// path_view.cc
Result<std::vector<ResultRow>> collection_path_rows(const ExecutionInput& input,
                                                    ViewFilter& filter);
// collection_view.cc
Result<std::vector<ResultRow>> collection_rows(const ExecutionInput& input, ViewFilter& filter);
Result<std::vector<ResultRow>> collection_shape_rows(const ExecutionInput& input,
                                                     ViewFilter& filter);

SqlValue date_time(int64_t unix_s);  // UTC
std::string to_lower(std::string_view text);

}  // namespace wherestar::server
