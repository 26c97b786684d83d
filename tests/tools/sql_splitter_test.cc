#include "tools/sql_splitter.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace wherestar::tools;

namespace {

std::vector<std::string> split(std::string_view text, size_t chunk = 0) {
  SqlSplitter splitter;
  std::vector<std::string> statements;
  const size_t step = chunk == 0 ? text.size() + 1 : chunk;
  for (size_t at = 0; at < text.size(); at += step) {
    splitter.feed(text.substr(at, step));
    while (auto statement = splitter.next()) statements.push_back(*statement);
  }
  if (auto rest = splitter.rest()) statements.push_back(*rest);
  return statements;
}

using Statements = std::vector<std::string>;

}  // namespace

TEST_CASE("statements end at semicolons") {
  CHECK(split("SELECT 1; SELECT 2") == Statements{"SELECT 1", "SELECT 2"});
  CHECK(split(";;  ;\n").empty());
  CHECK(split("").empty());
}

TEST_CASE("quotes and comments hide semicolons") {
  CHECK(split("SELECT ';', \";\", `a;b`; SELECT 'it''s; \\'; ok'") ==
        Statements{"SELECT ';', \";\", `a;b`", "SELECT 'it''s; \\'; ok'"});
  CHECK(split("SELECT 1 -- no; end\n + 1; SELECT /* ; */ 2; # ;\nSELECT 3") ==
        Statements{"SELECT 1 -- no; end\n + 1", "SELECT /* ; */ 2", "# ;\nSELECT 3"});
}

TEST_CASE("comments alone are no statement") {
  CHECK(split("-- nothing\n;/* at all */;# here").empty());
  CHECK(is_statement("SELECT 1"));
  CHECK_FALSE(is_statement("  -- x"));
}

TEST_CASE("line by line is the same, when lines are whole") {
  SqlSplitter splitter;
  splitter.feed("SELECT 'a\n");
  CHECK_FALSE(splitter.next());
  CHECK_FALSE(splitter.is_empty());
  splitter.feed("b;c'; SELECT 2;\n");
  CHECK(splitter.next().value_or("") == "SELECT 'a\nb;c'");
  CHECK(splitter.next().value_or("") == "SELECT 2");
  CHECK_FALSE(splitter.next());
  CHECK(splitter.is_empty());
}

TEST_CASE("an open quote keeps the rest as one statement") {
  CHECK(split("SELECT 'open; SELECT 2") == Statements{"SELECT 'open; SELECT 2"});
  CHECK(split("SELECT '\\") == Statements{"SELECT '\\"});
}
