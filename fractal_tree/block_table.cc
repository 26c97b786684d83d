#include "fractal_tree/block_table.h"

#include <utility>

#include <zstd.h>

#include "base/coding.h"

namespace wherestar::fractal_tree {
namespace {

constexpr int kZstdLevel = 1;
constexpr uint64_t kMaxRawBytes = uint64_t{16} << 30;

std::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::kCorruption, "block table: " + std::string(what));
}

Result<std::string> decompress(uint64_t raw_bytes, std::string_view bytes) {
  if (raw_bytes > kMaxRawBytes) return damaged("impossible length");
  if (ZSTD_getFrameContentSize(bytes.data(), bytes.size()) != raw_bytes)
    return damaged("length differs from the header's");
  std::string raw(raw_bytes, '\0');
  const size_t size = ZSTD_decompress(raw.data(), raw.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0 || size != raw_bytes) return damaged("cannot be decompressed");
  return raw;
}

}  // namespace

StoredTable encode_block_table(const BlockTable& table) {
  std::string raw;
  put_varint(raw, table.size());
  uint64_t previous_id = 0;
  uint64_t previous_end = 0;
  for (const auto& [id, extent] : table) {
    put_varint(raw, id - previous_id);
    put_varint(raw, zigzag(static_cast<int64_t>(extent.unit - previous_end)));
    put_varint(raw, extent.bytes);
    previous_id = id;
    previous_end = extent.unit + extent.units();
  }
  StoredTable stored;
  stored.raw_bytes = raw.size();
  std::string compressed(ZSTD_compressBound(raw.size()), '\0');
  const size_t size =
      ZSTD_compress(compressed.data(), compressed.size(), raw.data(), raw.size(), kZstdLevel);
  if (ZSTD_isError(size) == 0 && size < raw.size()) {
    compressed.resize(size);
    stored.codec = TableCodec::kZstd;
    stored.bytes = std::move(compressed);
  } else {
    stored.bytes = std::move(raw);
  }
  return stored;
}

Result<BlockTable> decode_block_table(TableCodec codec, uint64_t raw_bytes,
                                      std::string_view bytes) {
  std::string decompressed;
  if (codec == TableCodec::kZstd) {
    ASSIGN_OR_RETURN(decompressed, decompress(raw_bytes, bytes));
    bytes = decompressed;
  } else if (codec != TableCodec::kNone) {
    return damaged("unknown codec");
  }
  if (bytes.size() != raw_bytes) return damaged("length differs from the header's");
  Reader reader(bytes);
  const uint64_t count = reader.varint();
  if (count > raw_bytes / 3) return damaged("impossible count");
  BlockTable table;
  uint64_t id = 0;
  uint64_t end = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t step = reader.varint();
    const uint64_t unit = end + static_cast<uint64_t>(unzigzag(reader.varint()));
    const uint64_t length = reader.varint();
    if (!reader.ok() || step == 0 || id + step < id) return damaged("block ids do not ascend");
    if (length == 0 || unit >= kMaxUnits || length > (kMaxUnits - unit) * kUnitBytes)
      return damaged("impossible extent");
    id += step;
    table.emplace_hint(table.end(), id, Extent{unit, length});
    end = unit + units_of(length);
  }
  if (!reader.done()) return damaged("trailing bytes");
  return table;
}

}  // namespace wherestar::fractal_tree
