// The block table of a dictionary: where each live block lies in its file.
//
// In memory a sorted map; on disk one extent per checkpoint that says, for all blocks ascending:
//
//   table = varint count, then per block:
//           varint   block id - previous id (the first: - 0), at least 1
//           varint   zigzag(first unit - unit behind the previous extent; the first: - 0)
//           varint   length in bytes (an extent is as many whole units as hold them), at least 1
//
// stored as it is or as one zstd frame, whichever is shorter (docs/formats.md). Bytes read are
// untrusted: what cannot be right is kCorruption. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <absl/container/btree_map.h>

#include "base/result.h"
#include "fractal_tree/block_allocator.h"
#include "fractal_tree/storage.h"

namespace wherestar::fractal_tree {

struct Extent {
  uint64_t unit = 0;
  uint64_t bytes = 0;
  uint64_t units() const { return units_of(bytes); }
  uint64_t offset() const { return unit * kUnitBytes; }
};

using BlockTable = absl::btree_map<uint64_t, Extent>;

// No extent ends beyond this, so that sums cannot overflow.
inline constexpr uint64_t kMaxUnits = uint64_t{1} << 50;

enum class TableCodec : uint32_t { kNone = 0, kZstd = 1 };

struct StoredTable {
  TableCodec codec = TableCodec::kNone;
  uint64_t raw_bytes = 0;
  std::string bytes;
};

StoredTable encode_block_table(const BlockTable& table);
Result<BlockTable> decode_block_table(TableCodec codec, uint64_t raw_bytes, std::string_view bytes);

}  // namespace wherestar::fractal_tree
