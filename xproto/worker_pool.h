// Threads that run statements, made as they are needed.
//
// A statement may wait for a lock that only another connection's statement can release, so the pool
// must never keep a job waiting behind a blocked one: it grows up to `max_threads`, which is the
// number of connections, each of which has one job at a time.
//
// Threads: post() from any.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace wherestar::xproto {

class WorkerPool {
 public:
  explicit WorkerPool(size_t max_threads) : max_threads_(max_threads) {}
  ~WorkerPool();  // runs what is queued, then joins
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void post(std::move_only_function<void()> job);

 private:
  void work();

  size_t max_threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::move_only_function<void()>> jobs_;  // guarded by mutex_
  std::vector<std::thread> threads_;                  // guarded by mutex_
  size_t idle_ = 0;                                   // guarded by mutex_
  bool stopping_ = false;                             // guarded by mutex_
};

}  // namespace wherestar::xproto
