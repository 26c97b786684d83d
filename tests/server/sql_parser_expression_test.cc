#include <string>

#include <doctest/doctest.h>

#include "server/sql_parser.h"
#include "tests/server/statement_text.h"

using namespace wherestar;
using namespace wherestar::server_test;

namespace {

struct Case {
  std::string sql;
  std::string tree;
};

template <size_t N>
void check_conditions(const Case (&cases)[N]) {
  for (const Case& one : cases) {
    CAPTURE(one.sql);
    CHECK(parsed_condition(one.sql) == one.tree);
  }
}

}  // namespace

TEST_CASE("Literals keep type and exact value") {
  check_conditions({
      {"1", "1"},
      {"9223372036854775807", "9223372036854775807"},
      {"9223372036854775808", "9223372036854775808u"},
      {"18446744073709551615", "18446744073709551615u"},
      {"18446744073709551616", "18446744073709551616d"},
      {"-5", "-5"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"-18446744073709551615", "-18446744073709551615d"},
      {"- - 5", "5"},
      {"1.50", "1.50d"},
      {"-1.50", "-1.50d"},
      {".5", "0.5d"},
      {"1e3", "1000f"},
      {"2.5E-1", "0.25f"},
      {"TRUE", "TRUE"},
      {"false", "FALSE"},
      {"Null", "NULL"},
      {"'a'", "'a'"},
      {"\"a\"", "'a'"},
      {"''", "''"},
      {"'it''s'", "'it's'"},
      {"\"say \"\"hi\"\"\"", "'say \"hi\"'"},
      {"'it\\'s'", "'it's'"},
      {"'a\\nb\\tc\\\\d'", "'a\nb\tc\\d'"},
      {"'50\\%\\_'", "'50\\%\\_'"},
      {"'\\q'", "'q'"},
      {"'Zürich'", "'Zürich'"},
      {"x'0aFF'", "x'0aff'"},
      {"X''", "x''"},
      {"0x1ff", "x'01ff'"},
      {"DATE '2020-02-03'", "(cast DATE '2020-02-03')"},
      {"TIME '10:11:12'", "(cast TIME '10:11:12')"},
      {"TIMESTAMP '2020-02-03 10:11:12'", "(cast DATETIME '2020-02-03 10:11:12')"},
      {"[]", "[]"},
      {"[1, 'a', [NULL]]", "[1 'a' [NULL]]"},
      {"{}", "{}"},
      {"{\"a\": 1, b: {'c': [true]}}", "{a: 1, b: {c: [TRUE]}}"},
      {"{\"from\": from}", "error: near 'from' (line 1, column 10): expected an expression"},
      {"{select: 1, from: 2, order: 3}", "{select: 1, from: 2, order: 3}"},
      {"?", "?0"},
      {"[?, ?, ?]", "[?0 ?1 ?2]"},
      {"@@version", "@@version"},
      {"@@session.autocommit", "@@autocommit"},
      {"@@GLOBAL.port", "@@port"},
  });
}

