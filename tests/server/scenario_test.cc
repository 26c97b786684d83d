// What a user sees, statement by statement.
#include <doctest/doctest.h>

#include "store_fixture.h"

using namespace wherestar;
using namespace wherestar::server;

namespace {

// Three collections that hold 'Jippie' at different places.
void fill(TestStore& store) {
  REQUIRE(store("CREATE COLLECTION products") == "ok 0");
  REQUIRE(store("CREATE COLLECTION orders") == "ok 0");
  REQUIRE(store("CREATE COLLECTION reviews") == "ok 0");
  REQUIRE(store(R"(INSERT INTO products VALUES
      ('{"_id": "p1", "title": "Jippie", "year": 1974, "tags": ["red", "beach"]}'),
      ('{"_id": "p2", "title": "Beach ball", "year": 1980, "tags": []}'),
      ('{"_id": "p3", "title": "jippie", "year": 1974.0, "size": null}'))") == "ok 3");
  REQUIRE(store(R"(INSERT INTO orders VALUES
      ({"_id": "o1", "items": [{"title": "Ball", "n": 2}, {"title": "Jippie", "n": 1}]}))") ==
          "ok 1");
  REQUIRE(store(R"(INSERT INTO reviews VALUES
      ('{"_id": 7, "tags": ["Jippie", "good", "Jippie"], "stars": 5, "ok": true}'))") == "ok 1");
}

}  // namespace

TEST_CASE("a value is found in any collection at any path") {
  TestStore store;
  fill(store);
  CHECK(store("SELECT collection, _id FROM * WHERE * = 'Jippie' ORDER BY collection") ==
        "shop.orders | o1\nshop.products | p1\nshop.reviews | 7");
  CHECK(store("SELECT path, COUNT(*) FROM * WHERE * = 'Jippie' GROUP BY path ORDER BY path") ==
        "$.items[*].title | 1\n$.tags[*] | 2\n$.title | 1");
  CHECK(store("SELECT place, value FROM reviews WHERE * = 'Jippie'") ==
        "$.tags[0] | \"Jippie\"\n$.tags[2] | \"Jippie\"");
  CHECK(store("SELECT matches FROM orders WHERE * = 'Jippie'") ==
        R"([{"path":"$.items[1].title","value":"Jippie"}])");
  CHECK(store("SELECT _id FROM products WHERE * = 1974 ORDER BY _id") == "p1\np3");
  CHECK(store("SELECT _id FROM * WHERE * = '1974'").empty());
  CHECK(store("SELECT _id FROM * WHERE * IN ('red', 2) ORDER BY collection") == "o1\np1");
  CHECK(store("SELECT _id FROM * WHERE * BETWEEN 1975 AND 1990") == "p2");
  CHECK(store("SELECT _id FROM * WHERE * LIKE 'Bea%'") == "p2");
  CHECK(store("SELECT _id FROM * WHERE * LIKE 'jip%' COLLATE ci ORDER BY collection, _id") ==
        "o1\np1\np3\n7");
  CHECK(store("SELECT _id FROM * WHERE * = true") == "7");
  CHECK(store("SELECT _id FROM * WHERE * IS NULL") == "p3");
  CHECK(store("SELECT _id FROM * WHERE * = 'Jippie' AND * = 'good'") == "7");
  CHECK(store("SELECT _id FROM products WHERE NOT (* = 1974)") == "p2");
  CHECK(store("SELECT _id FROM * WHERE * = ?", {SqlValue::text("beach")}) == "p1");
  CHECK(store("SELECT _id FROM shop.* WHERE * < 3 ORDER BY collection") == "o1");
}

TEST_CASE("paths are asked as in MySQL") {
  TestStore store;
  fill(store);
  CHECK(store("SELECT _id FROM products WHERE title = 'Jippie'") == "p1");
  CHECK(store("SELECT _id FROM products WHERE year = 1974 ORDER BY _id") == "p1\np3");
  CHECK(store("SELECT _id FROM products WHERE title LIKE 'B%'") == "p2");
  CHECK(store("SELECT _id FROM products WHERE tags[*] = 'red'") == "p1");
  CHECK(store("SELECT _id FROM products WHERE 'red' IN tags") == "p1");
  CHECK(store("SELECT _id FROM products WHERE size IS NULL ORDER BY _id") == "p1\np2");
  CHECK(store("SELECT title->>'$', year + 1 FROM products WHERE _id = 'p1'") == "Jippie | 1975");
  CHECK(store("SELECT doc->>'$.title' FROM products WHERE _id = 'p2'") == "Beach ball");
}

TEST_CASE("grouping, sorting, limits and aggregates") {
  TestStore store;
  fill(store);
  CHECK(store("SELECT year, COUNT(*) AS n FROM products GROUP BY year ORDER BY n DESC, year") ==
        "1974 | 2\n1980 | 1");
  CHECK(store("SELECT title FROM products ORDER BY title DESC LIMIT 1 OFFSET 1") == "\"Jippie\"");
  CHECK(store("SELECT DISTINCT year FROM products ORDER BY year").find('\n') != std::string::npos);
  CHECK(store("SELECT COUNT(*), MIN(year), SUM(year) FROM products") == "3 | 1974 | 5928");
  CHECK(store("SELECT COUNT(*) FROM products WHERE year > 3000") == "0");
  CHECK(store("SELECT title FROM products GROUP BY title HAVING COUNT(*) > 1").empty());
  CHECK(store("SELECT JSON_ARRAYAGG(title) FROM products WHERE year = 1980") == "[\"Beach ball\"]");
}

TEST_CASE("documents are changed and removed, and the index follows") {
  TestStore store;
  fill(store);
  CHECK(store("UPDATE products SET title = 'Hoera', tags[0] = 'blue' WHERE _id = 'p1'") == "ok 1");
  CHECK(store("SELECT doc FROM products WHERE _id = 'p1'") ==
        R"({"_id":"p1","title":"Hoera","year":1974,"tags":["blue","beach"]})");
  CHECK(store("SELECT _id FROM products WHERE * = 'Jippie'").empty());
  CHECK(store("SELECT _id FROM products WHERE * = 'blue'") == "p1");
  CHECK(store("UPDATE products SET title = 'Hoera' WHERE _id = 'p1'") == "ok 0");
  CHECK(store("UPDATE products SET doc = JSON_SET(doc, '$.n', 1) WHERE _id = 'p2'") == "ok 1");
  CHECK(store("SELECT _id FROM products WHERE * = 1") == "p2");
  CHECK(store("UPDATE products REMOVE year WHERE year = 1974") == "ok 2");
  CHECK(store("SELECT _id FROM products WHERE * = 1974").empty());
  CHECK(store("DELETE FROM products WHERE title = 'Hoera'") == "ok 1");
  CHECK(store("SELECT COUNT(*) FROM products") == "2");
  CHECK(store("DELETE FROM products ORDER BY _id LIMIT 1") == "ok 1");
  CHECK(store("SELECT _id FROM products") == "p3");
  CHECK(store.store->verify().value().problems.empty());
}

TEST_CASE("ids are unique, made when missing, and stay") {
  TestStore store;
  CHECK(store("CREATE COLLECTION c") == "ok 0");
  CHECK(store(R"(INSERT INTO c VALUES ('{"_id": 1}'), ('{"_id": "1"}'), ('{"a": 2}'))") == "ok 3");
  CHECK(store(R"(INSERT INTO c VALUES ('{"_id": 5}'), ('{"_id": 1.0}'))")
            .ends_with("required to be: _id 1.0 in shop.c"));
  CHECK(store("SELECT COUNT(*) FROM c") == "3");
  CHECK(store(R"(REPLACE INTO c VALUES ('{"_id": 1, "b": true}'))") == "ok 2");
  CHECK(store("SELECT doc FROM c WHERE _id = 1") == R"({"_id": 1, "b": true})");
  CHECK(store("SELECT COUNT(*) FROM c WHERE a = 2") == "1");
  CHECK(store(R"(INSERT INTO c VALUES ('{"_id": true}'))").starts_with("error: "));
}

TEST_CASE("statistics tell of every path, and follow changes") {
  TestStore store;
  fill(store);
  CHECK(store("SELECT path, documents, value_count, integers, strings FROM "
              "information_schema.collection_paths WHERE collection_name = 'products' "
              "ORDER BY path") ==
        "$ | 3 | 3 | 0 | 0\n$._id | 3 | 3 | 0 | 3\n$.size | 1 | 1 | 0 | 0\n$.tags | 2 | 2 | 0 | 0\n"
        "$.tags[*] | 1 | 2 | 0 | 2\n$.title | 3 | 3 | 0 | 3\n$.year | 3 | 3 | 2 | 0");
  CHECK(store("SELECT documents, paths FROM information_schema.collections WHERE "
              "collection_name = 'products'") == "3 | 7");
  CHECK(store("SELECT SUM(documents) FROM information_schema.collection_shapes WHERE "
              "collection_name = 'products'") == "3");
  CHECK(store("DELETE FROM products WHERE _id <> 'p2'") == "ok 2");
  CHECK(store("SELECT path, value_count FROM information_schema.collection_paths WHERE "
              "collection_name = 'products' ORDER BY path") ==
        "$ | 1\n$._id | 1\n$.tags | 1\n$.title | 1\n$.year | 1");
}

TEST_CASE("EXPLAIN names the access path, and ANALYZE counts what was read") {
  TestStore store;
  fill(store);
  CHECK(store("EXPLAIN SELECT * FROM * WHERE * = 'Jippie'").find("values") != std::string::npos);
  CHECK(store("EXPLAIN SELECT * FROM products WHERE title = 'Jippie'").find("path_values") !=
        std::string::npos);
  CHECK(store("EXPLAIN SELECT * FROM products WHERE _id = 'p1'").find("ids") != std::string::npos);
  CHECK(store("EXPLAIN SELECT * FROM products WHERE JSON_LENGTH(doc) > 2").find("scan") !=
        std::string::npos);
  CHECK(store("EXPLAIN ANALYZE SELECT * FROM * WHERE * = 'Jippie'").find("exact") !=
        std::string::npos);
}

TEST_CASE("databases and collections come and go") {
  TestStore store;
  fill(store);
  CHECK(store("CREATE COLLECTION products").starts_with("error: Table 'products' already exists"));
  CHECK(store("CREATE COLLECTION IF NOT EXISTS products") == "ok 0");
  CHECK(store("SHOW COLLECTIONS") == "orders\nproducts\nreviews");
  CHECK(store("DROP COLLECTION orders") == "ok 0");
  CHECK(store("SELECT _id FROM * WHERE * = 'Ball'").empty());
  CHECK(store("SELECT * FROM orders").starts_with("error: "));
  CHECK(store("DROP COLLECTION orders").starts_with("error: "));
  CHECK(store("DROP COLLECTION IF EXISTS orders") == "ok 0");
  store.reopen();
  CHECK(store("USE shop") == "ok 0");
  CHECK(store("SHOW COLLECTIONS") == "products\nreviews");
  CHECK(store("DROP DATABASE shop") == "ok 2");
  CHECK(store("SELECT COUNT(*) FROM *") == "0");
  CHECK(store.store->verify().value().problems.empty());
}

TEST_CASE("a collection holds its documents to its schema") {
  TestStore store;
  CHECK(store(R"(CREATE COLLECTION c VALIDATION '{"required": ["a"]}' LEVEL strict)") == "ok 0");
  CHECK(store(R"(INSERT INTO c VALUES ('{"_id": 1, "a": 1}'))") == "ok 1");
  CHECK(store(R"(INSERT INTO c VALUES ('{"_id": 2}'))").find("'required'") != std::string::npos);
  CHECK(store("UPDATE c REMOVE a").find("'required'") != std::string::npos);
  CHECK(store("ALTER COLLECTION c VALIDATION LEVEL off") == "ok 0");
  CHECK(store(R"(INSERT INTO c VALUES ('{"_id": 2}'))") == "ok 1");
}

TEST_CASE("wrong input gets an error that says what and where, and changes nothing") {
  TestStore store;
  fill(store);
  CHECK(store("SELECT * form products") == "error: near 'form' (line 1, column 10): expected FROM");
  CHECK(store("SELECT * FROM nowhere") == "error: Table 'shop.nowhere' doesn't exist");
  CHECK(store("SELECT * FROM nodb.c").starts_with("error: "));
  CHECK(store("SELECT nosuch(1)") == "error: FUNCTION shop.nosuch does not exist");
  CHECK(store("INSERT INTO products VALUES ('{\"a\": 1,\n  \"b\" 2}')").find("line 2, column 7") !=
        std::string::npos);
  CHECK(store("INSERT INTO products VALUES ('[1]')").starts_with("error: "));
  CHECK(store("INSERT INTO products VALUES ('{\"_id\": \"x\"}'), ('{')").starts_with("error: "));
  CHECK(store("SELECT COUNT(*) FROM products") == "3");
  CHECK(
      store("SELECT _id FROM products WHERE title REGEXP '('").starts_with("error: wrong regular"));
  const std::string large = "{\"_id\": 1, \"a\": \"" + std::string(1000, 'x') + "\"}";
  CHECK(store("SELECT ?", {}).starts_with("error: "));
  CHECK(store("SELECT 1/0") == "NULL");
}

TEST_CASE("everything is there after reopening") {
  TestStore store;
  fill(store);
  for (const bool checkpointed : {false, true}) {
    if (checkpointed) REQUIRE(store.store->checkpoint());
    store.reopen();
    CHECK(store("SELECT COUNT(*) FROM * WHERE * = 'Jippie'") == "3");
    const auto report = store.store->verify();
    REQUIRE(report);
    for (const std::string& problem : report->problems) FAIL_CHECK(problem);
    CHECK(report->documents == 5);
  }
}

TEST_CASE("reindex makes the same index and statistics again") {
  TestStore store;
  fill(store);
  const std::string paths = store("SELECT * FROM information_schema.collection_paths");
  REQUIRE(store.store->reindex({}));
  CHECK(store("SELECT COUNT(*) FROM * WHERE * = 'Jippie'") == "3");
  CHECK(store("SELECT * FROM information_schema.collection_paths") == paths);
  CHECK(store.store->verify().value().problems.empty());
}
