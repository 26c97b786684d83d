#include "tools/json_text.h"

#include <doctest/doctest.h>

using namespace wherestar;
using namespace wherestar::tools;

namespace {

std::string one_line(std::string_view text) {
  std::string out;
  append_one_line(out, text);
  return out;
}

std::string value_at(std::string_view text, std::string_view path) {
  const auto parsed = document::PathExpression::parse(path, true);
  REQUIRE(parsed);
  const auto found = find_value(text, *parsed);
  return found ? std::string(found->of(text)) : "none";
}

}  // namespace

TEST_CASE("values are skipped whatever they hold") {
  for (const std::string value : {"1", "-1.5e3", "true", "\"a\\\"}]\"", "[1, [2], {\"a\":[]}]",
                                  "{ \"a\" : { } , \"b\" : \"}\" }", "[]", "{}"}) {
    CHECK(skip_value(value + ",7", 0) == value.size());
    CHECK(skip_value(value, 0) == value.size());
    CHECK(skip_value("[" + value + " ]", 1) == value.size() + 1);
  }
}

TEST_CASE("members come with unescaped names, in order") {
  const std::string text = R"( {"a": 1, "\u0024b" :[2] , "a":"x"})";
  const auto members = members_of(text, 1);
  REQUIRE(members.size() == 3);
  CHECK(members[1].name == "$b");
  CHECK(members[1].value.of(text) == "[2]");
  CHECK(members[2].value.of(text) == "\"x\"");
  CHECK(members_of("{ }", 0).empty());
}

TEST_CASE("a path selects a value, of equal names the last") {
  const std::string text = R"({"a": {"b": [10, {"c": 0.10}, []]}, "k": 1, "k": "last"})";
  CHECK(value_at(text, "a.b[1].c") == "0.10");
  CHECK(value_at(text, "$.a.b[0]") == "10");
  CHECK(value_at(text, "$.a.b[2]") == "[]");
  CHECK(value_at(text, "$.k") == "\"last\"");
  CHECK(value_at(text, "$.a.b[3]") == "none");
  CHECK(value_at(text, "$.k.b") == "none");
  CHECK(value_at(text, "$.z") == "none");
}

TEST_CASE("a document of several lines comes out on one, otherwise as it was") {
  CHECK(one_line("{\"a\" : 1 }") == "{\"a\" : 1 }");
  CHECK(one_line("{\r\n  \"b  \\\" c\" : [ 0.10 ,\n 2e3 ],\t\"a\": {\n}\n}\n") ==
        "{\"b  \\\" c\":[0.10,2e3],\"a\":{}}");
}

TEST_CASE("bytes that are no UTF-8 become replacement characters") {
  CHECK(valid_utf8("a\xc3\xa9☺") == "a\xc3\xa9☺");
  CHECK(valid_utf8("a\xff\xe2\x98") == "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(valid_utf8("\xed\xa0\x80").size() == 9);
  CHECK(valid_utf8("\xc0\xaf").size() == 6);
}
