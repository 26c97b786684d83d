// Crash clones at every file call and every event of a workload of commits, flushes, splits, merges
// and checkpoints: after reopening the store is in the state after some commit, not before the last
// that was acknowledged.
#include <algorithm>
#include <cstdlib>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "engine_workload.h"

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

constexpr double kKeep[] = {0.0, 0.3, 0.6, 0.9, 1.0};

// Opens the clone, and returns which state it is in.
int reopened_state(MemoryFileSystem& fs, const EngineWorkload& workload, bool verify) {
  auto engine = Engine::open(kEnginePath, tiny_engine(fs));
  if (!engine) FAIL(engine.error().message);
  auto found = read_state(**engine);
  if (!found) FAIL(found.error().message);
  for (const char* name : {"alpha", "beta", "gamma"}) (*found)[name];
  if (verify) {
    const auto report = (*engine)->verify();
    if (!report) FAIL(report.error().message);
    for (const std::string& problem : report->problems) FAIL_CHECK(problem);
  }
  return workload.find_state(*found, workload.acknowledged());
}

class CrashTester {
 public:
  explicit CrashTester(uint64_t seed) : workload_(seed), seed_(seed) {}

  void run(int commits, uint64_t one_in) {
    EngineOptions options = tiny_engine(fs_);
    options.on_event = [&](std::string_view event) {
      events_.emplace(event);
      crash(one_in);
    };
    fs_.on_call([&](FileCall, const std::string&) { crash(one_in); });
    REQUIRE(workload_.open(options));
    for (int i = 0; i < commits; ++i) {
      const Status status = workload_.commit_random();
      if (!status) FAIL(status.error().message);
      // The log's order is the commits' order: older states can not come back.
      if (workload_.states().size() > 40) {
        workload_.restart_from(workload_.states().back());
      }
    }
    fs_.on_call({});
  }
  uint64_t crashes() const { return crashes_; }
  const std::set<std::string, std::less<>>& events() const { return events_; }

 private:
  void crash(uint64_t one_in) {
    if (++points_ % one_in != 0) return;
    const uint64_t chance = points_ * 7919 + seed_;
    CAPTURE(seed_);
    CAPTURE(points_);
    auto crashed = fs_.crash_clone(chance, {.keep_probability = kKeep[chance % 5]});
    REQUIRE(reopened_state(*crashed, workload_, crashes_ % 8 == 0) >= 0);
    ++crashes_;
  }

  MemoryFileSystem fs_;
  EngineWorkload workload_;
  uint64_t seed_;
  uint64_t points_ = 0;
  uint64_t crashes_ = 0;
  std::set<std::string, std::less<>> events_;
};

}  // namespace

TEST_CASE("a crash anywhere leaves the state after some commit, no acknowledged one lost") {
  uint64_t crashes = 0;
  std::set<std::string, std::less<>> events;
  const bool long_run = std::getenv("WHERESTAR_LONG_TESTS") != nullptr;  // 3 minutes: every point
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    CrashTester tester(seed);
    tester.run(150, long_run ? 1 : 12);
    crashes += tester.crashes();
    events.insert(tester.events().begin(), tester.events().end());
  }
  CHECK(crashes > 300);
  for (const char* event : {"flush", "split", "merge", "checkpoint begin", "checkpoint write",
                            "checkpoint header", "checkpoint manifest"})
    CHECK_MESSAGE(events.contains(event), event);
}

TEST_CASE("crash after crash, each during the work after the last") {
  uint64_t crashes = 0;
  for (uint64_t seed = 50; seed < 56; ++seed) {
    CAPTURE(seed);
    auto fs = std::make_unique<MemoryFileSystem>();
    EngineWorkload workload(seed);
    for (int round = 0; round < 12; ++round) {
      CAPTURE(round);
      std::unique_ptr<MemoryFileSystem> crashed;
      uint64_t left = workload.random()() % 120;
      REQUIRE(workload.open(tiny_engine(*fs)));
      size_t least = 0;
      fs->on_call([&](FileCall, const std::string&) {
        if (crashed || left-- > 0) return;
        crashed = fs->crash_clone(seed * 100 + left, {.keep_probability = kKeep[left % 5]});
        least = workload.acknowledged();
      });
      while (!crashed) REQUIRE(workload.commit_random());
      fs->on_call({});
      workload.close();
      fs = std::move(crashed);
      auto engine = Engine::open(kEnginePath, tiny_engine(*fs));
      REQUIRE(engine);
      auto found = read_state(**engine);
      REQUIRE(found);
      REQUIRE(workload.find_state(*found, least) >= 0);
      workload.restart_from(*found);
      ++crashes;
    }
  }
  CHECK(crashes == 72);
}

TEST_CASE("commits without sync survive a crash in their order or not at all") {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    MemoryFileSystem fs;
    EngineWorkload workload(seed);
    EngineOptions options = tiny_engine(fs);
    options.background_threads = true;
    options.async_sync_ms = 3'600'000;
    REQUIRE(workload.open(options));
    for (int i = 0; i < 20; ++i) REQUIRE(workload.commit_random(Durability::kAsync));
    auto crashed = fs.crash_clone(seed, {.keep_probability = kKeep[seed % 5]});
    auto again = Engine::open(kEnginePath, tiny_engine(*crashed));
    REQUIRE(again);
    auto found = read_state(**again);
    REQUIRE(found);
    REQUIRE(workload.find_state(*found, 0) >= 0);
  }
}
