// What UPDATE does to one document.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "document/json.h"
#include "server/statement.h"
#include "server/statement_context.h"

namespace wherestar::server {

// kIdImmutable for an operation on `_id` itself; kWrongPathKind for wildcards.
Status check_operations(const std::vector<UpdateOperation>& operations);

// The operations applied in order, each on the result of the one before, while paths in their
// values read `original` and the columns of its row. Its `_id` is put back whatever happened to it.
// kMissingId when the root was replaced by something that is no object.
Result<document::Json> apply_operations(const document::Json& original,
                                        std::span<const SqlValue> columns,
                                        const std::vector<UpdateOperation>& operations,
                                        StatementContext& context);

}  // namespace wherestar::server
