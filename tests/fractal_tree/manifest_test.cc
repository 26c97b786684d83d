#include "fractal_tree/manifest.h"

#include <string>

#include <doctest/doctest.h>

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

Manifest example() {
  Manifest manifest{{11, 12}, 7, {}, {4, 0}};
  manifest.root.checkpoint = 5;
  manifest.root.log_start = Lsn{1'000'000'000'000};
  manifest.root.last_sequence = 99;
  manifest.root.next_dictionary_id = 10;
  manifest.root.dictionaries = {
      {DictionaryId{3}, "words", {.codec = Codec::kLz4, .fanout = 4}, BlockId{17}, "state"},
      {DictionaryId{9}, std::string("n\0l", 3), {}, kNoBlock, ""}};
  return manifest;
}

// With the checksum made right again, as an attacker or another program could.
std::string with_byte(std::string bytes, size_t offset, uint8_t value) {
  bytes[offset] = static_cast<char>(value);
  bytes.resize(bytes.size() - 8);
  put_fixed(bytes, checksum64(bytes, 0));
  return bytes;
}

}  // namespace

TEST_CASE("a manifest reads back") {
  const std::string bytes = encode_manifest(example()).value();
  const Manifest manifest = decode_manifest(bytes).value();
  CHECK(manifest.store == StoreId{11, 12});
  CHECK(manifest.log_segment == 7);
  CHECK(manifest.header_checkpoints == std::vector<uint64_t>{4, 0});
  CHECK(manifest.root.checkpoint == 5);
  CHECK(manifest.root.log_start == Lsn{1'000'000'000'000});
  CHECK(manifest.root.last_sequence == 99);
  CHECK(manifest.root.next_dictionary_id == 10);
  REQUIRE(manifest.root.dictionaries.size() == 2);
  CHECK(manifest.root.dictionaries[0].name == "words");
  CHECK(manifest.root.dictionaries[0].options.codec == Codec::kLz4);
  CHECK(manifest.root.dictionaries[0].options.fanout == 4);
  CHECK(manifest.root.dictionaries[0].root == BlockId{17});
  CHECK(manifest.root.dictionaries[0].tree_state == "state");
  CHECK(manifest.root.dictionaries[1].name == std::string("n\0l", 3));
}

TEST_CASE("every flipped bit and every cut of a manifest is damage") {
  const std::string bytes = encode_manifest(example()).value();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    CHECK(decode_manifest(damaged).error().code == ErrorCode::kCorruption);
  }
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK(decode_manifest(bytes.substr(0, size)).error().code == ErrorCode::kCorruption);
}

TEST_CASE("an unknown version or feature of a manifest is told from damage") {
  const std::string bytes = encode_manifest(example()).value();
  CHECK(decode_manifest(with_byte(bytes, 8, 2)).error().code == ErrorCode::kFormat);
  CHECK(decode_manifest(with_byte(bytes, 20, 1)).error().code == ErrorCode::kFormat);
  CHECK(decode_manifest(with_byte(bytes, 12, 1)).error().code == ErrorCode::kCorruption);
}

TEST_CASE("a wrong byte under a right checksum never goes unnoticed as a broken structure") {
  const std::string bytes = encode_manifest(example()).value();
  for (size_t i = 0; i + 8 < bytes.size(); ++i) {
    for (const uint8_t value : {uint8_t{0}, uint8_t{1}, uint8_t{127}, uint8_t{255}}) {
      const auto manifest = decode_manifest(with_byte(bytes, i, value));
      if (!manifest) continue;
      CHECK(manifest->root.dictionaries.size() == manifest->header_checkpoints.size());
      for (const DictionaryRoot& root : manifest->root.dictionaries)
        CHECK(static_cast<uint32_t>(root.id) < manifest->root.next_dictionary_id);
    }
  }
}
