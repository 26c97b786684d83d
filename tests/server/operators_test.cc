// What operators give, on values and on paths of one document.
#include <doctest/doctest.h>

#include "tests/server/evaluator_fixture.h"

namespace wherestar::server {
namespace {

constexpr std::string_view kDocument = R"({
  "_id": "d1", "n": 5, "big": 9007199254740993, "huge": 18446744073709551615, "half": 0.5,
  "s": "beach", "digits": "100", "upper": "Beach", "empty": "", "t": true, "f": false,
  "null": null, "zero": 0, "list": [1, "two", null, [3]], "object": {"b": 1, "a": 2},
  "date": "2024-01-31"})";

TEST_CASE("logic has three values") {
  const ExpressionCase cases[] = {
      {"TRUE AND NULL", "NULL"},
      {"FALSE AND NULL", "FALSE"},
      {"NULL AND FALSE", "FALSE"},
      {"TRUE OR NULL", "TRUE"},
      {"NULL OR TRUE", "TRUE"},
      {"FALSE OR NULL", "NULL"},
      {"TRUE XOR NULL", "NULL"},
      {"TRUE XOR FALSE", "TRUE"},
      {"TRUE XOR TRUE", "FALSE"},
      {"NOT NULL", "NULL"},
      {"NOT TRUE", "FALSE"},
      {"NOT 0", "TRUE"},
      {"NOT 2", "FALSE"},
      {"NOT 0.0", "TRUE"},
      {"NOT 'abc'", "TRUE"},
      {"1 AND 2 AND 3", "TRUE"},
      {"1 AND 0 AND NULL", "FALSE"},
      {"0 OR 0 OR 7", "TRUE"},
      {"NULL IS NULL", "TRUE"},
      {"NULL IS NOT NULL", "FALSE"},
      {"1 IS TRUE", "TRUE"},
      {"0 IS FALSE", "TRUE"},
      {"NULL IS TRUE", "FALSE"},
      {"NULL IS NOT TRUE", "TRUE"},
      {"NULL <=> NULL", "TRUE"},
      {"NULL <=> 1", "FALSE"},
      {"1 <=> 1", "TRUE"},
      {"CASE WHEN NULL THEN 1 WHEN 1 THEN 2 ELSE 3 END", "2"},
      {"CASE 5 WHEN 4 THEN 'a' WHEN 5 THEN 'b' END", "'b'"},
      {"CASE WHEN FALSE THEN 1 END", "NULL"},
      {"CASE WHEN FALSE THEN 1 ELSE 9 END", "9"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql) == expected);
  }
}

