// What engine.h promises, on small examples.
#include <doctest/doctest.h>

#include "base/posting_chunk.h"
#include "engine_workload.h"

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

struct Store {
  MemoryFileSystem fs;
  std::unique_ptr<Engine> engine;
  DictionaryId words{};

  Store() { open(); }
  void open() {
    engine.reset();
    auto opened = Engine::open(kEnginePath, tiny_engine(fs));
    if (!opened) FAIL(opened.error().message);
    engine = *std::move(opened);
    words = engine->dictionary("words", tiny_dictionary()).value();
  }
  void put(std::string_view key, std::string_view value) {
    WriteBatch batch;
    batch.put(words, key, value);
    REQUIRE(engine->commit(std::move(batch), Durability::kSync));
  }
  std::string get(std::string_view key, const ReadView& view = {}) {
    auto value = engine->get(words, key, view);
    if (!value) return "error: " + value.error().message;
    return value->value_or("(none)");
  }
  std::string scan(const ReadView& view = {}) {
    std::string out;
    const auto cursor = engine->cursor(words, view);
    for (cursor->seek_to_first(); cursor->valid(); cursor->next())
      out += std::string(cursor->key()) + "=" + std::string(cursor->value()) + " ";
    REQUIRE(cursor->status());
    return out;
  }
};

}  // namespace

TEST_CASE("what was put is found, also after reopening") {
  Store store;
  CHECK(store.get("a") == "(none)");
  store.put("a", "1");
  store.put("", "empty key");
  store.put("b", "");
  CHECK(store.scan() == "=empty key a=1 b= ");
  store.open();
  CHECK(store.scan() == "=empty key a=1 b= ");
  REQUIRE(store.engine->checkpoint());
  store.open();
  CHECK(store.scan() == "=empty key a=1 b= ");
  CHECK(store.get("b") == "");
}

TEST_CASE("a batch erases its ranges before it changes keys") {
  Store store;
  for (const char* key : {"a", "b", "c", "d"}) store.put(key, "old");
  WriteBatch batch;
  batch.put(store.words, "bb", "lost");
  batch.erase_range(store.words, "b", "d");
  batch.put(store.words, "c", "new");
  REQUIRE(store.engine->commit(std::move(batch), Durability::kSync));
  CHECK(store.scan() == "a=old c=new d=old ");
  REQUIRE(store.engine->checkpoint());
  CHECK(store.scan() == "a=old c=new d=old ");
}

TEST_CASE("merges add up, and a sum of nothing is absence") {
  Store store;
  const auto add = [&](std::vector<int64_t> counters) {
    WriteBatch batch;
    batch.merge(store.words, "n", MergeKind::kAddCounters, encode_counters(counters));
    REQUIRE(store.engine->commit(std::move(batch), Durability::kSync));
  };
  add({1, 2});
  add({INT64_MAX - 1, 0, 5});
  REQUIRE(store.engine->checkpoint());
  add({0, -2});
  CHECK(decode_counters(store.get("n")).value() == std::vector<int64_t>{INT64_MAX, 0, 5});
  add({-INT64_MAX, 0, -5});
  CHECK(store.get("n") == "(none)");
  REQUIRE(store.engine->checkpoint());
  CHECK(store.scan().empty());
}

TEST_CASE("a snapshot keeps its state through commits, checkpoints and range erases") {
  Store store;
  for (int i = 0; i < 300; ++i) store.put("k" + std::to_string(i), "first");
  const std::string before = store.scan();
  const auto snapshot = store.engine->snapshot();
  WriteBatch batch;
  batch.erase_range(store.words, "k1", "k3");
  for (int i = 0; i < 300; i += 2) batch.put(store.words, "k" + std::to_string(i), "second");
  REQUIRE(store.engine->commit(std::move(batch), Durability::kSync));
  const std::string after = store.scan();
  CHECK(after != before);
  CHECK(store.scan({.snapshot = snapshot.get(), .own = {}}) == before);
  REQUIRE(store.engine->checkpoint());
  CHECK(store.scan({.snapshot = snapshot.get(), .own = {}}) == before);
  CHECK(store.get("k2", {.snapshot = snapshot.get(), .own = {}}) == "first");
  CHECK(store.scan() == after);
}

TEST_CASE("own batches are seen above a snapshot, the newest on top") {
  Store store;
  store.put("a", "1");
  store.put("b", "1");
  store.put("c", "1");
  WriteBatch first;
  first.put(store.words, "b", "2");
  first.merge(store.words, "n", MergeKind::kAddCounters, encode_counters(std::vector<int64_t>{4}));
  WriteBatch second;
  second.erase_range(store.words, "a", "b");
  second.erase(store.words, "c");
  second.merge(store.words, "n", MergeKind::kAddCounters, encode_counters(std::vector<int64_t>{3}));
  const WriteBatch* own[] = {&first, &second};
  const ReadView view{.snapshot = nullptr, .own = own};
  CHECK(store.get("a", view) == "(none)");
  CHECK(store.get("b", view) == "2");
  CHECK(decode_counters(store.get("n", view)).value() == std::vector<int64_t>{7});
  const std::string seven = encode_counters(std::vector<int64_t>{7});
  CHECK(store.scan(view) == "b=2 n=" + seven + " ");
  CHECK(store.scan() == "a=1 b=1 c=1 ");
  first.append(std::move(second));
  REQUIRE(store.engine->commit(std::move(first), Durability::kSync));
  CHECK(store.scan() == "b=2 n=" + seven + " ");
}

