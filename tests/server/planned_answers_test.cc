// Answers that an index gives are those that the documents give, whatever is asked in whichever
// way.
#include <doctest/doctest.h>

#include "store_fixture.h"

using namespace wherestar;
using namespace wherestar::server;

namespace {

struct Collection : TestStore {
  Collection() { REQUIRE((*this)("CREATE COLLECTION c") == "ok 0"); }
  void add(std::initializer_list<const char*> documents) {
    for (const char* document : documents)
      REQUIRE((*this)("INSERT INTO c VALUES (?)", {SqlValue::text(document)}) == "ok 1");
  }
  // The answer, the same by index and by scan.
  std::string both(const std::string& statement) {
    REQUIRE((*this)("SET wherestar_access = 'scan'") == "ok 0");
    std::string scanned = (*this)(statement);
    REQUIRE((*this)("SET wherestar_access = 'auto'") == "ok 0");
    CAPTURE(statement);
    CHECK((*this)(statement) == scanned);
    return scanned;
  }
  std::string where(const std::string& condition) {
    return both("SELECT _id FROM c WHERE " + condition + " ORDER BY _id");
  }
};

}  // namespace

TEST_CASE("->> is the text of a value, -> the value") {
  Collection c;
  c.add({R"({"_id": 1, "a": 5})", R"({"_id": 2, "a": "5"})", R"({"_id": 3, "a": "[5]"})",
         R"({"_id": 4, "a": 5.0})", R"({"_id": 5, "a": true})", R"({"_id": "6", "a": null})",
         R"({"_id": 7, "b": [5, "x"]})"});
  CHECK(c.where("doc->>'$.a' = '5'") == "1\n2");
  CHECK(c.where("doc->'$.a' = '5'") == "2");
  CHECK(c.where("'5' = doc->>'$.a'") == "1\n2");
  CHECK(c.where("doc->>'$.a' IN ('5', 'true', 'null')") == "1\n2\n5\n6");
  CHECK(c.where("doc->>'$.a' = 'true'") == "5");
  CHECK(c.where("doc->>'$.a' = '[5]'") == "3");
  CHECK(c.where("JSON_CONTAINS(doc->>'$.a', '5')") == "1\n2\n3\n4");
  CHECK(c.where("doc->>'$._id' = '7'") == "7");
  CHECK(c.where("doc->>'$._id' = '6'") == "6");
  CHECK(c.where("doc->>'$._id' IN ('1', '6')") == "1\n6");
  CHECK(c.where("doc->>'$.b[*]' = '[5, \"x\"]'") == "7");
  CHECK(c.where("NOT (doc->>'$.a' = '5')") == "3\n4\n5\n6");
  CHECK(c.where("doc->>'$.a' LIKE '5%'") == "1\n2\n4");
  CHECK(c.where("doc->>'$.a' IS NULL") == "7");
  CHECK(c.where("doc->>'$.a' BETWEEN '4' AND '5'") == "1\n2");
  CHECK(c("EXPLAIN SELECT _id FROM c WHERE doc->>'$.a' = '5'").find("path_values") !=
        std::string::npos);
}

TEST_CASE("conditions on matches, path, place and value decide on rows") {
  Collection c;
  c.add({R"({"_id": 1, "b": "x", "tags": ["y", "x"]})", R"({"_id": 2, "b": "x"})",
         R"({"_id": 3, "tags": ["y"]})", R"({"_id": 4, "b": "z"})"});
  CHECK(c.where("* = 'x' AND JSON_LENGTH(matches) > 1") == "1");
  CHECK(c.where("* = 'x' AND JSON_LENGTH(matches) = 1") == "2");
  CHECK(c.both("SELECT _id, path FROM c WHERE (* = 'x' AND path = '$.b') OR "
               "(* = 'y' AND path = '$.tags[*]') ORDER BY _id, place") ==
        "1 | $.b\n1 | $.tags[*]\n1 | $.tags[*]\n2 | $.b\n3 | $.tags[*]");
  CHECK(c.both("SELECT _id, place FROM c WHERE * IN ('x', 'y') AND value = 'y' ORDER BY 1, 2") ==
        "1 | $.tags[0]\n3 | $.tags[0]");
  CHECK(c.both("SELECT COUNT(*) FROM c WHERE * = 'x' AND path = '$.b'") == "2");
  CHECK(c.both("SELECT _id, place FROM c WHERE collection = 'shop.c' AND * = 'y' ORDER BY 1") ==
        "1 | $.tags[0]\n3 | $.tags[0]");
  CHECK(c.both("SELECT _id, place FROM c WHERE collection = 'shop.d' AND * = 'y'").empty());
  CHECK(c.both("SELECT COUNT(*) FROM c WHERE collection = 'shop.c'") == "4");
  CHECK(c.both("SELECT COUNT(*) FROM c WHERE NOT (collection = 'shop.c')") == "0");
  CHECK(c.both("SELECT path FROM c WHERE NOT (NOT (* = 'z'))") == "$.b");
  CHECK(c.both("SELECT place FROM c WHERE * = 'z' OR NOT (* = 'y') LIMIT 5") == "$.b");
}