TEST_CASE("Operators bind as they do in MySQL") {
  check_conditions({
      {"a OR b AND c", "(or a (and b c))"},
      {"a AND b OR c", "(or (and a b) c)"},
      {"a XOR b OR c XOR d", "(or (xor a b) (xor c d))"},
      {"a XOR b AND c", "(xor a (and b c))"},
      {"a || b && c", "(or a (and b c))"},
      {"NOT a AND b", "(and (not a) b)"},
      {"NOT a = b", "(not (= a b))"},
      {"! a = b", "(= (not a) b)"},
      {"NOT NOT a", "(not (not a))"},
      {"NOT a IS NULL", "(not (is a NULL))"},
      {"a = b = c", "(= (= a b) c)"},
      {"a < b <> c", "(<> (< a b) c)"},
      {"a != 1", "(<> a 1)"},
      {"a == 1", "(= a 1)"},
      {"a >= 1 AND a <= 2", "(and (>= a 1) (<= a 2))"},
      {"a = b IS NULL", "(is (= a b) NULL)"},
      {"a IS NOT NULL", "(is-not a NULL)"},
      {"a IS TRUE", "(is a TRUE)"},
      {"a IS NOT FALSE", "(is-not a FALSE)"},
      {"a <=> b", "(or (is (= a b) TRUE) (and (is a NULL) (is b NULL)))"},
      {"a + b * c", "(+ a (* b c))"},
      {"(a + b) * c", "(* (+ a b) c)"},
      {"a - b - c", "(- (- a b) c)"},
      {"a / b DIV c % d MOD e", "(% (% (div (/ a b) c) d) e)"},
      {"a * b ^ c", "(* a (^ b c))"},
      {"-a ^ b", "(^ (neg a) b)"},
      {"~a & b", "(& (~ a) b)"},
      {"+a", "(pos a)"},
      {"a | b & c << d + e", "(| a (& b (<< c (+ d e))))"},
      {"a >> 1 >> 2", "(>> (>> a 1) 2)"},
      {"a | b = c", "(= (| a b) c)"},
      {"a BETWEEN 1 AND 2 AND b", "(and (between a 1 2) b)"},
      {"a NOT BETWEEN 1 + 1 AND 3", "(not-between a (+ 1 1) 3)"},
      {"a IN (1, 2, 'x')", "(in a 1 2 'x')"},
      {"a NOT IN (1)", "(not-in a 1)"},
      {"1 IN [1, 2]", "(contained 1 [1 2])"},
      {"'x' IN tags", "(contained 'x' tags)"},
      {"'x' NOT IN $.tags", "(not-contained 'x' $.tags)"},
      {"{a: 1} IN doc", "(contained {a: 1} doc)"},
      {"1 MEMBER OF (tags)", "(contained 1 tags)"},
      {"a OVERLAPS [1]", "(overlaps a [1])"},
      {"a NOT OVERLAPS b", "(not-overlaps a b)"},
      {"a LIKE 'x%'", "(like a 'x%')"},
      {"a NOT LIKE 'x!%' ESCAPE '!'", "(not-like a 'x!%' '!')"},
      {"a LIKE 'x%' COLLATE utf8mb4_general_ci", "(like-ci a 'x%')"},
      {"a LIKE 'x%' COLLATE utf8mb4_bin", "(like a 'x%')"},
      {"a REGEXP '^b'", "(regexp a '^b')"},
      {"a NOT RLIKE '^b'", "(not-regexp a '^b')"},
      {"a = b LIKE 'c'", "(= a (like b 'c'))"},
      {"a LIKE 'b' = 1", "(= (like a 'b') 1)"},
      {"d + INTERVAL 1 DAY", "(date+ DAY d 1)"},
      {"d - INTERVAL n month", "(date- MONTH d n)"},
      {"INTERVAL 2 HOUR + d", "(date+ HOUR d 2)"},
      {"d + INTERVAL 1 DAY + INTERVAL 2 HOUR", "(date+ HOUR (date+ DAY d 1) 2)"},
  });
}

TEST_CASE("Long chains of AND and OR are one node") {
  check_conditions({
      {"a AND b AND c AND d", "(and a b c d)"},
      {"a OR b OR c AND d AND e", "(or a b (and c d e))"},
      {"(a AND b) AND c", "(and a b c)"},
      {"a AND (b AND c)", "(and a (and b c))"},
  });
}

