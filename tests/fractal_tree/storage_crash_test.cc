// Crash clones of a store at every call of a workload.
#include <string>

#include <doctest/doctest.h>

#include "storage_workload.h"

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

constexpr double kKeep[] = {0.0, 0.3, 0.6, 0.9, 1.0};

void require_sound(const Found& found, uint64_t seed) {
  CAPTURE(seed);
  if (found.error) FAIL(found.error->message);
  for (const std::string& wrong : found.wrong) FAIL_CHECK(wrong);
  REQUIRE(found.wrong.empty());
  REQUIRE(found.missing_records == 0);
}

}  // namespace

TEST_CASE("a crash at any call leaves a published root whole and every acknowledged record") {
  uint64_t crashes = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    MemoryFileSystem fs;
    StorageWorkload workload(fs, seed);
    fs.on_call([&](FileCall, const std::string&) {
      const uint64_t chance = ++crashes * 7919 + seed;
      auto crashed = fs.crash_clone(chance, {.keep_probability = kKeep[crashes % 5]});
      require_sound(check_store(*crashed, workload.expectation(), crashes % 3 == 0, chance),
                    chance);
    });
    REQUIRE(workload.open());
    for (int i = 0; i < 200; ++i) workload.step();
    REQUIRE_FALSE(workload.first_error());
  }
  CHECK(crashes > 1000);
}

TEST_CASE("a crash during the recovery from a crash loses nothing more") {
  uint64_t crashes = 0;
  for (uint64_t seed = 100; seed < 110; ++seed) {
    MemoryFileSystem fs;
    StorageWorkload workload(fs, seed);
    REQUIRE(workload.open());
    for (int i = 0; i < 150; ++i) workload.step();
    for (uint64_t first = 0; first < 6; ++first) {
      auto crashed = fs.crash_clone(first, {.keep_probability = kKeep[first % 5]});
      const Expectation expected = workload.expectation();
      crashed->on_call([&](FileCall, const std::string&) {
        const uint64_t chance = ++crashes + seed;
        auto again = crashed->crash_clone(chance, {.keep_probability = kKeep[crashes % 5]});
        require_sound(check_store(*again, expected, crashes % 4 == 0, chance), chance);
      });
      require_sound(check_store(*crashed, expected, false, first), first);
    }
  }
  CHECK(crashes > 50);
}

TEST_CASE("the death of the process alone loses nothing that was written") {
  MemoryFileSystem fs;
  StorageWorkload workload(fs, 77);
  REQUIRE(workload.open());
  for (int i = 0; i < 300; ++i) workload.step();
  REQUIRE(workload.storage().log().write());
  auto clone = fs.clone();
  Expectation expected = workload.expectation();
  expected.durable_up_to = static_cast<uint64_t>(workload.storage().log().end());
  require_sound(check_store(*clone, expected, true, 1), 1);
}
