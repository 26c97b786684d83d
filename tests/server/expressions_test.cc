// What expressions mean: SQL text evaluated over one document. docs/expressions.md tells the rules.
#include <random>

#include <doctest/doctest.h>

#include "server/evaluator.h"
#include "server/sql_parser.h"

using namespace wherestar;
using namespace wherestar::server;
using document::Json;

namespace {

constexpr const char* kDocument = R"({
  "_id": "d", "n": 5, "big": 9007199254740993, "u": 18446744073709551615, "f": 1.5, "t": "Jippie",
  "num": "12", "b": true, "no": false, "nil": null, "tags": ["red", "beach", 7, [1, 2]],
  "o": {"x": {"y": "deep"}, "z": [{"k": 1}, {"k": 2}]}, "date": "2004-01-31"})";

std::string evaluate_text(std::string_view sql, EvaluationContext& context) {
  const Json document = Json::parse(kDocument).value();
  auto expression = parse_sql_condition(sql);
  if (!expression) return "syntax: " + expression.error().message;
  auto value = evaluate(*expression, Row{&document, {}}, context);
  if (!value) return "error: " + value.error().message;
  if (value->is_null()) return "NULL";
  if (value->is_boolean()) return value->as_signed() != 0 ? "true" : "false";
  return value->type() == SqlType::kJson ? value->as_json().to_text() : to_text(*value);
}
std::string eval(std::string_view sql) {
  EvaluationContext context;
  context.database = "shop";
  context.now_unix_us = 1'000'000'000'000'000;  // 2001-09-09 01:46:40
  return evaluate_text(sql, context);
}

struct Case {
  const char* sql;
  const char* expected;
};

void check(std::initializer_list<Case> cases) {
  for (const Case& one : cases) {
    CAPTURE(one.sql);
    CHECK(eval(one.sql) == one.expected);
  }
}

}  // namespace

TEST_CASE("three-valued logic") {
  check({{"missing = 1", "NULL"},
         {"missing != 1", "NULL"},
         {"nil = 1", "false"},
         {"nil != 1", "true"},
         {"nil < 5", "true"},
         {"missing IS NULL", "true"},
         {"nil IS NULL", "false"},
         {"nil IS NOT NULL", "true"},
         {"NOT missing", "NULL"},
         {"1 AND NULL", "NULL"},
         {"0 AND NULL", "false"},
         {"1 OR NULL", "true"},
         {"0 OR NULL", "NULL"},
         {"1 XOR NULL", "NULL"},
         {"1 XOR 1", "false"},
         {"NOT no", "true"},
         {"NOT b", "false"},
         {"b IS TRUE", "true"},
         {"no IS FALSE", "true"},
         {"n IN (1, NULL)", "NULL"},
         {"n IN (5, NULL)", "true"},
         {"n NOT IN (1, NULL)", "NULL"},
         {"n BETWEEN NULL AND 3", "false"},
         {"n BETWEEN 1 AND NULL", "NULL"},
         {"NULL LIKE 'x'", "NULL"},
         {"NULL <=> NULL", "true"},
         {"n <=> NULL", "false"}});
}

TEST_CASE("comparison keeps types and exact numbers") {
  check({{"n = 5.0", "true"},
         {"n = '5'", "false"},
         {"'5' = 5", "true"},
         {"t = 'Jippie'", "true"},
         {"t = 'jippie'", "false"},
         {"big = 9007199254740993", "true"},
         {"big = 9007199254740992", "false"},
         {"big > 9007199254740992", "true"},
         {"u = 18446744073709551615", "true"},
         {"u > -1", "true"},
         {"f = 1.50", "true"},
         {"b = true", "true"},
         {"b = 1", "false"},
         {"t > 5", "true"},
         {"tags > 'x'", "true"},
         {"o.x = {\"y\": \"deep\"}", "true"},
         {"tags[3] = [1, 2]", "true"},
         {"tags[0] < tags[1]", "false"},
         {"num IN (12)", "true"},
         {"num BETWEEN 9 AND 13", "true"},
         {"'10' < '9'", "true"},
         {"10 < 9", "false"},
         {"t LIKE 'Jip%'", "true"},
         {"t LIKE '_ippie'", "true"},
         {"t LIKE 'jip%'", "false"},
         {"t LIKE 'jip%' COLLATE ci", "true"},
         {"'a%b' LIKE 'a\\%b'", "true"},
         {"'axb' LIKE 'a!%b' ESCAPE '!'", "false"},
         {"t REGEXP 'p{2}'", "true"},
         {"n LIKE '5'", "true"},
         {"CURDATE() = '2001-09-09'", "true"}});
}

