#include "server/show.h"

#include <algorithm>
#include <utility>

#include "server/variables.h"
#include "server/views.h"

namespace wherestar::server {

using document::Json;
using Kind = Show::Kind;

namespace {

std::vector<Column> columns_of(std::initializer_list<std::pair<std::string, SqlType>> names) {
  std::vector<Column> columns;
  for (const auto& [name, type] : names) {
    Column column;
    column.name = column.original_name = name;
    column.type = type;
    columns.push_back(std::move(column));
  }
  return columns;
}

constexpr SqlType kText = SqlType::kText;

SqlValue text(std::string value) {
  return SqlValue::text(std::move(value));
}
SqlValue number(int64_t value) {
  return SqlValue::signed_integer(value);
}

// LIKE looks at the first column without regard to case, WHERE at all of them.
Result<ExecuteResult> filtered(const ExecutionInput& input, const Show& show,
                               std::vector<Column> columns, std::vector<ResultRow> rows) {
  std::vector<ResultRow> kept;
  std::optional<std::string> pattern;
  if (show.like) {
    ASSIGN_OR_RETURN(const SqlValue value, constant_value(*show.like, *input.context));
    pattern = to_lower(to_text(value));
  }
  std::optional<Expression> where;
  if (show.where) {
    SourceShape shape;
    shape.columns = columns;
    BoundSelect bound;
    where = show.where;
    RETURN_IF_ERROR(bind_value(*where, shape, bound));
  }
  for (ResultRow& row : rows) {
    if (pattern && !like_matches(to_lower(to_text(row[0])), *pattern, U'\\')) continue;
    if (where) {
      ASSIGN_OR_RETURN(const auto holds,
                       evaluate_condition(*where, Row{nullptr, row}, input.context->evaluation));
      if (!holds.value_or(false)) continue;
    }
    kept.push_back(std::move(row));
  }
  return rows_result(std::move(columns), std::move(kept));
}

Result<ExecuteResult> show_databases(const ExecutionInput& input, const Show& show) {
  std::vector<std::string> names = input.core->catalog->databases();
  names.emplace_back("information_schema");
  std::ranges::sort(names);
  std::vector<ResultRow> rows;
  for (std::string& name : names) rows.push_back({text(std::move(name))});
  return filtered(input, show, columns_of({{"Database", kText}}), std::move(rows));
}

Result<std::string> database_of(const ExecutionInput& input, const std::string& given) {
  const std::string& database = given.empty() ? input.database : given;
  if (database.empty()) return fail(ErrorCode::kNoDatabase, "No database selected");
  if (!input.core->catalog->has_database(database))
    return fail(ErrorCode::kUnknownDatabase, "Unknown database '" + database + "'");
  return database;
}

Result<ExecuteResult> show_collections(const ExecutionInput& input, const Show& show) {
  ASSIGN_OR_RETURN(const std::string database, database_of(input, show.collection.database));
  std::vector<ResultRow> rows;
  for (const CollectionPtr& collection : input.core->catalog->collections(database)) {
    ResultRow row = {text(collection->name)};
    if (show.full) row.push_back(text("BASE TABLE"));
    rows.push_back(std::move(row));
  }
  auto columns = columns_of({{"Tables_in_" + database, kText}});
  if (show.full) columns.push_back(columns_of({{"Table_type", kText}}).front());
  return filtered(input, show, std::move(columns), std::move(rows));
}

Result<ExecuteResult> show_indexes(const ExecutionInput& input, const Show& show) {
  ASSIGN_OR_RETURN(const CollectionPtr collection,
                   find_collection(*input.core, input.database, show.collection));
  std::vector<ResultRow> rows;
  rows.push_back({text(collection->name), number(0), text("PRIMARY"), number(1), text("_id"),
                  text("ids"), text("")});
  for (const IndexDeclaration& index : collection->indexes) {
    int64_t sequence = 0;
    for (const IndexMember& member : index.members)
      rows.push_back({text(collection->name), number(1), text(index.name), number(++sequence),
                      text(member.path.to_string()), text(index.type), text(member.type)});
  }
  return filtered(input, show,
                  columns_of({{"Table", kText},
                              {"Non_unique", SqlType::kSigned},
                              {"Key_name", kText},
                              {"Seq_in_index", SqlType::kSigned},
                              {"Column_name", kText},
                              {"Index_type", kText},
                              {"Comment", kText}}),
                  std::move(rows));
}

Result<ExecuteResult> show_columns(const ExecutionInput& input, const Show& show) {
  ASSIGN_OR_RETURN([[maybe_unused]] const CollectionPtr collection,
                   find_collection(*input.core, input.database, show.collection));
  std::vector<ResultRow> rows;
  rows.push_back({text("doc"), text("json"), text("NO"), text(""), SqlValue::null(), text("")});
  rows.push_back(
      {text("_id"), text("varchar(255)"), text("NO"), text("PRI"), SqlValue::null(), text("")});
  return filtered(input, show,
                  columns_of({{"Field", kText},
                              {"Type", kText},
                              {"Null", kText},
                              {"Key", kText},
                              {"Default", kText},
                              {"Extra", kText}}),
                  std::move(rows));
}

Result<ExecuteResult> show_variables(const ExecutionInput& input, const Show& show) {
  std::vector<ResultRow> rows;
  for (const auto& [name, value] : input.context->variables)
    rows.push_back({text(name), text(to_text(value))});
  return filtered(input, show, columns_of({{"Variable_name", kText}, {"Value", kText}}),
                  std::move(rows));
}

Result<ExecuteResult> show_status(const ExecutionInput& input, const Show& show) {
  std::vector<ResultRow> rows;
  for (auto& [name, value] : status_variables(*input.core))
    rows.push_back({text(name), text(std::move(value))});
  return filtered(input, show, columns_of({{"Variable_name", kText}, {"Value", kText}}),
                  std::move(rows));
}

ExecuteResult show_warnings(const std::vector<Warning>& warnings) {
  std::vector<ResultRow> rows;
  for (const Warning& warning : warnings) {
    const char* level = warning.level == Warning::Level::kNote      ? "Note"
                        : warning.level == Warning::Level::kWarning ? "Warning"
                                                                    : "Error";
    rows.push_back({text(level), SqlValue::unsigned_integer(warning.code), text(warning.message)});
  }
  return rows_result(
      columns_of({{"Level", kText}, {"Code", SqlType::kUnsigned}, {"Message", kText}}),
      std::move(rows));
}

Result<ExecuteResult> show_create_collection(const ExecutionInput& input, const Show& show) {
  ASSIGN_OR_RETURN(const CollectionPtr collection,
                   find_collection(*input.core, input.database, show.collection));
  std::vector<ResultRow> rows;
  rows.push_back({text(collection->name), text("CREATE COLLECTION `" + collection->name + "`")});
  return rows_result(columns_of({{"Table", kText}, {"Create Table", kText}}), std::move(rows));
}

Json validation_json(const CollectionInfo& collection) {
  Json schema = Json::object();
  if (auto parsed = Json::parse(collection.validation_schema)) schema = std::move(*parsed);
  const bool on = collection.validation_strict && !collection.validation_schema.empty();
  Json::Object validation;
  validation.emplace_back("level", Json::string(on ? "strict" : "off"));
  validation.emplace_back("schema", std::move(schema));
  return Json::object(std::move(validation));
}

}  // namespace

Result<ExecuteResult> execute_show(const ExecutionInput& input, const Show& show,
                                   const std::vector<Warning>& last_warnings) {
  switch (show.kind) {
    case Kind::kDatabases:
      return show_databases(input, show);
    case Kind::kCollections:
      return show_collections(input, show);
    case Kind::kVariables:
      return show_variables(input, show);
    case Kind::kStatus:
      return show_status(input, show);
    case Kind::kWarnings:
      return show_warnings(last_warnings);
    case Kind::kIndexes:
      return show_indexes(input, show);
    case Kind::kColumns:
      return show_columns(input, show);
    case Kind::kCreateCollection:
      return show_create_collection(input, show);
    case Kind::kProcesslist: {
      const EvaluationContext& context = input.context->evaluation;
      std::vector<ResultRow> rows;
      rows.push_back({SqlValue::unsigned_integer(context.connection_id), text(context.user),
                      input.database.empty() ? SqlValue::null() : text(input.database),
                      text("Query")});
      return filtered(
          input, show,
          columns_of(
              {{"Id", SqlType::kUnsigned}, {"User", kText}, {"db", kText}, {"Command", kText}}),
          std::move(rows));
    }
    case Kind::kGrants: {
      std::vector<ResultRow> rows;
      rows.push_back({text("GRANT ALL ON *.* TO " + input.context->evaluation.user)});
      return rows_result(columns_of({{"Grants", kText}}), std::move(rows));
    }
    case Kind::kEngines: {
      std::vector<ResultRow> rows;
      rows.push_back({text("Wherestar"), text("DEFAULT"), text("Fractal trees, any-path index")});
      return filtered(input, show,
                      columns_of({{"Engine", kText}, {"Support", kText}, {"Comment", kText}}),
                      std::move(rows));
    }
    case Kind::kCollation: {
      std::vector<ResultRow> rows;
      rows.push_back({text("utf8mb4_bin"), text("utf8mb4"), number(46), text("Yes")});
      return filtered(input, show,
                      columns_of({{"Collation", kText},
                                  {"Charset", kText},
                                  {"Id", SqlType::kSigned},
                                  {"Default", kText}}),
                      std::move(rows));
    }
  }
  return fail(ErrorCode::kUnsupported, "SHOW of an unknown kind");
}

Result<ExecuteResult> execute_list_objects(const ExecutionInput& input, const ListObjects& list) {
  ASSIGN_OR_RETURN(const std::string database, database_of(input, list.database));
  std::vector<ResultRow> rows;
  for (const CollectionPtr& collection : input.core->catalog->collections(database)) {
    if (list.pattern && !like_matches(collection->name, *list.pattern, U'\\')) continue;
    rows.push_back({text(collection->name), text("COLLECTION")});
  }
  return rows_result(columns_of({{"name", kText}, {"type", kText}}), std::move(rows));
}

Result<ExecuteResult> execute_collection_options(const ExecutionInput& input,
                                                 const GetCollectionOptions& statement) {
  ASSIGN_OR_RETURN(const CollectionPtr collection,
                   find_collection(*input.core, input.database, statement.collection));
  Json options = Json::object();
  for (const std::string& option : statement.options) {
    if (option != "validation")
      return fail(ErrorCode::kUnknownOption,
                  "Requested collection option '" + option + "' is not supported");
    options.set_member("validation", validation_json(*collection));
  }
  std::vector<ResultRow> rows;
  rows.push_back({text(options.to_text())});
  return rows_result(columns_of({{"Result", kText}}), std::move(rows));
}

}  // namespace wherestar::server