TEST_CASE("Functions, CASE and casts") {
  check_conditions({
      {"f()", "fn:f()"},
      {"LOWER(a)", "fn:LOWER(a)"},
      {"db.f(1, 2)", "fn:db.f(1 2)"},
      {"COUNT(*)", "fn:COUNT(*)"},
      {"count( * ) > 1", "(> fn:count(*) 1)"},
      {"COUNT(DISTINCT a)", "fn:COUNT(distinct a)"},
      {"REPLACE(a, 'x', 'y')", "fn:REPLACE(a 'x' 'y')"},
      {"INSERT(a, 1, 2, 'y')", "fn:INSERT(a 1 2 'y')"},
      {"IF(a > 1, 'x', NOT b)", "fn:IF((> a 1) 'x' (not b))"},
      {"DATE(a)", "fn:DATE(a)"},
      {"DATABASE()", "fn:DATABASE()"},
      {"USER() = SCHEMA()", "(= fn:USER() fn:SCHEMA())"},
      {"MOD(a, 2)", "fn:MOD(a 2)"},
      {"DATE_ADD(d, INTERVAL 1 YEAR)", "(date+ YEAR d 1)"},
      {"date_sub(d, INTERVAL 1 + 1 minute)", "(date- MINUTE d (+ 1 1))"},
      {"f(INTERVAL 1 DAY)",
       "error: near 'INTERVAL 1 DAY' (line 1, column 3): an INTERVAL that nothing is added to"},
      {"CAST(a AS SIGNED)", "(cast SIGNED a)"},
      {"CAST(a AS unsigned integer)", "(cast UNSIGNED INTEGER a)"},
      {"CAST(a AS DECIMAL(10, 2))", "(cast DECIMAL(10,2) a)"},
      {"CAST(a AS char(5))", "(cast CHAR(5) a)"},
      {"CAST(a AS DATE)", "(cast DATE a)"},
      {"CONVERT(a, JSON)", "(cast JSON a)"},
      {"CASE WHEN a THEN 1 END", "(case a 1)"},
      {"CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END", "(case a 1 b 2 else 3)"},
      {"CASE a WHEN 1 THEN 'x' ELSE 'y' END", "(case (= a 1) 'x' else 'y')"},
      {"case a when 1 then 2 when 3 then 4 end + 1", "(+ (case (= a 1) 2 (= a 3) 4) 1)"},
  });
}

TEST_CASE("Paths of names, cells and wildcards") {
  check_conditions({
      {"a", "a"},
      {"a.b.c", "a.b.c"},
      {"a[0].b", "a[0].b"},
      {"a[last]", "a[last]"},
      {"a[last-2]", "a[last-2]"},
      {"a[1 to last]", "a[1 to last]"},
      {"a[*].b", "a[*].b"},
      {"a.*", "a.*"},
      {"a**.b", "a**.b"},
      {"a**.*", "a**.*"},
      {"a**[0]", "a**[0]"},
      {"$", "$"},
      {"$.a.b", "$.a.b"},
      {"$[0]", "$[0]"},
      {"$**.a", "$**.a"},
      {"$.\"a b\".c", "$.\"a b\".c"},
      {"`a b`.c", "\"a b\".c"},
      {"`with ``tick`", "\"with `tick\""},
      {"$.2nd", "$.\"2nd\""},
      {"doc->'$.a.b'", "$.a.b"},
      {"doc->>'$.a'", "(unquote $.a)"},
      {"c.doc->'$.a[0]'", "$.a[0]"},
      {"a->'$.b'", "$.a.b"},
      {"doc->'$.a[*]' = 1", "(= $.a[*] 1)"},
      {"doc->'a'",
       "error: near 'doc->'a'' (line 1, column 1): "
       "invalid path, position 1: expected '$', found 'a'"},
      {"a.* = 5", "(= a.* 5)"},
      {"a**.x = 'v'", "(= a**.x 'v')"},
      {"größe > 3", "(> größe 3)"},
      {"_id = $id", "(= _id $id)"},
  });
}

TEST_CASE("Members may be called nearly anything") {
  for (const std::string name :
       {"value", "type",   "key",   "count", "year",   "user",  "name",   "date",    "path",
        "place", "status", "time",  "index", "table",  "level", "schema", "columns", "last",
        "if",    "ignore", "mode",  "share", "start",  "end_",  "to",     "only",    "read",
        "write", "match",  "score", "unset", "remove", "work",  "names",  "engine",  "default",
        "mod",   "offset", "order", "group", "limit",  "desc",  "values", "lock",    "end"}) {
    CAPTURE(name);
    const std::string& text = name;
    CHECK(parsed_condition(text + " = 1 AND x." + text + " = 2 AND " + text + " IS NULL") ==
          "(and (= " + text + " 1) (= x." + text + " 2) (is " + text + " NULL))");
    CHECK(parsed("SELECT " + text + ", 1 AS " + text + " FROM c ORDER BY " + text + " DESC") ==
          "(select " + text + " 1:" + text + " (from c) (order " + text + "-))");
  }
}

