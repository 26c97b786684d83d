// INSERT, UPDATE and DELETE: they see and lock the newest committed documents.
//
// The caller opens a layer of the transaction around each and drops it when the statement fails.
#pragma once

#include "base/result.h"
#include "server/result_set.h"
#include "server/select.h"
#include "server/statement.h"

namespace wherestar::server {

Result<ExecuteResult> execute_insert(const ExecutionInput& input, const Insert& insert);
Result<ExecuteResult> execute_update(const ExecutionInput& input, const Update& update);
Result<ExecuteResult> execute_delete(const ExecutionInput& input, const Delete& statement);

}  // namespace wherestar::server
