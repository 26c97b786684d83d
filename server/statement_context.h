// What one running statement carries: the evaluator's context, its limits, its warnings.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "server/evaluator.h"
#include "server/lock_table.h"

namespace wherestar::server {

inline constexpr size_t kMaxWarningsKept = 64;

struct StatementContext {
  EvaluationContext evaluation;
  std::vector<SqlValue> arguments;                          // evaluation.arguments looks in here
  std::vector<std::pair<std::string, SqlValue>> variables;  // evaluation.variables is this
  std::shared_ptr<std::atomic<bool>> cancelled;
  std::chrono::milliseconds lock_wait_timeout{50'000};  // for one lock
  uint64_t memory_limit_bytes = 256u << 20;
  uint64_t memory_used_bytes = 0;
  bool scan_only = false;  // wherestar_access = 'scan': nothing is answered from an index
  // For EXPLAIN ANALYZE.
  uint64_t keys_read = 0;
  uint64_t documents_read = 0;

  Status check() const;           // kCancelled, kTimeout
  Status charge(uint64_t bytes);  // kLimitExceeded
  void refund(uint64_t bytes) { memory_used_bytes -= std::min(bytes, memory_used_bytes); }
  LockRequest lock_request(LockMode mode) const;  // that waits
  void warn(Warning::Level level, uint32_t code, std::string message);
};

}  // namespace wherestar::server
