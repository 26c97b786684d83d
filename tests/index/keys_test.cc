#include "index/keys.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

namespace wherestar::index {
namespace {

std::string short_string(std::string_view text) {
  std::string key;
  put_short_string(key, text);
  return key;
}

TEST_CASE("a key of values is the bytes that docs/index.md promises") {
  std::string key = part_key(PartId{7});
  document::encode_scalar(key, std::string_view("ab"));
  put_path(key, PathId{258});
  put_chunk(key, DocId{0x0000'0102'0304'0506});
  CHECK(key == std::string("\0\0\0\x07\x05"
                           "ab\0\x01\0\0\x01\x02\0\0\x01\x02\x03\x04",
                           19));
  const auto read = read_values_key(key);
  REQUIRE(read.has_value());
  CHECK(read->path == PathId{258});
  CHECK(read->chunk == 0x0102'0304);
  CHECK(read->scalar == std::string_view("\x05"
                                         "ab\0\x01",
                                         5));
  CHECK(posting_member(DocId{0x0000'0102'0304'0506}) == 0x0506);
}

TEST_CASE("a key of path_values is read back from its bytes") {
  std::string key = path_values_key(PartId{1}, PathId{2}, document::kKeyString);
  put_short_string(key, "sport");
  put_chunk(key, DocId{uint64_t{3} << 16});
  const auto read = read_path_values_key(key);
  REQUIRE(read.has_value());
  CHECK(read->tag == document::kKeyString);
  CHECK(read->chunk == 3);
  const auto text = read_short_string(read->rest);
  REQUIRE(text.has_value());
  CHECK(text->text == "sport");
  CHECK_FALSE(text->cut);
}

TEST_CASE("keys that are too short or damaged are refused") {
  CHECK(read_values_key("short").error().code == ErrorCode::kCorruption);
  CHECK(read_path_values_key("short").error().code == ErrorCode::kCorruption);
  for (const std::string_view bytes :
       {std::string_view("abc"), std::string_view("abc\0", 4), std::string_view("a\0\x03", 3),
        std::string_view("a\0\x01z", 4), std::string_view("a\0", 2), std::string_view("")})
    CHECK_FALSE(read_short_string(bytes).has_value());
}

TEST_CASE("short strings keep the order of the strings up to their cut") {
  std::vector<std::string> texts = {"",
                                    std::string("\0", 1),
                                    std::string("\0\0", 2),
                                    std::string("\0\xff", 2),
                                    "\x01",
                                    "a",
                                    std::string("a\0", 2),
                                    std::string("a\0b", 3),
                                    "a\x01",
                                    "ab",
                                    std::string(15, 'm'),
                                    std::string(16, 'm'),
                                    std::string(15, 'm') + '\xff',
                                    "\xff\xff"};
  std::sort(texts.begin(), texts.end());
  for (size_t i = 0; i + 1 < texts.size(); ++i)
    CHECK(short_string(texts[i]) < short_string(texts[i + 1]));
  // Longer ones come behind what they begin with, and are all one.
  const std::string sixteen(16, 'm');
  CHECK(short_string(sixteen) < short_string(sixteen + "a"));
  CHECK(short_string(sixteen + "a") == short_string(sixteen + "zz"));
  for (const std::string& text : texts) {
    const auto read = read_short_string(short_string(text));
    REQUIRE(read.has_value());
    CHECK(read->text == text);
    CHECK_FALSE(read->cut);
  }
  CHECK(read_short_string(short_string(sixteen + "a"))->cut);
}

TEST_CASE("the end of a prefix is above every key that begins with it") {
  CHECK(prefix_end("a") == "b");
  CHECK(prefix_end(std::string_view("a\xff\xff", 3)) == "b");
  CHECK(prefix_end("\xff\xff") > std::string(1000, '\xff'));
}

}  // namespace
}  // namespace wherestar::index
