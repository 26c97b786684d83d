// SELECT and EXPLAIN: from a statement to rows.
//
//   collections or a view -> Source (filtered) -> [group, having] -> project -> [distinct] ->
//   [sort] -> limit
//
// Without grouping and sorting rows stream; else they are gathered within the statement's memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/result_set.h"
#include "server/source.h"
#include "server/statement.h"

namespace wherestar::server {

// The session as the executor sees it.
struct ExecutionInput {
  StoreCore* core = nullptr;
  std::shared_ptr<Transaction> transaction;
  std::shared_ptr<StatementContext> context;
  std::string database;  // the default one; empty: none
};

Result<ExecuteResult> execute_select(const ExecutionInput& input, const Select& select);
Result<ExecuteResult> execute_explain(const ExecutionInput& input, const Explain& explain);

// The collections that a FROM names, in order. kNoDatabase, kUnknownDatabase, kUnknownCollection.
Result<std::vector<CollectionPtr>> find_collections(const StoreCore& core,
                                                    const std::string& default_database,
                                                    const CollectionRef& from);
Result<CollectionPtr> find_collection(const StoreCore& core, const std::string& default_database,
                                      const CollectionRef& reference);

// A finished result of rows in memory.
ExecuteResult rows_result(std::vector<Column> columns, std::vector<ResultRow> rows);

// compare_for_sort over the keys of an ORDER BY.
bool sorts_before(const std::vector<SqlValue>& a, const std::vector<SqlValue>& b,
                  const std::vector<OrderItem>& order);

}  // namespace wherestar::server
