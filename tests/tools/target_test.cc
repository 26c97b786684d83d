#include "tools/target.h"

#include <doctest/doctest.h>

using namespace wherestar;
using namespace wherestar::tools;

TEST_CASE("words with a slash, existing files and - are files") {
  CHECK(parse_target("./x", false)->kind == Target::Kind::kFile);
  CHECK(parse_target("-", false)->kind == Target::Kind::kFile);
  CHECK(parse_target(WHERESTAR_TOOLS_TEST_DATA "/products.jsonl", false)->kind ==
        Target::Kind::kFile);
}

TEST_CASE("words that end as files of documents do are files, there or not") {
  for (const char* word : {"none.jsonl", "none.ndjson", "none.json", "a.b.gz", "none.jsonl.zst"}) {
    CHECK(parse_target(word, false)->kind == Target::Kind::kFile);
    CHECK(parse_target(word, true)->kind == Target::Kind::kCollection);
  }
  CHECK_FALSE(parse_target(".jsonl", false));
}

TEST_CASE("names of collections, databases and everything") {
  const auto collection = parse_target("shop.products", true);
  REQUIRE(collection);
  CHECK(collection->from_clause() == "`shop`.`products`");
  CHECK(collection->text() == "shop.products");
  CHECK(parse_target("shop.*", true)->from_clause() == "`shop`.*");
  CHECK(parse_target("*", true)->from_clause() == "*");
  CHECK(parse_target("shop.a.b", true)->collection == "a.b");
  CHECK(parse_target("s`x.c", true)->from_clause() == "`s``x`.`c`");
  CHECK(parse_target("products", true).error().code == ErrorCode::kInvalidArgument);
  CHECK_FALSE(parse_target(".x", true));
  CHECK_FALSE(parse_target("x.", true));
  CHECK(parse_target("no_such_file", false).error().message.find("no such file") !=
        std::string::npos);
}

TEST_CASE("URIs are taken apart") {
  const auto whole = parse_uri("mysqlx://an%40a:s%3Acret@db.example:4000/shop");
  REQUIRE(whole);
  CHECK(whole->user == "an@a");
  CHECK(whole->password == "s:cret");
  CHECK(whole->host == "db.example");
  CHECK(whole->port == 4000);
  CHECK(whole->database == "shop");
  const auto bare = parse_uri("mysqlx://localhost");
  REQUIRE(bare);
  CHECK(bare->user == "root");
  CHECK(bare->port == 33060);
  CHECK(parse_uri("mysqlx://root@[::1]:5")->host == "::1");
  CHECK(parse_uri("mysqlx://root@[::1]")->port == 33060);
}

TEST_CASE("wrong URIs are refused without showing the password") {
  for (const char* text : {"http://x", "mysqlx://", "mysqlx://u:secret@h:99999",
                           "mysqlx://u:secret@h:", "mysqlx://u:secret@h:1x",
                           "mysqlx://u:secret@[::1", "mysqlx://a%4:b@h"}) {
    const auto uri = parse_uri(text);
    REQUIRE_FALSE(uri);
    CHECK(uri.error().message.find("secret") == std::string::npos);
  }
}
