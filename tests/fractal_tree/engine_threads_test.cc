// Writers, readers and the engine's own threads at once; run under the thread sanitizer too.
#include <atomic>
#include <thread>

#include <doctest/doctest.h>

#include "engine_workload.h"

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

constexpr int kAccounts = 60;

std::string account(size_t number) {
  return "account " + std::to_string(number);
}

// Sum of all accounts in one view; transfers leave it as it is.
Result<int64_t> total(Engine& engine, DictionaryId bank) {
  const auto snapshot = engine.snapshot();
  const auto cursor = engine.cursor(bank, {.snapshot = snapshot.get(), .own = {}});
  int64_t sum = 0;
  for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
    ASSIGN_OR_RETURN(const auto counters, decode_counters(cursor->value()));
    sum += counters.at(0);
  }
  RETURN_IF_ERROR(cursor->status());
  return sum;
}

Status transfer(Engine& engine, DictionaryId bank, std::mt19937_64& random) {
  const auto amount = static_cast<int64_t>(random() % 100);
  WriteBatch batch;
  batch.merge(bank, account(random() % kAccounts), MergeKind::kAddCounters,
              encode_counters(std::vector<int64_t>{amount}));
  batch.merge(bank, account(random() % kAccounts), MergeKind::kAddCounters,
              encode_counters(std::vector<int64_t>{-amount}));
  batch.put(bank, "~" + std::to_string(random()), encode_counters(std::vector<int64_t>{0}));
  return engine.commit(std::move(batch),
                       random() % 4 == 0 ? Durability::kAsync : Durability::kSync);
}

}  // namespace

TEST_CASE("readers see whole commits while writers, flushes and checkpoints go on") {
  MemoryFileSystem fs;
  EngineOptions options = tiny_engine(fs);
  options.background_threads = true;
  options.async_sync_ms = 1;
  auto engine = Engine::open(kEnginePath, options).value();
  const DictionaryId bank = engine->dictionary("bank", tiny_dictionary()).value();
  WriteBatch opening;
  for (size_t i = 0; i < kAccounts; ++i)
    opening.put(bank, account(i), encode_counters(std::vector<int64_t>{1000}));
  REQUIRE(engine->commit(std::move(opening), Durability::kSync));

  std::atomic<int> writing = 3;
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (uint64_t seed = 0; seed < 3; ++seed)
    threads.emplace_back([&, seed] {
      std::mt19937_64 random(seed);
      for (int i = 0; i < 400; ++i)
        if (!transfer(*engine, bank, random)) ++wrong;
      --writing;
    });
  for (int reader = 0; reader < 2; ++reader)
    threads.emplace_back([&] {
      while (writing > 0) {
        const auto sum = total(*engine, bank);
        if (!sum || *sum != kAccounts * 1000) ++wrong;
      }
    });
  threads.emplace_back([&] {
    while (writing > 0)
      if (!engine->checkpoint()) ++wrong;
  });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(total(*engine, bank).value() == kAccounts * 1000);
  CHECK(engine->counters().commits == 1201);
  CHECK(engine->verify().value().problems.empty());
  engine.reset();
  engine = Engine::open(kEnginePath, options).value();
  CHECK(total(*engine, bank).value() == kAccounts * 1000);
}

TEST_CASE("dictionaries are made and dropped while others are written") {
  MemoryFileSystem fs;
  EngineOptions options = tiny_engine(fs);
  options.background_threads = true;
  auto engine = Engine::open(kEnginePath, options).value();
  const DictionaryId stays = engine->dictionary("stays", tiny_dictionary()).value();
  std::atomic<int> wrong = 0;
  std::thread writer([&] {
    for (int i = 0; i < 500; ++i) {
      WriteBatch batch;
      batch.put(stays, std::to_string(i), std::string(100, 'v'));
      if (!engine->commit(std::move(batch), Durability::kSync)) ++wrong;
    }
  });
  for (int i = 0; i < 15; ++i) {
    const auto made = engine->dictionary("comes", tiny_dictionary());
    REQUIRE(made);
    WriteBatch batch;
    batch.put(*made, "a", std::to_string(i));
    REQUIRE(engine->commit(std::move(batch), Durability::kSync));
    REQUIRE(engine->drop_dictionary("comes"));
  }
  writer.join();
  CHECK(wrong == 0);
  CHECK(engine->verify().value().problems.empty());
}