TEST_CASE("a condition of JSON is false for false and 0 alone") {
  const ExpressionCase cases[] = {
      {"NOT $.t", "FALSE"},        {"NOT $.f", "TRUE"},           {"NOT $.zero", "TRUE"},
      {"NOT $.n", "FALSE"},        {"NOT $.s", "FALSE"},          {"NOT $.list", "FALSE"},
      {"NOT $.missing", "NULL"},   {"$.t IS TRUE", "TRUE"},       {"$.f IS FALSE", "TRUE"},
      {"$.n IS TRUE", "TRUE"},     {"$.zero IS FALSE", "TRUE"},   {"$.s IS TRUE", "FALSE"},
      {"$.null IS NULL", "FALSE"}, {"$.missing IS NULL", "TRUE"}, {"$.null IS NOT NULL", "TRUE"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("values that are not JSON compare as SQL says") {
  const ExpressionCase cases[] = {
      {"1 = 1", "TRUE"},
      {"1 = 1.0", "TRUE"},
      {"1 = 1.000", "TRUE"},
      {"'1' = 1", "TRUE"},
      {"'10' > '5'", "FALSE"},
      {"'10' > 5", "TRUE"},
      {"'a' < 'ab'", "TRUE"},
      {"'A' = 'a'", "FALSE"},
      {"'a' = 'a '", "FALSE"},
      {"NULL = NULL", "NULL"},
      {"1 <> 2", "TRUE"},
      {"1 != 1", "FALSE"},
      {"2 >= 2", "TRUE"},
      {"2 <= 1", "FALSE"},
      {"9007199254740993 = 9007199254740992", "FALSE"},
      {"9007199254740993 = 9007199254740992e0", "FALSE"},
      {"9007199254740993 > 9007199254740992e0", "TRUE"},
      {"9007199254740993.0 > 9007199254740992e0", "TRUE"},
      {"18446744073709551615 > 9223372036854775807", "TRUE"},
      {"-1 < 18446744073709551615", "TRUE"},
      {"0.1 = 1e-1", "TRUE"},
      {"0.1 < 0.10000000000000000001", "TRUE"},
      {"TRUE = 1", "TRUE"},
      {"DATE '2024-01-31' < '2024-02-01'", "TRUE"},
      {"DATE '2024-01-31' = CAST('2024-01-31 00:00:00' AS DATETIME)", "TRUE"},
      {"DATE '2024-01-31' < CAST('2024-01-31 00:00:01' AS DATETIME)", "TRUE"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql) == expected);
  }
}

TEST_CASE("a path compares as JSON") {
  const ExpressionCase cases[] = {
      {"$.n = 5", "TRUE"},
      {"$.n = 5.0", "TRUE"},
      {"$.n = '5'", "FALSE"},
      {"5 = $.n", "TRUE"},
      {"$.n < 6", "TRUE"},
      {"$.n > 4.5", "TRUE"},
      {"$.n != 'x'", "TRUE"},
      {"$.missing != 'x'", "NULL"},
      {"$.missing = NULL", "NULL"},
      {"$.null = NULL", "NULL"},
      {"$.null = 1", "FALSE"},
      {"$.null != 'x'", "TRUE"},
      {"$.null < 5", "TRUE"},
      {"$.null > 5", "FALSE"},
      {"$.s > 5", "TRUE"},
      {"$.object > 5", "TRUE"},
      {"$.list > 'z'", "TRUE"},
      {"$.t > $.list", "TRUE"},
      {"$.t = TRUE", "TRUE"},
      {"$.t = 1", "FALSE"},
      {"$.t > 1000", "TRUE"},
      {"$.f < $.t", "TRUE"},
      {"$.s = 'beach'", "TRUE"},
      {"$.s = 'Beach'", "FALSE"},
      {"$.upper < $.s", "TRUE"},
      {"$.big = 9007199254740993", "TRUE"},
      {"$.big = 9007199254740992", "FALSE"},
      {"$.big = 9007199254740992e0", "FALSE"},
      {"$.huge = 18446744073709551615", "TRUE"},
      {"$.huge > 9223372036854775807", "TRUE"},
      {"$.half = 0.5", "TRUE"},
      {"$.half = 0.50", "TRUE"},
      {"$.object = {a: 2, b: 1}", "TRUE"},
      {"$.object = {a: 2}", "FALSE"},
      {"$.object = '{\"a\": 2, \"b\": 1}'", "FALSE"},
      {"$.list = [1, 'two', NULL, [3]]", "TRUE"},
      {"$.list < [2]", "TRUE"},
      {"$.list[1] = 'two'", "TRUE"},
      {"$.s[0] = 'beach'", "TRUE"},
      {"$.list[last] = [3]", "TRUE"},
      {"$.t = (1 < 2)", "TRUE"},
      {"$.date = '2024-01-31'", "TRUE"},
      {"$.n = $.n", "TRUE"},
      {"$.missing = $.missing", "NULL"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("BETWEEN and IN see a path's text, and numbers beside numbers exactly") {
  const ExpressionCase cases[] = {
      {"$.n BETWEEN 1 AND 5", "TRUE"},
      {"$.n NOT BETWEEN 1 AND 5", "FALSE"},
      {"$.n BETWEEN 6 AND 9", "FALSE"},
      {"$.digits BETWEEN 99 AND 101", "TRUE"},
      {"$.s BETWEEN 'a' AND 'c'", "TRUE"},
      {"'10' BETWEEN '9' AND '99'", "FALSE"},
      {"5 BETWEEN NULL AND 4", "FALSE"},
      {"5 BETWEEN NULL AND 9", "NULL"},
      {"5 NOT BETWEEN 9 AND NULL", "TRUE"},
      {"$.missing BETWEEN 1 AND 2", "NULL"},
      {"$.n IN (1, 5)", "TRUE"},
      {"$.n IN ('5')", "TRUE"},
      {"$.digits IN (1, 100)", "TRUE"},
      {"$.digits IN ('100')", "TRUE"},
      {"$.n NOT IN (1, 2)", "TRUE"},
      {"$.n IN (1, NULL)", "NULL"},
      {"$.n IN (5, NULL)", "TRUE"},
      {"$.n NOT IN (1, NULL)", "NULL"},
      {"$.missing IN (1)", "NULL"},
      {"$.null IN ('null')", "TRUE"},
      {"$.big IN (9007199254740992)", "FALSE"},
      {"$.big IN (9007199254740993)", "TRUE"},
      {"$.big BETWEEN 9007199254740990 AND 9007199254740992", "FALSE"},
      {"$.huge IN (18446744073709551614)", "FALSE"},
      {"1 IN (2, 1.0)", "TRUE"},
      {"'b' IN ('a', 'B')", "FALSE"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("containment and overlap follow JSON_CONTAINS and JSON_OVERLAPS") {
  const ExpressionCase cases[] = {
      {"1 IN $.list", "TRUE"},
      {"3 IN $.list", "TRUE"},
      {"2 IN $.list", "FALSE"},
      {"2 NOT IN $.list", "TRUE"},
      {"NULL IN $.list", "TRUE"},
      {"1 IN $.missing", "NULL"},
      {"5 IN $.n", "TRUE"},
      {"TRUE IN [(1 > 5), !(FALSE)]", "TRUE"},
      {"[] IN [[], [2], [3]]", "TRUE"},
      {"{a: 5} IN {a: 5, b: 6}", "TRUE"},
      {"{a: 5} NOT IN {a: 6}", "TRUE"},
      {"1 MEMBER OF ($.list)", "TRUE"},
      {"$.list OVERLAPS [7, 1]", "TRUE"},
      {"$.list OVERLAPS [7, 3]", "FALSE"},
      {"$.list[3] OVERLAPS [3]", "TRUE"},
      {"[''] OVERLAPS [' ']", "FALSE"},
      {"TRUE OVERLAPS [2]", "FALSE"},
      {"1 OVERLAPS [1, 2, 3]", "TRUE"},
      {"[] OVERLAPS $.n", "FALSE"},
      {"[] NOT OVERLAPS $.n", "TRUE"},
      {"NULL OVERLAPS [1]", "FALSE"},
      {"NULL NOT OVERLAPS [1]", "TRUE"},
      {"$.missing OVERLAPS [1]", "NULL"},
      {"$.object OVERLAPS {b: 1}", "TRUE"},
      {"$.object OVERLAPS {b: 2}", "FALSE"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("LIKE and REGEXP see the text of anything") {
  const ExpressionCase cases[] = {
      {"$.s LIKE 'bea%'", "TRUE"},
      {"$.s LIKE 'Bea%'", "FALSE"},
      {"$.upper LIKE 'bea%' COLLATE utf8mb4_0900_ai_ci", "TRUE"},
      {"$.s NOT LIKE '%x%'", "TRUE"},
      {"$.half LIKE '0._'", "TRUE"},
      {"$.t LIKE 'true'", "TRUE"},
      {"$.null LIKE 'null'", "TRUE"},
      {"$.missing LIKE '%'", "NULL"},
      {"$.s LIKE NULL", "NULL"},
      {"'50%' LIKE '50\\\\%'", "TRUE"},
      {"'50x' LIKE '50\\\\%'", "FALSE"},
      {"'50%' LIKE '50|%' ESCAPE '|'", "TRUE"},
      {"'50x' LIKE '50|%' ESCAPE '|'", "FALSE"},
      {"$.list LIKE '[1, \"two\", null, [3]]'", "TRUE"},
      {"$.s REGEXP '^be'", "TRUE"},
      {"$.s REGEXP 'ea'", "TRUE"},
      {"$.s REGEXP '^ea'", "FALSE"},
      {"$.s NOT REGEXP 'x'", "TRUE"},
      {"$.upper REGEXP 'beach' COLLATE ci", "TRUE"},
      {"$.missing REGEXP 'a'", "NULL"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("arithmetic keeps whole numbers and decimals exact") {
  const ExpressionCase cases[] = {
      {"1 + 2", "3"},
      {"2 * 3.50", "7.00m"},
      {"0.1 + 0.2", "0.3m"},
      {"7 / 2", "3.5000m"},
      {"1.0 / 3", "0.33333m"},
      {"2 / 3", "0.6667m"},
      {"7 DIV 2", "3"},
      {"-7 DIV 2", "-3"},
      {"5.9 DIV 2", "2"},
      {"-7 % 3", "-1"},
      {"5.5 % 2", "1.5m"},
      {"1 / 0", "NULL"},
      {"1 DIV 0", "NULL"},
      {"1 % 0", "NULL"},
      {"1 + NULL", "NULL"},
      {"1e0 + 2", "3d"},
      {"9223372036854775807 + 0", "9223372036854775807"},
      {"9223372036854775807 + 1", "error: BIGINT value is out of range"},
      {"-9223372036854775808 - 1", "error: BIGINT value is out of range"},
      {"18446744073709551615 + 0", "18446744073709551615u"},
      {"18446744073709551615 + 1", "error: BIGINT UNSIGNED value is out of range"},
      {"9223372036854775807 * 2", "error: BIGINT value is out of range"},
      {"1e308 * 10", "error: DOUBLE value is out of range"},
      {"-5", "-5"},
      {"-(1.50)", "-1.50m"},
      {"-(-9223372036854775807)", "9223372036854775807"},
      {"+5", "5"},
      {"$.n + 1", "6d"},
      {"$.digits - 1", "99d"},
      {"$.n * 2", "10d"},
      {"$.missing + 1", "NULL"},
      {"'12' + 1", "13d"},
      {"'12abc' + 1", "13d"},
      {"12345678901234567890.5 * 2", "24691357802469135781.0m"},
      {"TRUE + TRUE", "2"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("bit operators work on 64 bits without sign") {
  const ExpressionCase cases[] = {
      {"5 & 3", "1u"},      {"5 | 3", "7u"},
      {"5 ^ 3", "6u"},      {"~0", "18446744073709551615u"},
      {"1 << 3", "8u"},     {"1 << 64", "0u"},
      {"256 >> 4", "16u"},  {"-1 & 1", "1u"},
      {"NULL & 1", "NULL"}, {"$.n & 4", "4u"},
      {"$.huge & 1", "1u"}, {"$.huge >> 63", "1u"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("a place gives JSON, and ->> its bare text") {
  const ExpressionCase cases[] = {
      {"$.n", "json 5"},
      {"$.s", "json \"beach\""},
      {"doc->>'$.s'", "'beach'"},
      {"doc->>'$.null'", "'null'"},
      {"doc->'$.object'", "json {\"b\":1,\"a\":2}"},
      {"$.missing", "NULL"},
      {"$.list[1]", "json \"two\""},
      {"$.huge", "json 18446744073709551615"},
      {"{a: $.n, b: [$.missing, TRUE]}", "json {\"a\":5,\"b\":[null,true]}"},
      {"[1, 2.50, 'x', (1 = 1)]", "json [1,2.50,\"x\",true]"},
      {"$.*[0]",
       "json [\"d1\",5,9007199254740993,18446744073709551615,0.5,\"beach\",\"100\","
       "\"Beach\",\"\",true,false,null,0,1,{\"b\":1,\"a\":2},\"2024-01-31\"]"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("warnings are counted and become errors in strict statements") {
  Evaluating row;
  CHECK(row("1 / 0") == "NULL");
  REQUIRE(row.context.warnings.size() == 1);
  CHECK(row.context.warnings[0].code == 1365);
  CHECK(row("'12abc' + 1") == "13d");
  REQUIRE(row.context.warnings.size() == 2);
  CHECK(row.context.warnings[1].code == 1292);
  CHECK(row.context.warnings[1].message == "Truncated incorrect DOUBLE value: '12abc'");
  for (int i = 0; i < 100; ++i) row("1 / 0");
  CHECK(row.context.warnings.size() == 64);
  CHECK(row.context.warning_count == 102);

  row.context.strict = true;
  const auto division = row.value("1 / 0");
  REQUIRE(!division);
  CHECK(division.error().code == ErrorCode::kDivisionByZero);
  const auto conversion = row.value("'12abc' + 1");
  REQUIRE(!conversion);
  CHECK(conversion.error().code == ErrorCode::kInvalidData);
}

TEST_CASE("placeholders and variables take their values from the statement") {
  Evaluating row(R"({"a": 7})");
  const std::vector<SqlValue> arguments = {SqlValue::signed_integer(7), SqlValue::text("x")};
  row.context.arguments = arguments;
  CHECK(row("$.a = ?") == "TRUE");
  CHECK(row("CONCAT(?, ?)") == "'7x'");
  const auto missing = row.value("? + ? + ?");
  REQUIRE(!missing);
  CHECK(missing.error().code == ErrorCode::kMissingArgument);
  CHECK(missing.error().message == "no value for placeholder number 3");

  const std::vector<std::pair<std::string, SqlValue>> variables = {
      {"version", SqlValue::text("8.0.36")}};
  row.context.variables = &variables;
  CHECK(row("@@version") == "'8.0.36'");
  CHECK(row("@@VERSION") == "'8.0.36'");
  CHECK(row("VERSION()") == "'8.0.36'");
  CHECK(row("@@nonsense") == "error: Unknown system variable 'nonsense'");
}

TEST_CASE("what is no value says so") {
  Evaluating row;
  const auto star = row.value(any_path());
  REQUIRE(!star);
  CHECK(star.error().code == ErrorCode::kInvalidExpression);
  Expression other;
  other.kind = Expression::Kind::kDefault;
  CHECK(shown(row.value(other)) == "error: DEFAULT is no value here");
  const auto unknown = row.value("foo(1)");
  REQUIRE(!unknown);
  CHECK(unknown.error().code == ErrorCode::kUnknownFunction);
  CHECK(unknown.error().message == "FUNCTION shop.foo does not exist");
  const auto count = row.value("abs(1, 2)");
  REQUIRE(!count);
  CHECK(count.error().code == ErrorCode::kWrongArgumentCount);
  CHECK(count.error().message == "Incorrect parameter count in the call to native function 'abs'");
  CHECK(row("COUNT($.a)") == "error: Invalid use of group function");
}

TEST_CASE("objects and arrays may not nest deeper than a document") {
  Expression nested = array({});
  for (int i = 0; i < 99; ++i) nested = array({nested});
  Evaluating row;
  CHECK(row.value(nested).has_value());
  const auto deeper = row.value(array({nested}));
  REQUIRE(!deeper);
  CHECK(deeper.error().code == ErrorCode::kTooDeep);
}

TEST_CASE("a condition without a document finds every path missing") {
  EvaluationContext context;
  const auto parsed = parse_sql_condition("$.a = 1");
  REQUIRE(parsed);
  const auto truth = evaluate_condition(*parsed, Row{}, context);
  REQUIRE(truth);
  CHECK(!truth->has_value());
}

TEST_CASE("the type of a result is told before its rows") {
  const std::pair<std::string_view, SqlType> cases[] = {
      {"1", SqlType::kSigned},
      {"18446744073709551615", SqlType::kUnsigned},
      {"1.5", SqlType::kDecimal},
      {"1e0", SqlType::kDouble},
      {"'x'", SqlType::kText},
      {"$.a", SqlType::kJson},
      {"doc->>'$.a'", SqlType::kText},
      {"$.a = 1", SqlType::kSigned},
      {"$.a AND $.b", SqlType::kSigned},
      {"1 + 1", SqlType::kSigned},
      {"1 / 1", SqlType::kDecimal},
      {"1 + 1.0", SqlType::kDecimal},
      {"$.a + 1", SqlType::kDouble},
      {"7 DIV 2", SqlType::kSigned},
      {"1 & 1", SqlType::kUnsigned},
      {"CAST($.a AS UNSIGNED)", SqlType::kUnsigned},
      {"CAST($.a AS DECIMAL(10,2))", SqlType::kDecimal},
      {"CAST($.a AS JSON)", SqlType::kJson},
      {"CAST($.a AS DATE)", SqlType::kDate},
      {"[1]", SqlType::kJson},
      {"CONCAT('a', 'b')", SqlType::kText},
      {"LENGTH('a')", SqlType::kSigned},
      {"SQRT(2)", SqlType::kDouble},
      {"JSON_EXTRACT(doc, '$.a')", SqlType::kJson},
      {"NOW()", SqlType::kDateTime},
      {"COUNT($.a)", SqlType::kSigned},
      {"SUM(1)", SqlType::kDecimal},
      {"AVG($.a)", SqlType::kDouble},
      {"MIN($.a)", SqlType::kText},
      {"IFNULL($.a, 'x')", SqlType::kText},
      {"CASE WHEN 1 THEN 2 END", SqlType::kSigned},
  };
  for (const auto& [sql, type] : cases) {
    CAPTURE(sql);
    const auto parsed = parse_sql_condition(sql);
    REQUIRE(parsed);
    CHECK(static_type(*parsed) == type);
  }
}

}  // namespace
}  // namespace wherestar::server