TEST_CASE("HAVING filters rows where there are no groups") {
  Collection c;
  c.add({R"({"_id": 1, "n": 1})", R"({"_id": 2, "n": 2})", R"({"_id": 3, "n": 3})"});
  CHECK(c("SELECT 1 FROM c HAVING 1 = 0").empty());
  CHECK(c("SELECT _id, n + 1 AS m FROM c HAVING m > 2 ORDER BY m DESC") == "3 | 4\n2 | 3");
  CHECK(c("SELECT _id FROM c HAVING n > 1 LIMIT 1") == "2");
  CHECK(c("SELECT COUNT(*) FROM c HAVING COUNT(*) > 3").empty());
}

TEST_CASE("a position names an item of the select list, and must be one") {
  Collection c;
  c.add({R"({"_id": 1, "g": "a"})", R"({"_id": 2, "g": "b"})", R"({"_id": 3, "g": "a"})"});
  CHECK(c("SELECT g, COUNT(*) FROM c GROUP BY 1 ORDER BY 2 DESC") == "\"a\" | 2\n\"b\" | 1");
  CHECK(c("SELECT path, COUNT(*) FROM c WHERE * = 'a' GROUP BY 1") == "$.g | 2");
  CHECK(c("SELECT g FROM c ORDER BY 7").starts_with("error: Unknown column '7' in 'order clause'"));
  CHECK(c("SELECT g FROM c GROUP BY 0").starts_with("error: Unknown column '0' in 'group"));
  CHECK(c("SELECT COUNT(*) FROM c GROUP BY 1").starts_with("error: Can't group on 'COUNT(*)'"));
  CHECK(c("SELECT _id FROM c ORDER BY -1, _id") == "1\n2\n3");
}

TEST_CASE("UPDATE may use the columns of its row") {
  Collection c;
  c.add({R"({"_id": 1})"});
  CHECK(c("UPDATE c SET z = collection, d = JSON_LENGTH(doc) WHERE collection = 'shop.c'") ==
        "ok 1");
  CHECK(c("SELECT z, d FROM c") == "\"shop.c\" | 1");
}

TEST_CASE("a view has columns only") {
  Collection c;
  CHECK(c("SELECT * FROM information_schema.tables WHERE * = 'c'").starts_with("error: `*`"));
}

TEST_CASE("sums and means of great numbers are numbers or an error") {
  Collection c;
  c.add({R"({"_id": 1, "n": 1e308})", R"({"_id": 2, "n": 1e308})"});
  CHECK(c("SELECT SUM(n) FROM c") == "error: DOUBLE value is out of range");
  CHECK(c("SELECT AVG(n) FROM c") == "1e308");
  CHECK(c("SELECT STD(n) FROM c") == "0");
}

TEST_CASE("bit aggregates take all 64 bits") {
  Collection c;
  c.add({R"({"_id": 1, "n": 18446744073709551615})", R"({"_id": 2, "n": 9223372036854775808})"});
  CHECK(c("SELECT BIT_OR(n), BIT_AND(n), BIT_XOR(n) FROM c") ==
        "18446744073709551615 | 9223372036854775808 | 9223372036854775807");
  CHECK(c("SELECT -9223372036854775809, -9223372036854775808") ==
        "-9223372036854775809 | -9223372036854775808");
}

TEST_CASE("statistics of a transaction that rolled back leave no trace in last_seen") {
  Collection c;
  CHECK(c("BEGIN") == "ok 0");
  c.add({R"({"_id": 1, "a": 1})"});
  CHECK(c("ROLLBACK") == "ok 0");
  c.add({R"({"_id": 1, "a": 1})"});
  CHECK(c("SELECT COUNT(*) FROM information_schema.collection_paths WHERE last_seen < "
          "'2000-01-01'") == "0");
  CHECK(c("SELECT COUNT(*) FROM information_schema.collection_shapes WHERE last_seen < "
          "'2000-01-01'") == "0");
}

TEST_CASE("few distinct values are counted exactly, long texts too, whatever was there before") {
  Collection c;
  const std::string tail(200, 'x');
  for (int i = 0; i < 23; ++i)
    c("INSERT INTO c VALUES (?)", {SqlValue::text("{\"_id\": " + std::to_string(i) + ", \"s\": \"" +
                                                  std::to_string(i) + tail + "\"}")});
  CHECK(c("DELETE FROM c WHERE _id > 3") == "ok 19");
  CHECK(c("SELECT distinct_values, distinct_is_exact FROM information_schema.collection_paths "
          "WHERE path = '$.s'") == "4 | 1");
}

TEST_CASE("least and greatest of long texts are whole, also where names are folded") {
  Collection c;
  const std::string tail(200, 'x');
  std::string document = "{\"_id\": 1, \"s\": \"b" + tail + "\", \"users\": {";
  for (int i = 0; i < 400; ++i)
    document += (i > 0 ? ", \"u" : "\"u") + std::to_string(1000 + i) + "\": \"" +
                std::to_string(1000 + i) + tail + "\"";
  c("INSERT INTO c VALUES (?)", {SqlValue::text(document + "}}")});
  CHECK(c("SELECT min_value, max_value FROM information_schema.collection_paths WHERE path IN "
          "('$.s', '$.users.*') AND collection_name = 'c' ORDER BY path") ==
        "\"b" + tail + "\" | \"b" + tail + "\"\n\"1256" + tail + "\" | \"1399" + tail + "\"");
}
