// Every file call of a workload fails once: what was acknowledged stays, reads stay right, and
// after a restart the store is in the state after some commit.
#include <doctest/doctest.h>

#include "engine_workload.h"

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

struct Failing {
  ErrorCode code;
  bool forever;
};

void run(uint64_t seed, uint64_t at, const Failing& failing, uint64_t& failed) {
  CAPTURE(seed);
  CAPTURE(at);
  MemoryFileSystem fs;
  EngineWorkload workload(seed);
  REQUIRE(workload.open(tiny_engine(fs)));
  fs.fail_at(at, failing.code, failing.forever);
  bool poisoned = false;
  for (int i = 0; i < 60; ++i) {
    const Status status = workload.commit_random();
    if (status) continue;
    ++failed;
    REQUIRE(status.error().message != "");
    if (status.error().code == ErrorCode::kPoisoned) {
      poisoned = true;
      break;
    }
    // Refused before it was written: as if it had never been.
    workload.forget_unacknowledged();
    if (failing.forever && i > 40) break;
  }
  auto found = read_state(workload.engine());
  if (!found) FAIL(found.error().message);
  REQUIRE(workload.find_state(*found, workload.acknowledged()) >= 0);
  if (!poisoned && !failing.forever) {
    fs.clear_failures();
    REQUIRE(workload.commit_random());
    REQUIRE(workload.engine().checkpoint());
    REQUIRE(workload.engine().verify().value().problems.empty());
  }
  workload.close();
  fs.clear_failures();
  for (int crash = 0; crash < 2; ++crash) {
    auto copy = crash == 0 ? fs.clone() : fs.crash_clone(seed + at);
    auto again = Engine::open(kEnginePath, tiny_engine(*copy));
    if (!again) FAIL(again.error().message);
    auto reopened = read_state(**again);
    if (!reopened) FAIL(reopened.error().message);
    REQUIRE(workload.find_state(*reopened, workload.acknowledged()) >= 0);
    REQUIRE((*again)->verify().value().problems.empty());
  }
}

}  // namespace

TEST_CASE("the n-th write, sync or allocation fails once") {
  uint64_t failed = 0;
  for (uint64_t at = 0; at < 160; ++at) run(at % 3, at, {ErrorCode::kIo, false}, failed);
  CHECK(failed > 50);
}

TEST_CASE("the disk is full once, or for good") {
  uint64_t failed = 0;
  for (uint64_t at = 0; at < 120; at += 2)
    run(at % 3, at, {ErrorCode::kNoSpace, at % 4 == 0}, failed);
  CHECK(failed > 50);
}

TEST_CASE("a full disk stops commits with that reason, and they go on when there is room") {
  MemoryFileSystem fs;
  EngineWorkload workload(5);
  REQUIRE(workload.open(tiny_engine(fs)));
  for (int i = 0; i < 50; ++i) REQUIRE(workload.commit_random());
  fs.set_capacity(1);
  Status status;
  for (int i = 0; i < 400 && status; ++i) status = workload.commit_random();
  REQUIRE_FALSE(status);
  CAPTURE(status.error().message);
  const auto code = status.error().code;
  CHECK((code == ErrorCode::kNoSpace || code == ErrorCode::kPoisoned));
  CHECK(read_state(workload.engine()));
}

TEST_CASE("a read that fails gives an error once and the right answer then") {
  MemoryFileSystem fs;
  EngineWorkload workload(9);
  REQUIRE(workload.open(tiny_engine(fs)));
  for (int i = 0; i < 80; ++i) REQUIRE(workload.commit_random());
  REQUIRE(workload.engine().checkpoint());
  workload.close();
  uint64_t errors = 0;
  for (uint64_t at = 0; at < 60; ++at) {
    REQUIRE(workload.open(tiny_engine(fs)));
    fs.fail_reads_at(at);
    auto found = read_state(workload.engine());
    if (!found) {
      ++errors;
      CHECK(found.error().code == ErrorCode::kIo);
    }
    fs.clear_failures();
    found = read_state(workload.engine());
    REQUIRE(found);
    REQUIRE(describe_difference(workload.states().back(), *found) == "");
    workload.close();
  }
  CHECK(errors > 10);
}
