#include "server/views.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "server/variables.h"

namespace wherestar::server {

namespace {

using Names = std::vector<std::pair<const char*, SqlType>>;

void set_columns(View& view, const Names& names) {
  for (const auto& [name, type] : names) {
    Column column;
    column.name = column.original_name = name;
    column.table = column.original_table = view.name;
    column.database = view.database;
    column.type = type;
    view.columns.push_back(std::move(column));
  }
}

constexpr SqlType kText = SqlType::kText;
constexpr SqlType kCount = SqlType::kSigned;

const Names kCollections = {{"schema_name", kText},  {"collection_name", kText},
                            {"documents", kCount},   {"data_bytes", kCount},
                            {"index_bytes", kCount}, {"paths", kCount},
                            {"shapes", kCount},      {"created", SqlType::kDateTime}};
const Names kPaths = {{"schema_name", kText},
                      {"collection_name", kText},
                      {"path", kText},
                      {"documents", kCount},
                      {"value_count", kCount},
                      {"nulls", kCount},
                      {"booleans", kCount},
                      {"integers", kCount},
                      {"doubles", kCount},
                      {"strings", kCount},
                      {"objects", kCount},
                      {"arrays", kCount},
                      {"distinct_values", kCount},
                      {"distinct_is_exact", kCount},
                      {"min_value", SqlType::kJson},
                      {"max_value", SqlType::kJson},
                      {"total_bytes", kCount},
                      {"min_string_length", kCount},
                      {"max_string_length", kCount},
                      {"min_array_length", kCount},
                      {"max_array_length", kCount},
                      {"format", kText},
                      {"top_values", SqlType::kJson},
                      {"first_seen", SqlType::kDateTime},
                      {"last_seen", SqlType::kDateTime}};
const Names kShapes = {{"schema_name", kText},
                       {"collection_name", kText},
                       {"shape_id", kText},
                       {"documents", kCount},
                       {"paths", SqlType::kJson},
                       {"first_seen", SqlType::kDateTime},
                       {"last_seen", SqlType::kDateTime}};
const Names kSchemata = {{"catalog_name", kText},
                         {"schema_name", kText},
                         {"default_character_set_name", kText},
                         {"default_collation_name", kText}};
const Names kTables = {{"table_catalog", kText},
                       {"table_schema", kText},
                       {"table_name", kText},
                       {"table_type", kText},
                       {"engine", kText},
                       {"table_rows", kCount},
                       {"create_time", SqlType::kDateTime},
                       {"table_comment", kText}};
const Names kViews = {{"table_catalog", kText},
                      {"table_schema", kText},
                      {"table_name", kText},
                      {"view_definition", kText}};
const Names kStatus = {{"variable_name", kText}, {"variable_value", kText}};

SqlValue text(std::string value) {
  return SqlValue::text(std::move(value));
}

void fill_schemata(const ExecutionInput& input, View& view) {
  std::vector<std::string> names = input.core->catalog->databases();
  names.emplace_back("information_schema");
  std::ranges::sort(names);
  for (std::string& name : names)
    view.rows.push_back({text("def"), text(std::move(name)), text("utf8mb4"), text("utf8mb4_bin")});
}

Status fill_tables(const ExecutionInput& input, View& view) {
  const auto read_view = input.transaction->snapshot_view();
  for (const CollectionPtr& collection : input.core->catalog->collections(std::nullopt)) {
    ASSIGN_OR_RETURN(const auto totals,
                     input.core->stats->totals(static_cast<uint32_t>(collection->part), read_view));
    view.rows.push_back({text("def"), text(collection->database), text(collection->name),
                         text("BASE TABLE"), text("Wherestar"),
                         SqlValue::signed_integer(static_cast<int64_t>(totals.documents)),
                         date_time(collection->created_unix_s), text("")});
  }
  return {};
}

Status fill_information_schema(const ExecutionInput& input, View& view) {
  if (view.name == "collections") {
    set_columns(view, kCollections);
    return fill_collections(input, view);
  }
  if (view.name == "collection_paths") {
    set_columns(view, kPaths);
    return fill_collection_paths(input, view);
  }
  if (view.name == "collection_shapes") {
    set_columns(view, kShapes);
    return fill_collection_shapes(input, view);
  }
  if (view.name == "schemata") {
    set_columns(view, kSchemata);
    fill_schemata(input, view);
    return {};
  }
  if (view.name == "tables") {
    set_columns(view, kTables);
    return fill_tables(input, view);
  }
  if (view.name == "views") {
    set_columns(view, kViews);
    return {};
  }
  return fail(ErrorCode::kUnknownCollection,
              "Unknown table '" + view.name + "' in " + view.database);
}

}  // namespace

std::string to_lower(std::string_view name) {
  std::string out(name);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

SqlValue date_time(int64_t unix_s) {
  const std::time_t time = unix_s;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char buffer[32];
  const size_t size = std::strftime(buffer, sizeof buffer, "%Y-%m-%d %H:%M:%S", &parts);
  return SqlValue::temporal(SqlType::kDateTime, std::string(buffer, size));
}

bool is_view_database(std::string_view name) {
  const std::string lower = to_lower(name);
  return lower == "information_schema" || lower == "performance_schema";
}

Result<std::optional<View>> make_view(const ExecutionInput& input, const CollectionRef& from) {
  if (from.any_database) return std::nullopt;
  const std::string database = to_lower(from.database.empty() ? input.database : from.database);
  if (!is_view_database(database)) return std::nullopt;
  if (from.any_collection)
    return fail(ErrorCode::kUnsupported, "FROM * looks into collections; name one view");
  View view;
  view.database = database;
  view.name = to_lower(from.collection);
  if (database == "information_schema") {
    RETURN_IF_ERROR(fill_information_schema(input, view));
    return view;
  }
  if (view.name != "session_status" && view.name != "global_status")
    return fail(ErrorCode::kUnknownCollection,
                "Table '" + database + "." + view.name + "' doesn't exist");
  set_columns(view, kStatus);
  for (auto& [name, value] : status_variables(*input.core))
    view.rows.push_back({text(name), text(std::move(value))});
  return view;
}

}  // namespace wherestar::server
