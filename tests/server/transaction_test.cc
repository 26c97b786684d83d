#include <algorithm>
#include <semaphore>
#include <thread>

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

namespace {

// A store whose statements wait for locks, and a signal when one begins to.
struct Waiting {
  MemoryFileSystem fs;
  std::counting_semaphore<> waits{0};
  std::unique_ptr<Store> store;
  std::unique_ptr<Session> first, second;

  Waiting() {
    StoreOptions options = memory_store(fs);
    options.lock_wait_timeout_ms = 60'000;
    options.on_lock_wait = [this] { waits.release(); };
    store = Store::open("/data", options).value();
    first = store->make_session({}).value();
    second = store->make_session({}).value();
    REQUIRE(run(*first, "CREATE DATABASE shop") == "ok 1");
    for (Session* session : {first.get(), second.get()})
      REQUIRE(run(*session, "USE shop") == "ok 0");
    REQUIRE(run(*first, "CREATE COLLECTION c") == "ok 0");
    REQUIRE(run(*first, R"(INSERT INTO c VALUES ('{"_id": 1, "g": "x"}'), ('{"_id": 2, "g": "y"}'),
                                               ('{"_id": 3, "g": "z"}'))") == "ok 3");
  }
  ~Waiting() {
    first.reset();
    second.reset();
  }
};

// What one session sees is the same whichever way it is asked.
void check_agreement(TestStore& store, const std::string& condition, const std::string& ids) {
  CAPTURE(condition);
  const std::string count = std::to_string(ids.empty() ? 0 : std::ranges::count(ids, '\n') + 1);
  for (const char* access : {"scan", "auto"}) {
    CAPTURE(access);
    REQUIRE(store("SET wherestar_access = '" + std::string(access) + "'") == "ok 0");
    CHECK(store("SELECT _id FROM c WHERE " + condition + " ORDER BY _id") == ids);
    CHECK(store("SELECT COUNT(*) FROM c WHERE " + condition) == count);
  }
}

}  // namespace

TEST_CASE("writing over what others committed meanwhile keeps one view of the rest") {
  Two store;
  REQUIRE(store("INSERT INTO c VALUES ('{\"_id\": 3, \"n\": 0}'), ('{\"_id\": 4, \"n\": 0}')") ==
          "ok 2");
  REQUIRE(store("BEGIN") == "ok 0");
  REQUIRE(store("SELECT COUNT(*) FROM c WHERE n = 0") == "2");
  REQUIRE(store.second("UPDATE c SET n = 7 WHERE _id IN (3, 1)") == "ok 2");
  REQUIRE(store.second("INSERT INTO c VALUES ('{\"_id\": 5, \"n\": 0}')") == "ok 1");
  REQUIRE(store.second("DELETE FROM c WHERE _id = 2") == "ok 1");
  SUBCASE("an update sees the newest state") {
    CHECK(store("UPDATE c SET n = n + 1 WHERE _id = 3") == "ok 1");
    check_agreement(store, "n = 0", "4");
    check_agreement(store, "n = 8", "3");
    check_agreement(store, "n = 7", "");
    check_agreement(store, "n = 1", "1");
    CHECK(store("SELECT value_count FROM information_schema.collection_paths WHERE path = '$.n'") ==
          "4");
    CHECK(store("COMMIT") == "ok 0");
    check_agreement(store, "n = 0", "4\n5");
    check_agreement(store, "n >= 7", "1\n3");
  }
  SUBCASE("documents that came and went") {
    CHECK(store("DELETE FROM c WHERE _id = 5") == "ok 1");
    CHECK(store("INSERT INTO c VALUES ('{\"_id\": 2, \"n\": 20}')") == "ok 1");
    check_agreement(store, "n = 0", "3\n4");
    check_agreement(store, "n IS NOT NULL", "1\n2\n3\n4");
    check_agreement(store, "* = 20", "2");
    CHECK(store("SELECT COUNT(*) FROM c") == "4");
    SUBCASE("committed") {
      CHECK(store("COMMIT") == "ok 0");
      check_agreement(store, "n IS NOT NULL", "1\n2\n3\n4");
      check_agreement(store, "n = 7", "1\n3");
    }
    SUBCASE("rolled back") {
      CHECK(store("ROLLBACK") == "ok 0");
      check_agreement(store, "n IS NOT NULL", "1\n3\n4\n5");
      check_agreement(store, "n = 7", "1\n3");
    }
  }
  SUBCASE("a savepoint takes such a change back") {
    CHECK(store("SAVEPOINT s") == "ok 0");
    CHECK(store("UPDATE c SET n = 9 WHERE _id = 1") == "ok 1");
    check_agreement(store, "n = 9", "1");
    CHECK(store("ROLLBACK TO s") == "ok 0");
    check_agreement(store, "n = 1", "1");
    check_agreement(store, "n = 9", "");
    CHECK(store("UPDATE c SET n = 10 WHERE _id = 1") == "ok 1");
    check_agreement(store, "n = 10", "1");
    check_agreement(store, "n = 1", "");
  }
  CHECK((store("COMMIT") == "ok 0"));
  CHECK(store.store->verify().value().problems.empty());
}

TEST_CASE("READ COMMITTED sees what was committed before each statement, SERIALIZABLE is refused") {
  Two store;
  CHECK(store("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE").starts_with("error: SERIALIZABLE"));
  CHECK(store("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED") == "ok 0");
  CHECK(store("SELECT @@transaction_isolation") == "READ-COMMITTED");
  CHECK(store("BEGIN") == "ok 0");
  CHECK(store("SELECT n FROM c WHERE _id = 1") == "1");
  CHECK(store.second("UPDATE c SET n = 5 WHERE _id = 1") == "ok 1");
  check_agreement(store, "n = 5", "1");
  CHECK(store("UPDATE c SET n = n + 1 WHERE _id = 1") == "ok 1");
  check_agreement(store, "n = 6", "1");
  CHECK(store.second("UPDATE c SET n = 5 WHERE _id = 2") == "ok 1");
  check_agreement(store, "n IN (5, 6)", "1\n2");
  CHECK(store("COMMIT") == "ok 0");
}

TEST_CASE("transaction_read_only refuses writes in and out of transactions") {
  Two store;
  CHECK(store("SET SESSION TRANSACTION READ ONLY") == "ok 0");
  CHECK(store("DELETE FROM c").starts_with("error: "));
  CHECK(store("BEGIN") == "ok 0");
  CHECK(store("DELETE FROM c").starts_with("error: "));
  CHECK(store("COMMIT") == "ok 0");
  CHECK(store("SET SESSION TRANSACTION READ WRITE") == "ok 0");
  CHECK(store("DELETE FROM c") == "ok 2");
}

TEST_CASE("a variable that cannot have a value, or has no effect, says so") {
  Two store;
  CHECK(store("SET wherestar_access = 'fast'").starts_with("error: "));
  CHECK(store("SET innodb_lock_wait_timeout = 0").starts_with("error: "));
  CHECK(store("SET max_execution_time = -1").starts_with("error: "));
  CHECK(store("SET version = '1'").starts_with("error: "));
  CHECK(store("SET sql_mode = ''") == "ok 0");
  REQUIRE(store.session->warnings().size() == 1);
  CHECK(store.session->warnings()[0].message.find("no effect") != std::string::npos);
}

TEST_CASE("a deadlock while rows are pulled ends the victim's transaction") {
  Waiting store;
  REQUIRE(run(*store.first, "BEGIN") == "ok 0");
  REQUIRE(run(*store.second, "BEGIN") == "ok 0");
  REQUIRE(run(*store.first, "SELECT _id FROM c WHERE _id = 1 FOR UPDATE") == "1");
  REQUIRE(run(*store.second, "SELECT _id FROM c WHERE _id = 2 FOR UPDATE") == "2");
  std::string of_first;
  std::thread thread([&] { of_first = run(*store.first, "SELECT _id FROM c FOR UPDATE"); });
  store.waits.acquire();  // the first waits for 2
  const std::string of_second = run(*store.second, "SELECT _id FROM c FOR UPDATE");
  thread.join();
  CHECK(of_second.starts_with("error: Deadlock"));
  CHECK(of_first == "1\n2\n3");
  CHECK_FALSE(store.second->in_transaction());
  CHECK(store.first->in_transaction());
  // What follows stands for itself, and holds nobody up.
  CHECK(run(*store.first, "COMMIT") == "ok 0");
  CHECK(run(*store.second, "UPDATE c SET g = 'w' WHERE _id = 3") == "ok 1");
  CHECK(run(*store.first, "SELECT g FROM c WHERE _id = 3") == "\"w\"");
}

TEST_CASE("what a transaction that was waited for commits is changed and locked too") {
  Waiting store;
  REQUIRE(run(*store.first, "BEGIN") == "ok 0");
  REQUIRE(run(*store.first, "UPDATE c SET a = 1 WHERE _id = 1") == "ok 1");
  REQUIRE(run(*store.first, "UPDATE c SET g = 'x' WHERE _id = 3") == "ok 1");
  REQUIRE(run(*store.first, "INSERT INTO c VALUES ('{\"_id\": 4, \"g\": \"x\"}')") == "ok 1");
  std::string statement, wanted;
  SUBCASE("update") {
    statement = "UPDATE c SET seen = true WHERE g = 'x'";
    wanted = "ok 3";
  }
  SUBCASE("delete") {
    statement = "DELETE FROM c WHERE g = 'x'";
    wanted = "ok 3";
  }
  SUBCASE("select") {
    statement = "SELECT _id FROM c WHERE g = 'x' FOR UPDATE";
    wanted = "1\n3\n4";
  }
  SUBCASE("count") {
    statement = "SELECT COUNT(*) FROM c WHERE g = 'x' FOR SHARE";
    wanted = "3";
  }
  std::string got;
  std::thread thread([&] { got = run(*store.second, statement); });
  store.waits.acquire();
  CHECK(run(*store.first, "COMMIT") == "ok 0");
  thread.join();
  CHECK(got == wanted);
}

TEST_CASE("aggregates FOR UPDATE lock what they count, and see the newest of it") {
  Two store;
  REQUIRE(store("BEGIN") == "ok 0");
  REQUIRE(store("SELECT COUNT(*) FROM c") == "2");
  REQUIRE(store.second("UPDATE c SET n = 40 WHERE _id = 1") == "ok 1");
  CHECK(store("SELECT SUM(n) FROM c FOR UPDATE") == "42");
  CHECK(store("SELECT SUM(n) FROM c") == "3");
  CHECK(store.second("UPDATE c SET n = 41 WHERE _id = 1").starts_with("error: "));
  REQUIRE(store("COMMIT") == "ok 0");
}
