#include "tools/document_reader.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace wherestar;
using namespace wherestar::tools;

namespace {

// Gives its text in pieces of `chunk` bytes.
class TextInput : public Input {
 public:
  TextInput(std::string text, size_t chunk) : text_(std::move(text)), chunk_(chunk) {}
  Result<bool> read(std::string& out) override {
    out += std::string_view(text_).substr(done_, chunk_);
    const bool more = done_ < text_.size();
    done_ = std::min(text_.size(), done_ + chunk_);
    return more;
  }
  uint64_t bytes_read() const override { return done_; }
  uint64_t bytes_total() const override { return text_.size(); }
  const std::string& name() const override { return name_; }

 private:
  std::string text_;
  std::string name_ = "bad.jsonl";
  size_t chunk_;
  size_t done_ = 0;
};

struct Read {
  std::vector<std::string> good;
  std::vector<BadDocument> bad;
  std::string dialect;
};

Read read_all(const std::string& text, size_t chunk = 1 << 16, const ReaderOptions& options = {}) {
  TextInput input(text, chunk);
  DocumentReader reader(input, options);
  Read read;
  while (true) {
    auto item = reader.next();
    REQUIRE(item);
    read.dialect = reader.dialect();
    if (!*item) return read;
    if ((*item)->bad) {
      read.bad.push_back(*(*item)->bad);
    } else {
      read.good.emplace_back((*item)->text);
    }
  }
}

}  // namespace

TEST_CASE("good documents come as they are written") {
  const Read read = read_all("{\"a\": 0.10}\n{\"b\":18446744073709551615}\n", 5);
  CHECK(read.good == std::vector<std::string>{"{\"a\": 0.10}", "{\"b\":18446744073709551615}"});
  CHECK(read.bad.empty());
}

TEST_CASE("a bad line is told with its place, and a caret below") {
  const Read read = read_all(
      "{\"a\":1}\n{\"a\":1}\n{\"a\":1}\n{\"a\":1}\n{\"a\":1}\n{\"a\": 1, \"b\": "
      "[1,2,}\n{\"z\":1}\n");
  CHECK(read.good.size() == 6);
  REQUIRE(read.bad.size() == 1);
  CHECK(read.bad[0].place() == "bad.jsonl:6:20");
  CHECK(read.bad[0].picture() ==
        "  6 | {\"a\": 1, \"b\": [1,2,}\n"
        "    |                    ^\n");
  CHECK(read.bad[0].message.find("line ") == std::string::npos);
}

TEST_CASE("places inside pretty documents and arrays are those of the file") {
  Read read = read_all("{\n  \"a\": 1,\n  \"b\": tru\n}\n{\"c\":1}\n");
  REQUIRE(read.bad.size() == 1);
  CHECK(read.bad[0].line == 3);
  CHECK(read.bad[0].excerpt.find("\"b\": tru") != std::string::npos);
  CHECK(read.good.size() == 1);
  read = read_all("[{\"a\":1}, {\"b\":nul}, {\"c\":1}]");
  REQUIRE(read.bad.size() == 1);
  CHECK(read.bad[0].line == 1);
  CHECK(read.bad[0].column >= 15);
  CHECK(read.good.size() == 2);
}

TEST_CASE("what is JSON but no object is refused for that reason") {
  const Read read = read_all("17\n[{\"a\":1},2]\n");
  REQUIRE(read.bad.size() == 2);
  CHECK(read.bad[0].message.find("object") != std::string::npos);
  CHECK(read.bad[1].message.find("object") != std::string::npos);
  CHECK(read.good.size() == 1);
}

TEST_CASE("an _id that may be none is refused") {
  CHECK(read_all("{\"_id\":null}\n").bad.size() == 1);
  CHECK(read_all("{\"_id\":\"a\"}\n{\"_id\":7}\n").bad.empty());
}

TEST_CASE("long lines show a window around the place") {
  const Read read = read_all("{\"a\":\"" + std::string(500, 'x') + "\",\"b\":tru,\"c\":\"" +
                             std::string(500, 'y') + "\"}\n");
  REQUIRE(read.bad.size() == 1);
  CHECK(read.bad[0].excerpt.size() < 150);
  CHECK(read.bad[0].excerpt.starts_with("…"));
}

TEST_CASE("a bad document cannot steer the terminal that shows it") {
  const Read read = read_all("{\"a\":\x1b[2J}\n");
  REQUIRE(read.bad.size() == 1);
  CHECK(read.bad[0].picture().find('\x1b') == std::string::npos);
}

TEST_CASE("positions are taken off messages") {
  std::string_view message = "line 2, column 7: expected a value";
  const auto position = take_position(message);
  REQUIRE(position);
  CHECK(position->line == 2);
  CHECK(position->column == 7);
  CHECK(message == "expected a value");
  message = "line up, please";
  CHECK_FALSE(take_position(message));
  CHECK(message == "line up, please");
}

