// A flipped byte anywhere in the files gives an error that names file and block, or the right
// answer, never a wrong one.
#include <doctest/doctest.h>

#include "engine_workload.h"

using namespace wherestar;
using namespace wherestar::fractal_tree;

TEST_CASE("a flipped byte is an error or does no harm") {
  MemoryFileSystem fs;
  EngineWorkload workload(11);
  REQUIRE(workload.open(tiny_engine(fs)));
  for (int i = 0; i < 60; ++i) REQUIRE(workload.commit_random());
  REQUIRE(workload.engine().checkpoint());
  for (int i = 0; i < 12; ++i) REQUIRE(workload.commit_random());
  workload.close();

  uint64_t errors = 0;
  uint64_t unharmed = 0;
  const std::vector<std::string> names = fs.list(kEnginePath).value();
  for (const std::string& name : names) {
    const std::string path = std::string(kEnginePath) + "/" + name;
    const uint64_t bytes = fs.open(path, OpenMode::kRead).value()->size().value();
    const bool is_log = name.find("log") != std::string::npos;
    const uint64_t step = 1 + bytes / 160;
    for (uint64_t offset = workload.random()() % step; offset < bytes; offset += step) {
      CAPTURE(name);
      CAPTURE(offset);
      auto damaged = fs.clone();
      const auto mask = static_cast<uint8_t>(1 << (offset % 8));
      REQUIRE(damaged->flip_byte(path, offset, mask));
      EngineOptions options = tiny_engine(*damaged);
      options.read_only = true;
      auto engine = Engine::open(kEnginePath, options);
      if (!engine) {
        ++errors;
        CHECK(engine.error().message.find(kEnginePath) != std::string::npos);
        continue;
      }
      auto found = read_state(**engine);
      if (!found) {
        ++errors;
        CHECK(found.error().code == ErrorCode::kCorruption);
        CHECK(found.error().message.find(", block ") != std::string::npos);
        CHECK_FALSE((*engine)->verify().value().problems.empty());
        continue;
      }
      // Only the log's end may be lost: a torn write looks the same.
      const int state = workload.find_state(*found, 0);
      REQUIRE(state >= 0);
      if (!is_log) REQUIRE(static_cast<size_t>(state) == workload.acknowledged());
      ++unharmed;
    }
  }
  CHECK(errors > 100);
  CHECK(unharmed > 10);
}
