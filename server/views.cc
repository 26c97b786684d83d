#include "server/views.h"

#include <algorithm>
#include <ctime>
#include <utility>

#include "server/variables.h"

namespace wherestar::server {

namespace {

using Names = std::vector<std::pair<const char*, SqlType>>;

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

using Rows = std::vector<ResultRow>;

Result<Rows> schema_rows(const ExecutionInput& input, ViewFilter&) {
  std::vector<std::string> names = input.core->catalog->databases();
  names.emplace_back("information_schema");
  std::ranges::sort(names);
  Rows rows;
  for (std::string& name : names)
    rows.push_back({text("def"), text(std::move(name)), text("utf8mb4"), text("utf8mb4_bin")});
  return rows;
}

Result<Rows> table_rows(const ExecutionInput& input, ViewFilter&) {
  const auto read_view = input.transaction->snapshot_view();
  Rows rows;
  for (const CollectionPtr& collection : input.core->catalog->collections(std::nullopt)) {
    ASSIGN_OR_RETURN(const auto totals,
                     input.core->stats->totals(static_cast<uint32_t>(collection->part), read_view));
    rows.push_back({text("def"), text(collection->database), text(collection->name),
                    text("BASE TABLE"), text("Wherestar"),
                    SqlValue::signed_integer(static_cast<int64_t>(totals.documents)),
                    date_time(collection->created_unix_s), text("")});
  }
  return rows;
}

Result<Rows> no_rows(const ExecutionInput&, ViewFilter&) {
  return Rows();
}

Result<Rows> status_rows(const ExecutionInput& input, ViewFilter&) {
  Rows rows;
  for (auto& [name, value] : status_variables(*input.core))
    rows.push_back({text(name), text(std::move(value))});
  return rows;
}

struct Definition {
  std::string_view database;
  std::string_view name;
  const Names& columns;
  Result<Rows> (*rows)(const ExecutionInput&, ViewFilter&);
};

const Definition kDefinitions[] = {
    {"information_schema", "collections", kCollections, collection_rows},
    {"information_schema", "collection_paths", kPaths, collection_path_rows},
    {"information_schema", "collection_shapes", kShapes, collection_shape_rows},
    {"information_schema", "schemata", kSchemata, schema_rows},
    {"information_schema", "tables", kTables, table_rows},
    {"information_schema", "views", kViews, no_rows},
    {"performance_schema", "session_status", kStatus, status_rows},
    {"performance_schema", "global_status", kStatus, status_rows},
};

const Definition* definition_of(std::string_view database, std::string_view name) {
  const auto found = std::ranges::find_if(kDefinitions, [&](const Definition& one) {
    return one.database == database && one.name == name;
  });
  return found == std::end(kDefinitions) ? nullptr : &*found;
}

bool reads_only_first(const Expression& expression, size_t cells) {
  if (expression.kind == Expression::Kind::kColumn) return expression.slot < cells;
  return std::ranges::all_of(expression.operands, [&](const Expression& operand) {
    return reads_only_first(operand, cells);
  });
}

}  // namespace

ViewFilter::ViewFilter(const BoundSelect& bound, const EvaluationContext& context)
    : context_(context) {
  if (bound.where) {
    collect_conjuncts(*bound.where, conjuncts_);
    use(*bound.where);
  }
  for (const auto* list : {&bound.projections, &bound.group_by, &bound.aggregates})
    for (const Expression& expression : *list) use(expression);
  for (const OrderItem& item : bound.order_by) use(item.expression);
  if (bound.having) use(*bound.having);
}

void ViewFilter::use(const Expression& expression) {
  if (expression.kind == Expression::Kind::kColumn) used_.insert(expression.slot);
  for (const Expression& operand : expression.operands) use(operand);
}

bool ViewFilter::may_hold(std::span<const SqlValue> first_cells) {
  return std::ranges::all_of(conjuncts_, [&](const Expression* conjunct) {
    if (!reads_only_first(*conjunct, first_cells.size())) return true;
    const auto holds = evaluate_condition(*conjunct, Row{nullptr, first_cells}, context_);
    return !holds || holds->value_or(false);  // who asks the whole WHERE gets the error
  });
}

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

Result<std::optional<View>> find_view(const std::string& default_database,
                                      const CollectionRef& from) {
  if (from.any_database) return std::nullopt;
  const std::string database = to_lower(from.database.empty() ? default_database : from.database);
  if (!is_view_database(database)) return std::nullopt;
  if (from.any_collection)
    return fail(ErrorCode::kUnsupported, "FROM * looks into collections; name one view");
  View view{.database = database, .name = to_lower(from.collection), .columns = {}};
  const Definition* const definition = definition_of(view.database, view.name);
  if (definition == nullptr)
    return fail(ErrorCode::kUnknownCollection,
                "Unknown table '" + view.name + "' in " + view.database);
  for (const auto& [name, type] : definition->columns) {
    Column column;
    column.name = column.original_name = name;
    column.table = column.original_table = view.name;
    column.database = view.database;
    column.type = type;
    view.columns.push_back(std::move(column));
  }
  return view;
}

Result<Rows> view_rows(const ExecutionInput& input, const View& view, const BoundSelect& bound) {
  const Definition* const definition = definition_of(view.database, view.name);
  if (definition == nullptr) return fail(ErrorCode::kInternal, "no view " + view.name);
  ViewFilter filter(bound, input.context->evaluation);
  return definition->rows(input, filter);
}

}  // namespace wherestar::server
