// System variables and status values that clients ask for by name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "server/sql_value.h"
#include "server/store_core.h"

namespace wherestar::server {

// Clients compare versions as MySQL's, so the number in front is that of the MySQL whose X Protocol
// and expressions are followed; what it really is stands behind.
inline constexpr std::string_view kVersion = "8.0.35-wherestar";

// The variables of one session. Some have an effect on what the session does, each by a function
// below; the rest are kept because clients ask for them or set them by themselves.
//
//   autocommit                    0: a transaction begins by itself and lasts until COMMIT
//   innodb_lock_wait_timeout      seconds that a statement waits for one lock
//   max_execution_time            milliseconds that a SELECT may take; 0: no limit
//   transaction_isolation         REPEATABLE-READ, or READ-COMMITTED: each statement sees what is
//                                 committed when it begins. READ-UNCOMMITTED is the latter;
//                                 SERIALIZABLE is refused, for ranges are not locked
//   transaction_read_only         1: transactions that begin from now on write nothing
//   wherestar_access              'auto', or 'scan': every document is read, and no index, so that
//                                 answers can be compared
class SessionVariables {
 public:
  explicit SessionVariables(const StoreCore& core);

  // Sorted by name, names in lower case.
  const std::vector<std::pair<std::string, SqlValue>>& all() const { return values_; }
  // `name` in any case. False: the variable is kept but has no effect. kUnknownVariable;
  // kInvalidArgument for a value that it cannot have, and for what cannot be set.
  Result<bool> set(std::string_view name, SqlValue value);

  bool autocommit() const { return autocommit_; }
  bool read_committed() const { return read_committed_; }
  bool read_only() const { return read_only_; }
  bool scan_only() const { return scan_only_; }
  uint32_t lock_wait_timeout_ms() const { return lock_wait_timeout_ms_; }
  uint32_t select_timeout_ms() const { return select_timeout_ms_; }

 private:
  Result<bool> apply(const std::string& name, SqlValue& value);
  SqlValue* find(std::string_view name);

  std::vector<std::pair<std::string, SqlValue>> values_;
  bool autocommit_ = true;
  bool read_committed_ = false;
  bool read_only_ = false;
  bool scan_only_ = false;
  uint32_t lock_wait_timeout_ms_;
  uint32_t select_timeout_ms_;
};

std::vector<std::pair<std::string, std::string>> status_variables(const StoreCore& core);

}  // namespace wherestar::server
