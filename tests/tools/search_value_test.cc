#include "tools/search_value.h"

#include <doctest/doctest.h>

using namespace wherestar;
using namespace wherestar::tools;

namespace {

document::Json parse(std::string_view text) {
  auto json = document::Json::parse(text);
  REQUIRE(json);
  return *json;
}

SearchValue value_of(std::string_view word, bool prefix = false) {
  auto value = parse_search_value(word, prefix);
  REQUIRE(value);
  return *value;
}

}  // namespace

TEST_CASE("numbers are numbers, everything else is a string") {
  CHECK(value_of("Beach").cell.kind == CellKind::kText);
  CHECK(value_of("1974").cell.kind == CellKind::kNumber);
  CHECK(value_of("-5").cell.kind == CellKind::kNumber);
  CHECK(value_of(" -5").cell.kind == CellKind::kText);
  CHECK(value_of("-5 apples").cell.text == "-5 apples");
  CHECK(value_of("1e3").cell.kind == CellKind::kNumber);
  CHECK(value_of("01").cell.kind == CellKind::kText);
  CHECK(value_of("1974-01").cell.kind == CellKind::kText);
  CHECK(value_of("\"1974\"").cell.kind == CellKind::kText);
  CHECK(value_of("\"1974\"").cell.text == "1974");
  CHECK(value_of("\"a\\u0062\"").cell.text == "ab");
  CHECK(value_of("true").cell.kind == CellKind::kText);
  CHECK(value_of("").cell.kind == CellKind::kText);
  CHECK(value_of("19", true).cell.kind == CellKind::kText);
  CHECK_FALSE(parse_search_value("\"a\"b\"", false));
  CHECK(parse_search_value("1e400", false).error().code == ErrorCode::kNumberOutOfRange);
  CHECK(value_of("\"1e400\"").cell.text == "1e400");
  CHECK(value_of("1e400", true).cell.kind == CellKind::kText);
}

TEST_CASE("types are respected, and numbers compare by value") {
  CHECK(matches(value_of("1974"), parse("1974")));
  CHECK(matches(value_of("1974"), parse("1974.0")));
  CHECK_FALSE(matches(value_of("1974"), parse("\"1974\"")));
  CHECK_FALSE(matches(value_of("9007199254740993"), parse("9007199254740992")));
  CHECK(matches(value_of("Beach"), parse("\"Beach\"")));
  CHECK_FALSE(matches(value_of("Beach"), parse("\"beach\"")));
  CHECK_FALSE(matches(value_of("Beach"), parse("[\"Beach\"]")));
  CHECK(matches(value_of("Bea", true), parse("\"Beach\"")));
}

TEST_CASE("twins have the other type") {
  CHECK(twin_of(value_of("1974"))->cell.kind == CellKind::kText);
  CHECK(twin_of(value_of("\"1974\""))->cell.kind == CellKind::kNumber);
  CHECK_FALSE(twin_of(value_of("Beach")));
}

TEST_CASE("every place of a document is found, with positions") {
  const document::Json json = parse(R"({"_id":"x","t":"x","a":[{"n":"y"},{"n":"x"}],"o":{"x":1}})");
  auto places = find_places(value_of("x"), json, nullptr);
  REQUIRE(places.size() == 3);
  CHECK(places[0].place == "$._id");
  CHECK(places[1].place == "$.t");
  CHECK(places[2].place == "$.a[1].n");
  CHECK(places[2].path == "$.a[*].n");
  CHECK(places[2].value == "\"x\"");

  const auto path = document::PathExpression::parse("$.a[*].n");
  REQUIRE(path);
  places = find_places(value_of("x"), json, &*path);
  REQUIRE(places.size() == 1);
  CHECK(places[0].place == "$.a[1].n");
}

TEST_CASE("the excerpt shows a few short values, and not the match") {
  const document::Json json = parse(
      R"({"_id":"1","title":"Beach","text":"a very long text that says nothing at all","m":"linen",)"
      R"("s":"XL","n":null,"p":1163.330,"q":9})");
  CHECK(excerpt(json, "$.title") == "linen · XL · 1163.330");
  CHECK(excerpt(parse("{}"), "$.x").empty());
}
