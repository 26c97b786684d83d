#include "tools/json_stream.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace wherestar::tools;

namespace {

struct Seen {
  std::string text;
  size_t line;
  size_t column;
  bool complete;
  std::string problem;

  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> split(std::string_view text, size_t chunk, size_t limit = 1 << 20) {
  JsonStream stream(limit);
  std::vector<Seen> seen;
  const auto drain = [&] {
    while (auto piece = stream.next()) {
      seen.push_back(
          {std::string(piece->text), piece->line, piece->column, piece->complete, piece->problem});
    }
  };
  for (size_t at = 0; at < text.size(); at += chunk) {
    stream.feed(text.substr(at, chunk));
    drain();
  }
  stream.finish();
  drain();
  return seen;
}

// Chunk borders must not matter.
std::vector<Seen> split(std::string_view text) {
  std::vector<Seen> whole = split(text, text.size() + 1);
  for (const size_t chunk : {size_t{1}, size_t{2}, size_t{3}, size_t{7}}) {
    CHECK(split(text, chunk).size() == whole.size());
    CHECK((split(text, chunk) == whole));
  }
  return whole;
}

std::vector<std::string> texts(std::string_view text) {
  std::vector<std::string> result;
  for (const Seen& seen : split(text)) result.push_back(seen.text);
  return result;
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("nothing but blanks is no documents") {
  CHECK(split("").empty());
  CHECK(split(" \r\n\t\n").empty());
  CHECK(split("\xef\xbb\xbf").empty());
}

TEST_CASE("one document a line, with places") {
  const auto seen = split("{\"a\":1}\n\n{\"b\":\"}\\\"{\"}\r\n  {\"c\":[{}]}");
  REQUIRE(seen.size() == 3);
  CHECK((seen[0] == Seen{"{\"a\":1}", 1, 1, true, ""}));
  CHECK((seen[1] == Seen{"{\"b\":\"}\\\"{\"}", 3, 1, true, ""}));
  CHECK((seen[2] == Seen{"{\"c\":[{}]}", 4, 3, true, ""}));
}

TEST_CASE("a byte order mark in front is skipped") {
  const auto seen = split("\xef\xbb\xbf{\"a\":1}");
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].text == "{\"a\":1}");
  CHECK(seen[0].column == 1);
}

TEST_CASE("documents behind each other and over several lines") {
  CHECK(texts("{}{}\n{ }") == Texts{"{}", "{}", "{ }"});
  CHECK(texts("{\n  \"a\": {\n    \"b\": 1\n  }\n}\n{\n}\n") ==
        Texts{"{\n  \"a\": {\n    \"b\": 1\n  }\n}", "{\n}"});
  CHECK(texts("{\"a\":\n{\"b\":\n[\n{}]}}\n{}") == Texts{"{\"a\":\n{\"b\":\n[\n{}]}}", "{}"});
}

TEST_CASE("one array of documents") {
  CHECK(texts("[]").empty());
  CHECK(texts("[ {\"a\":1}, {\"b\":[1,2]} ]") == Texts{"{\"a\":1}", "{\"b\":[1,2]}"});
  CHECK(texts("[\n{\"a\":1},\n{\"b\":2}\n]\n") == Texts{"{\"a\":1}", "{\"b\":2}"});
  // Elements that are no objects come as they are: the parser refuses them.
  CHECK(texts("[1, \"x,]\" , [2], null]") == Texts{"1", "\"x,]\" ", "[2]", "null"});
}

TEST_CASE("an array with wrong commas or without end is told") {
  auto seen = split("[{\"a\":1} {\"b\":2}]");
  REQUIRE(seen.size() >= 2);
  CHECK(seen[1].problem.find("expected ','") != std::string::npos);
  CHECK(seen[1].column == 10);

  seen = split("[{},]");
  REQUIRE(seen.size() == 2);
  CHECK(seen[1].problem.find("behind ','") != std::string::npos);

  seen = split("[,{}]");
  REQUIRE_FALSE(seen.empty());
  CHECK(seen[0].problem.find("found ','") != std::string::npos);

  seen = split("[][]");
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].problem.find("behind the array") != std::string::npos);
  CHECK(seen[0].column == 3);

  seen = split("[{}\n");
  REQUIRE(seen.size() == 2);
  CHECK(seen[1].problem.find("line 1 has no end") != std::string::npos);
}

