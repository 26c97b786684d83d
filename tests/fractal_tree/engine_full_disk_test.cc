// A store on a full disk: what can still be done, and how it goes on when there is room.
#include <map>

#include <doctest/doctest.h>

#include "engine_workload.h"

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

std::string key_of(int i) {
  std::string key = std::to_string(i);
  return std::string(8 - key.size(), '0') + key;
}

struct Full {
  MemoryFileSystem fs;
  std::string said;
  std::unique_ptr<Engine> engine;
  DictionaryId id{};
  std::map<std::string, std::string> model;
  int next = 0;

  explicit Full(uint64_t capacity_bytes, bool threads) {
    fs.set_capacity(capacity_bytes);
    open(threads);
  }
  void open(bool threads) {
    engine.reset();
    EngineOptions options = tiny_engine(fs);
    options.background_threads = threads;
    options.reserve_bytes = 256 << 10;
    options.log_line = [this](std::string_view line) { said += std::string(line) + "\n"; };
    auto opened = Engine::open("/db", options);
    if (!opened) FAIL(opened.error().message);
    engine = *std::move(opened);
    id = engine->dictionary("d", tiny_dictionary()).value();
  }
  Status put() {
    WriteBatch batch;
    const std::string key = key_of(next);
    const std::string value(700, static_cast<char>('a' + next % 26));
    batch.put(id, key, value);
    Status status = engine->commit(std::move(batch), Durability::kSync);
    if (status) model[key] = value;
    if (status) ++next;
    return status;
  }
  Status erase(const std::string& key) {
    WriteBatch batch;
    batch.erase(id, key);
    Status status = engine->commit(std::move(batch), Durability::kSync, Purpose::kReclaim);
    if (status) model.erase(key);
    return status;
  }
  void fill() {
    Status status;
    for (int i = 0; i < 20'000 && status; ++i) status = put();
    REQUIRE_FALSE(status);
    CAPTURE(status.error().message);
    REQUIRE(status.error().code == ErrorCode::kNoSpace);
  }
  void check() {
    const auto found = read_state(*engine);
    if (!found) FAIL(found.error().message);
    REQUIRE(found->at("d") == DictionaryState(model.begin(), model.end()));
  }
};

}  // namespace

TEST_CASE("a full disk takes deletions, and everything when there is room, without a new start") {
  for (const bool threads : {false, true}) {
    CAPTURE(threads);
    Full store(3 << 20, threads);
    store.fill();
    REQUIRE(store.model.size() > 500);
    CHECK(store.said.find("the disk is full") != std::string::npos);
    store.check();
    for (int i = 0; i < 3; ++i) CHECK(store.put().error().code == ErrorCode::kNoSpace);
    for (int i = 0; i < 60; ++i) {
      const Status erased = store.erase(key_of(i * 3));
      if (!erased) FAIL(erased.error().message);
    }
    store.check();
    store.fs.set_capacity(8 << 20);
    for (int i = 0; i < 50; ++i) {
      const Status put = store.put();
      if (!put) FAIL(put.error().message);
    }
    CHECK(store.said.find("writes go on") != std::string::npos);
    store.check();
    CHECK(store.engine->verify().value().problems.empty());
    store.open(threads);
    store.check();
  }
}

TEST_CASE("a store opens, reads and deletes on a disk that was full before") {
  Full store(3 << 20, false);
  store.fill();
  for (int start = 0; start < 3; ++start) {
    store.open(false);
    store.check();
    const Status erased = store.erase(key_of(start));
    if (!erased) FAIL(erased.error().message);
  }
  store.check();
}
