#include <string>

#include <doctest/doctest.h>

#include "server/sql_parser.h"
#include "tests/server/statement_text.h"

using namespace wherestar;
using namespace wherestar::server_test;

namespace {

std::string repeated(const std::string& part, size_t times) {
  std::string out;
  out.reserve(part.size() * times);
  for (size_t i = 0; i < times; ++i) out += part;
  return out;
}

bool accepted(const std::string& sql) {
  return server::parse_sql_condition(sql).has_value();
}

// Refused with the limit's code and a message that has a place.
void check_too_much(const std::string& sql) {
  CAPTURE(sql.substr(0, 60));
  const auto result = server::parse_sql_condition(sql);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kLimitExceeded);
  CHECK(result.error().message.find("(line 1, column ") != std::string::npos);
}

}  // namespace

TEST_CASE("A hundred levels are accepted, one more is not") {
  const auto nested = [](const std::string& open, const std::string& close, size_t levels) {
    return repeated(open, levels) + "1" + repeated(close, levels);
  };
  CHECK(accepted(nested("(", ")", 100)));
  check_too_much(nested("(", ")", 101));
  CHECK(accepted(nested("f(", ")", 99)));
  check_too_much(nested("f(", ")", 100));
  CHECK(accepted(nested("[", "]", 99)));
  check_too_much(nested("[", "]", 100));
  CHECK(accepted(nested("{a:", "}", 99)));
  check_too_much(nested("{a:", "}", 100));
  CHECK(accepted(nested("NOT ", "", 99)));
  check_too_much(nested("NOT ", "", 100));
  CHECK(accepted(nested("~", "", 99)));
  check_too_much(nested("~", "", 100));
  CHECK(accepted(nested("CASE WHEN ", " THEN 2 END", 99)));
  check_too_much(nested("CASE WHEN ", " THEN 2 END", 100));
  CHECK(accepted(nested("CAST(", " AS JSON)", 99)));
  check_too_much(nested("CAST(", " AS JSON)", 100));
  CHECK(accepted(nested("", "+1", 99)));
  check_too_much(nested("", "+1", 100));
  CHECK(accepted(nested("", "=1", 99)));
  check_too_much(nested("", "=1", 100));
  check_too_much(repeated("- ", 200) + "a");
}

TEST_CASE("Depth bombs end at once and without much memory") {
  constexpr size_t kMany = 900'000;
  for (const char* part : {"(", "[", "{a:", "f(", "NOT ", "- ", "~", "!", "CASE ", "CASE WHEN ",
                           "CAST(", "1+(", "a=(", "((1),"}) {
    CAPTURE(part);
    const std::string bomb = repeated(part, kMany / 4);
    const auto result = server::parse_sql_condition(bomb);
    REQUIRE_FALSE(result);
  }
  CHECK_FALSE(server::parse_sql("SELECT " + repeated("(", kMany)));
  CHECK_FALSE(server::parse_sql("INSERT INTO c VALUES " + repeated("(", kMany)));
}

