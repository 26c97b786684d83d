// The information views, as tables of rows that the executor filters, groups and sorts.
//
// Of `information_schema`: collections, collection_paths, collection_shapes, schemata, tables,
// views. Of `performance_schema`: session_status. Their names are case-insensitive. What they say
// is as of the reading transaction's snapshot.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/result_set.h"
#include "server/select.h"
#include "server/statement.h"

namespace wherestar::server {

struct View {
  std::string database;
  std::string name;
  std::vector<Column> columns;
  std::vector<ResultRow> rows;
};

bool is_view_database(std::string_view name);
// nullopt when `from` is about collections. kUnknownCollection for an unknown view.
Result<std::optional<View>> make_view(const ExecutionInput& input, const CollectionRef& from);

// path_view.cc
Status fill_collection_paths(const ExecutionInput& input, View& view);
// collection_view.cc
Status fill_collections(const ExecutionInput& input, View& view);
Status fill_collection_shapes(const ExecutionInput& input, View& view);

SqlValue date_time(int64_t unix_s);  // UTC
std::string to_lower(std::string_view text);

}  // namespace wherestar::server
