// Keys of the dictionary `statistics`; docs/statistics.md has the same as prose.
//
//   part(4) 01                                    counters: documents, text bytes
//   part(4) 02 path(4)                            counters of a path (PathCounter)
//   part(4) 03 path(4) what(1) group(1)           16 counters of lengths; what: 0 string, 1 array
//   part(4) 04 path(4)                            registers of distinct numbers and strings
//   part(4) 05 path(4)                            last seen, i64 (history)
//   part(4) 06 shape(8)                           counter: documents of the shape
//   part(4) 07 shape(8)                           first seen i64, members (history)
//   part(4) 08 shape(8)                           last seen, i64 (history)
//
// part, path and shape are big-endian, values little-endian. Counters and registers are merged
// (fractal_tree/engine.h); what is history is put.
#pragma once

#include <cstdint>
#include <string>

#include "base/coding.h"
#include "document/value.h"
#include "schema_stats/schema_stats.h"

namespace wherestar::schema_stats {

enum class Record : uint8_t {
  kTotals = 1,
  kPath = 2,
  kLengths = 3,
  kDistinct = 4,
  kPathSeen = 5,
  kShape = 6,
  kShapeDefinition = 7,
  kShapeSeen = 8,
};

// Positions in the counters of a path.
inline constexpr size_t kDocumentsCounter = 0;
inline constexpr size_t kValuesCounter = 1;
inline constexpr size_t kBytesCounter = 2;
inline constexpr size_t kTrueCounter = 3;
inline constexpr size_t kTypeCounters = 4;
inline constexpr size_t kFormatCounters = kTypeCounters + document::kJsonTypeCount;
inline constexpr size_t kPathCounterCount = kFormatCounters + kFormatCount;

enum class LengthOf : uint8_t { kString = 0, kArray = 1 };
inline constexpr uint32_t kLengthGroup = 16;    // counters of one key
inline constexpr uint32_t kExactLengths = 256;  // below: a counter each
uint32_t length_bucket(uint32_t length);
uint32_t least_of_bucket(uint32_t bucket);
uint32_t greatest_of_bucket(uint32_t bucket);

inline std::string record_prefix(uint32_t part, Record record) {
  std::string key;
  put_big_endian(key, part);
  key.push_back(static_cast<char>(record));
  return key;
}
inline std::string path_key(uint32_t part, Record record, uint32_t path) {
  std::string key = record_prefix(part, record);
  put_big_endian(key, path);
  return key;
}
inline std::string shape_key(uint32_t part, Record record, uint64_t shape) {
  std::string key = record_prefix(part, record);
  put_big_endian(key, shape);
  return key;
}
std::string lengths_key(uint32_t part, uint32_t path, LengthOf what, uint32_t group);
std::string after_prefix(std::string prefix);  // the least key above all that begin with it

using ShapeMembers = std::vector<std::pair<uint32_t, document::JsonType>>;  // ascending, distinct
uint64_t shape_hash(const ShapeMembers& members);                           // never 0
std::string encode_definition(int64_t first_seen_unix_s, const ShapeMembers& members);
struct Definition {
  int64_t first_seen_unix_s = 0;
  ShapeMembers members;
};
Result<Definition> decode_definition(std::string_view bytes);
std::string encode_time(int64_t unix_s);
Result<int64_t> decode_time(std::string_view bytes);

}  // namespace wherestar::schema_stats
