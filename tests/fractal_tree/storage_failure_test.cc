// Single calls of the file system that fail.
#include <string>

#include <doctest/doctest.h>

#include "storage_workload.h"

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

constexpr int kSteps = 120;

void require_sound(const Found& found, uint64_t call) {
  CAPTURE(call);
  if (found.error) FAIL(found.error->message);
  for (const std::string& wrong : found.wrong) FAIL_CHECK(wrong);
  REQUIRE(found.wrong.empty());
  REQUIRE(found.missing_records == 0);
}

// One run with the n-th call failing; false if the run has fewer calls.
bool run_with_failure(uint64_t n, ErrorCode code, bool forever) {
  CAPTURE(static_cast<int>(code));
  CAPTURE(forever);
  MemoryFileSystem fs;
  StorageWorkload workload(fs, 5);
  fs.fail_at(n, code, forever);
  const bool opened = workload.open();
  if (opened)
    for (int i = 0; i < kSteps; ++i) workload.step();
  const bool happened = workload.first_error().has_value() || fs.call_count() > n;
  fs.clear_failures();
  auto crashed = fs.crash_clone(n, {.keep_probability = n % 2 == 0 ? 0.5 : 0.0});
  require_sound(check_store(*crashed, workload.expectation(), true, n), n);
  workload.close();
  require_sound(check_store(fs, workload.expectation(), true, n), n);
  return happened;
}

}  // namespace

TEST_CASE("whichever call fails, the store opens again with all that was acknowledged") {
  for (const ErrorCode code : {ErrorCode::kIo, ErrorCode::kNoSpace}) {
    for (const bool forever : {false, true}) {
      uint64_t n = 0;
      while (run_with_failure(n, code, forever)) ++n;
      CHECK(n > 80);
    }
  }
}

TEST_CASE("a read that fails is an error and does no harm") {
  MemoryFileSystem fs;
  StorageWorkload workload(fs, 6);
  REQUIRE(workload.open());
  for (int i = 0; i < kSteps; ++i) workload.step();
  REQUIRE(workload.storage().log().sync());
  workload.close();
  int failures = 0;
  for (uint64_t n = 0;; ++n) {
    auto copy = fs.clone();
    copy->fail_reads_at(n);
    const Found found = check_store(*copy, workload.expectation(), false, n);
    CHECK(found.wrong.empty());
    if (!found.error) break;
    CHECK(found.error->code == ErrorCode::kIo);
    CHECK(found.error->message.find(kStorePath) != std::string::npos);
    ++failures;
    require_sound(check_store(*copy, workload.expectation(), true, n), n);
  }
  CHECK(failures > 10);
}

TEST_CASE("on a full disk nothing is lost, and with space again checkpoints go on") {
  for (uint64_t capacity = 60'000; capacity < 400'000; capacity += 20'011) {
    MemoryFileSystem fs;
    StorageWorkload workload(fs, 8);
    REQUIRE(workload.open());
    fs.set_capacity(capacity);
    for (int i = 0; i < kSteps; ++i) workload.step();
    if (workload.first_error()) CHECK(workload.first_error()->code == ErrorCode::kNoSpace);
    auto crashed = fs.crash_clone(capacity);
    require_sound(check_store(*crashed, workload.expectation(), true, capacity), capacity);
    fs.set_capacity(1u << 30);
    const uint64_t before = workload.storage().root().checkpoint;
    workload.publish();
    CHECK(workload.storage().root().checkpoint == before + 1);
    require_sound(check_store(*fs.crash_clone(1), workload.expectation(), false, 1), capacity);
  }
}
