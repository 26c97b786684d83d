#include <doctest/doctest.h>

#include "store_fixture.h"

using namespace wherestar;
using namespace wherestar::server;

namespace {

struct Two : TestStore {
  std::unique_ptr<Session> other;
  Two() {
    REQUIRE((*this)("CREATE COLLECTION c") == "ok 0");
    REQUIRE((*this)(R"(INSERT INTO c VALUES ('{"_id": 1, "n": 1}'), ('{"_id": 2, "n": 2}'))") ==
            "ok 2");
    other = store->make_session({}).value();
    REQUIRE(run(*other, "USE shop") == "ok 0");
  }
  ~Two() { other.reset(); }
  std::string second(std::string_view sql) { return run(*other, sql); }
};

}  // namespace

TEST_CASE("own writes are seen, others see them after COMMIT") {
  Two store;
  CHECK(store("START TRANSACTION") == "ok 0");
  CHECK(store("INSERT INTO c VALUES ('{\"_id\": 3, \"n\": \"new\"}')") == "ok 1");
  CHECK(store("UPDATE c SET n = 10 WHERE _id = 1") == "ok 1");
  CHECK(store("SELECT _id FROM * WHERE * = 'new'") == "3");
  CHECK(store("SELECT _id FROM * WHERE * = 10") == "1");
  CHECK(store.second("SELECT _id FROM * WHERE * = 'new'").empty());
  CHECK(store.second("SELECT n FROM c WHERE _id = 1") == "1");
  CHECK(store("COMMIT") == "ok 0");
  CHECK(store.second("SELECT _id FROM * WHERE * = 'new'") == "3");
}

TEST_CASE("ROLLBACK leaves nothing, not in the index and not in the statistics") {
  Two store;
  const std::string before = store("SELECT * FROM information_schema.collection_paths");
  CHECK(store("BEGIN") == "ok 0");
  CHECK(store("DELETE FROM c WHERE _id = 1") == "ok 1");
  CHECK(store("INSERT INTO c VALUES ('{\"_id\": 3, \"m\": \"new\"}')") == "ok 1");
  CHECK(store("SELECT COUNT(*) FROM c") == "2");
  CHECK(store("ROLLBACK") == "ok 0");
  CHECK(store("SELECT COUNT(*) FROM c") == "2");
  CHECK(store("SELECT _id FROM c WHERE * = 'new'").empty());
  CHECK(store("SELECT * FROM information_schema.collection_paths") == before);
  CHECK(store.store->verify().value().problems.empty());
}

TEST_CASE("savepoints undo a part") {
  Two store;
  CHECK(store("BEGIN") == "ok 0");
  CHECK(store("INSERT INTO c VALUES ('{\"_id\": 3}')") == "ok 1");
  CHECK(store("SAVEPOINT a") == "ok 0");
  CHECK(store("INSERT INTO c VALUES ('{\"_id\": 4}')") == "ok 1");
  CHECK(store("SAVEPOINT b") == "ok 0");
  CHECK(store("ROLLBACK TO a") == "ok 0");
  CHECK(store("ROLLBACK TO b") == "error: SAVEPOINT b does not exist");
  CHECK(store("RELEASE SAVEPOINT a") == "ok 0");
  CHECK(store("COMMIT") == "ok 0");
  CHECK(store("SELECT _id FROM c ORDER BY _id") == "1\n2\n3");
}

TEST_CASE("a failed statement is undone alone") {
  Two store;
  CHECK(store("BEGIN") == "ok 0");
  CHECK(store("INSERT INTO c VALUES ('{\"_id\": 3}')") == "ok 1");
  CHECK(store("INSERT INTO c VALUES ('{\"_id\": 4}'), ('{\"_id\": 1}')").starts_with("error: "));
  CHECK(store("COMMIT") == "ok 0");
  CHECK(store("SELECT _id FROM c ORDER BY _id") == "1\n2\n3");
}

TEST_CASE("two sessions do not change one document at once") {
  Two store;
  CHECK(store("BEGIN") == "ok 0");
  CHECK(store("UPDATE c SET n = 100 WHERE _id = 1") == "ok 1");
  CHECK(store.second("UPDATE c SET n = 200 WHERE _id = 1").starts_with("error: "));
  CHECK(store.second("UPDATE c SET n = 200 WHERE _id = 2") == "ok 1");
  CHECK(store("COMMIT") == "ok 0");
  CHECK(store.second("UPDATE c SET n = n + 1 WHERE _id = 1") == "ok 1");
  CHECK(store("SELECT n FROM c ORDER BY _id") == "101.0\n200");
}

TEST_CASE("a read-only transaction refuses writes") {
  Two store;
  CHECK(store("START TRANSACTION READ ONLY") == "ok 0");
  CHECK(store("DELETE FROM c").starts_with("error: "));
  CHECK(store("SELECT COUNT(*) FROM c") == "2");
}

TEST_CASE("a reader keeps its snapshot within a transaction") {
  Two store;
  CHECK(store("BEGIN") == "ok 0");
  CHECK(store("SELECT COUNT(*) FROM c") == "2");
  CHECK(store.second("DELETE FROM c WHERE _id = 1") == "ok 1");
  CHECK(store("SELECT COUNT(*) FROM c") == "2");
  CHECK(store("SELECT _id FROM c WHERE * = 1") == "1");
  CHECK(store("COMMIT") == "ok 0");
  CHECK(store("SELECT COUNT(*) FROM c") == "1");
}

TEST_CASE("sessions that end roll back") {
  Two store;
  CHECK(store.second("BEGIN") == "ok 0");
  CHECK(store.second("DELETE FROM c") == "ok 2");
  store.other.reset();
  CHECK(store("SELECT COUNT(*) FROM c") == "2");
  CHECK(store("DELETE FROM c WHERE _id = 2") == "ok 1");
}