TEST_CASE("any path and wildcards hold if one scalar satisfies them") {
  check({{"* = 'deep'", "true"},
         {"* = 'nothing'", "false"},
         {"* = 5", "true"},
         {"* = '5'", "false"},
         {"* > 100", "true"},
         {"* = true", "true"},
         {"* IS NULL", "true"},
         {"* LIKE 'bea%'", "true"},
         {"* IN ('x', 'red')", "true"},
         {"* BETWEEN 6 AND 8", "true"},
         {"NOT (* = 'red')", "false"},
         {"'deep' = *", "true"},
         {"6 < *", "true"},
         {"tags[*] = 'red'", "true"},
         {"tags[*] = 1", "false"},
         {"o.z[*].k = 2", "true"},
         {"$**.y = 'deep'", "true"},
         {"o.x.* = 'deep'", "true"},
         {"'deep' IN $**.*", "true"},
         {"'red' IN $**.*", "true"},
         {"'nothing' IN $**.*", "false"},
         {"7 IN tags", "true"},
         {"'x' IN tags", "false"},
         {"[1, 2] IN tags", "true"},
         {"* = NULL", "NULL"},
         {"tags[*] != 'red'", "true"},
         {"* REGEXP '^dee'", "true"}});
}

TEST_CASE("arithmetic has MySQL's types") {
  check({{"7 / 2", "3.5000"},
         {"7 DIV 2", "3"},
         {"-7 % 3", "-1"},
         {"5.5 % 2", "1.5"},
         {"1 + 2 * 3", "7"},
         {"0.1 + 0.2", "0.3"},
         {"1.10 * 2", "2.20"},
         {"n + 1", "6"},
         {"num - 2", "10"},
         {"1 / 0", "NULL"},
         {"1 % 0", "NULL"},
         {"9223372036854775807 + 1", "error: BIGINT value is out of range"},
         {"18446744073709551615 + 0", "18446744073709551615"},
         {"~0", "18446744073709551615"},
         {"1 << 64", "0"},
         {"-1 & 1", "1"},
         {"5 | 2", "7"},
         {"6 ^ 3", "5"},
         {"NULL + 1", "NULL"},
         {"b + 1", "2"},
         {"-f", "-1.5"},
         {"[(1 > 5)]", "[false]"},
         {"{\"a\": n + 1}", "{\"a\":6.0}"}});
}

TEST_CASE("text functions") {
  check({{"CONCAT(t, '-', n)", "Jippie-5"},
         {"CONCAT('a', NULL)", "NULL"},
         {"CONCAT_WS(',', 'a', NULL, 'b')", "a,b"},
         {"UPPER('straße')", "STRASSE"},
         {"LENGTH('é')", "2"},
         {"CHAR_LENGTH('é')", "1"},
         {"SUBSTRING('abcdef', 2, 3)", "bcd"},
         {"SUBSTRING('abc', -2)", "bc"},
         {"SUBSTRING('abc', 0)", ""},
         {"LEFT('héllo', 2)", "hé"},
         {"RIGHT('hello', 2)", "lo"},
         {"SUBSTRING_INDEX('1 Jan 1983', ' ', -1)", "1983"},
         {"SUBSTRING_INDEX('a.b.c', '.', 2)", "a.b"},
         {"TRIM('  x ')", "x"},
         {"REPLACE('aaa', 'a', 'bb')", "bbbbbb"},
         {"LPAD('5', 3, '0')", "005"},
         {"RPAD('abc', 2, '0')", "ab"},
         {"REPEAT('ab', 3)", "ababab"},
         {"REPEAT('ab', -1)", ""},
         {"LOCATE('l', 'hello')", "3"},
         {"INSTR('hello', 'z')", "0"},
         {"STRCMP('a', 'b')", "-1"},
         {"HEX('AB')", "4142"},
         {"HEX(255)", "FF"},
         {"REVERSE('abc')", "cba"},
         {"ASCII('A')", "65"},
         {"FORMAT(1234.5, 1)", "1,234.5"},
         {"FIELD('b', 'a', 'b')", "2"},
         {"ELT(2, 'a', 'b')", "b"},
         {"TO_BASE64('abc')", "YWJj"},
         {"LOWER(tags)", "[\"red\", \"beach\", 7, [1, 2]]"},
         {"REPEAT('x', 100000000)", "error: a repeated text over 64 MiB"}});
}

