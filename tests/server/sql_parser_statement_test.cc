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
void check_statements(const Case (&cases)[N]) {
  for (const Case& one : cases) {
    CAPTURE(one.sql);
    CHECK(parsed(one.sql) == one.tree);
    CHECK(parsed(one.sql + " ;") == one.tree);
  }
}

}  // namespace

TEST_CASE("SELECT with all its clauses") {
  check_statements({
      {"SELECT 1", "(select 1)"},
      {"select 1, 'a' AS b, 2 c", "(select 1 'a':b 2:c)"},
      {"SELECT 1 AS 'my column'", "(select 1:my column)"},
      {"SELECT 1 FROM DUAL", "(select 1)"},
      {"SELECT 1 LIMIT 1", "(select 1 (limit 1))"},
      {"SELECT * FROM c", "(select * (from c))"},
      {"SELECT *, a FROM c", "(select * a (from c))"},
      {"SELECT * FROM shop.c", "(select * (from shop.c))"},
      {"SELECT * FROM `my shop`.`my c`", "(select * (from my shop.my c))"},
      {"SELECT * FROM *", "(select * (from *))"},
      {"SELECT * FROM shop.*", "(select * (from shop.*))"},
      {"SELECT * FROM information_schema.collections",
       "(select * (from information_schema.collections))"},
      {"SELECT c.* FROM shop.c", "(select * (from shop.c))"},
      {"SELECT t.*, t.a FROM shop.c AS t", "(select * t.a (from shop.c as t))"},
      {"SELECT t.a FROM shop.c t", "(select t.a (from shop.c as t))"},
      {"SELECT tags.* FROM c", "(select tags.* (from c))"},
      {"SELECT a FROM c WHERE a = 1", "(select a (from c) (where (= a 1)))"},
      {"SELECT * FROM * WHERE * = 'Jippie'", "(select * (from *) (where (= *any 'Jippie')))"},
      {"SELECT path, COUNT(*) FROM * WHERE * = 'x' GROUP BY path",
       "(select path fn:COUNT(*) (from *) (where (= *any 'x')) (group path))"},
      {"SELECT DISTINCT a FROM c", "(select distinct a (from c))"},
      {"SELECT a, COUNT(*) AS n FROM c GROUP BY a, b HAVING n > 1",
       "(select a fn:COUNT(*):n (from c) (group a b) (having (> n 1)))"},
      {"SELECT a FROM c ORDER BY a, b DESC, 3 ASC", "(select a (from c) (order a b- 3))"},
      {"SELECT a FROM c LIMIT 5", "(select a (from c) (limit 5))"},
      {"SELECT a FROM c LIMIT 5 OFFSET 10", "(select a (from c) (limit 5) (offset 10))"},
      {"SELECT a FROM c LIMIT 10, 5", "(select a (from c) (limit 5) (offset 10))"},
      {"SELECT a FROM c LIMIT 18446744073709551615",
       "(select a (from c) (limit 18446744073709551615u))"},
      {"SELECT a FROM c FOR UPDATE", "(select a (from c) (lock exclusive))"},
      {"SELECT a FROM c FOR SHARE", "(select a (from c) (lock shared))"},
      {"SELECT a FROM c LIMIT 1 FOR UPDATE NOWAIT",
       "(select a (from c) (limit 1) (lock exclusive) nowait)"},
      {"SELECT a FROM c FOR SHARE SKIP LOCKED", "(select a (from c) (lock shared) skip-locked)"},
      {"SELECT a FROM c LOCK IN SHARE MODE", "(select a (from c) (lock shared))"},
      {"SELECT a FROM order", "(select a (from order))"},
      {"EXPLAIN SELECT * FROM c", "(explain (select * (from c)))"},
      {"EXPLAIN ANALYZE SELECT * FROM c", "(explain analyze (select * (from c)))"},
      {"DESC SELECT 1", "(explain (select 1))"},
  });
}

