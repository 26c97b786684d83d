// Functions of text, numbers, choice and the session.
#include <doctest/doctest.h>

#include "tests/server/evaluator_fixture.h"

namespace wherestar::server {
namespace {

constexpr std::string_view kDocument =
    R"({"s": "Beach", "n": 12.5, "null": null, "t": true, "f": false, "list": [1, "a"]})";

TEST_CASE("functions of text") {
  const ExpressionCase cases[] = {
      {"CONCAT('a', 1, 2.50)", "'a12.50'"},
      {"CONCAT('a', NULL)", "NULL"},
      {"CONCAT($.s, $.n, $.t, $.null)", "'Beach12.5truenull'"},
      {"CONCAT($.list)", "'[1, \"a\"]'"},
      {"CONCAT_WS('-', 'a', NULL, 'b')", "'a-b'"},
      {"CONCAT_WS(NULL, 'a', 'b')", "NULL"},
      {"LOWER('ÄBC')", "'äbc'"},
      {"LCASE('A')", "'a'"},
      {"UPPER('straße')", "'STRASSE'"},
      {"ucase($.s)", "'BEACH'"},
      {"LENGTH('日本')", "6"},
      {"OCTET_LENGTH('ab')", "2"},
      {"BIT_LENGTH('ab')", "16"},
      {"CHAR_LENGTH('日本')", "2"},
      {"CHARACTER_LENGTH('')", "0"},
      {"SUBSTRING('beach', 2, 3)", "'eac'"},
      {"SUBSTR('beach', -3)", "'ach'"},
      {"MID('beach', 2, 1)", "'e'"},
      {"SUBSTRING('beach', 0, 3)", "''"},
      {"SUBSTRING('beach', 9)", "''"},
      {"SUBSTRING('beach', -9)", "''"},
      {"SUBSTRING('beach', 2, -1)", "''"},
      {"SUBSTRING('日本語', 2, 1)", "'本'"},
      {"LEFT('beach', 2)", "'be'"},
      {"LEFT('beach', -2)", "''"},
      {"RIGHT('beach', 2)", "'ch'"},
      {"RIGHT('日本語', 2)", "'本語'"},
      {"RIGHT('ab', 9)", "'ab'"},
      {"SUBSTRING_INDEX('1 Jan 1983', ' ', -1)", "'1983'"},
      {"SUBSTRING_INDEX('a.b.c', '.', 2)", "'a.b'"},
      {"SUBSTRING_INDEX('a.b.c', '.', -2)", "'b.c'"},
      {"SUBSTRING_INDEX('a.b.c', '.', 9)", "'a.b.c'"},
      {"SUBSTRING_INDEX('a.b.c', '.', -9)", "'a.b.c'"},
      {"SUBSTRING_INDEX('a.b', '.', 0)", "''"},
      {"TRIM('  a b  ')", "'a b'"},
      {"LTRIM('  a ')", "'a '"},
      {"RTRIM('  a ')", "'  a'"},
      {"REPLACE('aXbXc', 'X', '--')", "'a--b--c'"},
      {"REPLACE('abc', '', 'x')", "'abc'"},
      {"REPLACE('abc', 'B', 'x')", "'abc'"},
      {"LPAD('7', 3, '0')", "'007'"},
      {"LPAD('abcd', 2, '0')", "'ab'"},
      {"RPAD('7', 4, 'ab')", "'7aba'"},
      {"LPAD('7', -1, '0')", "NULL"},
      {"LPAD('7', 3, '')", "''"},
      {"REPEAT('ab', 3)", "'ababab'"},
      {"REPEAT('ab', 0)", "''"},
      {"SPACE(3)", "'   '"},
      {"REVERSE('abc')", "'cba'"},
      {"REVERSE('日本')", "'本日'"},
      {"LOCATE('ch', 'beach')", "4"},
      {"LOCATE('b', 'beachb', 2)", "6"},
      {"LOCATE('x', 'beach')", "0"},
      {"LOCATE('', 'beach')", "1"},
      {"INSTR('日本語', '語')", "3"},
      {"STRCMP('a', 'b')", "-1"},
      {"STRCMP('b', 'a')", "1"},
      {"STRCMP('a', 'a')", "0"},
      {"ASCII('A')", "65"},
      {"ASCII('')", "0"},
      {"HEX('AB')", "'4142'"},
      {"HEX(255)", "'FF'"},
      {"HEX(-1)", "'FFFFFFFFFFFFFFFF'"},
      {"UNHEX('4142')", "x'4142'"},
      {"UNHEX('4')", "x'04'"},
      {"UNHEX('zz')", "NULL"},
      {"TO_BASE64('abc')", "'YWJj'"},
      {"FROM_BASE64('YWI=')", "x'6162'"},
      {"FROM_BASE64('!')", "NULL"},
      {"FIELD('b', 'a', 'b')", "2"},
      {"FIELD('x', 'a', 'b')", "0"},
      {"FIELD(NULL, 'a')", "0"},
      {"ELT(2, 'a', 'b')", "'b'"},
      {"ELT(3, 'a', 'b')", "NULL"},
      {"QUOTE('it''s')", "''it\\'s''"},
      {"QUOTE(NULL)", "'NULL'"},
      {"FORMAT(1234.5, 1)", "'1,234.5'"},
      {"FORMAT(-1234567.891, 2)", "'-1,234,567.89'"},
      {"FORMAT(999, 0)", "'999'"},
      {"INSERT('Quadratic', 3, 4, 'What')", "'QuWhattic'"},
      {"INSERT('Quadratic', -1, 4, 'What')", "'Quadratic'"},
      {"INSERT('Quadratic', 3, 100, 'What')", "'QuWhat'"},
      {"BIN(12)", "'1100'"},
      {"OCT(12)", "'14'"},
      {"CONV('a', 16, 2)", "'1010'"},
      {"CONV('zz', 36, 10)", "'1295'"},
      {"CONV('1', 1, 10)", "NULL"},
      {"CHAR(65, 66)", "x'4142'"},
      {"REGEXP_LIKE('Beach', 'beach')", "FALSE"},
      {"REGEXP_LIKE('Beach', 'beach', 'i')", "TRUE"},
      {"REGEXP_SUBSTR('abc def ghi', '[a-z]+', 1, 3)", "'ghi'"},
      {"REGEXP_SUBSTR('abc', 'x')", "NULL"},
      {"REGEXP_INSTR('dog cat dog', 'dog', 2)", "9"},
      {"REGEXP_INSTR('dog cat dog', 'dog', 1, 1, 1)", "4"},
      {"REGEXP_REPLACE('a b c', 'b', 'X')", "'a X c'"},
      {"REGEXP_REPLACE('abc def ghi', '[a-z]+', 'X', 1, 3)", "'abc def X'"},
      {"MD5('abc')", "'900150983cd24fb0d6963f7d28e17f72'"},
      {"SHA1('abc')", "'a9993e364706816aba3e25717850c26c9cd0d89d'"},
      {"SHA2('abc', 256)", "'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'"},
      {"SHA2('abc', 7)", "NULL"},
      {"CRC32('MySQL')", "3259397556u"},
      {"LENGTH(UUID())", "36"},
      {"UUID() = UUID()", "FALSE"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("functions of numbers") {
  const ExpressionCase cases[] = {
      {"ABS(-5)", "5"},
      {"ABS(-1.50)", "1.50m"},
      {"ABS(-9223372036854775808)", "error: BIGINT value is out of range"},
      {"SIGN(-0.5)", "-1"},
      {"SIGN(0)", "0"},
      {"CEIL(1.2)", "2"},
      {"CEILING(-1.2)", "-1"},
      {"FLOOR(-1.2)", "-2"},
      {"FLOOR(1.9)", "1"},
      {"FLOOR($.n)", "12d"},
      {"ROUND(2.5)", "3m"},
      {"ROUND(-2.5)", "-3m"},
      {"ROUND(2.5e0)", "2d"},
      {"ROUND(1.245, 2)", "1.25m"},
      {"ROUND(1234, -2)", "1200"},
      {"ROUND(1250, -2)", "1300"},
      {"TRUNCATE(1.999, 1)", "1.9m"},
      {"TRUNCATE(-1.999, 0)", "-1m"},
      {"TRUNCATE(1999, -3)", "1000"},
      {"MOD(-7, 3)", "-1"},
      {"MOD(7, 0)", "NULL"},
      {"POW(2, 10)", "1024d"},
      {"POWER(2, -1)", "0.5d"},
      {"POW(10, 1000)", "error: DOUBLE value is out of range"},
      {"SQRT(16)", "4d"},
      {"SQRT(-1)", "NULL"},
      {"LN(0)", "NULL"},
      {"LOG(2, 8)", "3d"},
      {"LOG(1, 8)", "NULL"},
      {"LOG2(8)", "3d"},
      {"LOG10(1000)", "3d"},
      {"EXP(0)", "1d"},
      {"SIN(0)", "0d"},
      {"COS(0)", "1d"},
      {"DEGREES(PI())", "180d"},
      {"ACOS(2)", "NULL"},
      {"ATAN2(0, 1)", "0d"},
      {"GREATEST(1, 3, 2)", "3"},
      {"GREATEST('a', 'c', 'b')", "'c'"},
      {"GREATEST(1, NULL)", "NULL"},
      {"LEAST(2, 1.5, 3)", "1.5m"},
      {"RAND(1) = RAND(1)", "TRUE"},
      {"RAND() < 1", "TRUE"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("choices evaluate only what they give") {
  const ExpressionCase cases[] = {
      {"IF(1 > 2, 'a', 'b')", "'b'"},
      {"IF(NULL, 'a', 'b')", "'b'"},
      {"IF($.t, 'a', 'b')", "'a'"},
      {"IF($.f, 'a', 'b')", "'b'"},
      {"IF($.s = 'Beach', $.s, 0)", "'Beach'"},
      {"IFNULL(NULL, 5)", "5"},
      {"IFNULL($.missing, 'none')", "'none'"},
      {"IFNULL($.null, 'none')", "'null'"},
      {"COALESCE(NULL, NULL, 3)", "3"},
      {"COALESCE(NULL)", "NULL"},
      {"NULLIF(1, 1)", "NULL"},
      {"NULLIF(1, 2)", "1"},
      {"ISNULL(NULL)", "TRUE"},
      {"ISNULL($.missing)", "TRUE"},
      {"ISNULL($.null)", "FALSE"},
      {"IF(TRUE, 1, ABS(-9223372036854775808))", "1"},
      {"COALESCE(1, ABS(-9223372036854775808))", "1"},
      {"CASE WHEN TRUE THEN 1 ELSE ABS(-9223372036854775808) END", "1"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("functions of the session") {
  CHECK(evaluated("DATABASE()") == "'shop'");
  CHECK(evaluated("SCHEMA()") == "'shop'");
  CHECK(evaluated("USER()") == "'root@127.0.0.1'");
  CHECK(evaluated("CURRENT_USER()") == "'root@127.0.0.1'");
  CHECK(evaluated("CONNECTION_ID()") == "17u");
  Evaluating row;
  row.context.database.clear();
  CHECK(row("DATABASE()") == "NULL");
  CHECK(row("nope()") == "error: FUNCTION nope does not exist");
  CHECK(row("other.nope()") == "error: FUNCTION other.nope does not exist");
}

TEST_CASE("no function makes a text over 64 MiB") {
  const std::string_view cases[] = {
      "REPEAT('x', 999999999)",
      "SPACE(999999999)",
      "LPAD('x', 99999999, 'é')",
      "CONCAT(REPEAT('x', 60000000), REPEAT('x', 60000000))",
      "REPLACE(REPEAT('x', 10000), 'x', REPEAT('y', 10000))",
      "HEX(REPEAT('x', 60000000))",
      "DATE_FORMAT('2024-01-01', REPEAT('%W', 20000000))",
  };
  for (const std::string_view sql : cases) {
    CAPTURE(sql);
    Evaluating row;
    const auto result = row.value(sql);
    REQUIRE(!result);
    CHECK(result.error().code == ErrorCode::kLimitExceeded);
  }
}

TEST_CASE("searches for a text made to be slow are quick") {
  const std::string_view hay = "REPEAT('a', 1000000)";
  const std::string needle = "CONCAT('b', REPEAT('a', 500000))";
  Evaluating row;
  CHECK(row(fmt::format("LOCATE({}, {})", needle, hay)) == "0");
  CHECK(row(fmt::format("LENGTH(REPLACE({}, {}, ''))", hay, needle)) == "1000000");
  CHECK(row(fmt::format("LENGTH(SUBSTRING_INDEX({}, {}, -1))", hay, needle)) == "1000000");
  const auto like = row.value("REPEAT('a', 60000000) LIKE CONCAT('%', REPEAT('a', 1000), 'b')");
  REQUIRE(!like);
  CHECK(like.error().code == ErrorCode::kLimitExceeded);
}

TEST_CASE("every function refuses a wrong number of arguments") {
  const std::string_view cases[] = {
      "CONCAT()",
      "LENGTH()",
      "LENGTH(1, 2)",
      "SUBSTRING('a')",
      "IF(1, 2)",
      "NULLIF(1)",
      "PI(1)",
      "JSON_EXTRACT(doc)",
      "NOW(1, 2)",
      "DATEDIFF('2024-01-01')",
      "JSON_SET(doc, '$.a')",
      "JSON_OBJECT('a')",
      "ROUND()",
  };
  for (const std::string_view sql : cases) {
    CAPTURE(sql);
    Evaluating row(R"({"doc": {}})");
    const auto result = row.value(sql);
    REQUIRE(!result);
    CHECK(result.error().code == ErrorCode::kWrongArgumentCount);
  }
}

}  // namespace
}  // namespace wherestar::server
