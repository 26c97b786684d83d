// CAST to every type, from text, numbers and paths.
#include <doctest/doctest.h>

#include "tests/server/evaluator_fixture.h"

namespace wherestar::server {
namespace {

TEST_CASE("CAST to numbers takes what it can read") {
  const ExpressionCase cases[] = {
      {"CAST('12abc' AS SIGNED)", "12"},
      {"CAST('true' AS SIGNED)", "0"},
      {"CAST('1.5' AS SIGNED)", "1"},
      {"CAST(1.5 AS SIGNED)", "2"},
      {"CAST(-1.5 AS SIGNED)", "-2"},
      {"CAST(' 42' AS UNSIGNED)", "42u"},
      {"CAST(-1 AS UNSIGNED)", "18446744073709551615u"},
      {"CAST('99999999999999999999' AS SIGNED)", "9223372036854775807"},
      {"CAST('99999999999999999999' AS UNSIGNED)", "18446744073709551615u"},
      {"CAST(18446744073709551615 AS SIGNED)", "-1"},
      {"CAST(1e30 AS SIGNED)", "9223372036854775807"},
      {"CAST($.t AS SIGNED)", "0"},
      {"CAST($.n AS SIGNED)", "42"},
      {"CAST($.text AS UNSIGNED INTEGER)", "42u"},
      {"CAST($.missing AS SIGNED)", "NULL"},
      {"CAST('1.555' AS DECIMAL(10,2))", "1.56m"},
      {"CAST('-1.555' AS DECIMAL(10,2))", "-1.56m"},
      {"CAST(7 AS DECIMAL(10,2))", "7.00m"},
      {"CAST('12.7' AS DECIMAL)", "13m"},
      {"CAST('12345' AS DECIMAL(3,0))", "999m"},
      {"CAST('-12345' AS DECIMAL(3,1))", "-99.9m"},
      {"CAST('abc' AS DECIMAL(5,2))", "0.00m"},
      {"CAST('1e2' AS DECIMAL(10,1))", "100.0m"},
      {"CAST('0.1' AS DOUBLE)", "0.1d"},
      {"CAST(1 AS FLOAT)", "1d"},
      {"CAST('2024-05-01' AS YEAR)", "2024"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, R"({"t": true, "n": 42, "text": "42"})") == expected);
  }
}

TEST_CASE("CAST to text cuts and pads") {
  const ExpressionCase cases[] = {
      {"CAST(12.50 AS CHAR)", "'12.50'"},      {"CAST('beach' AS CHAR(3))", "'bea'"},
      {"CAST('日本語' AS CHAR(2))", "'日本'"}, {"CAST('ab' AS CHAR(5))", "'ab'"},
      {"CAST('ab' AS BINARY)", "x'6162'"},     {"CAST('ab' AS BINARY(4))", "x'61620000'"},
      {"CAST('abc' AS BINARY(2))", "x'6162'"}, {"CAST($.o AS CHAR)", "'{\"a\": 1}'"},
      {"CAST($.t AS CHAR)", "'true'"},         {"CAST(NULL AS CHAR)", "NULL"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, R"({"t": true, "o": {"a": 1}})") == expected);
  }
}

TEST_CASE("CAST to dates refuses what is none") {
  const ExpressionCase cases[] = {
      {"CAST('2024-02-29' AS DATE)", "date 2024-02-29"},
      {"CAST('2023-02-29' AS DATE)", "NULL"},
      {"CAST('2004-02-30' AS DATE)", "NULL"},
      {"CAST('2024-01-31 10:20:30' AS DATE)", "date 2024-01-31"},
      {"CAST('2024-01-31' AS DATETIME)", "datetime 2024-01-31 00:00:00"},
      {"CAST('2024-01-31T10:20:30Z' AS DATETIME)", "datetime 2024-01-31 10:20:30"},
      {"CAST('10:20:30' AS TIME)", "time 10:20:30"},
      {"CAST('-838:59:59' AS TIME)", "time -838:59:59"},
      {"CAST('839:00:00' AS TIME)", "NULL"},
      {"CAST('nonsense' AS DATETIME)", "NULL"},
      {"CAST('2024-13-01' AS DATE)", "NULL"},
      {"CAST('2024-00-01' AS DATE)", "NULL"},
      {"CAST($.d AS DATE)", "date 2020-01-02"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, R"({"d": "2020-01-02"})") == expected);
  }
}

TEST_CASE("CAST to JSON parses text") {
  CHECK(evaluated("CAST('[1, {\"a\": null}]' AS JSON)") == "json [1,{\"a\":null}]");
  CHECK(evaluated("CAST((1 + 6) AS JSON)") == "json 7");
  CHECK(evaluated("CAST(TRUE AS JSON)") == "json true");
  CHECK(evaluated("CAST($.a AS JSON)", R"({"a": "[1]"})") == "json [1]");
  Evaluating row;
  const auto wrong = row.value("CAST('{oops' AS JSON)");
  REQUIRE(!wrong);
  CHECK(wrong.error().code == ErrorCode::kInvalidJson);
  CHECK(wrong.error().message.starts_with(
      "Invalid JSON text in argument 1 to function cast_as_json"));
}

TEST_CASE("CAST says what it cut, and refuses unknown types") {
  Evaluating row;
  CHECK(row("CAST('12abc' AS SIGNED)") == "12");
  REQUIRE(row.context.warnings.size() == 1);
  CHECK(row.context.warnings[0].code == 1292);
  CHECK(row.context.warnings[0].message == "Truncated incorrect INTEGER value: '12abc'");
  CHECK(row("CAST('12345' AS DECIMAL(3,0))") == "999m");
  REQUIRE(row.context.warnings.size() == 2);
  CHECK(row.context.warnings[1].code == 1264);
  const auto unknown = row.value("CAST(1 AS POINT)");
  REQUIRE(!unknown);
  CHECK(unknown.error().code == ErrorCode::kInvalidExpression);
  const auto long_one = row.value("CAST('x' AS BINARY(999999999))");
  REQUIRE(!long_one);
  CHECK(long_one.error().code == ErrorCode::kLimitExceeded);
}

}  // namespace
}  // namespace wherestar::server
