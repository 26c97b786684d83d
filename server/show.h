// SHOW and the administrative statements that answer with a table.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "server/select.h"
#include "server/statement.h"

namespace wherestar::server {

Result<ExecuteResult> execute_show(const ExecutionInput& input, const Show& show,
                                   const std::vector<Warning>& last_warnings);
Result<ExecuteResult> execute_list_objects(const ExecutionInput& input, const ListObjects& list);
Result<ExecuteResult> execute_collection_options(const ExecutionInput& input,
                                                 const GetCollectionOptions& statement);

}  // namespace wherestar::server
