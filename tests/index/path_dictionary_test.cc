#include "index/path_dictionary.h"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>

#include <doctest/doctest.h>

#include "index/folding.h"

namespace wherestar::index {
namespace {

using document::Shredded;

// Paths of a document, made by hand: $ is there from the start.
class Document {
 public:
  Document() { shredded.paths.push_back({}); }
  uint32_t member(uint32_t parent, std::string name) {
    names_.push_back(std::move(name));
    shredded.paths.push_back({parent, false, names_.back()});
    return static_cast<uint32_t>(shredded.paths.size() - 1);
  }
  uint32_t element(uint32_t parent) {
    shredded.paths.push_back({parent, true, {}});
    return static_cast<uint32_t>(shredded.paths.size() - 1);
  }
  Shredded shredded;

 private:
  std::deque<std::string> names_;
};

struct Fixture {
  PathDictionary paths{PartId{1}, 42};
  fractal_tree::WriteBatch batch;
  PathIds resolve(const Document& document) {
    PathIds known;
    if (paths.resolve_known(document.shredded, known)) return known;
    return paths.resolve_new(document.shredded, 1000, batch, fractal_tree::DictionaryId{1});
  }
  std::vector<std::string> matching(std::string_view expression) {
    std::vector<std::string> texts;
    const auto parsed = document::PathExpression::parse(expression);
    REQUIRE(parsed.has_value());
    for (const PathId id : paths.matching(*parsed)) texts.push_back(paths.info(id).text);
    return texts;
  }
};

using Texts = std::vector<std::string>;

// The concrete path of each of the document's paths, positions as [0].
Texts texts_of(const Document& document) {
  Texts texts{"$"};
  for (size_t i = 1; i < document.shredded.paths.size(); ++i) {
    const Shredded::Path& path = document.shredded.paths[i];
    std::string text = texts[path.parent];
    if (path.is_element)
      text += "[0]";
    else
      document::append_member(text, path.name);
    texts.push_back(std::move(text));
  }
  return texts;
}

TEST_CASE("whatever a document's path resolved to is found by asking for that path") {
  std::mt19937_64 random(7);
  const auto below = [&](size_t n) { return static_cast<uint32_t>(random() % n); };
  for (const size_t budget : {8u, 20u, 60u, 100'000u}) {
    PathDictionary paths(PartId{1}, 42, {.paths = budget, .text_bytes = 1u << 20});
    fractal_tree::WriteBatch batch;
    std::vector<std::pair<Texts, PathIds>> resolved;
    for (int i = 0; i < 60; ++i) {
      Document document;
      for (int n = 0; n < 12; ++n) {
        const uint32_t parent = below(document.shredded.paths.size());
        if (below(4) == 0)
          document.element(parent);
        else
          document.member(parent, std::string(1, static_cast<char>('a' + below(20))));
      }
      PathIds ids;
      if (!paths.resolve_known(document.shredded, ids))
        ids = paths.resolve_new(document.shredded, 1000, batch, fractal_tree::DictionaryId{1});
      PathIds again;
      REQUIRE(paths.resolve_known(document.shredded, again));
      REQUIRE(ids == again);
      resolved.emplace_back(texts_of(document), std::move(ids));
    }
    for (const auto& [texts, ids] : resolved) {
      for (size_t i = 0; i < texts.size(); ++i) {
        CAPTURE(budget);
        CAPTURE(texts[i]);
        for (const std::string& asked : {texts[i], "$**" + texts[i].substr(1)}) {
          if (asked == "$**") continue;
          const auto expression = document::PathExpression::parse(asked);
          REQUIRE(expression.has_value());
          const auto found = paths.matching(*expression);
          REQUIRE(std::find(found.begin(), found.end(), ids[i]) != found.end());
        }
      }
    }
  }
}

TEST_CASE_FIXTURE(Fixture,
                  "member names that could be mistaken for each other are distinct paths") {
  Document document;
  const uint32_t a = document.member(0, "a");
  document.member(a, "b");
  document.element(a);
  for (const char* name : {"a.b", "*", "a[*]", "", "[*]"}) document.member(0, name);
  document.member(0, std::string("a\0b", 3));
  document.member(0, std::string(1 << 20, 'n'));
  const PathIds ids = resolve(document);
  CHECK(std::set<PathId>(ids.begin(), ids.end()).size() == document.shredded.paths.size());
  std::set<std::string> texts;
  for (const PathInfo& info : paths.all()) texts.insert(info.text);
  CHECK(texts.size() == document.shredded.paths.size());
  CHECK(texts.contains("$.a.b"));
  CHECK(texts.contains("$.a[*]"));
  CHECK(texts.contains("$.\"a.b\""));
  CHECK(resolve(document) == ids);
}

TEST_CASE_FIXTURE(Fixture, "an object with many names that look alike becomes a map") {
  std::map<std::string, PathId> ids_before;
  const auto user = [](int i) {
    Document document;
    const uint32_t users = document.member(0, "users");
    const uint32_t one = document.member(users, "u" + std::to_string(i));
    document.member(one, "name");
    return document;
  };
  std::vector<PathIds> given;
  for (int i = 0; i < 1000; ++i) given.push_back(resolve(user(i)));
  // $, $.users, 256 users with their names, .* with its name
  CHECK(paths.size() == 2 + 2 * kFoldThreshold + 2);
  // What was given once is given for ever.
  for (int i = 0; i < 1000; ++i) CHECK(resolve(user(i)) == given[static_cast<size_t>(i)]);
  CHECK(paths.info(given[999][2]).text == "$.users.*");
  CHECK(paths.info(given[999][2]).is_any);
  CHECK(paths.info(given[999][3]).text == "$.users.*.name");
  CHECK(paths.info(given[999][3]).is_folded);
  CHECK_FALSE(paths.info(given[0][3]).is_folded);
  // A name has to be looked for at its own path and at the folded one.
  CHECK(matching("$.users.u999.name") == Texts{"$.users.*.name"});
  CHECK(matching("$.users.u1.name") == Texts{"$.users.u1.name", "$.users.*.name"});
  CHECK(matching("$.users.*.name").size() == kFoldThreshold + 1);
  // A name of another kind is still a name.
  Document other;
  other.member(other.member(0, "users"), "total");
  CHECK(paths.info(resolve(other)[2]).text == "$.users.total");
}

TEST_CASE_FIXTURE(Fixture, "a record with many different names is not a map until 4096") {
  Document document;
  const uint32_t record = document.member(0, "record");
  for (size_t i = 0; i < 6000; ++i)
    document.member(record, std::string(1 + i % 61, 'a') + "_" + std::to_string(i) + "_" +
                                std::string(1 + i / 61, 'b'));
  const PathIds ids = resolve(document);
  CHECK(paths.size() == 2 + kFoldAlwaysThreshold + 1);
  CHECK(paths.info(ids.back()).text == "$.record.*");
  CHECK(resolve(document) == ids);
}

TEST_CASE_FIXTURE(Fixture, "a part with too many paths folds every further name") {
  for (int i = 0; i < 17; ++i) {
    Document document;
    const uint32_t record = document.member(0, "r" + std::string(static_cast<size_t>(i), 'r'));
    for (size_t j = 0; j < 4000; ++j)
      document.member(record, std::string(1 + j % 61, 'a') + "_" + std::string(1 + j / 61, 'b'));
    const PathIds ids = resolve(document);
    CHECK(resolve(document) == ids);
  }
  CHECK(paths.size() >= kMaxPaths);
  CHECK(paths.size() < kMaxPaths + 10);
  Document unknown;
  unknown.member(unknown.member(0, "not seen before"), "nor this");
  const PathIds ids = resolve(unknown);
  CHECK(paths.info(ids[1]).text == "$.*");
  CHECK(paths.info(ids[2]).text == "$.*.*");
}

TEST_CASE_FIXTURE(Fixture, "beyond twice the budget all that is unknown is one path") {
  // Names of 33 MiB: two fill the budget of texts, the folded paths below them twice of it.
  const std::string name(33u << 20, 'x');
  Document document;
  document.member(document.member(document.member(0, name), "a"), "b");
  const PathIds first = resolve(document);
  Document deep;
  uint32_t at = deep.member(0, name);
  for (int i = 0; i < 50; ++i) at = deep.member(at, "unknown" + std::to_string(i));
  const PathIds ids = resolve(deep);
  CHECK(paths.size() < 12);
  CHECK(paths.info(ids.back()).text == "$.*");
  CHECK(resolve(deep) == ids);
  CHECK(resolve(document) == first);
  // Whatever is asked for may be there.
  CHECK(matching("$.never.seen") == Texts{"$.*"});
}

TEST_CASE_FIXTURE(Fixture, "path expressions select the known paths that may hold their places") {
  Document document;
  const uint32_t a = document.member(0, "a");
  const uint32_t element = document.element(a);
  document.member(element, "b");
  document.member(0, "b");
  document.element(element);
  resolve(document);
  CHECK(matching("$") == Texts{"$"});
  CHECK(matching("$.a[*].b") == Texts{"$.a[*].b"});
  CHECK(matching("$.a[3].b") == Texts{"$.a[*].b"});
  // What is no array is an array of itself for [0] and [last].
  CHECK(matching("$.a[0]") == Texts{"$.a", "$.a[*]"});
  CHECK(matching("$.b[last]") == Texts{"$.b"});
  CHECK(matching("$.a[1]") == Texts{"$.a[*]"});
  CHECK(matching("$**.b") == Texts{"$.a[*].b", "$.b"});
  CHECK(matching("$.*") == Texts{"$.a", "$.b"});
  CHECK(matching("$.a**[*]") == Texts{"$.a[*]", "$.a[*][*]"});
  CHECK(matching("$.c").empty());
}

}  // namespace
}  // namespace wherestar::index