TEST_CASE("a cursor seeks and turns") {
  Store store;
  for (int i = 10; i < 99; i += 2) store.put(std::to_string(i), "v");
  for (const bool checkpointed : {false, true}) {
    if (checkpointed) REQUIRE(store.engine->checkpoint());
    const auto cursor = store.engine->cursor(store.words, {});
    cursor->seek("31");
    REQUIRE(cursor->valid());
    CHECK(cursor->key() == "32");
    cursor->previous();
    CHECK(cursor->key() == "30");
    cursor->seek_to_last_before("30");
    CHECK(cursor->key() == "28");
    cursor->next();
    CHECK(cursor->key() == "30");
    cursor->seek("99");
    CHECK_FALSE(cursor->valid());
    cursor->seek_to_last();
    CHECK(cursor->key() == "98");
    cursor->seek_to_last_before("10");
    CHECK_FALSE(cursor->valid());
    cursor->seek_to_first();
    CHECK(cursor->key() == "10");
    CHECK(cursor->status());
  }
}

TEST_CASE("wrong batches are refused whole, with the reason") {
  Store store;
  const auto refused = [&](WriteBatch batch) {
    const Status status = store.engine->commit(std::move(batch), Durability::kSync);
    REQUIRE_FALSE(status);
    CHECK(status.error().code == ErrorCode::kInvalidArgument);
    return status.error().message;
  };
  WriteBatch long_key;
  long_key.put(store.words, "fine", "1");
  long_key.put(store.words, std::string(kMaxKeyBytes + 1, 'k'), "1");
  CHECK(refused(std::move(long_key)) == "a key of 1025 bytes; at most 1024 are allowed");
  WriteBatch damaged;
  damaged.merge(store.words, "n", MergeKind::kPostings, "\x05");
  refused(std::move(damaged));
  WriteBatch stranger;
  stranger.put(DictionaryId{77}, "a", "1");
  CHECK(refused(std::move(stranger)) == "no such dictionary");
  CHECK(store.scan().empty());
  store.put(std::string(kMaxKeyBytes, 'k'), "longest");
  CHECK(store.get(std::string(kMaxKeyBytes, 'k')) == "longest");
}

TEST_CASE("a merge onto a value of another kind starts anew") {
  Store store;
  store.put("n", "not postings at all");
  REQUIRE(store.engine->checkpoint());
  std::string operand;
  put_posting_operand(operand, 7, true);
  WriteBatch batch;
  batch.merge(store.words, "n", MergeKind::kPostings, operand);
  REQUIRE(store.engine->commit(std::move(batch), Durability::kSync));
  const std::string value = store.get("n");
  CHECK(value.size() == 3);
  REQUIRE(store.engine->checkpoint());
  CHECK(store.get("n") == value);
}

TEST_CASE("a dropped dictionary is gone for good, and its name is free again") {
  Store store;
  store.put("a", "1");
  REQUIRE(store.engine->drop_dictionary("words"));
  CHECK_FALSE(store.engine->get(store.words, "a", {}));
  const DictionaryId old = store.words;
  store.words = store.engine->dictionary("words", tiny_dictionary()).value();
  CHECK(store.words != old);
  CHECK(store.get("a") == "(none)");
  store.put("b", "2");
  store.open();
  CHECK(store.scan() == "b=2 ");
  CHECK_FALSE(store.engine->drop_dictionary("nothing"));
}

TEST_CASE("a store is open once, and read-only opens see without writing") {
  Store store;
  store.put("a", "1");
  REQUIRE(store.engine->checkpoint());
  store.put("b", "2");
  const auto second = Engine::open(kEnginePath, tiny_engine(store.fs));
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::kLocked);
  store.engine.reset();
  const uint64_t calls = store.fs.call_count();
  EngineOptions options = tiny_engine(store.fs);
  options.read_only = true;
  auto reader = Engine::open(kEnginePath, options);
  REQUIRE(reader);
  store.engine = *std::move(reader);
  CHECK(store.scan() == "a=1 b=2 ");
  WriteBatch batch;
  batch.put(store.words, "c", "3");
  const Status status = store.engine->commit(std::move(batch), Durability::kSync);
  REQUIRE_FALSE(status);
  CHECK(status.error().code == ErrorCode::kReadOnly);
  CHECK(store.engine->verify().value().problems.empty());
  store.engine.reset();
  CHECK(store.fs.call_count() == calls);
}

TEST_CASE("large values come back whole, and their space is given back") {
  Store store;
  std::mt19937_64 random(1);
  std::string large(100'000, ' ');
  for (char& c : large) c = static_cast<char>(random());
  for (int round = 0; round < 20; ++round) {
    store.put("large", large + std::to_string(round));
    REQUIRE(store.engine->checkpoint());
  }
  CHECK(store.get("large") == large + "19");
  const auto used = [&] { return store.engine->counters().dictionaries.at(0).used_bytes; };
  CHECK(used() > 100'000);
  CHECK(used() < 400'000);
  CHECK(store.engine->verify().value().problems.empty());
  WriteBatch batch;
  batch.erase_range(store.words, "l", "m");
  REQUIRE(store.engine->commit(std::move(batch), Durability::kSync));
  REQUIRE(store.engine->checkpoint());
  REQUIRE(store.engine->checkpoint());
  CHECK(used() < 40'000);
  CHECK(store.engine->verify().value().problems.empty());
}

TEST_CASE("counters tell what was done") {
  Store store;
  for (int i = 0; i < 50; ++i) store.put(std::to_string(i), "v");
  const EngineCounters counters = store.engine->counters();
  CHECK(counters.commits == 50);
  CHECK(counters.messages == 50);
  CHECK(counters.log_syncs >= 50);
  CHECK(counters.log_bytes > 50);
  CHECK(counters.dictionaries.size() == 1);
}