TEST_CASE("Long chains and lists are no depth") {
  CHECK(accepted("a" + repeated(" AND a", 1000)));
  CHECK(accepted("a" + repeated(" OR a", 50'000)));
  CHECK(accepted("a" + repeated(" AND a = 1 OR b", 10'000)));
  CHECK(accepted("a IN (1" + repeated(",1", 60'000) + ")"));
  check_too_much("a IN (1" + repeated(",1", 70'000) + ")");
  check_too_much("a" + repeated(" AND a", 70'000));
  check_too_much("a" + repeated(".b", 100));
  CHECK(accepted("a" + repeated(".b", 99)));
}

TEST_CASE("Expressions that are written out twice do not grow without bound") {
  check_too_much("a" + repeated(" <=> a", 30));
  std::string simple_case = "a";
  for (int i = 0; i < 40; ++i)
    simple_case = "CASE " + simple_case + " WHEN 1 THEN 2 WHEN 3 THEN 4 END";
  check_too_much(simple_case);
  check_too_much("CASE [1" + repeated(",1", 1000) + "]" + repeated(" WHEN 1 THEN 2", 1000) +
                 " END");
}

TEST_CASE("Many rows fit into one INSERT") {
  const auto result =
      server::parse_sql("INSERT INTO c VALUES ('{}')" + repeated(",({a: 1})", 10'000));
  REQUIRE(result);
  CHECK(std::get<server::Insert>(result->statement).documents.size() == 10'001);
}

TEST_CASE("Text beyond 16 MiB or a million words is refused") {
  const auto too_long = server::parse_sql("SELECT '" + std::string(16u << 20, 'x') + "'");
  REQUIRE_FALSE(too_long);
  CHECK(too_long.error().code == ErrorCode::kLimitExceeded);
  const auto too_many = server::parse_sql("SELECT 1" + repeated(",1", 600'000));
  REQUIRE_FALSE(too_many);
  CHECK(too_many.error().code == ErrorCode::kLimitExceeded);
  CHECK(too_many.error().message.find("(line 1, column ") != std::string::npos);
}

TEST_CASE("Wrong text is a syntax error with the place and what was expected") {
  struct Case {
    std::string sql;
    std::string message;
  };
  const Case cases[] = {
      {"SELECT * form shop.products", "near 'form' (line 1, column 10): expected FROM"},
      {"SELECT a form shop.products", "near 'form' (line 1, column 10): expected FROM"},
      {"SELECT *\nFROM c\nwehre a = 1", "near 'wehre' (line 3, column 1): expected WHERE"},
      {"SELECT * FROM c WHERE a = 1 ODER BY b", "near 'ODER' (line 1, column 29): expected ORDER"},
      {"SELECT * FROM c LIMT 3", "near 'LIMT' (line 1, column 17): expected LIMIT"},
      {"SELCT 1", "near 'SELCT' (line 1, column 1): expected SELECT"},
      {"hello", "near 'hello' (line 1, column 1): unexpected"},
      {"", "at the end (line 1, column 1): unexpected"},
      {"SELECT", "at the end (line 1, column 7): expected an expression"},
      {"SELECT FROM c", "near 'FROM' (line 1, column 8): expected an expression"},
      {"SELECT a, FROM c", "near 'FROM' (line 1, column 11): expected an expression"},
      {"SELECT (1", "at the end (line 1, column 10): expected )"},
      {"SELECT 1 2", "near '2' (line 1, column 10): unexpected"},
      {"SELECT 1; SELECT 2", "near 'SELECT' (line 1, column 11): expected the end"},
      {"SELECT * FROM c WHERE", "at the end (line 1, column 22): expected an expression"},
      {"SELECT * FROM c WHERE a = ", "at the end (line 1, column 27): expected an expression"},
      {"SELECT * FROM c WHERE a IS 5",
       "near '5' (line 1, column 28): expected NULL, TRUE or FALSE"},
      {"SELECT * FROM c LIMIT x", "near 'x' (line 1, column 23): expected a number or ?"},
      {"SELECT * FROM c LIMIT 1.5", "near '1.5' (line 1, column 23): expected a whole number"},
      {"SELECT CAST(a b)", "near 'b' (line 1, column 15): expected AS"},
      {"SELECT CASE a END", "near 'END' (line 1, column 15): expected WHEN"},
      {"SELECT 'abc", "near ''' (line 1, column 8): a string without end"},
      {"SELECT 1,\n  \"abc", "near '\"' (line 2, column 3): a string without end"},
      {"SELECT `abc", "near '`' (line 1, column 8): a quoted name without end"},
      {"SELECT 1 /* abc", "near '/' (line 1, column 10): a comment without end"},
      {"SELECT 12abc", "near '1' (line 1, column 8): a number with letters"},
      {"SELECT x'0g'", "near 'x' (line 1, column 8): a wrong hexadecimal literal"},
      {"SELECT @a", "near '@' (line 1, column 8): user variables are not supported"},
      {"SELECT @@", "near '@' (line 1, column 8): a variable without name"},
      {"SELECT \\", "near '\\' (line 1, column 8): a character that SQL does not know"},
      {"SELECT a.b(1).c FROM d", "near '.' (line 1, column 14): unexpected"},
      {"SELECT a[0](1)", "near 'a[0](1)' (line 1, column 8): no name of a function"},
      {"SELECT a[x]", "near 'x' (line 1, column 10): expected a number, * or LAST"},
      {"INSERT INTO c ('{}')", "near ''{}'' (line 1, column 16): expected a name"},
      {"INSERT INTO c (a) VALUES (1)",
       "near 'a' (line 1, column 16): expected doc, the only column of a collection"},
      {"INSERT INTO c VALUES ('{}') ON DUPLICATE KEY UPDATE a = 1",
       "near 'a' (line 1, column 53): expected doc = VALUES(doc): the document is replaced"},
      {"INSERT INTO db.* VALUES ('{}')", "near '*' (line 1, column 16): expected a name"},
      {"UPDATE c WHERE a = 1", "near 'WHERE' (line 1, column 10): expected SET, UNSET or REMOVE"},
      {"DELETE c", "near 'c' (line 1, column 8): expected FROM"},
      {"DROP c", "near 'c' (line 1, column 6): unexpected"},
      {"CREATE INDEX i ON c (a)", "near ')' (line 1, column 23): expected a name"},
      {"SELECT '\xc3\xa4' +", "at the end (line 1, column 13): expected an expression"},
      {"ROLLBACK TO", "at the end (line 1, column 12): expected a name"},
  };
  for (const Case& one : cases) {
    CAPTURE(one.sql);
    const auto result = server::parse_sql(one.sql);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kSqlSyntax);
    CHECK(result.error().message == one.message);
  }
}

TEST_CASE("Text that is no UTF-8 is refused with its place") {
  const auto result = server::parse_sql("SELECT\n'\xff'");
  REQUIRE_FALSE(result);
  CHECK(result.error().code == ErrorCode::kInvalidUtf8);
  CHECK(result.error().message == "line 2, column 2: no UTF-8");
}

TEST_CASE("Every prefix of a statement is an error or a statement, never a crash") {
  const std::string sql =
      "SELECT DISTINCT a.b[0] AS x, COUNT(DISTINCT `q r`), CASE c WHEN 1 THEN -2e3 ELSE x'00' END "
      "FROM db.c AS t WHERE * IN ('a\\'b', ?, {k: [1, 2]}) AND NOT (d + INTERVAL 1 DAY > @@now) "
      "GROUP BY a HAVING COUNT(*) > 1 ORDER BY $**.z DESC LIMIT 5 OFFSET ? FOR UPDATE SKIP LOCKED;";
  size_t statements = 0;
  for (size_t length = 0; length <= sql.size(); ++length) {
    if (server::parse_sql(sql.substr(0, length))) ++statements;
    static_cast<void>(server::parse_sql(sql.substr(length)));
  }
  CHECK(statements > 10);
  CHECK(server::parse_sql(sql));
}
