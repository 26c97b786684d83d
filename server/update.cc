#include "server/update.h"

#include <utility>

namespace wherestar::server {

using document::Json;
using document::LegKind;
using OperationKind = UpdateOperation::Kind;

namespace {

// The part of an array operation that is not about the array: `$.a[1]` inserts into `$.a`.
bool ends_in_cell(const document::PathExpression& path) {
  return !path.legs().empty() && path.legs().back().kind == LegKind::kElement;
}

Status apply_operation(Json& document, const UpdateOperation& operation, Json value) {
  switch (operation.kind) {
    case OperationKind::kSet:
    case OperationKind::kReplace: {
      if (operation.path.is_root()) {
        document = std::move(value);
        return {};
      }
      const auto mode =
          operation.kind == OperationKind::kSet ? Json::SetMode::kSet : Json::SetMode::kReplace;
      ASSIGN_OR_RETURN([[maybe_unused]] const bool changed,
                       document.set(operation.path, std::move(value), mode));
      return {};
    }
    case OperationKind::kRemove: {
      ASSIGN_OR_RETURN([[maybe_unused]] const bool changed, document.remove(operation.path));
      return {};
    }
    case OperationKind::kArrayInsert: {
      if (!ends_in_cell(operation.path))
        return fail(
            ErrorCode::kWrongPathKind,
            "A path expression is not a path to a cell in an array: " + operation.path.to_string());
      ASSIGN_OR_RETURN([[maybe_unused]] const bool changed,
                       document.array_insert(operation.path, std::move(value)));
      return {};
    }
    case OperationKind::kArrayAppend: {
      ASSIGN_OR_RETURN([[maybe_unused]] const bool changed,
                       document.array_append(operation.path, std::move(value)));
      return {};
    }
    case OperationKind::kMergePatch:
      if (!value.is_object())
        return fail(ErrorCode::kInvalidArgument, "a merge patch must be an object");
      document.merge_patch(value);
      return {};
    case OperationKind::kMergePreserve:
      document.merge_preserve(value);
      return {};
  }
  return fail(ErrorCode::kInternal, "an update operation of no kind");
}

}  // namespace

Status check_operations(const std::vector<UpdateOperation>& operations) {
  for (const UpdateOperation& operation : operations) {
    const auto& legs = operation.path.legs();
    if (legs.size() == 1 && legs[0].kind == LegKind::kMember && legs[0].name == "_id")
      return fail(ErrorCode::kIdImmutable, "Forbidden update operation on '$._id' member");
    if (operation.path.has_wildcard())
      return fail(ErrorCode::kWrongPathKind,
                  "In this situation, path expressions may not contain the * and ** tokens or an "
                  "array range: " +
                      operation.path.to_string());
    if (legs.empty() && operation.kind == OperationKind::kRemove)
      return fail(ErrorCode::kWrongPathKind,
                  "The path expression '$' is not allowed in this context.");
  }
  return {};
}

Result<Json> apply_operations(const Json& original, std::span<const SqlValue> columns,
                              const std::vector<UpdateOperation>& operations,
                              StatementContext& context) {
  Json document = original;
  const Row row{&original, columns};
  for (const UpdateOperation& operation : operations) {
    Json value;
    if (operation.kind != OperationKind::kRemove) {
      ASSIGN_OR_RETURN(const SqlValue evaluated,
                       evaluate(operation.value, row, context.evaluation));
      // A whole document may come as text, as in INSERT.
      if (operation.path.is_root() && evaluated.type() == SqlType::kText) {
        ASSIGN_OR_RETURN(value, Json::parse(evaluated.string()));
      } else {
        ASSIGN_OR_RETURN(value, to_json(evaluated));
      }
    }
    RETURN_IF_ERROR(apply_operation(document, operation, std::move(value)));
  }
  if (!document.is_object())
    return fail(ErrorCode::kMissingId, "Document is missing a required field");
  const Json* id = original.member("_id");
  if (!id) return fail(ErrorCode::kCorruption, "documents: a document without _id");
  if (document.member("_id")) {
    document.set_member("_id", *id);
  } else {
    document.members().insert(document.members().begin(), {"_id", *id});
  }
  if (document.depth() > document::kMaxDepth)
    return fail(ErrorCode::kTooDeep, "The JSON document exceeds the maximum depth.");
  return document;
}

}  // namespace wherestar::server
