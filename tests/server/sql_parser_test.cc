// SQL to trees, as short texts: (op operand operand), $.path, ident, 'text', ?0.
#include "server/sql_parser.h"

#include <doctest/doctest.h>

#include "server/evaluator.h"

using namespace wherestar;
using namespace wherestar::server;
using Kind = Expression::Kind;

namespace {

const char* name_of(Operator op) {
  constexpr const char* kNames[] = {
      "or",          "and",       "xor",         "not",        "=",        "!=",      "<",
      "<=",          ">",         ">=",          "is",         "isnot",    "like",    "notlike",
      "regexp",      "notregexp", "between",     "notbetween", "in",       "notin",   "cont_in",
      "not_cont_in", "overlaps",  "notoverlaps", "+",          "-",        "*",       "/",
      "div",         "%",         "neg",         "plus",       "&",        "|",       "^",
      "~",           "<<",        ">>",          "cast",       "date_add", "date_sub"};
  return kNames[static_cast<size_t>(op)];
}

std::string show(const Expression& e) {
  std::string operands;
  for (const Expression& operand : e.operands) operands += " " + show(operand);
  switch (e.kind) {
    case Kind::kLiteral:
      if (e.literal.is_null()) return "null";
      if (e.literal.is_boolean()) return e.literal.as_signed() != 0 ? "true" : "false";
      if (e.literal.type() == SqlType::kText) return "'" + e.literal.string() + "'";
      return to_text(e.literal);
    case Kind::kPath:
      return (e.unquote ? ">" : "") + e.path.to_string();
    case Kind::kIdentifier:
      return "id:" + e.path.to_string().substr(2);
    case Kind::kAnyPath:
      return "*";
    case Kind::kStar:
      return "star";
    case Kind::kPlaceholder:
      return "?" + std::to_string(e.slot);
    case Kind::kVariable:
      return "@@" + e.name;
    case Kind::kFunction:
      return e.name + (e.distinct ? " distinct" : "") + "(" +
             (operands.empty() ? "" : operands.substr(1)) + ")";
    case Kind::kArray:
      return "[" + (operands.empty() ? "" : operands.substr(1)) + "]";
    case Kind::kObject: {
      std::string out = "{";
      for (size_t i = 0; i < e.keys.size(); ++i) out += e.keys[i] + ":" + show(e.operands[i]) + ";";
      return out + "}";
    }
    case Kind::kCase:
      return "(case" + operands + (e.has_else ? " else)" : ")");
    default:
      return std::string("(") + name_of(e.op) + (e.name.empty() ? "" : ":" + e.name) +
             (e.case_insensitive ? ":ci" : "") + operands + ")";
  }
}

std::string condition(std::string_view text) {
  const auto parsed = parse_sql_condition(text);
  return parsed ? show(*parsed) : "error: " + parsed.error().message;
}

std::string error_of(std::string_view text) {
  const auto parsed = parse_sql(text);
  return parsed ? "no error" : parsed.error().message;
}

template <class T>
T parse(std::string_view text) {
  auto parsed = parse_sql(text);
  if (!parsed) FAIL(text << ": " << parsed.error().message);
  REQUIRE(std::holds_alternative<T>(parsed->statement));
  return std::get<T>(parsed->statement);
}

}  // namespace

TEST_CASE("expressions have MySQL's precedence") {
  CHECK(condition("a = 1 OR b = 2 AND c = 3") == "(or (= id:a 1) (and (= id:b 2) (= id:c 3)))");
  CHECK(condition("NOT a = 1 AND b") == "(and (not (= id:a 1)) id:b)");
  CHECK(condition("a XOR b OR c") == "(or (xor id:a id:b) id:c)");
  CHECK(condition("1 + 2 * 3 - -4") == "(- (+ 1 (* 2 3)) -4)");
  CHECK(condition("1 | 2 & 3 << 1 + 1") == "(| 1 (& 2 (<< 3 (+ 1 1))))");
  CHECK(condition("2 * 3 ^ 4 % 5") == "(% (* 2 (^ 3 4)) 5)");
  CHECK(condition("!a = ~b") == "(= (not id:a) (~ id:b))");
  CHECK(condition("a BETWEEN 1 AND 2 AND b") == "(and (between id:a 1 2) id:b)");
  CHECK(condition("a DIV 2 MOD 3") == "(% (div id:a 2) 3)");
  CHECK(condition("a && b || c") == "(or (and id:a id:b) id:c)");
  CHECK(condition("a AND b AND c AND d") == "(and id:a id:b id:c id:d)");
}

