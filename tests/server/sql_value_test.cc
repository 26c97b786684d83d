// Values, their text and what they become inside JSON.
#include "server/sql_value.h"

#include <cmath>

#include <doctest/doctest.h>

#include "tests/server/evaluator_fixture.h"

namespace wherestar::server {
namespace {

TEST_CASE("a value keeps its type and content") {
  CHECK(SqlValue().is_null());
  CHECK(SqlValue::null().type() == SqlType::kNull);
  CHECK(SqlValue::signed_integer(INT64_MIN).as_signed() == INT64_MIN);
  CHECK(SqlValue::unsigned_integer(UINT64_MAX).as_unsigned() == UINT64_MAX);
  CHECK(SqlValue::real(-0.5).as_double() == -0.5);
  CHECK(SqlValue::decimal("-12.50").string() == "-12.50");
  CHECK(SqlValue::text("é").string() == "é");
  CHECK(SqlValue::binary(std::string("\0x", 2)).string().size() == 2);
  CHECK(SqlValue::boolean(true).is_boolean());
  CHECK(!SqlValue::signed_integer(1).is_boolean());
  CHECK(SqlValue::temporal(SqlType::kDate, "2024-01-31").type() == SqlType::kDate);
}

TEST_CASE("JSON text is parsed when looked into, and goes out as it was") {
  const SqlValue value = SqlValue::json_text(R"({"b": 1.50, "a": [18446744073709551615]})");
  CHECK(value.json_as_text() == R"({"b": 1.50, "a": [18446744073709551615]})");
  REQUIRE(value.as_json().member("b") != nullptr);
  CHECK(value.as_json().member("b")->number_text() == "1.50");
  const SqlValue copy = value;
  CHECK(copy.as_json().member("a")->elements().size() == 1);
  CHECK(SqlValue::json(json_of("[1, 2]")).json_as_text() == "[1,2]");
}

TEST_CASE("values become JSON of their kind") {
  const std::pair<SqlValue, std::string_view> cases[] = {
      {SqlValue::null(), "null"},
      {SqlValue::boolean(false), "false"},
      {SqlValue::signed_integer(-1), "-1"},
      {SqlValue::unsigned_integer(UINT64_MAX), "18446744073709551615"},
      {SqlValue::real(46), "46.0"},
      {SqlValue::real(0.1), "0.1"},
      {SqlValue::decimal("6.250"), "6.250"},
      {SqlValue::text("a\"b"), "\"a\\\"b\""},
      {SqlValue::temporal(SqlType::kDate, "2024-01-31"), "\"2024-01-31\""},
      {SqlValue::json_text("[ 1 ]"), "[1]"},
  };
  for (const auto& [value, expected] : cases) {
    const auto json = to_json(value);
    REQUIRE(json);
    CHECK(json->to_text() == expected);
  }
  const auto bytes = to_json(SqlValue::binary("\xff"));
  REQUIRE(!bytes);
  CHECK(bytes.error().code == ErrorCode::kInvalidUtf8);
  const auto infinite = to_json(SqlValue::real(INFINITY));
  REQUIRE(!infinite);
  CHECK(infinite.error().code == ErrorCode::kNumberOutOfRange);
}

TEST_CASE("values have the text that CONCAT sees") {
  const std::pair<SqlValue, std::string_view> cases[] = {
      {SqlValue::null(), ""},
      {SqlValue::boolean(true), "1"},
      {SqlValue::signed_integer(-5), "-5"},
      {SqlValue::real(0.5), "0.5"},
      {SqlValue::real(100), "100"},
      {SqlValue::real(1e20), "1e20"},
      {SqlValue::real(1.5e-7), "1.5e-7"},
      {SqlValue::real(-0.0), "0"},
      {SqlValue::decimal("1.50"), "1.50"},
      {SqlValue::json(json_of(R"({"a":[1,2]})")), R"({"a": [1, 2]})"},
  };
  for (const auto& [value, expected] : cases) CHECK(to_text(value) == expected);
}

}  // namespace
}  // namespace wherestar::server