TEST_CASE("mathematical functions and control") {
  check({{"ABS(-5)", "5"},
         {"ROUND(2.5)", "3"},
         {"ROUND(1.555, 2)", "1.56"},
         {"ROUND(2.5e0)", "2"},
         {"TRUNCATE(1.999, 1)", "1.9"},
         {"CEIL(1.2)", "2"},
         {"FLOOR(-1.2)", "-2"},
         {"MOD(7, 3)", "1"},
         {"POW(2, 10)", "1024"},
         {"SQRT(-1)", "NULL"},
         {"LOG(0)", "NULL"},
         {"SIGN(-3)", "-1"},
         {"GREATEST(1, 5, 3)", "5"},
         {"LEAST(1, NULL)", "NULL"},
         {"CONV('ff', 16, 10)", "255"},
         {"IF(n > 3, 'big', 'small')", "big"},
         {"IFNULL(missing, 'x')", "x"},
         {"COALESCE(missing, nil, 'x')", "null"},
         {"NULLIF(1, 1)", "NULL"},
         {"CASE WHEN n > 9 THEN 1 WHEN n > 4 THEN 2 END", "2"},
         {"CASE n WHEN 1 THEN 'a' ELSE 'b' END", "b"},
         {"DATABASE()", "shop"},
         {"nosuch(1)", "error: FUNCTION shop.nosuch does not exist"},
         {"ABS()", "error: Incorrect parameter count in the call to native function 'ABS'"}});
}

TEST_CASE("JSON functions") {
  check({{"JSON_EXTRACT(o, '$.x.y')", "\"deep\""},
         {"JSON_UNQUOTE(o.x.y)", "deep"},
         {"JSON_LENGTH(tags)", "4"},
         {"JSON_LENGTH(o, '$.z')", "2"},
         {"JSON_TYPE(u)", "UNSIGNED INTEGER"},
         {"JSON_TYPE(nil)", "NULL"},
         {"JSON_TYPE(missing)", "NULL"},
         {"JSON_KEYS(o)", "[\"x\",\"z\"]"},
         {"JSON_CONTAINS(tags, '\"red\"')", "true"},
         {"JSON_CONTAINS(tags, '2')", "true"},
         {"JSON_CONTAINS_PATH(o, 'one', '$.q', '$.x')", "true"},
         {"JSON_CONTAINS_PATH(o, 'all', '$.q', '$.x')", "false"},
         {"JSON_OVERLAPS(tags, '[7, 9]')", "true"},
         {"JSON_OBJECT('a', 1, 'b', NULL)", "{\"a\":1,\"b\":null}"},
         {"JSON_ARRAY(1, 'x', TRUE)", "[1,\"x\",true]"},
         {"JSON_SET('{\"a\":1}', '$.b', 2)", "{\"a\":1,\"b\":2}"},
         {"JSON_INSERT('{\"a\":1}', '$.a', 2)", "{\"a\":1}"},
         {"JSON_REMOVE('[1,2]', '$[0]')", "[2]"},
         {"JSON_MERGE_PATCH('{\"a\":1}', '{\"a\":null,\"b\":2}')", "{\"b\":2}"},
         {"JSON_SEARCH(tags, 'one', 'bea%')", "\"$[1]\""},
         {"JSON_SEARCH($, 'one', 'nothing')", "NULL"},
         {"JSON_DEPTH(o)", "4"},
         {"JSON_VALID('{')", "false"},
         {"JSON_QUOTE('a\"b')", "\"a\\\"b\""},
         {"JSON_VALUE(o, '$.x.y')", "deep"},
         {"CAST('[1]' AS JSON)", "[1]"}});
  CHECK(eval("JSON_EXTRACT('{', '$')").starts_with("error: Invalid JSON text in argument 1"));
  CHECK(eval("JSON_SET(o, '$[*]', 1)").starts_with("error: "));
}