TEST_CASE("every predicate") {
  CHECK(condition("a IN (1, 'x', NULL)") == "(in id:a 1 'x' null)");
  CHECK(condition("a NOT IN (1)") == "(notin id:a 1)");
  CHECK(condition("a IN [1, 2]") == "(cont_in id:a [1 2])");
  CHECK(condition("'x' IN b.c") == "(cont_in 'x' id:b.c)");
  CHECK(condition("'x' NOT IN $.b") == "(not_cont_in 'x' $.b)");
  CHECK(condition("? IN $**.*") == "(cont_in ?0 $**.*)");
  CHECK(condition("1 MEMBER OF (tags)") == "(cont_in 1 id:tags)");
  CHECK(condition("a OVERLAPS [1]") == "(overlaps id:a [1])");
  CHECK(condition("a LIKE 'x%' ESCAPE '!'") == "(like id:a 'x%' '!')");
  CHECK(condition("a NOT LIKE 'x' COLLATE ci") == "(notlike:ci id:a 'x')");
  CHECK(condition("a REGEXP 'x' AND b NOT RLIKE 'y'") ==
        "(and (regexp id:a 'x') (notregexp id:b 'y'))");
  CHECK(condition("a IS NULL") == "(is id:a null)");
  CHECK(condition("a IS NOT TRUE") == "(isnot id:a true)");
  CHECK(condition("a <> 1") == "(!= id:a 1)");
  CHECK(condition("a != 1") == "(!= id:a 1)");
  CHECK(condition("a == 1") == "(= id:a 1)");
  CHECK(condition("a <=> 1") == "(or (is (= id:a 1) true) (and (is id:a null) (is 1 null)))");
}

TEST_CASE("a star is any path where an operand stands") {
  CHECK(condition("* = 'x'") == "(= * 'x')");
  CHECK(condition("'x' = *") == "(= 'x' *)");
  CHECK(condition("NOT (* = 1)") == "(not (= * 1))");
  CHECK(condition("* BETWEEN 1 AND 2 AND * LIKE 'a%'") == "(and (between * 1 2) (like * 'a%'))");
  CHECK(condition("* IN (1, 2)") == "(in * 1 2)");
  CHECK(condition("a * b = c * 2") == "(= (* id:a id:b) (* id:c 2))");
  CHECK(condition("(a) * 2 = * ") == "(= (* id:a 2) *)");
  CHECK(condition("date * 2") == "(* id:date 2)");
  CHECK(condition("a.* = 1") == "(= id:a.* 1)");
  CHECK(condition("a**.b = 1") == "(= id:a**.b 1)");
  CHECK(condition("COUNT(*) > 1") == "(> COUNT(star) 1)");
}

TEST_CASE("paths") {
  CHECK(condition("a.b.c") == "id:a.b.c");
  CHECK(condition("a.`b c`.\"d e\"") == "id:a.\"b c\".\"d e\"");
  CHECK(condition("a[0].b[last].c[*]") == "id:a[0].b[last].c[*]");
  CHECK(condition("a[1 to 2]") == "id:a[1 to 2]");
  CHECK(condition("$.select.from") == "$.select.from");
  CHECK(condition("$") == "$");
  CHECK(condition("$**.a[last-1]") == "$**.a[last-1]");
  CHECK(condition("doc->'$.a.b'") == "$.a.b");
  CHECK(condition("doc->>'$.a'") == ">$.a");
  CHECK(condition("a->'$[0]'") == "$.a[0]");
  CHECK(condition("doc->'a'").starts_with("error: near 'doc->'a'' (line 1, column 1): "));
  for (const char* word : {"value", "type", "key", "count", "year", "user", "name", "date", "path",
                           "place", "title", "status", "index", "level", "time", "last", "if"})
    CHECK(condition(word) == std::string("id:") + word);
}