TEST_CASE("a broken line costs that line only") {
  const auto seen = split("{\"a\":1}\n{\"a\": 1, \"b\": [1,2,}\n{\"c\":3}\n");
  REQUIRE(seen.size() == 3);
  CHECK(seen[1].text == "{\"a\": 1, \"b\": [1,2,}");
  CHECK_FALSE(seen[1].complete);
  CHECK(seen[1].line == 2);
  CHECK(seen[2].text == "{\"c\":3}");
  CHECK(seen[2].line == 3);
}

TEST_CASE("a line cut short does not swallow the next ones") {
  CHECK(texts("{\"a\":1}\n{\"b\":[1,2\n{\"c\":3}\n{\"d\":4}\n") ==
        Texts{"{\"a\":1}", "{\"b\":[1,2", "{\"c\":3}", "{\"d\":4}"});
  // Cut where a value is due: seen one line later, and still only that line is lost.
  CHECK(texts("{\"b\":[1,2,\n{\"c\":3}\n{\"d\":4}\n") ==
        Texts{"{\"b\":[1,2,", "{\"c\":3}", "{\"d\":4}"});
  CHECK(texts("{\"b\":\"open\n{\"c\":3}\n") == Texts{"{\"b\":\"open", "{\"c\":3}"});
}

TEST_CASE("lines that are no documents come one by one") {
  CHECK(texts("{}\nhello world\n17\n{}\n") == Texts{"{}", "hello world", "17", "{}"});
  CHECK(texts("{\"a\":1} trailing\n{}\n") == Texts{"{\"a\":1}", "trailing", "{}"});
}

TEST_CASE("the end in the middle of a document is told") {
  const auto seen = split("{\"a\": {");
  REQUIRE(seen.size() == 1);
  CHECK_FALSE(seen[0].complete);
  CHECK(seen[0].text == "{\"a\": {");
}

TEST_CASE("deep nesting is cut like anything else") {
  const std::string deep(100'000, '[');
  const auto seen = split(deep, 4096, 1 << 20);
  REQUIRE(seen.size() == 1);
  CHECK(seen[0].text.size() == deep.size() - 1);
}

TEST_CASE("an endless document is cut at the limit, and reading goes on behind its line") {
  const std::string endless = "{\"a\":\"" + std::string(5000, 'x') + "\"}\n{\"b\":1}\n";
  for (const size_t chunk : {size_t{64}, size_t{100'000}}) {
    const auto seen = split(endless, chunk, 1000);
    REQUIRE(seen.size() == 2);
    CHECK(seen[0].problem.find("longer than the limit") != std::string::npos);
    CHECK(seen[1].text == "{\"b\":1}");
    CHECK(seen[1].line == 2);
  }
  const std::string stray = std::string(5000, 'x') + "\n{\"b\":1}\n";
  const auto seen = split(stray, 64, 1000);
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].problem.find("too long") != std::string::npos);
  CHECK(seen[1].text == "{\"b\":1}");
}

TEST_CASE("columns count characters") {
  const auto seen = split("{\"é漢\":1}{}");
  REQUIRE(seen.size() == 2);
  CHECK(seen[1].column == 9);
}

TEST_CASE("closing brackets without an opening one do not loop") {
  CHECK(texts("}\n{}\n") == Texts{"}", "{}"});
  CHECK(texts("[}\n]\n").size() >= 1);
  CHECK(texts("{}]").size() == 2);
}
