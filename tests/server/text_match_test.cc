// LIKE against a naive model; regular expressions and their limits.
#include "server/text_match.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

#include "server/evaluator.h"

namespace wherestar::server {
namespace {

// Straight from the definition, one character of ASCII at a time.
bool naive_like(std::string_view text, std::string_view pattern, char escape) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == escape && pattern.size() > 1)
    return !text.empty() && text[0] == pattern[1] &&
           naive_like(text.substr(1), pattern.substr(2), escape);
  if (pattern[0] == '%')
    return naive_like(text, pattern.substr(1), escape) ||
           (!text.empty() && naive_like(text.substr(1), pattern, escape));
  return !text.empty() && (pattern[0] == '_' || pattern[0] == text[0]) &&
         naive_like(text.substr(1), pattern.substr(1), escape);
}

TEST_CASE("LIKE agrees with its definition on random texts") {
  std::mt19937 random(7);
  const auto any = [&](std::string_view alphabet, size_t most) {
    std::string out(random() % (most + 1), ' ');
    for (char& c : out) c = alphabet[random() % alphabet.size()];
    return out;
  };
  size_t matched = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string text = any("ab%_\\", 8);
    const std::string pattern = any("ab%_\\", 7);
    CAPTURE(text);
    CAPTURE(pattern);
    const bool expected = naive_like(text, pattern, '\\');
    matched += expected ? 1 : 0;
    REQUIRE(like_matches(text, pattern, U'\\') == expected);
    REQUIRE(like_matches(text, pattern, U'a') == naive_like(text, pattern, 'a'));
  }
  CHECK(matched > 1000);
}

TEST_CASE("LIKE counts characters, not bytes") {
  CHECK(like_matches("é", "_", U'\\'));
  CHECK(like_matches("日本", "__", U'\\'));
  CHECK(!like_matches("日本", "___", U'\\'));
  CHECK(like_matches("x日y", "x%y", U'\\'));
  CHECK(like_matches("50%", "50日%", U'日'));
  CHECK(!like_matches("50x", "50日%", U'日'));
  CHECK(like_matches("\\", "\\", kNoEscape));
  CHECK(like_matches("a\\b", "a\\_", kNoEscape));
}

TEST_CASE("LIKE stays quick on a pattern made to be slow") {
  const std::string text(20'000, 'a');
  std::string pattern;
  for (int i = 0; i < 200; ++i) pattern += "a%";
  CHECK(!like_matches(text, pattern + "b", U'\\'));
  CHECK(like_matches(text, pattern, U'\\'));
}

TEST_CASE("an escape is one character or nothing") {
  CHECK(*parse_escape(SqlValue::text("|")) == U'|');
  CHECK(*parse_escape(SqlValue::text("日")) == U'日');
  CHECK(*parse_escape(SqlValue::text("")) == kNoEscape);
  CHECK(*parse_escape(SqlValue::null()) == U'\\');
  const auto two = parse_escape(SqlValue::text("ab"));
  REQUIRE(!two);
  CHECK(two.error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("folding makes cases and compatible spellings alike") {
  CHECK(fold_case("Straße") == fold_case("STRASSE"));
  CHECK(fold_case("ＡＢＣ") == "abc");
  CHECK(fold_case("École") == fold_case("éCOLE"));
  CHECK(fold_case("Ecole") != fold_case("École"));
}

TEST_CASE("a wrong or endless regular expression is an error") {
  const auto wrong = Regexp::compile("a(", false);
  REQUIRE(!wrong);
  CHECK(wrong.error().code == ErrorCode::kInvalidExpression);
  const auto huge = Regexp::compile(std::string(70'000, 'a'), false);
  REQUIRE(!huge);
  CHECK(huge.error().code == ErrorCode::kLimitExceeded);
  const auto slow = Regexp::compile("^(a+)+$", false);
  REQUIRE(slow);
  const auto result = slow->found_in(std::string(64, 'a') + "b");
  REQUIRE(!result);
  CHECK(result.error().code == ErrorCode::kLimitExceeded);
  const auto deep = Regexp::compile("(a|b)*c", false);
  REQUIRE(deep);
  const auto tall = deep->found_in(std::string(4'000'000, 'a'));
  REQUIRE(!tall);
  CHECK(tall.error().code == ErrorCode::kLimitExceeded);
}

TEST_CASE("the last regular expression stays compiled for the next row") {
  EvaluationContext context;
  const auto first = Regexp::cached("a+", false, context);
  REQUIRE(first);
  const auto again = Regexp::cached("a+", false, context);
  REQUIRE(again);
  CHECK(first->get() == again->get());
  const auto folded = Regexp::cached("a+", true, context);
  REQUIRE(folded);
  CHECK(*(*folded)->found_in("A"));
  const auto other = Regexp::cached("b", true, context);
  REQUIRE(other);
  CHECK(!*(*other)->found_in("A"));
  CHECK(!*(*first)->found_in("A"));
}

TEST_CASE("a regular expression finds and replaces by characters") {
  const auto regexp = Regexp::compile("(本+)(x)", false);
  REQUIRE(regexp);
  const auto match = regexp->find("日本x日本本x", 1, 2);
  REQUIRE(match);
  REQUIRE(match->has_value());
  CHECK((*match)->text == "本本x");
  CHECK((*match)->position == 5);
  CHECK((*match)->end == 8);
  CHECK(!regexp->find("日本x", 3, 1)->has_value());
  CHECK(*regexp->replace("日本x日本本x", "$2$1", 1, 0) == "日x本日x本本");
  CHECK(*regexp->replace("日本x日本本x", "-", 1, 2) == "日本x日-");
  const auto group = regexp->replace("本x", "$7", 1, 0);
  REQUIRE(!group);
  CHECK(group.error().code == ErrorCode::kInvalidExpression);
}

}  // namespace
}  // namespace wherestar::server
