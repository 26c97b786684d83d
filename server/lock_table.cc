#include "server/lock_table.h"

#include <utility>

namespace wherestar::server {

bool LockTable::conflicts(const Entry& entry, TransactionId transaction, LockMode mode) const {
  for (const auto& [holder, held] : entry.holders) {
    if (holder == transaction) continue;
    if (mode == LockMode::kExclusive || held == LockMode::kExclusive) return true;
  }
  return false;
}

// Follows "waits for a holder of" from the transaction's wait until it meets itself again.
bool LockTable::closes_circle(TransactionId transaction) const {
  std::vector<TransactionId> open{transaction};
  std::set<TransactionId> seen;
  while (!open.empty()) {
    const TransactionId current = open.back();
    open.pop_back();
    const auto wait = waiting_.find(current);
    if (wait == waiting_.end()) continue;
    const auto entry = entries_.find(wait->second.name);
    if (entry == entries_.end()) continue;
    for (const auto& [holder, held] : entry->second.holders) {
      if (holder == current) continue;
      if (wait->second.mode == LockMode::kShared && held == LockMode::kShared) continue;
      if (holder == transaction) return true;
      if (seen.insert(holder).second) open.push_back(holder);
    }
  }
  return false;
}

Status LockTable::wait_for(std::unique_lock<std::mutex>& lock, TransactionId transaction,
                           const std::string& name, const LockRequest& request) {
  const auto deadline = std::chrono::steady_clock::now() + request.timeout;
  bool observed = false;
  while (conflicts(entries_[name], transaction, request.mode)) {
    if (closes_circle(transaction))
      return fail(ErrorCode::kDeadlock,
                  "Deadlock found when trying to get lock; try restarting transaction");
    if (request.cancelled && request.cancelled->load())
      return fail(ErrorCode::kCancelled, "Query execution was interrupted");
    if (!observed && observer_) {
      observed = true;
      observer_(transaction);
    }
    if (changed_.wait_until(lock, deadline) == std::cv_status::timeout &&
        conflicts(entries_[name], transaction, request.mode))
      return fail(ErrorCode::kLockTimeout,
                  "Lock wait timeout exceeded; try restarting transaction");
  }
  return {};
}

Status LockTable::lock(TransactionId transaction, const std::string& name,
                       const LockRequest& request) {
  std::unique_lock lock(mutex_);
  if (conflicts(entries_[name], transaction, request.mode)) {
    if (!request.wait)
      return fail(ErrorCode::kLockNowait,
                  "Statement aborted because lock(s) could not be acquired immediately and "
                  "NOWAIT is set.");
    ++entries_[name].waiters;
    waiting_[transaction] = {name, request.mode};
    if (request.waited != nullptr) *request.waited = true;
    Status outcome = wait_for(lock, transaction, name, request);
    waiting_.erase(transaction);
    Entry& entry = entries_[name];
    --entry.waiters;
    if (!outcome) {
      if (entry.holders.empty() && entry.waiters == 0) entries_.erase(name);
      return outcome;
    }
  }
  LockMode& held = entries_[name].holders.try_emplace(transaction, request.mode).first->second;
  if (request.mode == LockMode::kExclusive) held = LockMode::kExclusive;
  // The waiters now wait for this holder too: let them look for circles again.
  if (entries_[name].waiters > 0) changed_.notify_all();
  return {};
}

void LockTable::release(TransactionId transaction, const std::vector<std::string>& names) {
  std::lock_guard lock(mutex_);
  bool awaited = false;
  for (const std::string& name : names) {
    const auto found = entries_.find(name);
    if (found == entries_.end()) continue;
    found->second.holders.erase(transaction);
    awaited |= found->second.waiters > 0;
    if (found->second.holders.empty() && found->second.waiters == 0) entries_.erase(found);
  }
  if (awaited) changed_.notify_all();
}

void LockTable::wake_all() {
  std::lock_guard lock(mutex_);
  changed_.notify_all();
}

void LockTable::on_wait(std::function<void(TransactionId)> observer) {
  std::lock_guard lock(mutex_);
  observer_ = std::move(observer);
}

size_t LockTable::held() const {
  std::lock_guard lock(mutex_);
  size_t count = 0;
  for (const auto& [name, entry] : entries_) count += entry.holders.size();
  return count;
}

}  // namespace wherestar::server
