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
};

Read read_all(const std::string& text, size_t chunk = 1 << 16) {
  TextInput input(text, chunk);
  DocumentReader reader(input);
  Read read;
  while (true) {
    auto item = reader.next();
    REQUIRE(item);
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
