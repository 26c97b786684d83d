// Predicates on `*` and on paths with wildcards: true if some scalar satisfies them.
#include <chrono>

#include <doctest/doctest.h>

#include "tests/random_documents.h"
#include "tests/server/evaluator_fixture.h"

namespace wherestar::server {
namespace {

using document::Json;

constexpr std::string_view kDocument = R"({
  "_id": "d1", "title": "Beach towel", "year": 1974, "text_year": "1974", "price": 12.5,
  "tags": ["red", "beach", 7, null], "sizes": [{"name": "S", "stock": 3}, {"name": "L", "stock": 0}],
  "sold": false, "nested": {"deep": [[1, [2]], "x"]}})";

TEST_CASE("an any-path predicate holds if some scalar satisfies it") {
  const ExpressionCase cases[] = {
      {"* = 'beach'", "TRUE"},
      {"* = 'Beach'", "FALSE"},
      {"* = 1974", "TRUE"},
      {"* = 1974.0", "TRUE"},
      {"* = '1974'", "TRUE"},
      {"* = 'd1'", "TRUE"},
      {"* = 'title'", "FALSE"},
      {"* = 12.50", "TRUE"},
      {"* = '12.5'", "FALSE"},
      {"* = FALSE", "TRUE"},
      {"* = TRUE", "FALSE"},
      {"* = 0", "TRUE"},
      {"* = 1", "TRUE"},
      {"* IS NULL", "TRUE"},
      {"* IS NOT NULL", "TRUE"},
      {"* IS TRUE", "FALSE"},
      {"* IS FALSE", "TRUE"},
      {"* = NULL", "NULL"},
      {"'beach' = *", "TRUE"},
      {"1970 < *", "TRUE"},
      {"1974 < *", "FALSE"},
      {"* > 1974", "FALSE"},
      {"* >= 1974", "TRUE"},
      {"* < 0", "FALSE"},
      {"* > 'x'", "FALSE"},
      {"* >= 'x'", "TRUE"},
      {"* BETWEEN 12 AND 13", "TRUE"},
      {"* BETWEEN 13 AND 100", "FALSE"},
      {"* BETWEEN 'bea' AND 'beb'", "TRUE"},
      {"* BETWEEN 1 AND 'z'", "FALSE"},
      {"* BETWEEN NULL AND 3", "NULL"},
      {"* NOT BETWEEN 0 AND 5", "TRUE"},
      {"* NOT BETWEEN 0 AND 2000", "FALSE"},
      {"* IN ('x', 'y')", "TRUE"},
      {"* IN ('y', 1974)", "TRUE"},
      {"* IN ('y')", "FALSE"},
      {"* IN ('y', NULL)", "NULL"},
      {"* IN ('x', NULL)", "TRUE"},
      {"* NOT IN ('x', NULL)", "NULL"},
      {"* NOT IN (TRUE)", "TRUE"},
      {"* NOT IN (FALSE)", "FALSE"},
      {"* LIKE 'Bea%'", "TRUE"},
      {"* LIKE 'bea%'", "TRUE"},
      {"* LIKE '%TOWEL'", "FALSE"},
      {"* LIKE '%TOWEL' COLLATE ci", "TRUE"},
      {"* LIKE '12.5'", "FALSE"},
      {"* NOT LIKE '%'", "FALSE"},
      {"* REGEXP '^[a-z]{3}$'", "TRUE"},
      {"* REGEXP '^[a-z]{4}$'", "FALSE"},
      {"* REGEXP '^BEACH$' COLLATE ci", "TRUE"},
      {"* != 'x'", "TRUE"},
      {"* != FALSE", "FALSE"},
      {"* != TRUE", "TRUE"},
      {"NOT (* = 'nowhere')", "TRUE"},
      {"NOT (* = 'red')", "FALSE"},
      {"* = 'red' AND * = 'beach'", "TRUE"},
      {"* = 'red' AND * = 'blue'", "FALSE"},
      {"* = 'red' AND $.year = 1974", "TRUE"},
      {"* = 2", "TRUE"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("a path with wildcards is an any-path predicate of its places") {
  const ExpressionCase cases[] = {
      {"$.tags[*] = 'red'", "TRUE"},    {"$.tags[*] = 'blue'", "FALSE"},
      {"$.tags[*] = 7", "TRUE"},        {"$.tags[*] = '7'", "FALSE"},
      {"$.tags[*] != 'red'", "TRUE"},   {"$.tags[0 to 1] = 'beach'", "TRUE"},
      {"$.tags[0 to 1] = 7", "FALSE"},  {"$.sizes[*].name = 'L'", "TRUE"},
      {"$.sizes[*].stock > 2", "TRUE"}, {"$.sizes[*].stock > 3", "FALSE"},
      {"$**.name = 'S'", "TRUE"},       {"$**.name LIKE 's'", "FALSE"},
      {"$.* = 1974", "TRUE"},           {"$.* = 3", "FALSE"},
      {"$.sizes[*] = 3", "FALSE"},      {"$.title[*] = 'Beach towel'", "FALSE"},
      {"$.missing[*] = 1", "FALSE"},    {"NOT ($.missing[*] = 1)", "TRUE"},
      {"$.tags[*] IS NULL", "TRUE"},    {"$.sizes[*].name IN ('M', 'L')", "TRUE"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("v IN $**.* finds strings, numbers and values inside arrays") {
  const ExpressionCase cases[] = {
      {"'beach' IN $**.*", "TRUE"},     {"1974 IN $**.*", "TRUE"},
      {"2 IN $**.*", "TRUE"},           {"'L' IN $**.*", "TRUE"},
      {"'nowhere' IN $**.*", "FALSE"},  {"'nowhere' NOT IN $**.*", "TRUE"},
      {"NULL IN $**.*", "TRUE"},        {"['red', 7] IN $**.*", "TRUE"},
      {"{name: 'L'} IN $**.*", "TRUE"}, {"{name: 'L', stock: 3} IN $**.*", "FALSE"},
      {"'red' IN $.tags[*]", "TRUE"},   {"2 IN $.nested.*", "TRUE"},
      {"'L' IN $.*", "FALSE"},          {"1 IN $.missing[*]", "NULL"},
      {"'beach' IN *", "TRUE"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
  CHECK(evaluated("1 IN $**.*") == "NULL");
}

TEST_CASE("values are exact: neighbours of 2^53 and of 2^64 are told apart") {
  const std::string_view document = R"({"a": 9007199254740993, "b": [18446744073709551615]})";
  CHECK(evaluated("* = 9007199254740993", document) == "TRUE");
  CHECK(evaluated("* = 9007199254740992", document) == "FALSE");
  CHECK(evaluated("* = 18446744073709551615", document) == "TRUE");
  CHECK(evaluated("* = 18446744073709551614", document) == "FALSE");
}

std::string matches(std::string_view sql, std::string_view text = kDocument) {
  Evaluating row(text);
  const auto parsed = parse_sql_condition(sql);
  if (!parsed) return "error: " + parsed.error().message;
  const auto places = collect_matches(*parsed, Row{&row.document, {}}, row.context);
  if (!places) return "error: " + places.error().message;
  std::string out;
  for (const document::Place& place : *places)
    out += (out.empty() ? "" : " ") + place.place + "=" + place.value->to_text();
  return out;
}

TEST_CASE("matches are the places that satisfied a predicate, each once, in document order") {
  CHECK(matches("* = 'beach'") == R"($.tags[1]="beach")");
  CHECK(matches("* > 1000") == "$.year=1974");
  CHECK(matches("* = 'x' OR * = 'red' OR $.tags[*] = 'red'") ==
        R"($.tags[0]="red" $.nested.deep[1]="x")");
  CHECK(matches("* LIKE '%ea%' AND $.year > 5") == R"($.title="Beach towel" $.tags[1]="beach")");
  CHECK(matches("$.sizes[*].stock >= 0") == "$.sizes[0].stock=3 $.sizes[1].stock=0");
  CHECK(matches("'L' IN $**.*") == R"($.sizes[1].name="L")");
  CHECK(matches("* IS NULL") == "$.tags[3]=null");
  CHECK(matches("$.year = 1974").empty());
  CHECK(matches("NOT (* = 'red')").empty());
  CHECK(matches("* = 1", R"({"a b": {"1": [[1]]}})") == R"($."a b"."1"[0][0]=1)");
}

TEST_CASE("a condition tells whether it looks at any path") {
  const std::pair<std::string_view, bool> cases[] = {
      {"* = 1", true},
      {"$.a = 1", false},
      {"$.a[*] = 1", true},
      {"NOT (* = 1)", true},
      {"$.a = 1 OR * = 2", true},
      {"1 IN $**.*", true},
      {"$.a IN (1, 2)", false},
      {"LENGTH($.a[*]) > 1", false},
      {"IF(* = 1, 2, 3) = 2", true},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    const auto parsed = parse_sql_condition(sql);
    REQUIRE(parsed);
    CHECK(has_any_path_predicate(*parsed) == expected);
  }
}

TEST_CASE("a comparison of two paths that are both many places is refused") {
  Evaluating row(kDocument);
  const auto result = row.value("* = $.tags[*]");
  REQUIRE(!result);
  CHECK(result.error().code == ErrorCode::kInvalidExpression);
  CHECK(row("* = $.tags[0]") == "TRUE");
  const auto pattern = row.value("* REGEXP '('");
  REQUIRE(!pattern);
  CHECK(pattern.error().code == ErrorCode::kInvalidExpression);
}

TEST_CASE("a statement beyond its time stops within a document") {
  std::string text = R"({"a": ["x")";
  for (int i = 0; i < 10'000; ++i) text += ", \"x\"";
  Evaluating row(text + "]}");
  row.context.deadline = std::chrono::steady_clock::time_point::min();
  const auto result = row.value("* = 'y'");
  REQUIRE(!result);
  CHECK(result.error().code == ErrorCode::kTimeout);
  Evaluating small(R"({"a": "x"})");
  small.context.deadline = std::chrono::steady_clock::time_point::min();
  const auto slow = small.value("* REGEXP 'y'");
  REQUIRE(!slow);
  CHECK(slow.error().code == ErrorCode::kTimeout);
}

void scalars_of(const Json& json, std::vector<const Json*>& out) {
  if (json.is_array()) {
    for (const Json& element : json.elements()) scalars_of(element, out);
  } else if (json.is_object()) {
    for (const auto& member : json.members()) scalars_of(member.second, out);
  } else {
    out.push_back(&json);
  }
}

TEST_CASE("on random documents any-path predicates agree with a plain walk") {
  testing::RandomDocuments random(11);
  for (uint64_t id = 0; id < 300; ++id) {
    Evaluating row(random.next(id));
    REQUIRE(row.document.is_object());
    std::vector<const Json*> scalars;
    scalars_of(row.document, scalars);
    const Json value =
        random.below(2) == 0 ? random.scalar() : *scalars[random.below(scalars.size())];
    CAPTURE(row.document.to_text());
    CAPTURE(value.to_text());
    size_t equal = 0;
    size_t below = 0;
    for (const Json* scalar : scalars) {
      const bool alike =
          scalar->type() == value.type() || (scalar->is_number() && value.is_number());
      if (*scalar == value) ++equal;
      if (alike && scalar->compare(value) < 0) ++below;
    }
    Expression is_equal = apply(Operator::kEqual, {any_path(), literal(SqlValue::json(value))});
    CHECK(shown(row.value(is_equal)) == (equal > 0 ? "TRUE" : "FALSE"));
    const auto places = collect_matches(is_equal, Row{&row.document, {}}, row.context);
    REQUIRE(places);
    CHECK(places->size() == equal);
    CHECK(shown(row.value(apply(Operator::kLess, {any_path(), literal(SqlValue::json(value))}))) ==
          (below > 0 ? "TRUE" : "FALSE"));
    CHECK(shown(row.value(
              apply(Operator::kContainedIn, {literal(SqlValue::json(value)), path("$**.*")}))) ==
          (equal > 0 ? "TRUE" : "FALSE"));
  }
}

}  // namespace
}  // namespace wherestar::server
