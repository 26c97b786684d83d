// The engine against the model of engine_workload.h, with trees of many levels.
#include <algorithm>
#include <deque>

#include <doctest/doctest.h>

#include "engine_workload.h"

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

void require_state(const EngineState& expected, Engine& engine, const ReadView& view = {}) {
  auto found = read_state(engine, view);
  if (!found) FAIL(found.error().message);
  const std::string difference = describe_difference(expected, *found);
  REQUIRE(difference == "");
}

void require_sound(Engine& engine) {
  const auto report = engine.verify();
  if (!report) FAIL(report.error().message);
  for (const std::string& problem : report->problems) FAIL_CHECK(problem);
  REQUIRE(report->problems.empty());
}

struct Kept {
  std::unique_ptr<Snapshot> snapshot;
  size_t state = 0;
};

uint32_t run(uint64_t seed, int steps) {
  CAPTURE(seed);
  MemoryFileSystem fs;
  EngineWorkload workload(seed);
  REQUIRE(workload.open(tiny_engine(fs)));
  std::deque<Kept> kept;
  uint32_t height = 0;
  for (int step = 0; step < steps; ++step) {
    const size_t dice = workload.random()() % 100;
    if (dice < 80) {
      const Status status = workload.commit_random();
      if (!status) FAIL(status.error().message);
    } else if (dice < 84) {
      kept.push_back({workload.engine().snapshot(), workload.acknowledged()});
      if (kept.size() > 4) kept.pop_front();
    } else if (dice < 88) {
      require_state(workload.states().back(), workload.engine());
    } else if (dice < 92 && !kept.empty()) {
      const Kept& one = kept[workload.random()() % kept.size()];
      require_state(workload.states()[one.state], workload.engine(),
                    {.snapshot = one.snapshot.get(), .own = {}});
    } else if (dice < 94) {
      EngineState state = workload.states().back();
      const WriteBatch first = workload.random_batch(state, 10);
      const WriteBatch second = workload.random_batch(state, 10);
      const WriteBatch* own[] = {&first, &second};
      require_state(state, workload.engine(), {.snapshot = nullptr, .own = own});
    } else if (dice < 96) {
      REQUIRE(workload.engine().checkpoint());
    } else if (dice < 97) {
      require_sound(workload.engine());
    } else if (dice < 98) {
      kept.clear();
      workload.close();
      REQUIRE(workload.open(tiny_engine(fs)));
    }
    for (const DictionaryCounters& dictionary : workload.engine().counters().dictionaries)
      height = std::max(height, dictionary.height);
  }
  require_state(workload.states().back(), workload.engine());
  require_sound(workload.engine());
  kept.clear();
  workload.close();
  REQUIRE(workload.open(tiny_engine(fs)));
  require_state(workload.states().back(), workload.engine());
  require_sound(workload.engine());
  return height;
}

}  // namespace

TEST_CASE("random batches, snapshots and checkpoints agree with the model") {
  uint32_t height = 0;
  for (uint64_t seed = 1; seed <= 10; ++seed) height = std::max(height, run(seed, 400));
  CHECK(height >= 4);
}

TEST_CASE("a tree of five levels and more grows, shrinks and stays right") {
  MemoryFileSystem fs;
  EngineWorkload workload(77);
  REQUIRE(workload.open(tiny_engine(fs)));
  EngineState state = workload.states().back();
  const DictionaryId alpha = workload.id("alpha");
  uint32_t height = 0;
  for (int round = 0; round < 60; ++round) {
    WriteBatch batch;
    for (int i = 0; i < 120; ++i) {
      const std::string key = "k" + std::to_string(workload.random()() % 100'000);
      std::string value(20, ' ');
      for (char& c : value) c = static_cast<char>(workload.random()());
      batch.put(alpha, key, value);
      state["alpha"][key] = value;
    }
    REQUIRE(workload.engine().commit(std::move(batch), Durability::kSync));
    height = std::max(height, workload.engine().counters().dictionaries.at(0).height);
  }
  CHECK(height >= 5);
  require_state(state, workload.engine());
  require_sound(workload.engine());
  for (const auto& [begin, end] : {std::pair{"k2", "k9"}, std::pair{"k", "k15"}}) {
    WriteBatch batch;
    batch.erase_range(alpha, begin, end);
    DictionaryState& keys = state["alpha"];
    keys.erase(keys.lower_bound(begin), keys.lower_bound(end));
    REQUIRE(workload.engine().commit(std::move(batch), Durability::kSync));
    require_state(state, workload.engine());
    REQUIRE(workload.engine().checkpoint());
    require_state(state, workload.engine());
    require_sound(workload.engine());
  }
}

TEST_CASE("keys in ascending order fill their leaves") {
  MemoryFileSystem fs;
  EngineWorkload workload(3);
  REQUIRE(workload.open(tiny_engine(fs)));
  EngineState state = workload.states().back();
  const DictionaryId alpha = workload.id("alpha");
  for (int i = 100'000; i < 104'000; i += 40) {
    WriteBatch batch;
    for (int j = i; j < i + 40; ++j) {
      batch.put(alpha, std::to_string(j), "v" + std::to_string(j * 7919));
      state["alpha"][std::to_string(j)] = "v" + std::to_string(j * 7919);
    }
    REQUIRE(workload.engine().commit(std::move(batch), Durability::kSync));
  }
  require_state(state, workload.engine());
  require_sound(workload.engine());
}
