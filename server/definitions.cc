#include "server/definitions.h"

#include <algorithm>
#include <utility>

#include "server/views.h"

namespace wherestar::server {

using document::Json;

namespace {

constexpr uint32_t kDatabaseExistsNote = 1007;
constexpr uint32_t kDatabaseMissingNote = 1008;
constexpr uint32_t kTableExistsNote = 1050;
constexpr uint32_t kTableMissingNote = 1051;

Result<std::string> database_of(const ExecutionInput& input, const CollectionRef& reference) {
  const std::string& database = reference.database.empty() ? input.database : reference.database;
  if (database.empty()) return fail(ErrorCode::kNoDatabase, "No database selected");
  if (!input.core->catalog->has_database(database))
    return fail(ErrorCode::kUnknownDatabase, "Unknown database '" + database + "'");
  return database;
}

Status check_validation(const Validation& validation) {
  if (validation.schema_json && !validation.schema_json->empty()) {
    ASSIGN_OR_RETURN([[maybe_unused]] const auto validator,
                     document::SchemaValidator::compile(*validation.schema_json));
  }
  if (validation.level) {
    const std::string level = to_lower(*validation.level);
    if (level != "strict" && level != "off")
      return fail(ErrorCode::kInvalidArgument,
                  "Invalid validation level '" + *validation.level + "': strict or off");
  }
  return {};
}

// Every document of the collection as the schema wants it.
Status check_documents(const ExecutionInput& input, const CollectionInfo& info) {
  if (info.validation_schema.empty() || !info.validation_strict) return {};
  ASSIGN_OR_RETURN(const auto validator,
                   document::SchemaValidator::compile(info.validation_schema));
  const std::string prefix = part_prefix(info.part);
  auto cursor = input.core->engine->cursor(input.core->documents, input.transaction->newest_view());
  for (cursor->seek(prefix); cursor->valid() && cursor->key().starts_with(prefix); cursor->next()) {
    RETURN_IF_ERROR(input.context->check());
    ASSIGN_OR_RETURN(const DocId doc, decode_doc_id(cursor->key()));
    ASSIGN_OR_RETURN(const StoredDocument stored, decode_record(info.part, doc, cursor->value()));
    RETURN_IF_ERROR(validator.validate(stored.text));
  }
  return cursor->status();
}

Result<ExecuteResult> change_validation(const ExecutionInput& input, CollectionInfo info,
                                        const Validation& validation) {
  RETURN_IF_ERROR(check_validation(validation));
  if (validation.schema_json) info.validation_schema = *validation.schema_json;
  if (validation.level) info.validation_strict = to_lower(*validation.level) != "off";
  // Writers hold the part; none may slip in between the check and the change.
  RETURN_IF_ERROR(
      input.transaction->lock_part(info.part, input.context->lock_request(LockMode::kExclusive)));
  RETURN_IF_ERROR(check_documents(input, info));
  RETURN_IF_ERROR(input.core->catalog->change_collection(std::move(info)));
  return ExecuteResult{};
}

}  // namespace

Result<ExecuteResult> execute_definition(const ExecutionInput& input,
                                         const CreateDatabase& statement) {
  if (is_view_database(statement.name))
    return fail(ErrorCode::kAccessDenied, "Access denied for user " +
                                              input.context->evaluation.user + " to database '" +
                                              statement.name + "'");
  if (Status made = input.core->catalog->create_database(statement.name); !made) {
    if (!statement.if_not_exists || made.error().code != ErrorCode::kDatabaseExists)
      return std::unexpected(std::move(made).error());
    input.context->warn(Warning::Level::kNote, kDatabaseExistsNote, made.error().message);
  }
  ExecuteResult result;
  result.rows_affected = 1;
  return result;
}

Result<ExecuteResult> execute_definition(const ExecutionInput& input,
                                         const DropDatabase& statement) {
  ExecuteResult result;
  fractal_tree::WriteBatch batch;
  for (const CollectionPtr& collection : input.core->catalog->collections(statement.name)) {
    RETURN_IF_ERROR(input.transaction->lock_part(
        collection->part, input.context->lock_request(LockMode::kExclusive)));
    erase_part(*input.core, batch, collection->part);
    ++result.rows_affected;
  }
  if (Status done = input.core->catalog->drop_database(statement.name, std::move(batch)); !done) {
    if (!statement.if_exists || done.error().code != ErrorCode::kNoDatabaseToDrop)
      return std::unexpected(std::move(done).error());
    input.context->warn(Warning::Level::kNote, kDatabaseMissingNote, done.error().message);
  }
  return result;
}

Result<ExecuteResult> execute_definition(const ExecutionInput& input,
                                         const CreateCollection& statement) {
  ASSIGN_OR_RETURN(const std::string database, database_of(input, statement.collection));
  const std::string& name = statement.collection.collection;
  const Validation validation = statement.validation.value_or(Validation{});
  RETURN_IF_ERROR(check_validation(validation));
  if (statement.ensure) {
    if (const CollectionPtr existing = input.core->catalog->find(database, name)) {
      if (!statement.validation) return ExecuteResult{};
      return change_validation(input, *existing, validation);
    }
  }
  auto made = input.core->catalog->create_collection(database, name, validation);
  if (!made) {
    if (!statement.if_not_exists || made.error().code != ErrorCode::kCollectionExists)
      return std::unexpected(std::move(made).error());
    input.context->warn(Warning::Level::kNote, kTableExistsNote, made.error().message);
  }
  return ExecuteResult{};
}

Result<ExecuteResult> execute_definition(const ExecutionInput& input,
                                         const ModifyCollection& statement) {
  ASSIGN_OR_RETURN(const CollectionPtr collection,
                   find_collection(*input.core, input.database, statement.collection));
  return change_validation(input, *collection, statement.validation);
}

Result<ExecuteResult> execute_definition(const ExecutionInput& input,
                                         const DropCollection& statement) {
  ASSIGN_OR_RETURN(const std::string database, database_of(input, statement.collection));
  const CollectionPtr collection =
      input.core->catalog->find(database, statement.collection.collection);
  if (!collection) {
    std::string message =
        "Unknown table '" + database + "." + statement.collection.collection + "'";
    if (!statement.if_exists) return fail(ErrorCode::kNoCollectionToDrop, std::move(message));
    input.context->warn(Warning::Level::kNote, kTableMissingNote, std::move(message));
    return ExecuteResult{};
  }
  RETURN_IF_ERROR(input.transaction->lock_part(collection->part,
                                               input.context->lock_request(LockMode::kExclusive)));
  fractal_tree::WriteBatch batch;
  erase_part(*input.core, batch, collection->part);
  RETURN_IF_ERROR(input.core->catalog->drop_collection(*collection, std::move(batch)));
  return ExecuteResult{};
}

Result<ExecuteResult> execute_definition(const ExecutionInput& input,
                                         const CreateIndex& statement) {
  ASSIGN_OR_RETURN(const CollectionPtr collection,
                   find_collection(*input.core, input.database, statement.collection));
  if (statement.unique) return fail(ErrorCode::kUnsupported, "Unique indexes are not supported.");
  CollectionInfo info = *collection;
  if (std::ranges::find(info.indexes, statement.name, &IndexDeclaration::name) !=
      info.indexes.end())
    return fail(ErrorCode::kIndexExists, "Duplicate key name '" + statement.name + "'");
  info.indexes.push_back({statement.name, statement.type, statement.members});
  RETURN_IF_ERROR(input.core->catalog->change_collection(std::move(info)));
  return ExecuteResult{};
}

Result<ExecuteResult> execute_definition(const ExecutionInput& input, const DropIndex& statement) {
  ASSIGN_OR_RETURN(const CollectionPtr collection,
                   find_collection(*input.core, input.database, statement.collection));
  CollectionInfo info = *collection;
  const auto found = std::ranges::find(info.indexes, statement.name, &IndexDeclaration::name);
  if (found == info.indexes.end())
    return fail(ErrorCode::kUnknownIndex,
                "Can't DROP '" + statement.name + "'; check that column/key exists");
  info.indexes.erase(found);
  RETURN_IF_ERROR(input.core->catalog->change_collection(std::move(info)));
  return ExecuteResult{};
}

}  // namespace wherestar::server