TEST_CASE("Changes of documents") {
  check_statements({
      {"INSERT INTO c VALUES ('{\"a\": 1}')", "(insert c '{\"a\": 1}')"},
      {"INSERT INTO shop.c VALUES ({a: 1}), (?)", "(insert shop.c {a: 1} ?0)"},
      {"INSERT INTO c (doc) VALUES ('{}')", "(insert c '{}')"},
      {"insert c values ('{}')", "(insert c '{}')"},
      {"INSERT IGNORE INTO c VALUES ('{}')", "(insert c ignore '{}')"},
      {"REPLACE INTO c VALUES ('{}')", "(insert c upsert '{}')"},
      {"INSERT INTO c VALUES ('{}') ON DUPLICATE KEY UPDATE doc = VALUES(doc)",
       "(insert c upsert '{}')"},
      {"UPDATE c SET a = 1", "(update c (set $.a 1))"},
      {"UPDATE c SET a.b[0] = a.b[1] + 1, $.d = {x: 1} WHERE _id = 'k'",
       "(update c (set $.a.b[0] (+ a.b[1] 1)) (set $.d {x: 1}) (where (= _id 'k')))"},
      {"UPDATE c SET doc = JSON_SET(doc, '$.a', 1)", "(update c (set $ fn:JSON_SET(doc '$.a' 1)))"},
      {"UPDATE c SET doc->'$.a' = 1", "error: near '->' (line 1, column 17): expected ="},
      {"UPDATE c SET c.a = 1 WHERE c.b = 2", "(update c (set $.a 1) (where (= c.b 2)))"},
      {"UPDATE c SET $.c.a = 1", "(update c (set $.c.a 1))"},
      {"UPDATE c REMOVE a, b.c", "(update c (remove $.a) (remove $.b.c))"},
      {"UPDATE c UNSET a[last] WHERE b = 1 ORDER BY d LIMIT 3",
       "(update c (remove $.a[last]) (where (= b 1)) (order d) (limit 3))"},
      {"UPDATE c SET a = 1 REMOVE b SET d = 2", "(update c (set $.a 1) (remove $.b) (set $.d 2))"},
      {"DELETE FROM c", "(delete c)"},
      {"DELETE FROM shop.c WHERE * = 5 ORDER BY a DESC LIMIT 1",
       "(delete shop.c (where (= *any 5)) (order a-) (limit 1))"},
  });
}

TEST_CASE("Definitions") {
  check_statements({
      {"CREATE DATABASE shop", "(create-database shop)"},
      {"CREATE SCHEMA IF NOT EXISTS shop", "(create-database shop if-not-exists)"},
      {"CREATE DATABASE shop DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
       "(create-database shop)"},
      {"CREATE DATABASE shop CHARSET = utf8mb4", "(create-database shop)"},
      {"DROP DATABASE shop", "(drop-database shop)"},
      {"DROP SCHEMA IF EXISTS shop", "(drop-database shop if-exists)"},
      {"CREATE COLLECTION c", "(create-collection c)"},
      {"CREATE TABLE IF NOT EXISTS shop.c", "(create-collection shop.c if-not-exists)"},
      {"CREATE COLLECTION c VALIDATION '{\"type\": \"object\"}' LEVEL strict",
       "(create-collection c schema={\"type\": \"object\"} level=strict)"},
      {"CREATE COLLECTION c VALIDATION '{}'", "(create-collection c schema={})"},
      {"ALTER COLLECTION c VALIDATION LEVEL off", "(modify-collection c level=off)"},
      {"DROP COLLECTION c", "(drop-collection c)"},
      {"DROP TABLE IF EXISTS shop.c", "(drop-collection shop.c if-exists)"},
      {"CREATE INDEX i ON c (a INT)", "(create-index i c ($.a INT))"},
      {"CREATE UNIQUE INDEX i ON shop.c ($.a.b text(64) NOT NULL, d DECIMAL(10, 2))",
       "(create-index i shop.c unique ($.a.b TEXT(64) required) ($.d DECIMAL(10,2)))"},
      {"CREATE INDEX i ON c (tags INT ARRAY, year DATE)",
       "(create-index i c ($.tags INT array) ($.year DATE))"},
      {"CREATE INDEX i ON c (tags INT UNSIGNED, d DATETIME)",
       "(create-index i c ($.tags INT UNSIGNED) ($.d DATETIME))"},
      {"DROP INDEX i ON c", "(drop-index i c)"},
      {"ANALYZE COLLECTION c", "(analyze c)"},
      {"ANALYZE TABLE shop.c", "(analyze shop.c)"},
      {"USE shop", "(use shop)"},
  });
}