TEST_CASE("literals") {
  CHECK(condition("18446744073709551615") == "18446744073709551615");
  CHECK(condition("-9223372036854775808") == "-9223372036854775808");
  CHECK(condition("1.50") == "1.50");
  CHECK(condition(".5") == "0.5");
  CHECK(condition("1e3") == "1000");
  CHECK(condition(R"('it''s \n \'q\'')") == "'it's \n 'q''");
  CHECK(condition(R"("double ""quoted""")") == "'double \"quoted\"'");
  CHECK(condition(R"('50\%')") == "'50\\%'");
  CHECK(condition("x'4142' = 0x4142") == "(= AB AB)");
  CHECK(condition("TRUE and null") == "(and true null)");
  CHECK(condition("{\"a\": 1, b: [x, {}]}") == "{a:1;b:[id:x {}];}");
  CHECK(condition("DATE '2001-02-03'") == "(cast:DATE '2001-02-03')");
  CHECK(condition("@@session.sql_mode") == "@@sql_mode");
  CHECK(condition("?+?") == "(+ ?0 ?1)");
}

TEST_CASE("functions, CASE, CAST and intervals") {
  CHECK(condition("CONCAT(a, 'x', f())") == "CONCAT(id:a 'x' f())");
  CHECK(condition("COUNT(DISTINCT a)") == "COUNT distinct(id:a)");
  CHECK(condition("if(a, 1, 2)") == "if(id:a 1 2)");
  CHECK(condition("date(a) = left(b, 1)") == "(= date(id:a) left(id:b 1))");
  CHECK(condition("CAST(a AS UNSIGNED INTEGER)") == "(cast:UNSIGNED INTEGER id:a)");
  CHECK(condition("CAST(a AS decimal(10,2))") == "(cast:DECIMAL(10,2) id:a)");
  CHECK(condition("CASE WHEN a THEN 1 ELSE 2 END * 3") == "(* (case id:a 1 2 else) 3)");
  CHECK(condition("CASE a WHEN 1 THEN 'x' END") == "(case (= id:a 1) 'x')");
  CHECK(condition("a + INTERVAL 1 day") == "(date_add:DAY id:a 1)");
  CHECK(condition("DATE_SUB(a, INTERVAL 2 HOUR)") == "(date_sub:HOUR id:a 2)");
  CHECK(condition("f(INTERVAL 1 DAY)").starts_with("error: "));
  CHECK(condition("mod(7, 2) = 7 MOD 2") == "(= mod(7 2) (% 7 2))");
}

TEST_CASE("SELECT has all its parts") {
  const auto s = parse<Select>(
      "SELECT DISTINCT a AS x, COUNT(*) n, * FROM shop.products AS p WHERE a > 1 GROUP BY a, b "
      "HAVING n > 2 ORDER BY x DESC, n LIMIT 5, 10 FOR UPDATE SKIP LOCKED;");
  CHECK(s.distinct);
  REQUIRE(s.projections.size() == 3);
  CHECK(s.projections[0].alias == "x");
  CHECK(s.projections[1].alias == "n");
  CHECK(s.projections[1].expression.text == "COUNT(*)");
  CHECK(show(s.projections[2].expression) == "star");
  CHECK(s.from->database == "shop");
  CHECK(s.from->collection == "products");
  CHECK(s.from->alias == "p");
  CHECK(show(*s.where) == "(> id:a 1)");
  CHECK(s.group_by.size() == 2);
  CHECK(show(*s.having) == "(> id:n 2)");
  CHECK(s.order_by[0].descending);
  CHECK_FALSE(s.order_by[1].descending);
  CHECK(show(*s.limit.offset) == "5");
  CHECK(show(*s.limit.row_count) == "10");
  CHECK(s.lock == Lock::kExclusive);
  CHECK(s.lock_wait == LockWait::kSkipLocked);
  CHECK(parse<Select>("SELECT 1").from == std::nullopt);
  const auto all = parse<Select>("select * from * where * = 'x'");
  CHECK(all.from->any_database);
  CHECK(all.from->any_collection);
  const auto some = parse<Select>("SELECT * FROM shop.* LIMIT 1 OFFSET 2 LOCK IN SHARE MODE");
  CHECK_FALSE(some.from->any_database);
  CHECK(some.from->any_collection);
  CHECK(some.from->database == "shop");
  CHECK(some.lock == Lock::kShared);
}

TEST_CASE("changes") {
  const auto insert = parse<Insert>("INSERT INTO c (doc) VALUES ('{}'), (?), ({\"a\": 1})");
  CHECK(insert.documents.size() == 3);
  CHECK_FALSE(insert.upsert);
  CHECK(parse<Insert>("INSERT IGNORE c VALUES ('{}')").ignore);
  CHECK(parse<Insert>("REPLACE INTO c VALUES ('{}')").upsert);
  CHECK(parse<Insert>("INSERT INTO c VALUES ('{}') ON DUPLICATE KEY UPDATE doc = 1").upsert);
  const auto update =
      parse<Update>("UPDATE s.c SET a.b = 1, t[0] = 'x' REMOVE d, e WHERE a ORDER BY b LIMIT 3");
  REQUIRE(update.operations.size() == 4);
  CHECK(update.operations[1].path.to_string() == "$.t[0]");
  CHECK(update.operations[3].kind == UpdateOperation::Kind::kRemove);
  CHECK(show(*update.limit.row_count) == "3");
  CHECK(parse<Update>("UPDATE c SET doc = '{}'").operations[0].path.is_root());
  CHECK(parse<Delete>("DELETE FROM c WHERE a = 1 LIMIT 1").where.has_value());
}

TEST_CASE("definitions, transactions, SHOW and SET") {
  CHECK(parse<CreateDatabase>("CREATE SCHEMA IF NOT EXISTS `x y` DEFAULT CHARSET=utf8mb4").name ==
        "x y");
  CHECK(parse<CreateDatabase>("create schema `x` charset='utf8mb4'").name == "x");
  CHECK(parse<DropDatabase>("DROP DATABASE IF EXISTS x").if_exists);
  const auto create = parse<CreateCollection>("CREATE TABLE x.c VALIDATION '{}' LEVEL strict");
  CHECK(create.collection.database == "x");
  CHECK(create.validation->level == "strict");
  CHECK(parse<DropCollection>("DROP TABLE IF EXISTS `s`.`c`").collection.collection == "c");
  const auto index =
      parse<CreateIndex>("CREATE UNIQUE INDEX i ON c ($.a.b INT NOT NULL, d TEXT(9))");
  CHECK(index.unique);
  CHECK(index.members[0].required);
  CHECK(index.members[1].type == "TEXT(9)");
  CHECK(parse<DropIndex>("DROP INDEX i ON c").name == "i");
  CHECK(parse<Use>("USE shop").database == "shop");
  CHECK(parse<Begin>("START TRANSACTION READ ONLY").read_only);
  CHECK_FALSE(parse<Begin>("BEGIN WORK").read_only);
  parse<Commit>("COMMIT");
  CHECK(parse<Rollback>("ROLLBACK").savepoint == std::nullopt);
  CHECK(parse<Rollback>("ROLLBACK WORK TO SAVEPOINT a").savepoint == "a");
  CHECK(parse<Savepoint>("SAVEPOINT `x`").name == "x");
  CHECK(parse<ReleaseSavepoint>("RELEASE SAVEPOINT x").name == "x");
  CHECK(parse<Show>("SHOW DATABASES LIKE 'a%'").kind == Show::Kind::kDatabases);
  const auto tables = parse<Show>("SHOW FULL TABLES FROM shop WHERE type = 'x'");
  CHECK(tables.full);
  CHECK(tables.collection.database == "shop");
  CHECK(parse<Show>("SHOW GLOBAL STATUS LIKE 'Uptime'").kind == Show::Kind::kStatus);
  CHECK(parse<Show>("SHOW SESSION VARIABLES").kind == Show::Kind::kVariables);
  CHECK(parse<Show>("SHOW INDEX FROM c IN d").collection.database == "d");
  CHECK(parse<Show>("SHOW COLUMNS FROM c").kind == Show::Kind::kColumns);
  CHECK(parse<Show>("DESCRIBE c").kind == Show::Kind::kColumns);
  CHECK(parse<Show>("SHOW CREATE COLLECTION c").kind == Show::Kind::kCreateCollection);
  CHECK(parse<Show>("SHOW WARNINGS LIMIT 3").kind == Show::Kind::kWarnings);
  CHECK(parse<Explain>("EXPLAIN ANALYZE SELECT 1").analyze);
  CHECK_FALSE(parse<Explain>("DESC SELECT 1").analyze);
  const auto set =
      parse<SetVariables>("SET SESSION autocommit = ON, @@global.x = 1, NAMES utf8mb4");
  REQUIRE(set.assignments.size() == 3);
  CHECK(set.assignments[0].name == "autocommit");
  CHECK(show(set.assignments[0].value) == "'ON'");
  CHECK(set.assignments[1].name == "x");
  parse<SetVariables>("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
  CHECK(parse<SetPassword>("SET PASSWORD = 'x'").password == "x");
  CHECK(parse<SetPassword>("ALTER USER root IDENTIFIED BY 'x'").user == "root");
  CHECK(parse<Analyze>("ANALYZE TABLE c").collection.collection == "c");
}

TEST_CASE("comments and blanks are skipped") {
  CHECK(condition("a -- to the end\n = /* in\n between */ 1 # end") == "(= id:a 1)");
  CHECK(condition("a /* no end").starts_with("error: near '/' (line 1, column 3): a comment"));
  CHECK(condition("1--1") == "(- 1 -1)");
}

TEST_CASE("wrong SQL tells where and what was expected") {
  CHECK(error_of("") == "at the end (line 1, column 1): unexpected");
  CHECK(error_of("SELECT a form b") == "near 'b' (line 1, column 15): unexpected");
  CHECK(error_of("DELETE c") == "near 'c' (line 1, column 8): expected FROM");
  CHECK(error_of("SELECT 1 FROM c WHERE\n  a = = 2") == "near '=' (line 2, column 7): unexpected");
  CHECK(error_of("SELECT 'abc") == "near ''' (line 1, column 8): a string without end");
  CHECK(error_of("DROP COLLECTION") == "at the end (line 1, column 16): unexpected");
  CHECK(error_of("SAVEPOINT") != "no error");
  CHECK(error_of("SELECT 1; SELECT 2") == "near 'SELECT' (line 1, column 11): expected the end");
  CHECK(error_of("SELECT \x01") ==
        "near '\x01' (line 1, column 8): a character that SQL does not know");
  CHECK(error_of("SELECT 12ab") == "near '1' (line 1, column 8): a number with letters");
  CHECK(error_of("SELECT '\xff'") == "line 1, column 9: no UTF-8");
  CHECK(error_of("SELECT @x").find("user variables") != std::string::npos);
}

TEST_CASE("depth and size have limits, long chains are fine") {
  const auto repeat = [](const std::string& text, size_t n) {
    std::string out;
    for (size_t i = 0; i < n; ++i) out += text;
    return out;
  };
  CHECK(condition("a = 0" + repeat(" OR a = 1", 10'000)).starts_with("(or"));
  CHECK(condition("a IN (0" + repeat(", 1", 10'000) + ")").starts_with("(in"));
  CHECK(condition(repeat("NOT ", 90) + "a").starts_with("(not"));
  CHECK(condition(repeat("NOT ", 200) + "a").find("100 levels") != std::string::npos);
  CHECK(condition(repeat("f(", 200) + "1" + repeat(")", 200)).starts_with("error: "));
  CHECK(condition(repeat("[", 200) + repeat("]", 200)).starts_with("error: "));
  CHECK(condition(repeat("- ", 200) + "a").starts_with("error: "));
  CHECK(condition(repeat("(", 100'000)).starts_with("error: "));
  CHECK(condition("a" + repeat("[0]", 200)).find("100 legs") != std::string::npos);
  CHECK(error_of("SELECT '" + std::string(17 << 20, 'x') + "'").find("16 MiB") !=
        std::string::npos);
}