TEST_CASE("casts and times") {
  check({{"CAST('12abc' AS SIGNED)", "12"},
         {"CAST(-1 AS UNSIGNED)", "18446744073709551615"},
         {"CAST('1.555' AS DECIMAL(10,2))", "1.56"},
         {"CAST(b AS SIGNED)", "0"},
         {"CAST(12345 AS CHAR(2))", "12"},
         {"CAST('2004-02-30' AS DATE)", "NULL"},
         {"CAST('2004-02-29 10:11:12' AS DATE)", "2004-02-29"},
         {"NOW()", "2001-09-09 01:46:40"},
         {"CURDATE()", "2001-09-09"},
         {"date + INTERVAL 1 MONTH", "2004-02-29"},
         {"DATE_ADD('2004-01-01', INTERVAL 1 HOUR)", "2004-01-01 01:00:00"},
         {"DATE_SUB('2004-01-01', INTERVAL 1 DAY)", "2003-12-31"},
         {"'2004-01-01 00:00:00' + INTERVAL '1:30' MINUTE_SECOND", "2004-01-01 00:01:30"},
         {"'nonsense' + INTERVAL 1 DAY", "NULL"},
         {"YEAR(date)", "2004"},
         {"MONTH(date)", "1"},
         {"DAYOFWEEK('2000-01-01')", "7"},
         {"WEEKDAY('2000-01-01')", "5"},
         {"WEEK('2000-01-01')", "0"},
         {"DATEDIFF('2004-03-01', '2004-02-28')", "2"},
         {"LAST_DAY('2004-02-01')", "2004-02-29"},
         {"DATE_FORMAT('2004-01-31', '%d.%m.%Y %W')", "31.01.2004 Saturday"},
         {"STR_TO_DATE('31.01.2004', '%d.%m.%Y')", "2004-01-31"},
         {"UNIX_TIMESTAMP('1970-01-02')", "86400"},
         {"FROM_UNIXTIME(86400)", "1970-01-02 00:00:00"},
         {"HOUR('10:11:12')", "10"}});
}

TEST_CASE("strict statements turn wrong data into errors") {
  EvaluationContext strict;
  strict.strict = true;
  CHECK(evaluate_text("1 / 0", strict) == "error: Division by 0");
  CHECK(evaluate_text("'abc' + 1", strict).starts_with("error: Truncated incorrect DOUBLE"));
  EvaluationContext lenient;
  CHECK(evaluate_text("'abc' + 1", lenient) == "1");
  CHECK(lenient.warning_count == 1);
  CHECK(lenient.warnings.at(0).code == 1292);
}

TEST_CASE("LIKE agrees with a plain model") {
  std::mt19937_64 random(5);
  const auto model = [](auto&& self, std::string_view text, std::string_view pattern) -> bool {
    if (pattern.empty()) return text.empty();
    if (pattern[0] == '%')
      return self(self, text, pattern.substr(1)) ||
             (!text.empty() && self(self, text.substr(1), pattern));
    if (text.empty()) return false;
    return (pattern[0] == '_' || pattern[0] == text[0]) &&
           self(self, text.substr(1), pattern.substr(1));
  };
  size_t matched = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    std::string pattern;
    for (size_t n = random() % 8; n > 0; --n) text += "ab"[random() % 2];
    for (size_t n = random() % 6; n > 0; --n) pattern += "ab%_"[random() % 4];
    const bool expected = model(model, text, pattern);
    matched += expected ? 1 : 0;
    REQUIRE_MESSAGE(like_matches(text, pattern, U'\\') == expected, text << " LIKE " << pattern);
  }
  CHECK(matched > 1000);
}

TEST_CASE("sorting is a strict weak order over all types, and groups agree with it") {
  std::vector<SqlValue> values = {SqlValue::null(),
                                  SqlValue::boolean(true),
                                  SqlValue::signed_integer(-3),
                                  SqlValue::unsigned_integer(UINT64_MAX),
                                  SqlValue::real(0.5),
                                  SqlValue::decimal("0.50"),
                                  SqlValue::text("a"),
                                  SqlValue::text(""),
                                  SqlValue::signed_integer(1),
                                  SqlValue::real(1.0)};
  for (const char* json : {"null", "true", "false", "1", "1.0", "18446744073709551615", "\"a\"",
                           "[]", "[1]", "{}", "{\"a\":1}", "{\"a\":1.0}", "9007199254740993"})
    values.push_back(SqlValue::json(Json::parse(json).value()));
  for (const SqlValue& a : values)
    for (const SqlValue& b : values) {
      const auto order = compare_for_sort(a, b);
      CHECK((order == 0) == (compare_for_sort(b, a) == 0));
      CHECK((order < 0) == (compare_for_sort(b, a) > 0));
      CHECK((group_key(std::span(&a, 1)) == group_key(std::span(&b, 1))) == (order == 0));
      for (const SqlValue& c : values)
        if (order < 0 && compare_for_sort(b, c) < 0) CHECK(compare_for_sort(a, c) < 0);
    }
}
