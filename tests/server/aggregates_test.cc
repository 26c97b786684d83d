// Aggregates over the rows of a group.
#include <cmath>

#include <doctest/doctest.h>

#include "tests/server/evaluator_fixture.h"

namespace wherestar::server {
namespace {

struct Group {
  std::vector<std::string_view> documents;
  EvaluationContext context;

  std::string operator()(std::string_view sql) {
    const auto parsed = parse_sql_condition(sql);
    if (!parsed) return "error: " + parsed.error().message;
    if (!is_aggregate(*parsed)) return "error: no aggregate";
    auto made = Accumulator::make(*parsed);
    if (!made) return "error: " + made.error().message;
    for (const std::string_view text : documents) {
      const document::Json document = json_of(text);
      if (const Status added = (*made)->add(Row{&document, {}}, context); !added)
        return "error: " + added.error().message;
    }
    return shown((*made)->result(context));
  }
};

Group people() {
  return {{R"({"age": 9, "name": "ann", "half": "1.5", "b": 6})",
           R"({"age": 10, "name": "bob", "half": "2.5", "b": 3})",
           R"({"name": "ann", "half": null, "b": 5, "age": null})", R"({"name": "cid"})"},
          {}};
}

TEST_CASE("aggregates over some rows") {
  Group group = people();
  const ExpressionCase cases[] = {
      {"COUNT(*)", "4"},
      {"COUNT($.age)", "3"},
      {"COUNT($.missing)", "0"},
      {"COUNT(DISTINCT $.name)", "3"},
      {"COUNT(DISTINCT $.name, $.b)", "3"},
      {"SUM($.age)", "19d"},
      {"SUM($.half)", "4d"},
      {"SUM(1)", "4m"},
      {"SUM(0.10)", "0.40m"},
      {"SUM(DISTINCT 1)", "1m"},
      {"AVG(2)", "2.0000m"},
      {"AVG(1.5)", "1.50000m"},
      {"MIN($.age)", "'10'"},
      {"MAX($.age)", "'null'"},
      {"MIN($.age + 0)", "0d"},
      {"MAX($.name)", "'cid'"},
      {"MIN(3)", "3"},
      {"GROUP_CONCAT($.name)", "'ann,bob,ann,cid'"},
      {"GROUP_CONCAT(DISTINCT $.name)", "'ann,bob,cid'"},
      {"GROUP_CONCAT($.missing)", "NULL"},
      {"JSON_ARRAYAGG($.age)", "json [9,10,null,null]"},
      {"JSON_OBJECTAGG($.name, $.b)", "json {\"ann\":5,\"bob\":3,\"cid\":null}"},
      {"BIT_AND(CAST($.b AS UNSIGNED))", "0u"},
      {"BIT_OR(CAST($.b AS UNSIGNED))", "7u"},
      {"BIT_XOR(CAST($.b AS UNSIGNED))", "0u"},
      {"count($.age)", "3"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(group(sql) == expected);
  }
}

TEST_CASE("aggregates over no row") {
  Group group;
  const ExpressionCase cases[] = {
      {"COUNT(*)", "0"},
      {"COUNT($.a)", "0"},
      {"SUM($.a)", "NULL"},
      {"AVG($.a)", "NULL"},
      {"MIN($.a)", "NULL"},
      {"MAX($.a)", "NULL"},
      {"GROUP_CONCAT($.a)", "NULL"},
      {"JSON_ARRAYAGG($.a)", "NULL"},
      {"STDDEV($.a)", "NULL"},
      {"BIT_AND($.a)", "18446744073709551615u"},
      {"BIT_OR($.a)", "0u"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(group(sql) == expected);
  }
}

TEST_CASE("spread is computed around the mean") {
  Group group{{R"({"x": 2})", R"({"x": 4})", R"({"x": 4})", R"({"x": 4})", R"({"x": 5})",
               R"({"x": 5})", R"({"x": 7})", R"({"x": 9})"},
              {}};
  CHECK(group("STD($.x)") == "2d");
  CHECK(group("STDDEV_POP($.x)") == "2d");
  CHECK(group("VAR_POP($.x)") == "4d");
  CHECK(group("VARIANCE($.x)") == "4d");
  CHECK(group("VAR_SAMP($.x)").starts_with("4.57142857142857"));
  Group one{{R"({"x": 2})"}, {}};
  CHECK(one("VAR_SAMP($.x)") == "NULL");
  CHECK(one("VAR_POP($.x)") == "0d");
}

TEST_CASE("whole and decimal sums stay exact") {
  Group group{{R"({"n": "9223372036854775807"})", R"({"n": "9223372036854775807"})"}, {}};
  CHECK(group("SUM(CAST($.n AS SIGNED))") == "18446744073709551614m");
  CHECK(group("AVG(CAST($.n AS SIGNED))") == "9223372036854775807.0000m");
  CHECK(group("SUM(CAST($.n AS DECIMAL(30,5)))") == "18446744073709551614.00000m");
}

TEST_CASE("GROUP_CONCAT is cut at 1024 bytes, between characters, with a warning") {
  std::string text = R"({"s": ")";
  for (int i = 0; i < 500; ++i) text += "é";
  text += "\"}";
  Group group{{text, text}, {}};
  const std::string out = group("GROUP_CONCAT($.s)");
  CHECK(out.size() == 2 + 1023);
  REQUIRE(group.context.warnings.size() == 1);
  CHECK(group.context.warnings[0].code == 1260);
}

TEST_CASE("wrong use of aggregates is an error") {
  Group group = people();
  CHECK(group("SUM($.a, $.b)") ==
        "error: Incorrect parameter count in the call to native function 'SUM'");
  CHECK(group("JSON_OBJECTAGG($.name)") ==
        "error: Incorrect parameter count in the call to native function 'JSON_OBJECTAGG'");
  CHECK(group("JSON_OBJECTAGG($.missing, 1)") ==
        "error: JSON documents may not contain NULL member names.");
  CHECK(group("LENGTH($.name)") == "error: no aggregate");
  CHECK(!is_aggregate(any_path()));
}

TEST_CASE("an accumulator's memory grows with what it keeps") {
  const auto grown = [](std::string_view sql) {
    const auto parsed = parse_sql_condition(sql);
    REQUIRE(parsed);
    auto made = Accumulator::make(*parsed);
    REQUIRE(made);
    EvaluationContext context;
    const size_t before = (*made)->memory_bytes();
    for (int i = 0; i < 100; ++i) {
      const document::Json document = json_of(fmt::format(R"({{"s": "{:0>100}"}})", i));
      REQUIRE((*made)->add(Row{&document, {}}, context));
    }
    return (*made)->memory_bytes() - before;
  };
  CHECK(grown("COUNT(*)") == 0);
  CHECK(grown("COUNT(DISTINCT $.s)") >= 10'000);
  CHECK(grown("JSON_ARRAYAGG($.s)") >= 10'000);
  CHECK(grown("GROUP_CONCAT($.s)") >= 1'024);
  CHECK(grown("MAX($.s)") >= 100);
}

}  // namespace
}  // namespace wherestar::server
