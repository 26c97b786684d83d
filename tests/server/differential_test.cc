// The index and a scan give the same answer: random documents, random conditions.
//
// A condition that is ORed with something that no index knows is answered by a scan; EXPLAIN shows
// that the two roads differ.
#include <random>

#include <doctest/doctest.h>

#include "store_fixture.h"

using namespace wherestar;
using namespace wherestar::server;

namespace {

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed) {}
  size_t below(size_t n) { return random_() % n; }

  std::string scalar() {
    switch (below(8)) {
      case 0:
        return std::to_string(static_cast<int>(below(12)) - 4);
      case 1:
        return std::to_string(below(10)) + "." + std::to_string(below(3) * 5);
      case 2:
        return below(2) == 0 ? "true" : "false";
      case 3:
        return "null";
      case 4:
        return below(2) == 0 ? "9007199254740993" : "9007199254740992";
      default:
        return "\"" + word() + "\"";
    }
  }
  std::string value(int depth) {
    if (depth > 0 && below(5) == 0) {
      std::string out = "[";
      for (size_t n = below(4); n > 0; --n) out += (out.size() > 1 ? ", " : "") + value(depth - 1);
      return out + "]";
    }
    if (depth > 0 && below(5) == 0) return object(depth - 1);
    return scalar();
  }
  std::string object(int depth, const std::string& first = "") {
    std::string out = "{" + first;
    for (size_t n = 1 + below(4); n > 0; --n)
      out += (out.size() > 1 ? ", \"" : "\"") + member() + "\": " + value(depth);
    return out + "}";
  }
  std::string word() {
    static constexpr const char* kWords[] = {"red", "Red", "beach", "bea", "b",
                                             "",    "12",  "été",   "x y"};
    return kWords[below(9)];
  }
  std::string member() { return std::string(1, static_cast<char>('a' + below(4))); }
  std::string path() {
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        return "*";
      case 3:
        return member() + "[*]";
      case 4:
        return "$**." + member();
      case 5:
        return member() + "." + member();
      default:
        return member();
    }
  }
  std::string literal() {
    const std::string json = scalar();
    if (json == "null") return "1";
    if (json[0] != '"') return json;
    return "'" + json.substr(1, json.size() - 2) + "'";
  }
  std::string predicate() {
    const std::string place = path();
    switch (below(8)) {
      case 0:
        return place + " IN (" + literal() + ", " + literal() + ")";
      case 1:
        return place + " BETWEEN " + literal() + " AND " + literal();
      case 2:
        return place + " LIKE '" + word().substr(0, 2) + "%'";
      case 3:
        return place + (below(2) == 0 ? " < " : " >= ") + literal();
      case 4:
        return place + " IS " + (below(2) == 0 ? "NOT " : "") + "NULL";
      case 5:
        return literal() + " IN $**.*";
      default:
        return place + (below(6) == 0 ? " != " : " = ") + literal();
    }
  }
  std::string condition(int depth) {
    if (depth == 0 || below(3) == 0) return predicate();
    switch (below(4)) {
      case 0:
        return "NOT (" + condition(depth - 1) + ")";
      case 1:
        return "(" + condition(depth - 1) + " OR " + condition(depth - 1) + ")";
      default:
        return "(" + condition(depth - 1) + " AND " + condition(depth - 1) + ")";
    }
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace

TEST_CASE("an answer from the index is that of a scan") {
  size_t indexed = 0;
  size_t hits = 0;
  for (uint64_t seed = 1; seed <= 6; ++seed) {
    Generator generate(seed);
    TestStore store;
    REQUIRE(store("CREATE COLLECTION c") == "ok 0");
    REQUIRE(store("CREATE COLLECTION d") == "ok 0");
    for (int i = 0; i < 120; ++i)
      REQUIRE(store(std::string("INSERT INTO ") + (i % 3 == 0 ? "d" : "c") + " VALUES (?)",
                    {SqlValue::text(generate.object(2, "\"_id\": " + std::to_string(i)))}) ==
              "ok 1");
    for (int i = 0; i < 20; ++i)
      store("UPDATE c SET a = ? WHERE _id = ?",
            {SqlValue::text(generate.word()),
             SqlValue::signed_integer(static_cast<int64_t>(generate.below(120)))});
    for (int i = 0; i < 10; ++i)
      store("DELETE FROM c WHERE _id = ?",
            {SqlValue::signed_integer(static_cast<int64_t>(generate.below(120)))});
    for (int i = 0; i < 150; ++i) {
      const std::string condition = generate.condition(2);
      const std::string from = generate.below(3) == 0 ? " FROM c WHERE " : " FROM * WHERE ";
      CAPTURE(seed);
      CAPTURE(condition);
      const std::string quick =
          store("SELECT collection, _id" + from + condition + " ORDER BY 1, 2");
      const std::string slow = store("SELECT collection, _id" + from + "(" + condition +
                                     ") OR JSON_DEPTH(doc) > 99 ORDER BY 1, 2");
      REQUIRE_FALSE(quick.starts_with("error"));
      REQUIRE(quick == slow);
      if (!quick.empty()) ++hits;
      if (store("EXPLAIN SELECT _id" + from + condition).find("scan") == std::string::npos)
        ++indexed;
    }
    REQUIRE(store.store->verify().value().problems.empty());
  }
  CHECK(indexed > 200);
  CHECK(hits > 200);
}
