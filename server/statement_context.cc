#include "server/statement_context.h"

namespace wherestar::server {

Status StatementContext::check() const {
  if (cancelled && cancelled->load(std::memory_order_relaxed))
    return fail(ErrorCode::kCancelled, "Query execution was interrupted");
  if (evaluation.deadline && std::chrono::steady_clock::now() > *evaluation.deadline)
    return fail(ErrorCode::kTimeout,
                "Query execution was interrupted, maximum statement execution time exceeded");
  return {};
}

Status StatementContext::charge(uint64_t bytes) {
  memory_used_bytes += bytes;
  if (memory_used_bytes <= memory_limit_bytes) return {};
  return fail(ErrorCode::kLimitExceeded, "the statement needs more than " +
                                             std::to_string(memory_limit_bytes) +
                                             " bytes of memory to sort, group or hold its rows");
}

LockRequest StatementContext::lock_request(LockMode mode) const {
  return {.mode = mode, .wait = true, .timeout = lock_wait_timeout, .cancelled = cancelled.get()};
}

void StatementContext::warn(Warning::Level level, uint32_t code, std::string message) {
  ++evaluation.warning_count;
  if (evaluation.warnings.size() < kMaxWarningsKept)
    evaluation.warnings.push_back({level, code, std::move(message)});
}

}  // namespace wherestar::server
