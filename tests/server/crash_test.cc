// Crash clones of a store under inserts, updates and deletes: unsynced writes are really lost.
// After reopening every acknowledged document is there, and index and statistics agree with a
// recount.
#include <cstdlib>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "store_fixture.h"

using namespace wherestar;
using namespace wherestar::server;

namespace {

constexpr double kKeep[] = {0.0, 0.3, 0.6, 0.9, 1.0};
using Documents = std::map<std::string, std::string>;  // by _id

Documents documents_of(Session& session) {
  Documents out;
  auto result = session.execute_sql("SELECT _id, doc FROM * WHERE TRUE", {});
  if (!result) FAIL(result.error().message);
  while (true) {
    auto row = result->rows->next();
    if (!row) FAIL(row.error().message);
    if (!*row) return out;
    out[(**row)[0].json_as_text()] = (**row)[1].json_as_text();
  }
}

void check_reopened(MemoryFileSystem& fs, const Documents& acknowledged, const Documents& pending) {
  auto store = Store::open("/data", memory_store(fs));
  if (!store) FAIL(store.error().message);
  {
    auto session = (*store)->make_session({}).value();
    const Documents found = documents_of(*session);
    const bool whole = found == acknowledged || found == pending;
    REQUIRE(whole);
    // The index finds each of them.
    for (const auto& [id, text] : found) {
      const size_t at = text.find("\"mark\"");
      if (at == std::string::npos) continue;
      const std::string mark = text.substr(at + 9, text.find('"', at + 9) - at - 9);
      REQUIRE(run(*session, "SELECT _id FROM * WHERE * = '" + mark + "'") == id);
    }
  }
  const auto report = (*store)->verify();
  if (!report) FAIL(report.error().message);
  for (const std::string& problem : report->problems) FAIL_CHECK(problem);
}

uint64_t run_crashes(uint64_t seed, uint64_t one_in) {
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  TestStore store;
  REQUIRE(store("CREATE COLLECTION c") == "ok 0");
  Documents acknowledged;
  Documents pending;
  uint64_t calls = 0;
  uint64_t crashes = 0;
  store.fs.on_call([&](FileCall, const std::string&) {
    if (++calls % one_in != 0) return;
    ++crashes;
    CAPTURE(calls);
    auto clone = store.fs.crash_clone(calls * 31 + seed, {.keep_probability = kKeep[crashes % 5]});
    check_reopened(*clone, acknowledged, pending);
  });
  for (int step = 0; step < 120; ++step) {
    const std::string id = std::to_string(random() % 40);
    const std::string mark = "m" + std::to_string(step);
    pending = acknowledged;
    std::string sql;
    if (random() % 4 == 0) {
      sql = "DELETE FROM c WHERE _id = " + id;
      pending.erase(id);
    } else {
      const std::string text = "{\"_id\": " + id + ", \"mark\": \"" + mark + "\", \"t\": [" +
                               std::to_string(random() % 9) + ", \"" +
                               std::string(random() % 200, 'x') + "\"]}";
      sql = "REPLACE INTO c VALUES ('" + text + "')";
      pending[id] = text;
    }
    const std::string result = store(sql);
    REQUIRE_MESSAGE(result.starts_with("ok"), result);
    acknowledged = pending;
    if (random() % 40 == 0) REQUIRE(store.store->checkpoint());
  }
  store.fs.on_call({});
  return crashes;
}

}  // namespace

TEST_CASE("documents survive crashes at any file call") {
  const bool long_run = std::getenv("WHERESTAR_LONG_TESTS") != nullptr;
  uint64_t crashes = 0;
  for (uint64_t seed = 1; seed <= (long_run ? 20U : 2U); ++seed)
    crashes += run_crashes(seed, long_run ? 20 : 23);
  CHECK(crashes >= (long_run ? 200 : 10));
}
