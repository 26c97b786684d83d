// Keys of the dictionaries `paths`, `values` and `path_values`; docs/index.md has the same as
// prose.
//
//   paths        part(4) 01 path(4)                     -> a path (path_dictionary.cc)
//                part(4) 02 rule(4)                     -> a folding rule
//                ff ff ff ff 00                         -> derivation version
//   values       part(4) scalar path(4) chunk(6)        -> posting chunk
//   path_values  part(4) path(4) 01 type(1) chunk(6)    -> posting chunk: values of a JSON type
//                part(4) path(4) 02 length(4) chunk(6)  -> arrays of a length
//                part(4) path(4) 04 number(10) chunk(6) -> numbers
//                part(4) path(4) 05 short string chunk(6)
//
// part, path, rule, length and chunk are big-endian; chunk is DocId >> 16, scalar and number are
// document/key_encoding.h's. A short string is the string's first kShortStringBytes bytes, 00
// written 00 FF, ended by 00 01 when that is all of it and by 00 02 when it was cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/coding.h"
#include "base/result.h"
#include "document/document.h"
#include "document/key_encoding.h"
#include "index/posting.h"

namespace wherestar::index {

inline constexpr size_t kShortStringBytes = 16;
// A cut string of `values` ends at a character, so it holds at least this many bytes.
inline constexpr size_t kSureStringBytes = document::kDefaultStringCutBytes - 3;
inline constexpr size_t kChunkBytes = 6;
inline constexpr uint8_t kTagType = 1;
inline constexpr uint8_t kTagArrayLength = 2;
inline constexpr uint8_t kPathRecord = 1;
inline constexpr uint8_t kRuleRecord = 2;

inline void put_part(std::string& key, PartId part) {
  put_big_endian(key, static_cast<uint32_t>(part));
}
inline void put_path(std::string& key, PathId path) {
  put_big_endian(key, static_cast<uint32_t>(path));
}
inline void put_chunk(std::string& key, DocId doc) {
  const uint64_t chunk = static_cast<uint64_t>(doc) >> 16;
  put_big_endian(key, static_cast<uint16_t>(chunk >> 32));
  put_big_endian(key, static_cast<uint32_t>(chunk));
}
inline uint16_t posting_member(DocId doc) {
  return static_cast<uint16_t>(static_cast<uint64_t>(doc) & 0xffff);
}

inline std::string part_key(PartId part) {
  std::string key;
  put_part(key, part);
  return key;
}
std::string path_values_key(PartId part, PathId path, uint8_t tag);
std::string derivation_version_key();
std::string path_record_key(PartId part, PathId path);
std::string rule_record_key(PartId part, uint32_t rule);

// The least key above every key that begins with `prefix`; of all FF: longer than any key.
std::string prefix_end(std::string_view prefix);

void put_escaped(std::string& key, std::string_view text);  // 00 -> 00 FF, no end mark
void put_short_string(std::string& key, std::string_view text);

struct ShortString {
  std::string text;
  bool cut = false;
};
Result<ShortString> read_short_string(std::string_view encoded);  // all of `encoded`

// A key of `values` or `path_values` taken apart from its end.
struct ValuesKey {
  std::string_view scalar;  // encoded
  PathId path{};
  uint64_t chunk = 0;
};
Result<ValuesKey> read_values_key(std::string_view key);
struct PathValuesKey {
  uint8_t tag = 0;
  std::string_view rest;  // type, length, number or short string
  uint64_t chunk = 0;
};
Result<PathValuesKey> read_path_values_key(std::string_view key);

}  // namespace wherestar::index
