// Locks of documents, held by transactions until they end.
//
// A document is named by its part and the encoded key of its `_id`, so that an insert can lock an
// `_id` that is not there yet. The name with an empty key stands for the whole part: whoever writes
// holds it shared, whoever drops the collection exclusively. Snapshot reads lock nothing.
//
// A request that would close a circle of waiting transactions fails with kDeadlock at once; it is
// looked for each time somebody starts to wait and each time the holders change.
//
// Threads: may be used by many threads. Errors of lock(): kDeadlock, kLockTimeout, kLockNowait,
// kCancelled.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wherestar::server {

enum class TransactionId : uint64_t {};
enum class LockMode : uint8_t { kShared, kExclusive };

struct LockRequest {
  LockMode mode = LockMode::kExclusive;
  bool wait = true;  // false: kLockNowait instead of waiting
  std::chrono::milliseconds timeout{50'000};
  const std::atomic<bool>* cancelled = nullptr;
  bool* waited = nullptr;  // if given, set when others had to be waited for
};

class LockTable {
 public:
  // Holding a lock already is fine; a shared one is made exclusive when asked.
  Status lock(TransactionId transaction, const std::string& name, const LockRequest& request);
  void release(TransactionId transaction, const std::vector<std::string>& names);
  void wake_all();  // after a `cancelled` was set
  // Calls `observer` whenever a request starts to wait; it must not call this table.
  void on_wait(std::function<void(TransactionId)> observer);
  size_t held() const;

 private:
  struct Entry {
    std::map<TransactionId, LockMode> holders;
    size_t waiters = 0;
  };
  struct Waiting {
    std::string name;
    LockMode mode;
  };
  bool conflicts(const Entry& entry, TransactionId transaction, LockMode mode) const;
  bool closes_circle(TransactionId transaction) const;
  Status wait_for(std::unique_lock<std::mutex>& lock, TransactionId transaction,
                  const std::string& name, const LockRequest& request);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Entry, std::less<>> entries_;  // guarded by mutex_
  std::map<TransactionId, Waiting> waiting_;           // guarded by mutex_
  std::function<void(TransactionId)> observer_;        // guarded by mutex_
};

}  // namespace wherestar::server