TEST_CASE("SHOW and DESCRIBE") {
  check_statements({
      {"SHOW DATABASES", "(show databases)"},
      {"SHOW SCHEMAS LIKE 's%'", "(show databases (like 's%'))"},
      {"SHOW TABLES", "(show collections)"},
      {"SHOW FULL TABLES FROM shop LIKE ?", "(show full collections shop. (like ?0))"},
      {"SHOW COLLECTIONS IN shop WHERE Name = 'c'",
       "(show collections shop. (where (= Name 'c')))"},
      {"SHOW VARIABLES LIKE 'mysqlx%'", "(show variables (like 'mysqlx%'))"},
      {"SHOW GLOBAL VARIABLES", "(show variables)"},
      {"SHOW SESSION VARIABLES WHERE Variable_name IN ('a', 'b')",
       "(show variables (where (in Variable_name 'a' 'b')))"},
      {"SHOW STATUS LIKE 'Mysqlx_ssl_version'", "(show status (like 'Mysqlx_ssl_version'))"},
      {"SHOW SESSION STATUS", "(show status)"},
      {"SHOW WARNINGS", "(show warnings)"},
      {"SHOW ERRORS LIMIT 1", "(show warnings)"},
      {"SHOW INDEX FROM c", "(show indexes c)"},
      {"SHOW INDEXES FROM c IN shop", "(show indexes shop.c)"},
      {"SHOW KEYS IN shop.c", "(show indexes shop.c)"},
      {"SHOW COLUMNS FROM c", "(show columns c)"},
      {"SHOW FULL COLUMNS FROM c FROM shop LIKE 'a%'", "(show full columns shop.c (like 'a%'))"},
      {"SHOW FIELDS IN c", "(show columns c)"},
      {"SHOW PROCESSLIST", "(show processlist)"},
      {"SHOW FULL PROCESSLIST", "(show full processlist)"},
      {"SHOW CREATE COLLECTION c", "(show create c)"},
      {"SHOW CREATE TABLE shop.c", "(show create shop.c)"},
      {"SHOW GRANTS", "(show grants)"},
      {"SHOW GRANTS FOR 'root'@'%'", "(show grants)"},
      {"SHOW GRANTS FOR CURRENT_USER()", "(show grants)"},
      {"SHOW ENGINES", "(show engines)"},
      {"SHOW COLLATION", "(show collation)"},
      {"DESCRIBE c", "(show columns c)"},
      {"DESC shop.c", "(show columns shop.c)"},
      {"EXPLAIN c", "(show columns c)"},
  });
}

TEST_CASE("Transactions") {
  check_statements({
      {"START TRANSACTION", "(begin)"},
      {"START TRANSACTION READ ONLY", "(begin read-only)"},
      {"START TRANSACTION READ WRITE", "(begin)"},
      {"START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY", "(begin read-only)"},
      {"BEGIN", "(begin)"},
      {"BEGIN WORK", "(begin)"},
      {"COMMIT", "(commit)"},
      {"COMMIT WORK", "(commit)"},
      {"ROLLBACK", "(rollback)"},
      {"ROLLBACK TO a", "(rollback a)"},
      {"ROLLBACK WORK TO SAVEPOINT a", "(rollback a)"},
      {"SAVEPOINT `TXSP-1`", "(savepoint TXSP-1)"},
      {"RELEASE SAVEPOINT a", "(release a)"},
  });
}