TEST_CASE("extended JSON is stored plain, and places are those of the file") {
  ReaderOptions options;
  options.extended_json = true;
  const Read read = read_all(
      "{\"_id\":{\"$oid\":\"507f1f77bcf86cd799439011\"}, \"n\": {\"$numberInt\":\"1\"}}\n"
      "{\"_id\":{\"$numberLong\":\"7\"}}\n"
      "{\"a\":{\"$date\":{\"$numberLong\":\"0\"}}, \"b\":{\"$oid\":5}}\n"
      "{\"a\":1, \"_id\":{\"$minKey\":1}}\n"
      "{\"a\":{\"$numberInt\":\"1\"}, \"_id\":{\"$undefined\":true}}\n",
      1 << 16, options);
  CHECK(read.good == std::vector<std::string>{"{\"_id\":\"507f1f77bcf86cd799439011\", \"n\": 1}",
                                              "{\"_id\":7}", "{\"a\":1, \"_id\":\"MinKey\"}"});
  REQUIRE(read.bad.size() == 2);
  CHECK(read.bad[0].place() == "bad.jsonl:3:49");
  CHECK(read.bad[1].place() == "bad.jsonl:5:32");
}

TEST_CASE("a file of another program is recognized") {
  ReaderOptions options;
  options.look_for_dialects = true;
  CHECK(read_all("{\"a\":1}\n{\"_id\":{\"$oid\":\"507f1f77bcf86cd799439011\"}}\n", 1 << 16, options)
            .dialect ==
        "this looks like MongoDB's extended JSON (\"_id\": {\"$oid\": ...}): add --extended-json");
  CHECK(read_all("{\"$price\":1}\n{\"index\":{\"size\":1}}\n", 1 << 16, options).dialect.empty());
  options.extended_json = true;
  CHECK(read_all("{\"a\":{\"$numberInt\":\"1\"}}\n", 1 << 16, options).dialect.empty());
}

TEST_CASE("another member may be the _id") {
  ReaderOptions options;
  options.id_path = *document::PathExpression::parse("$.k.id", true);
  const Read read = read_all(
      "{\"k\":{\"id\":\"a\"},\"z\":0.10}\n"
      "{\"k\":{}}\n"
      "{\"k\":{\"id\":[1]}}\n"
      "{\"_id\":\"a\",\"k\":{\"id\":\"a\"}}\n"
      "{\"_id\":\"b\",\"k\":{\"id\":\"a\"}}\n",
      1 << 16, options);
  CHECK(read.good == std::vector<std::string>{"{\"_id\": \"a\", \"k\":{\"id\":\"a\"},\"z\":0.10}",
                                              "{\"_id\":\"a\",\"k\":{\"id\":\"a\"}}"});
  REQUIRE(read.bad.size() == 3);
  CHECK(read.bad[0].place() == "bad.jsonl:2:1");
  CHECK(read.bad[0].message == "no $.k.id to be the _id");
  CHECK(read.bad[1].place() == "bad.jsonl:3:12");
  CHECK(read.bad[2].place() == "bad.jsonl:5:1");
}

TEST_CASE("Elasticsearch's bulk format: actions give the _id and are no documents") {
  ReaderOptions options;
  options.elasticsearch_bulk = true;
  const Read read = read_all(
      "{\"index\":{\"_index\":\"p\",\"_id\":\"a1\"}}\n{\"a\":1}\n"
      "{\"create\":{\"_id\":7}}\n{\"_id\":\"own\"}\n"
      "{\"index\":{}}\n{}\n"
      "{\"delete\":{\"_id\":\"a1\"}}\n"
      "{\"update\":{\"_id\":\"a1\"}}\n{\"doc\":{\"a\":2}}\n"
      "{\"index\":{\"_id\":[]}}\n{\"a\":3}\n"
      "{\"index\":{\"_id\":tru}}\n{\"a\":4}\n"
      "{\"index\":{}}\n{\"a\":5,}\n"
      "{\"index\":{\"_id\":\"z\"}}\n",
      5, options);
  CHECK(read.good ==
        std::vector<std::string>{"{\"_id\": \"a1\", \"a\":1}", "{\"_id\":\"own\"}", "{}"});
  std::vector<size_t> lines;
  for (const BadDocument& bad : read.bad) lines.push_back(bad.line);
  CHECK(lines == std::vector<size_t>{7, 8, 11, 12, 15, 16});
  REQUIRE(read.bad.size() == 6);
  CHECK(read.bad[0].message == "the action \"delete\" is no document to import");
  CHECK(read.bad[5].message == "an action without its document behind it");
  const Read none = read_all("{\"a\":1}\n{\"index\":{\"size\":1}}\n", 1 << 16, options);
  CHECK(none.bad.size() == 2);

  options = {};
  options.look_for_dialects = true;
  CHECK(read_all("{\"index\":{\"_id\":\"a\"}}\n{\"a\":1}\n", 1 << 16, options)
            .dialect.ends_with("add --elasticsearch-bulk"));
  CHECK(read_all("{\"a\":1}\n{\"index\":{}}\n", 1 << 16, options).dialect.empty());
}
