// Bytes of the log's segment files `log.000001`, `log.000002`, ...
//
// All integers are little-endian. A segment:
//
//   offset  size  field
//        0     8  magic "WSTRLOGS"
//        8     4  format version (kLogFormatVersion)
//       12     4  zero
//       16     8  feature bits; one that the program does not know is kFormat
//       24    16  store id
//       40     8  segment number, that of the file name
//       48     8  LSN of the first record
//       56   448  zero
//      504     8  XXH3 of the 504 bytes before, seed ('S', segment number, 0)
//      512        records, each at a multiple of 16, without gaps
//
// A record; the record at offset o has the LSN first LSN + o - 512:
//
//        0     4  magic 0x4c52534d
//        4     4  flags: bit 0, the payload is one lz4 block
//        8     8  LSN
//       16     8  durable-up-to LSN when it was written
//       24     4  stored length of the payload
//       28     4  its length before compression
//       32     8  XXH3 of the stored payload, seed ('P', LSN, 0)
//       40     8  XXH3 of the 40 bytes before, seed ('R', segment number, offset in the segment)
//       48        payload, then zeros up to a multiple of 16
//
// A recycled segment keeps its old bytes, but under another number: they cannot verify.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fractal_tree/store_id.h"

namespace wherestar::fractal_tree {

inline constexpr uint32_t kLogFormatVersion = 1;
inline constexpr uint64_t kLogFeatures = 0;
inline constexpr uint64_t kSegmentHeaderBytes = 512;
inline constexpr uint64_t kRecordHeaderBytes = 48;
inline constexpr uint64_t kRecordAlignmentBytes = 16;
inline constexpr uint32_t kRecordMagic = 0x4c52534d;
inline constexpr uint32_t kRecordIsLz4 = 1;
inline constexpr uint64_t kMaxRecordBytes = uint64_t{1536} << 20;  // of a payload

struct SegmentHeader {
  StoreId store;
  uint64_t number = 0;
  uint64_t first_lsn = 0;
};

std::string encode_segment_header(const SegmentHeader& header);
// The header under the number that it says itself. kCorruption, kFormat.
Result<SegmentHeader> decode_segment_header(std::string_view bytes, const StoreId& store);

struct RecordHeader {
  uint32_t flags = 0;
  uint64_t lsn = 0;
  uint64_t durable_up_to = 0;
  uint32_t stored_bytes = 0;
  uint32_t raw_bytes = 0;
  uint64_t payload_checksum = 0;
};

inline uint64_t record_bytes(uint64_t stored_bytes) {  // with header and padding
  const uint64_t bytes = kRecordHeaderBytes + stored_bytes;
  return (bytes + kRecordAlignmentBytes - 1) / kRecordAlignmentBytes * kRecordAlignmentBytes;
}

uint64_t payload_checksum(const StoreId& store, uint64_t lsn, std::string_view stored);
void put_record_header(std::string& out, const RecordHeader& header, const StoreId& store,
                       uint64_t segment, uint64_t offset);
// Absent if the bytes are not the header of a record at that place.
std::optional<RecordHeader> decode_record_header(std::string_view bytes, const StoreId& store,
                                                 uint64_t segment, uint64_t offset);

std::string segment_name(uint64_t number);  // "log.000001"
std::optional<uint64_t> parse_segment_name(std::string_view name);

}  // namespace wherestar::fractal_tree