TEST_CASE("SET and passwords") {
  check_statements({
      {"SET autocommit = 0", "(set autocommit=0)"},
      {"SET autocommit = ON", "(set autocommit='ON')"},
      {"SET SESSION sql_mode = 'ANSI', GLOBAL wait_timeout = 5",
       "(set sql_mode='ANSI' wait_timeout=5)"},
      {"SET @@session.autocommit = 1, @@time_zone := '+00:00'",
       "(set autocommit=1 time_zone='+00:00')"},
      {"SET character_set_results = NULL", "(set character_set_results=NULL)"},
      {"SET sql_mode = CONCAT(@@sql_mode, ',X')", "(set sql_mode=fn:CONCAT(@@sql_mode ',X'))"},
      {"SET NAMES utf8mb4", "(set names='')"},
      {"SET NAMES 'utf8mb4' COLLATE 'utf8mb4_bin'", "(set names='')"},
      {"SET NAMES DEFAULT", "(set names='')"},
      {"SET CHARACTER SET utf8mb4", "(set charset='')"},
      {"SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
       "(set transaction_isolation='READ-COMMITTED')"},
      {"SET SESSION TRANSACTION ISOLATION LEVEL repeatable read, READ ONLY",
       "(set transaction_isolation='REPEATABLE-READ' transaction_read_only=1)"},
      {"SET GLOBAL TRANSACTION ISOLATION LEVEL SERIALIZABLE",
       "(set transaction_isolation='SERIALIZABLE')"},
      {"SET PASSWORD = 'secret'", "(set-password 'secret')"},
      {"SET PASSWORD FOR root = 'secret'", "(set-password root 'secret')"},
      {"SET PASSWORD FOR 'root'@'localhost' = 'secret'", "(set-password root 'secret')"},
      {"ALTER USER root IDENTIFIED BY 'secret'", "(set-password root 'secret')"},
  });
}

TEST_CASE("Projections keep their text as written") {
  const auto result = server::parse_sql("SELECT  a . b ,\n COUNT( * )  AS n, 1+ 1 , `x y` FROM c");
  REQUIRE(result);
  const auto& select = std::get<server::Select>(result->statement);
  REQUIRE(select.projections.size() == 4);
  CHECK(select.projections[0].expression.text == "a . b");
  CHECK(select.projections[1].expression.text == "COUNT( * )");
  CHECK(select.projections[1].alias == "n");
  CHECK(select.projections[2].expression.text == "1+ 1");
  CHECK(select.projections[3].expression.text == "`x y`");
}

TEST_CASE("Statements that clients send by themselves are understood") {
  for (const std::string sql :
       {"SHOW VARIABLES LIKE 'mysqlx_max_allowed_packet'",
        "select @@mysqlx_max_allowed_packet",
        "SET NAMES utf8mb4",
        "SET NAMES 'utf8mb4'",
        "select @@lower_case_table_names",
        "SELECT VERSION()",
        "SELECT DATABASE()",
        "SELECT SCHEMA()",
        "SELECT CONNECTION_ID()",
        "SELECT USER()",
        "SELECT CURRENT_USER()",
        "SHOW DATABASES",
        "SELECT 1",
        "select 1",
        "START TRANSACTION",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT SP1",
        "ROLLBACK TO SAVEPOINT SP1",
        "RELEASE SAVEPOINT SP1",
        "SET autocommit=0",
        "SELECT @@autocommit",
        "DROP DATABASE IF EXISTS `x`",
        "CREATE DATABASE `x`",
        "SELECT @@version, @@version_comment LIMIT 1",
        "SHOW SESSION STATUS LIKE 'Mysqlx_ssl_cipher'",
        "SELECT SCHEMA_NAME FROM information_schema.schemata WHERE SCHEMA_NAME LIKE ?",
        "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ? AND table_name = ?",
        "SELECT COUNT(*) FROM `x`.`c`",
        "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"}) {
    CAPTURE(sql);
    const auto result = server::parse_sql(sql);
    CHECK(result.has_value());
  }
}
