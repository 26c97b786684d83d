// The manifest: the root of the store as bytes, the file `manifest`, replaced atomically.
//
// All integers are little-endian; `bytes` is a varint length and that many bytes.
//
//   offset  size  field
//        0     8  magic "WSTRMANI"
//        8     4  format version (kManifestFormatVersion)
//       12     4  length of the file
//       16     8  feature bits; one that the program does not know is kFormat
//       24    16  store id
//       40     8  checkpoint number
//       48     8  log start LSN
//       56     8  last sequence
//       64     8  number of the newest log segment then; 0: there was none
//       72     4  next dictionary id
//       76     4  number of dictionaries, then per dictionary, ids ascending:
//              4  dictionary id
//              8  checkpoint number of the header in force; 0: no file
//              8  root block; 0: empty tree
//              1  codec, then 4 each: leaf, basement, buffer bytes, fanout, overflow value bytes
//          bytes  name
//          bytes  state of the tree
//      end     8  XXH3 of all bytes before, seed 0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fractal_tree/storage.h"
#include "fractal_tree/store_id.h"

namespace wherestar::fractal_tree {

inline constexpr uint32_t kManifestFormatVersion = 1;
inline constexpr uint64_t kManifestFeatures = 0;
inline constexpr uint64_t kMaxManifestBytes = 256u << 20;

struct Manifest {
  StoreId store;
  uint64_t log_segment = 0;
  StoreRoot root;
  std::vector<uint64_t> header_checkpoints;  // one for each of root.dictionaries
};

Result<std::string> encode_manifest(const Manifest& manifest);  // kLimitExceeded
Result<Manifest> decode_manifest(std::string_view bytes);       // kCorruption, kFormat

}  // namespace wherestar::fractal_tree
