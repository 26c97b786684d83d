// CREATE, DROP and the other changes of the catalog: each commits by itself.
#pragma once

#include "base/result.h"
#include "server/result_set.h"
#include "server/select.h"
#include "server/statement.h"

namespace wherestar::server {

Result<ExecuteResult> execute_definition(const ExecutionInput& input, const CreateDatabase&);
Result<ExecuteResult> execute_definition(const ExecutionInput& input, const DropDatabase&);
Result<ExecuteResult> execute_definition(const ExecutionInput& input, const CreateCollection&);
// Existing documents must satisfy a new validation schema: kSchemaViolation.
Result<ExecuteResult> execute_definition(const ExecutionInput& input, const ModifyCollection&);
Result<ExecuteResult> execute_definition(const ExecutionInput& input, const DropCollection&);
Result<ExecuteResult> execute_definition(const ExecutionInput& input, const CreateIndex&);
Result<ExecuteResult> execute_definition(const ExecutionInput& input, const DropIndex&);

}  // namespace wherestar::server
