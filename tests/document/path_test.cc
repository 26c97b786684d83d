#include "document/path.h"

#include <set>

#include <doctest/doctest.h>

using namespace wherestar;
using namespace wherestar::document;

namespace {

PathExpression parse(std::string_view text, bool bare = false) {
  auto path = PathExpression::parse(text, bare);
  REQUIRE_MESSAGE(path.has_value(), std::string(text));
  return *std::move(path);
}
std::string folded(std::string_view text, bool bare = false) {
  return parse(text, bare).to_string();
}

}  // namespace

TEST_CASE("Canonical spellings of different member names differ") {
  const std::string_view names[] = {"a.b", "*",  "a[*]", "",    std::string_view("\0", 1),
                                    "a",   "\"", "[*]",  "a b", "1",
                                    "**",  "\\", "$",    "é"};
  std::set<std::string> texts;
  for (const std::string_view name : names) {
    std::string path = "$";
    append_member(path, name);
    texts.insert(path);
    const PathExpression parsed = parse(path);
    REQUIRE(parsed.legs().size() == 1);
    CHECK(parsed.legs()[0].name == name);
    CHECK(parsed.to_string() == path);
  }
  CHECK(texts.size() == std::size(names));
  CHECK(texts.contains("$.\"a.b\""));
  CHECK(texts.contains("$.\"\\u0000\""));
  CHECK(texts.contains("$.é"));
}

TEST_CASE("Every kind of leg is read and positions are folded") {
  CHECK(folded("$") == "$");
  CHECK(folded(" $ . a [ 0 ] . \"x y\" ") == "$.a[*].\"x y\"");
  CHECK(folded("$[last]") == "$[*]");
  CHECK(folded("$[last - 2].*") == "$[*].*");
  CHECK(folded("$[1 to last-1]") == "$[*]");
  CHECK(folded("$**.b") == "$**.b");
  CHECK(folded("$.last.to") == "$.last.to");
  const PathExpression range = parse("$[2 to last-3]");
  CHECK(range.legs()[0].kind == LegKind::kElementRange);
  CHECK(range.legs()[0].first.offset == 2);
  CHECK(range.legs()[0].last.from_end);
  CHECK(range.legs()[0].last.offset == 3);
  CHECK(range.has_wildcard());
  CHECK_FALSE(parse("$.a[last]").has_wildcard());
}

TEST_CASE("Bare paths need no root sign") {
  CHECK(folded("a.b[0]", true) == "$.a.b[*]");
  CHECK(folded("", true) == "$");
  CHECK(folded("$.a", true) == "$.a");
  CHECK(folded("$price", true) == "$.$price");
  CHECK(folded("\"a b\".c", true) == "$.\"a b\".c");
  CHECK(folded("*.x", true) == "$.*.x");
  CHECK(folded("**.x", true) == "$**.x");
  CHECK(folded("[0]", true) == "$[*]");
}

TEST_CASE("A bad path is refused with its position") {
  for (const char* text : {"",           "a",
                           "$a",         "$.",
                           "$..a",       "$.1",
                           "$.a b",      "$[",
                           "$[]",        "$[-1]",
                           "$[1",        "$[1 to]",
                           "$[3 to 2]",  "$[last-1 to last-2]",
                           "$**",        "$***.a",
                           "$*",         "$.\"a",
                           "$.\"\\q\"",  "$[4294967296]",
                           "$.a-b",      "$[lastx]",
                           "$[1 tolast]"}) {
    const auto path = PathExpression::parse(text);
    REQUIRE_MESSAGE(!path.has_value(), text);
    CHECK(path.error().code == ErrorCode::kInvalidPath);
    CHECK_MESSAGE(path.error().message.find("position ") != std::string::npos, text);
  }
  CHECK(PathExpression::parse("$.é.]").error().message ==
        "invalid path, position 5: expected a member name, found ']'");
  std::string many = "$";
  for (int i = 0; i < 100; ++i) many += ".a";
  CHECK(PathExpression::parse(many).has_value());
  CHECK_FALSE(PathExpression::parse(many + ".a").has_value());
  CHECK_FALSE(PathExpression::parse("$." + std::string(70'000, 'a')).has_value());
  CHECK_FALSE(PathExpression::parse("$.\xff").has_value());
}

TEST_CASE("An expression matches the canonical paths it may select") {
  const auto matches = [](const char* expression, const char* canonical) {
    return parse(expression).matches_canonical(parse(canonical).legs());
  };
  CHECK(matches("$", "$"));
  CHECK(matches("$.a[3].b", "$.a[*].b"));
  CHECK(matches("$.*", "$.a"));
  CHECK_FALSE(matches("$.*", "$[*]"));
  CHECK_FALSE(matches("$.*", "$.a.b"));
  CHECK(matches("$[*]", "$[*]"));
  CHECK_FALSE(matches("$[*]", "$.a"));
  CHECK(matches("$**.b", "$.b"));
  CHECK(matches("$**.b", "$.a[*].c.b"));
  CHECK_FALSE(matches("$**.b", "$.a[*].c"));
  CHECK(matches("$**[*]", "$.a[*]"));
  CHECK(matches("$.a[0]", "$.a"));  // wraps what is no array
  CHECK(matches("$.a[last]", "$.a"));
  CHECK(matches("$.a[0 to 5].b", "$.a.b"));
  CHECK_FALSE(matches("$.a[1]", "$.a"));
  CHECK_FALSE(matches("$.a[*]", "$.a"));
}
