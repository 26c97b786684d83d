// Dates and times: parts, differences, formats, intervals.
#include <doctest/doctest.h>

#include "tests/server/evaluator_fixture.h"

namespace wherestar::server {
namespace {

TEST_CASE("functions of dates") {
  const ExpressionCase cases[] = {
      {"NOW()", "datetime 2024-02-29 12:34:56"},
      {"CURDATE()", "date 2024-02-29"},
      {"CURTIME()", "time 12:34:56"},
      {"UTC_DATE()", "date 2024-02-29"},
      {"UNIX_TIMESTAMP()", "1709210096"},
      {"UNIX_TIMESTAMP('1970-01-02')", "86400"},
      {"UNIX_TIMESTAMP('1970-01-01 00:00:01.5')", "1.500000m"},
      {"FROM_UNIXTIME(86400)", "datetime 1970-01-02 00:00:00"},
      {"FROM_UNIXTIME(0, '%Y')", "'1970'"},
      {"FROM_UNIXTIME(-1)", "NULL"},
      {"YEAR('2024-02-29')", "2024"},
      {"QUARTER('2024-02-29')", "1"},
      {"MONTH('2024-02-29 10:00:00')", "2"},
      {"DAY('2024-02-29')", "29"},
      {"DAYOFMONTH('2024-02-29')", "29"},
      {"DAYOFWEEK('2000-01-01')", "7"},
      {"WEEKDAY('2000-01-01')", "5"},
      {"WEEK('2000-01-01')", "0"},
      {"DAYOFYEAR('2024-12-31')", "366"},
      {"TO_DAYS('1970-01-01')", "719528"},
      {"FROM_DAYS(719528)", "date 1970-01-01"},
      {"MAKEDATE(2024, 60)", "date 2024-02-29"},
      {"MAKEDATE(2024, 0)", "NULL"},
      {"HOUR('10:20:30')", "10"},
      {"MINUTE('2024-01-01 10:20:30')", "20"},
      {"SECOND('10:20:30')", "30"},
      {"MICROSECOND('10:20:30.000123')", "123"},
      {"DATE('2024-01-31 10:00:00')", "date 2024-01-31"},
      {"TIME('2024-01-31 10:00:01')", "time 10:00:01"},
      {"LAST_DAY('2024-02-01')", "date 2024-02-29"},
      {"DATEDIFF('2024-03-01', '2024-02-28')", "2"},
      {"TIMEDIFF('10:00:00', '11:30:00')", "time -01:30:00"},
      {"TIME_TO_SEC('01:00:01')", "3601"},
      {"SEC_TO_TIME(3661)", "time 01:01:01"},
      {"MONTHNAME('2024-02-29')", "'February'"},
      {"DAYNAME('2024-02-29')", "'Thursday'"},
      {"DATE_FORMAT('2024-02-29 13:04:05', '%Y-%m-%d %H:%i:%s %p %W %j %%')",
       "'2024-02-29 13:04:05 PM Thursday 060 %'"},
      {"DATE_FORMAT('2024-02-09', '%c/%e/%y %b %a')", "'2/9/24 Feb Fri'"},
      {"STR_TO_DATE('31,1,2024', '%d,%m,%Y')", "date 2024-01-31"},
      {"STR_TO_DATE('2024-01-31 10:20', '%Y-%m-%d %H:%i')", "datetime 2024-01-31 10:20:00"},
      {"STR_TO_DATE('1 Jan 1983', '%d %b %Y')", "date 1983-01-01"},
      {"STR_TO_DATE('30,2,2024', '%d,%m,%Y')", "NULL"},
      {"STR_TO_DATE('x', '%d')", "NULL"},
      {"YEAR('nonsense')", "NULL"},
      {"YEAR(NULL)", "NULL"},
      {"DATEDIFF('2024-01-01', NULL)", "NULL"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql) == expected);
  }
}

TEST_CASE("intervals are added in the shape of the value") {
  const ExpressionCase cases[] = {
      {"DATE_ADD('2024-01-31', INTERVAL 1 MONTH)", "'2024-02-29'"},
      {"DATE_ADD('2024-02-29', INTERVAL 1 YEAR)", "'2025-02-28'"},
      {"DATE_ADD('2024-01-31', INTERVAL 1 DAY)", "'2024-02-01'"},
      {"DATE_ADD('2024-01-31', INTERVAL 2 HOUR)", "'2024-01-31 02:00:00'"},
      {"DATE_SUB('2024-03-01', INTERVAL 1 WEEK)", "'2024-02-23'"},
      {"DATE_ADD('2024-03-01', INTERVAL 1 QUARTER)", "'2024-06-01'"},
      {"DATE_ADD('2024-01-01 00:00:00', INTERVAL '1:30' MINUTE_SECOND)", "'2024-01-01 00:01:30'"},
      {"DATE_ADD('2024-01-01', INTERVAL '1-6' YEAR_MONTH)", "'2025-07-01'"},
      {"DATE_ADD('2024-01-01', INTERVAL '1 2' DAY_HOUR)", "'2024-01-02 02:00:00'"},
      {"DATE_ADD('2024-01-01 00:00:00', INTERVAL 1.5 SECOND)", "'2024-01-01 00:00:01.500000'"},
      {"DATE_ADD(DATE '2024-01-31', INTERVAL 1 MONTH)", "date 2024-02-29"},
      {"DATE_ADD(DATE '2024-01-31', INTERVAL 1 MINUTE)", "datetime 2024-01-31 00:01:00"},
      {"DATE '2024-01-31' + INTERVAL 1 DAY", "date 2024-02-01"},
      {"'2024-01-31' - INTERVAL 1 MONTH", "'2023-12-31'"},
      {"$.d + INTERVAL 6 DAY = '2007-03-02'", "TRUE"},
      {"DATE_ADD('nonsense', INTERVAL 1 DAY)", "NULL"},
      {"DATE_ADD(NULL, INTERVAL 1 DAY)", "NULL"},
      {"DATE_ADD('9999-12-31', INTERVAL 1 DAY)", "NULL"},
      {"DATE_ADD('2024-01-01', INTERVAL 999999999 HOUR)", "NULL"},
      {"DATE_ADD('2024-01-01', INTERVAL 600000000 HOUR)", "NULL"},
      {"DATE_ADD('2024-01-01', INTERVAL -2025 YEAR)", "NULL"},
      {"DATE_ADD('2024-01-01', INTERVAL 1e300 MONTH)", "NULL"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, R"({"d": "2007-02-24"})") == expected);
  }
}

TEST_CASE("a wrong date is a warning, and an error in strict statements") {
  Evaluating row;
  CHECK(row("DATE_ADD('2024-02-30', INTERVAL 1 DAY)") == "NULL");
  REQUIRE(row.context.warnings.size() == 1);
  CHECK(row.context.warnings[0].code == 1292);
  CHECK(row.context.warnings[0].message == "Incorrect datetime value: '2024-02-30'");
  row.context.strict = true;
  const auto strict = row.value("YEAR('x')");
  REQUIRE(!strict);
  CHECK(strict.error().code == ErrorCode::kInvalidData);
}

}  // namespace
}  // namespace wherestar::server
