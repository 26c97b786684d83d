#include "fractal_tree/block_table.h"

#include <random>
#include <string>

#include <doctest/doctest.h>

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

BlockTable random_table(uint64_t blocks, uint64_t seed) {
  std::mt19937_64 random(seed);
  BlockTable table;
  uint64_t id = 0;
  for (uint64_t i = 0; i < blocks; ++i) {
    id += 1 + random() % 3;
    table[id] = {2 + random() % 1'000'000, 1 + random() % 600'000};
  }
  return table;
}

bool same(const BlockTable& a, const BlockTable& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.unit == y.second.unit && x.second.bytes == y.second.bytes;
  });
}

}  // namespace

TEST_CASE("a block table of any size reads back") {
  for (const uint64_t blocks : {0, 1, 2, 100, 5000}) {
    const BlockTable table = random_table(blocks, blocks);
    const StoredTable stored = encode_block_table(table);
    const auto decoded = decode_block_table(stored.codec, stored.raw_bytes, stored.bytes);
    REQUIRE(decoded);
    CHECK(same(*decoded, table));
  }
}

TEST_CASE("a table of blocks in a row takes a few bytes each") {
  BlockTable table;
  for (uint64_t i = 0; i < 10'000; ++i) table[i + 1] = {2 + 128 * i, 500'000};
  const StoredTable stored = encode_block_table(table);
  CHECK(stored.codec == TableCodec::kZstd);
  CHECK(stored.bytes.size() < 1000);
}

TEST_CASE("damaged tables are refused or decoded, and nothing else happens") {
  std::mt19937_64 random(3);
  for (const uint64_t blocks : {3, 400}) {
    const StoredTable stored = encode_block_table(random_table(blocks, 9));
    for (size_t cut = 0; cut < stored.bytes.size(); cut += 1 + cut / 20)
      CHECK_FALSE(decode_block_table(stored.codec, stored.raw_bytes, stored.bytes.substr(0, cut)));
    for (int i = 0; i < 5000; ++i) {
      std::string bytes = stored.bytes;
      bytes[random() % bytes.size()] = static_cast<char>(random());
      const auto decoded = decode_block_table(stored.codec, stored.raw_bytes, bytes);
      if (!decoded)
        CHECK(decoded.error().code == ErrorCode::kCorruption);
      else
        CHECK(decoded->size() <= stored.raw_bytes);
    }
  }
}

TEST_CASE("impossible lengths are refused before anything is allocated") {
  const StoredTable stored = encode_block_table(random_table(400, 9));
  CHECK_FALSE(decode_block_table(TableCodec::kZstd, ~uint64_t{0}, stored.bytes));
  CHECK_FALSE(decode_block_table(TableCodec::kZstd, stored.raw_bytes + 1, stored.bytes));
  CHECK_FALSE(decode_block_table(static_cast<TableCodec>(7), stored.raw_bytes, stored.bytes));
  std::string many;
  many += "\xff\xff\xff\xff\x0f";  // a count of 4 billion
  CHECK_FALSE(decode_block_table(TableCodec::kNone, many.size(), many));
}
