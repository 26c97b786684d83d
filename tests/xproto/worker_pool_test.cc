#include "xproto/worker_pool.h"

#include <atomic>
#include <latch>

#include <doctest/doctest.h>

using wherestar::xproto::WorkerPool;

TEST_CASE("jobs that wait for one another all get a thread") {
  constexpr int kJobs = 8;
  std::latch all_run(kJobs);
  std::atomic<int> done = 0;
  {
    WorkerPool pool(kJobs);
    for (int i = 0; i < kJobs; ++i) {
      pool.post([&] {
        all_run.arrive_and_wait();  // returns only when every job runs at once
        ++done;
      });
    }
  }
  CHECK(done == kJobs);
}

TEST_CASE("what is queued still runs when the pool ends") {
  std::atomic<int> done = 0;
  {
    WorkerPool pool(2);
    for (int i = 0; i < 1000; ++i) pool.post([&] { ++done; });
  }
  CHECK(done == 1000);
}
