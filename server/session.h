// One logical client: default database, transaction, variables, warnings.
//
//   auto session = store->make_session({.user = "root"});
//   ASSIGN_OR_RETURN(auto result, session->execute_sql("SELECT _id FROM * WHERE * = ?", args));
//   while (auto row = *result.rows->next()) ...
//
// A statement is all or nothing. In autocommit it is its own transaction; a failed statement inside
// a transaction is undone alone (kDeadlock undoes the transaction). An ExecuteResult with rows must
// be destroyed before the next execute.
//
// Threads: a Session by one thread at a time; cancel() from any.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/evaluator.h"
#include "server/result_set.h"
#include "server/statement.h"

namespace wherestar::server {

struct SessionOptions {
  std::string user = "root";
  std::string host = "localhost";
  std::string
      database;  // default database; it need not exist yet: who needs it gets kUnknownDatabase
  uint64_t connection_id = 0;
};

class Session {
 public:
  virtual ~Session() = default;  // rolls back

  virtual Result<ExecuteResult> execute(const Statement& statement,
                                        std::span<const SqlValue> arguments) = 0;
  virtual Result<ExecuteResult> execute_sql(std::string_view text,
                                            std::span<const SqlValue> arguments) = 0;
  virtual const std::vector<Warning>& warnings() const = 0;  // of the last statement
  virtual bool in_transaction() const = 0;
  virtual const std::string& database() const = 0;
  // Rolls back; forgets variables; the default database is as at login.
  virtual void reset() = 0;
  virtual void cancel() = 0;  // the running statement ends with kCancelled
};

}  // namespace wherestar::server
