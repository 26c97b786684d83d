// The header of a dictionary file: one of two slots, 4 KiB each, at the beginning of the file.
//
// All integers are little-endian; what is not named is zero.
//
//   offset  size  field
//        0     8  magic "WSTRTREE"
//        8     4  format version (kDictionaryFormatVersion)
//       12     4  dictionary id
//       16     8  feature bits; one that the program does not know is kFormat
//       24    16  store id
//       40     8  checkpoint number
//       48     8  next block id
//       56     8  offset of the block table; 0 with length 0: no blocks
//       64     8  its stored length
//       72     8  its length before compression
//       80     4  its codec (0 none, 1 zstd)
//       88     8  its checksum: XXH3 of the stored bytes, seed ('T', dictionary id, checkpoint)
//     4088     8  XXH3 of the 4088 bytes before, seed ('H', dictionary id, slot number)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fractal_tree/block_table.h"
#include "fractal_tree/store_id.h"

namespace wherestar::fractal_tree {

inline constexpr uint32_t kDictionaryFormatVersion = 1;
inline constexpr uint64_t kDictionaryFeatures = 0;  // known bits
inline constexpr uint64_t kHeaderSlotBytes = kUnitBytes;
inline constexpr uint64_t kHeaderUnits = 2;

struct DictionaryHeader {
  StoreId store;
  uint32_t dictionary = 0;
  uint64_t checkpoint = 0;
  uint64_t next_block = 1;
  uint64_t table_offset = 0;
  uint64_t table_bytes = 0;
  uint64_t table_raw_bytes = 0;
  TableCodec table_codec = TableCodec::kNone;
  uint64_t table_checksum = 0;
};

std::string encode_dictionary_header(const DictionaryHeader& header, unsigned slot);
// kCorruption: the checksum or a field is wrong; kFormat: intact, but of an unknown version.
Result<DictionaryHeader> decode_dictionary_header(std::string_view bytes, const StoreId& store,
                                                  uint32_t dictionary, unsigned slot);

}  // namespace wherestar::fractal_tree