TEST_CASE("A star is the any path where an operand stands, else multiplication") {
  check_conditions({
      {"* = 'v'", "(= *any 'v')"},
      {"* <> 5", "(<> *any 5)"},
      {"* < 5", "(< *any 5)"},
      {"* <= 5", "(<= *any 5)"},
      {"* > 5", "(> *any 5)"},
      {"* >= 5", "(>= *any 5)"},
      {"'v' = *", "(= 'v' *any)"},
      {"5 < *", "(< 5 *any)"},
      {"* IN ('a', 2)", "(in *any 'a' 2)"},
      {"* NOT IN ('a')", "(not-in *any 'a')"},
      {"* BETWEEN 1 AND 9", "(between *any 1 9)"},
      {"* LIKE 'Bea%'", "(like *any 'Bea%')"},
      {"* LIKE 'bea%' COLLATE ci", "(like-ci *any 'bea%')"},
      {"* REGEXP '^B'", "(regexp *any '^B')"},
      {"* IS NULL", "(is *any NULL)"},
      {"'v' IN *", "(contained 'v' *any)"},
      {"? IN $**.*", "(contained ?0 $**.*)"},
      {"NOT (* = 'v')", "(not (= *any 'v'))"},
      {"NOT * = 'v'", "(not (= *any 'v'))"},
      {"* = 'a' AND * = 'b' OR a * 2 = 4", "(or (and (= *any 'a') (= *any 'b')) (= (* a 2) 4))"},
      {"* = a * 2", "(= *any (* a 2))"},
      {"value*2=date*3", "(= (* value 2) (* date 3))"},
      {"*='x'", "(= *any 'x')"},
      {"(a)*(b)", "(* a b)"},
      {"[1]*2", "(* [1] 2)"},
      {"?*?", "(* ?0 ?1)"},
  });
}

TEST_CASE("An any path where no comparison is says so") {
  const char* kRule =
      ": `*` as any path stands beside a comparison, IN, BETWEEN, LIKE, REGEXP or IS only";
  const auto at = [&](int column) {
    return "error: near '*' (line 1, column " + std::to_string(column) + ")" + kRule;
  };
  CHECK(parsed_condition("*") == at(1));
  CHECK(parsed_condition("* + 1 = 2") == at(1));
  CHECK(parsed_condition("* = *") == at(5));
  CHECK(parsed_condition("a = 1 AND *") == at(11));
  CHECK(parsed_condition("LOWER(*) = 'x'") == at(7));
  CHECK(parsed_condition("a BETWEEN * AND 3") == at(11));
  CHECK(parsed_condition("a IN (1, *)") == at(10));
  CHECK(parsed("UPDATE c SET a = *") == at(18));
  CHECK(parsed("SELECT a FROM c ORDER BY *") == at(26));
  CHECK(parsed_condition("* <=> 1") ==
        "error: near '*' (line 1, column 1): the any path takes no <=>");
}

TEST_CASE("Blanks and comments stand anywhere") {
  check_conditions({
      {" a\n=\t1 ", "(= a 1)"},
      {"a -- to the end\n= 1", "(= a 1)"},
      {"a # to the end\n= 1", "(= a 1)"},
      {"a /* in\nbetween */ = /*! hint */ 1", "(= a 1)"},
      {"1--1", "(- 1 -1)"},
      {"a = 1 --", "(= a 1)"},
      {"$ . a . b", "$.a.b"},
  });
}

TEST_CASE("Placeholders are numbered in order and counted") {
  const auto result =
      server::parse_sql("SELECT ? FROM c WHERE a IN (?, ?) AND * = ? LIMIT ? OFFSET ?");
  REQUIRE(result);
  CHECK(result->placeholders == 6);
  CHECK(text_of(result->statement) ==
        "(select ?0 (from c) (where (and (in a ?1 ?2) (= *any ?3))) (limit ?4) (offset ?5))");
}
