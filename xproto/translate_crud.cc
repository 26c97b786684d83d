#include <algorithm>

#include "xproto/translate.h"
#include "xproto/values.h"

namespace wherestar::xproto {
namespace {

using Mysqlx::Expr::Expr;
using server::CollectionRef;
using server::Expression;
using server::UpdateOperation;

template <class T>
using Repeated = google::protobuf::RepeatedPtrField<T>;

XResult<CollectionRef> collection_ref(const Mysqlx::Crud::Collection& collection) {
  if (collection.name().empty()) return x_fail(code::kBadTable, "Invalid name of table/collection");
  if (!is_utf8(collection.name()) || !is_utf8(collection.schema())) {
    return x_fail(code::kBadTable, "Name of table/collection is not UTF-8");
  }
  CollectionRef ref;
  ref.database = collection.schema();
  ref.collection = collection.name();
  return ref;
}

XStatus refuse_tables(bool has_model, Mysqlx::Crud::DataModel model) {
  if (has_model && model == Mysqlx::Crud::TABLE) {
    return std::unexpected(
        XError{.code = 1235,
               .message = "Wherestar stores documents in collections and has no relational tables "
                          "to write to",
               .sql_state = "42000"});
  }
  return {};
}

Expression number_literal(uint64_t value) {
  Expression result;
  result.kind = Expression::Kind::kLiteral;
  result.literal = value <= static_cast<uint64_t>(INT64_MAX)
                       ? server::SqlValue::signed_integer(static_cast<int64_t>(value))
                       : server::SqlValue::unsigned_integer(value);
  return result;
}

XResult<Expression> limit_expression(ExpressionTranslator& expressions, const Expr& expr) {
  if (expr.type() != Expr::LITERAL && expr.type() != Expr::PLACEHOLDER) {
    return x_fail(code::kInvalidArgument, "LIMIT takes a number or a placeholder");
  }
  auto result = expressions.expression(expr);
  if (result && result->kind == Expression::Kind::kLiteral &&
      result->literal.type() != server::SqlType::kSigned &&
      result->literal.type() != server::SqlType::kUnsigned) {
    return x_fail(code::kInvalidArgument, "LIMIT takes an integer that is not negative");
  }
  if (result && result->literal.type() == server::SqlType::kSigned &&
      result->literal.as_signed() < 0) {
    return x_fail(code::kInvalidArgument, "LIMIT takes an integer that is not negative");
  }
  return result;
}

// Of any message with `limit` and `limit_expr`.
template <class Message>
XResult<server::Limit> limit_of(ExpressionTranslator& expressions, const Message& message,
                                bool offset_allowed) {
  server::Limit limit;
  if (message.has_limit() && message.has_limit_expr()) {
    return x_fail(code::kInvalidArgument, "Invalid parameter: both limit and limit_expr are set");
  }
  if (message.has_limit()) {
    limit.row_count = number_literal(message.limit().row_count());
    if (message.limit().has_offset()) {
      if (!offset_allowed && message.limit().offset() != 0) {
        return x_fail(code::kInvalidArgument,
                      "Invalid parameter: non-zero offset value not allowed for this operation");
      }
      if (offset_allowed) limit.offset = number_literal(message.limit().offset());
    }
  }
  if (message.has_limit_expr()) {
    auto row_count = limit_expression(expressions, message.limit_expr().row_count());
    if (!row_count) return std::unexpected(std::move(row_count).error());
    limit.row_count = *std::move(row_count);
    if (message.limit_expr().has_offset()) {
      if (!offset_allowed) {
        return x_fail(code::kInvalidArgument,
                      "Invalid parameter: offset not allowed for this operation");
      }
      auto offset = limit_expression(expressions, message.limit_expr().offset());
      if (!offset) return std::unexpected(std::move(offset).error());
      limit.offset = *std::move(offset);
    }
  }
  return limit;
}

XResult<std::vector<server::OrderItem>> order_of(ExpressionTranslator& expressions,
                                                 const Repeated<Mysqlx::Crud::Order>& order) {
  std::vector<server::OrderItem> items;
  for (const auto& item : order) {
    auto expression = expressions.expression(item.expr());
    if (!expression) return std::unexpected(std::move(expression).error());
    items.push_back({.expression = *std::move(expression),
                     .descending = item.direction() == Mysqlx::Crud::Order::DESC});
  }
  return items;
}

XStatus add_projections(ExpressionTranslator& expressions, const Mysqlx::Crud::Find& message,
                        server::Select& select) {
  const auto& items = message.projection();
  bool one_object =
      items.size() == 1 && items[0].source().type() == Expr::OBJECT && !items[0].has_alias();
  for (const auto& item : items) {
    bool has_alias = item.has_alias() && !item.alias().empty();
    if (select.document_mode && !has_alias && !one_object) {
      return x_fail(code::kProjectionKeyName,
                    "Invalid projection target name: every field needs one");
    }
    if (!is_utf8(item.alias())) return x_fail(code::kProjectionKeyName, "Alias is not UTF-8");
    auto expression = expressions.expression(item.source());
    if (!expression) return std::unexpected(std::move(expression).error());
    select.projections.push_back({.expression = *std::move(expression), .alias = item.alias()});
  }
  if (!select.document_mode && items.empty()) {
    Expression star;
    star.kind = Expression::Kind::kStar;
    select.projections.push_back({.expression = std::move(star), .alias = ""});
  }
  return {};
}

XStatus add_grouping(ExpressionTranslator& expressions, const Mysqlx::Crud::Find& message,
                     server::Select& select) {
  if (message.grouping_size() > 0 && select.document_mode && message.projection_size() == 0) {
    return x_fail(code::kBadProjection, "Invalid empty projection list for grouping");
  }
  for (const Expr& group : message.grouping()) {
    auto expression = expressions.expression(group);
    if (!expression) return std::unexpected(std::move(expression).error());
    select.group_by.push_back(*std::move(expression));
  }
  if (!message.has_grouping_criteria()) return {};
  std::vector<std::string> aliases;
  for (const auto& item : message.projection()) aliases.push_back(item.alias());
  auto having = expressions.having(message.grouping_criteria(), aliases);
  if (!having) return std::unexpected(std::move(having).error());
  select.having = *std::move(having);
  return {};
}

XStatus add_lock(const Mysqlx::Crud::Find& message, server::Select& select) {
  using Find = Mysqlx::Crud::Find;
  if (message.has_locking()) {
    select.lock =
        message.locking() == Find::SHARED_LOCK ? server::Lock::kShared : server::Lock::kExclusive;
  }
  if (!message.has_locking_options()) return {};
  if (!message.has_locking()) {
    return x_fail(code::kLockingOptions, "Locking options without a lock");
  }
  select.lock_wait = message.locking_options() == Find::NOWAIT ? server::LockWait::kNowait
                                                               : server::LockWait::kSkipLocked;
  return {};
}

// What is not a literal text, placeholder or object cannot be a document.
XResult<Expression> document_of(ExpressionTranslator& expressions,
                                const Mysqlx::Crud::Insert::TypedRow& row) {
  if (row.field_size() != 1) {
    return x_fail(code::kBadInsertData, "Wrong number of fields in row being inserted");
  }
  const Expr& field = row.field(0);
  bool is_text = field.type() == Expr::LITERAL && field.has_literal() &&
                 (field.literal().type() == Mysqlx::Datatypes::Scalar::V_OCTETS ||
                  field.literal().type() == Mysqlx::Datatypes::Scalar::V_STRING);
  bool is_function = field.type() == Expr::FUNC_CALL;
  if (!is_text && !is_function && field.type() != Expr::PLACEHOLDER &&
      field.type() != Expr::OBJECT) {
    return x_fail(code::kBadInsertData,
                  "Invalid data: a document is an object or a text that holds one");
  }
  return expressions.document_value(field);
}

struct OperationKind {
  UpdateOperation::Kind kind;
  bool whole_document;  // the source must be `$`
};

XResult<OperationKind> operation_kind(Mysqlx::Crud::UpdateOperation::UpdateType type) {
  using Wire = Mysqlx::Crud::UpdateOperation;
  using Kind = UpdateOperation::Kind;
  switch (type) {
    case Wire::ITEM_SET:
      return OperationKind{Kind::kSet, false};
    case Wire::ITEM_REPLACE:
      return OperationKind{Kind::kReplace, false};
    case Wire::ITEM_REMOVE:
      return OperationKind{Kind::kRemove, false};
    case Wire::ITEM_MERGE:
      return OperationKind{Kind::kMergePreserve, true};
    case Wire::MERGE_PATCH:
      return OperationKind{Kind::kMergePatch, true};
    case Wire::ARRAY_INSERT:
      return OperationKind{Kind::kArrayInsert, false};
    case Wire::ARRAY_APPEND:
      return OperationKind{Kind::kArrayAppend, false};
    case Wire::SET:
      break;
  }
  return x_fail(code::kBadUpdateType, "Invalid type of update operation for document");
}

XStatus check_update_path(const Mysqlx::Crud::UpdateOperation& message,
                          const document::PathExpression& path, OperationKind kind) {
  using Leg = document::LegKind;
  auto path_error = [](uint32_t number, const char* text) {
    return std::unexpected(XError{.code = number, .message = text, .sql_state = "42000"});
  };
  if (path.is_root()) {
    if (kind.kind == UpdateOperation::Kind::kRemove) {
      return path_error(code::kPathIsRoot,
                        "The path expression '$' is not allowed in this context");
    }
    if (kind.kind == UpdateOperation::Kind::kArrayInsert) {
      return path_error(code::kPathNotCell,
                        "A path expression is not a path to a cell in an array");
    }
    return {};
  }
  if (kind.whole_document) {
    return x_fail(code::kBadUpdateData,
                  "Invalid column/table in document update: this operation "
                  "takes the whole document");
  }
  const document::PathLeg& first = path.legs().front();
  if (first.kind != Leg::kMember && first.kind != Leg::kAnyMember) {
    return x_fail(code::kBadUpdateMember,
                  "Invalid document member to update: the path starts with an array or wildcard");
  }
  if (path.legs().size() == 1 && first.name == "_id" && first.kind == Leg::kMember) {
    return x_fail(code::kBadUpdateMember, "Forbidden update operation on '$._id' member");
  }
  if (path.has_wildcard()) {
    return path_error(code::kWildcardPath,
                      "In this situation, path expressions may not contain the * and ** tokens");
  }
  if (message.operation() == Mysqlx::Crud::UpdateOperation::ARRAY_INSERT &&
      path.legs().back().kind != Leg::kElement) {
    return path_error(code::kPathNotCell, "A path expression is not a path to a cell in an array");
  }
  return {};
}

XResult<UpdateOperation> update_operation(ExpressionTranslator& expressions,
                                          const Mysqlx::Crud::UpdateOperation& message) {
  auto kind = operation_kind(message.operation());
  if (!kind) return std::unexpected(std::move(kind).error());
  const auto& source = message.source();
  if (!source.name().empty() || !source.table_name().empty() || !source.schema_name().empty()) {
    return x_fail(code::kBadUpdateColumn,
                  "Invalid column name to update: documents are changed by document path");
  }
  auto path = to_path(source.document_path());
  if (!path) return std::unexpected(std::move(path).error());
  if (auto status = check_update_path(message, *path, *kind); !status) {
    return std::unexpected(std::move(status).error());
  }
  UpdateOperation operation;
  operation.kind = kind->kind;
  operation.path = *std::move(path);
  if (kind->kind == UpdateOperation::Kind::kRemove) {
    if (message.has_value()) {
      return x_fail(code::kBadUpdateData, "Unexpected value argument for ITEM_REMOVE operation");
    }
    return operation;
  }
  if (!message.has_value()) {
    return x_fail(code::kBadUpdateData, "Update operation without a value");
  }
  auto value = expressions.document_value(message.value());
  if (!value) return std::unexpected(std::move(value).error());
  operation.value = *std::move(value);
  return operation;
}

}  // namespace

XResult<std::vector<server::SqlValue>> to_arguments(
    const Repeated<Mysqlx::Datatypes::Scalar>& args) {
  std::vector<server::SqlValue> arguments;
  arguments.reserve(static_cast<size_t>(args.size()));
  for (const auto& arg : args) {
    auto value = to_sql_value(arg);
    if (!value) return std::unexpected(std::move(value).error());
    arguments.push_back(*std::move(value));
  }
  return arguments;
}

XResult<Translated> translate(const Mysqlx::Crud::Find& message) {
  bool document_mode = !message.has_data_model() || message.data_model() == Mysqlx::Crud::DOCUMENT;
  ExpressionTranslator expressions(document_mode);
  server::Select select;
  select.document_mode = document_mode;
  auto from = collection_ref(message.collection());
  if (!from) return std::unexpected(std::move(from).error());
  select.from = *std::move(from);
  if (auto status = add_projections(expressions, message, select); !status) {
    return std::unexpected(std::move(status).error());
  }
  if (message.has_criteria()) {
    auto where = expressions.expression(message.criteria());
    if (!where) return std::unexpected(std::move(where).error());
    select.where = *std::move(where);
  }
  if (auto status = add_grouping(expressions, message, select); !status) {
    return std::unexpected(std::move(status).error());
  }
  auto order = order_of(expressions, message.order());
  if (!order) return std::unexpected(std::move(order).error());
  select.order_by = *std::move(order);
  auto limit = limit_of(expressions, message, true);
  if (!limit) return std::unexpected(std::move(limit).error());
  select.limit = *std::move(limit);
  if (auto status = add_lock(message, select); !status) {
    return std::unexpected(std::move(status).error());
  }
  return Translated{.statement = std::move(select),
                    .placeholders = expressions.placeholders(),
                    .context = ErrorContext::kFind};
}

XResult<Translated> translate(const Mysqlx::Crud::Insert& message) {
  if (auto status = refuse_tables(message.has_data_model(), message.data_model()); !status) {
    return std::unexpected(std::move(status).error());
  }
  ExpressionTranslator expressions(true);
  server::Insert insert;
  auto into = collection_ref(message.collection());
  if (!into) return std::unexpected(std::move(into).error());
  insert.into = *std::move(into);
  insert.upsert = message.upsert();
  if (message.projection_size() > 0) {
    return x_fail(code::kBadProjection, "Invalid projection for document operation");
  }
  if (message.row_size() == 0) return x_fail(code::kMissingArgument, "Missing row data for Insert");
  insert.documents.reserve(static_cast<size_t>(message.row_size()));
  for (const auto& row : message.row()) {
    auto document = document_of(expressions, row);
    if (!document) return std::unexpected(std::move(document).error());
    insert.documents.push_back(*std::move(document));
  }
  return Translated{.statement = std::move(insert),
                    .placeholders = expressions.placeholders(),
                    .context = ErrorContext::kInsert};
}

XResult<Translated> translate(const Mysqlx::Crud::Update& message) {
  if (auto status = refuse_tables(message.has_data_model(), message.data_model()); !status) {
    return std::unexpected(std::move(status).error());
  }
  ExpressionTranslator expressions(true);
  server::Update update;
  auto target = collection_ref(message.collection());
  if (!target) return std::unexpected(std::move(target).error());
  update.target = *std::move(target);
  if (message.operation_size() == 0) {
    return x_fail(code::kBadUpdateData, "Invalid update expression list: it is empty");
  }
  for (const auto& wire : message.operation()) {
    auto operation = update_operation(expressions, wire);
    if (!operation) return std::unexpected(std::move(operation).error());
    update.operations.push_back(*std::move(operation));
  }
  if (message.has_criteria()) {
    auto where = expressions.expression(message.criteria());
    if (!where) return std::unexpected(std::move(where).error());
    update.where = *std::move(where);
  }
  auto order = order_of(expressions, message.order());
  if (!order) return std::unexpected(std::move(order).error());
  update.order_by = *std::move(order);
  auto limit = limit_of(expressions, message, false);
  if (!limit) return std::unexpected(std::move(limit).error());
  update.limit = *std::move(limit);
  return Translated{.statement = std::move(update),
                    .placeholders = expressions.placeholders(),
                    .context = ErrorContext::kUpdate};
}

XResult<Translated> translate(const Mysqlx::Crud::Delete& message) {
  if (auto status = refuse_tables(message.has_data_model(), message.data_model()); !status) {
    return std::unexpected(std::move(status).error());
  }
  ExpressionTranslator expressions(true);
  server::Delete remove;
  auto target = collection_ref(message.collection());
  if (!target) return std::unexpected(std::move(target).error());
  remove.target = *std::move(target);
  if (message.has_criteria()) {
    auto where = expressions.expression(message.criteria());
    if (!where) return std::unexpected(std::move(where).error());
    remove.where = *std::move(where);
  }
  auto order = order_of(expressions, message.order());
  if (!order) return std::unexpected(std::move(order).error());
  remove.order_by = *std::move(order);
  auto limit = limit_of(expressions, message, false);
  if (!limit) return std::unexpected(std::move(limit).error());
  remove.limit = *std::move(limit);
  return Translated{.statement = std::move(remove),
                    .placeholders = expressions.placeholders(),
                    .context = ErrorContext::kDelete};
}

}  // namespace wherestar::xproto
