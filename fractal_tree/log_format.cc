#include "fractal_tree/log_format.h"

#include <charconv>

#include "base/coding.h"

namespace wherestar::fractal_tree {
namespace {

constexpr std::string_view kSegmentMagic = "WSTRLOGS";
constexpr size_t kSegmentChecksumOffset = kSegmentHeaderBytes - 8;
constexpr std::string_view kNamePrefix = "log.";
constexpr size_t kNameDigits = 6;

}  // namespace

std::string encode_segment_header(const SegmentHeader& header) {
  std::string out;
  out.append(kSegmentMagic);
  put_fixed(out, kLogFormatVersion);
  put_fixed(out, uint32_t{0});
  put_fixed(out, kLogFeatures);
  put_fixed(out, header.store.low);
  put_fixed(out, header.store.high);
  put_fixed(out, header.number);
  put_fixed(out, header.first_lsn);
  out.resize(kSegmentChecksumOffset, '\0');
  put_fixed(out, checksum64(out, checksum_seed(header.store, 'S', header.number, 0)));
  return out;
}

Result<SegmentHeader> decode_segment_header(std::string_view bytes, const StoreId& store) {
  Reader reader(bytes.substr(0, kSegmentChecksumOffset));
  const bool magic = reader.take(kSegmentMagic.size()) == kSegmentMagic;
  const auto version = reader.fixed<uint32_t>();
  reader.fixed<uint32_t>();
  const auto features = reader.fixed<uint64_t>();
  SegmentHeader header;
  header.store.low = reader.fixed<uint64_t>();
  header.store.high = reader.fixed<uint64_t>();
  header.number = reader.fixed<uint64_t>();
  header.first_lsn = reader.fixed<uint64_t>();
  if (bytes.size() != kSegmentHeaderBytes || !magic || header.store != store)
    return fail(ErrorCode::kCorruption, "not a segment of this store's log");
  Reader checksum(bytes.substr(kSegmentChecksumOffset));
  if (checksum.fixed<uint64_t>() != checksum64(bytes.substr(0, kSegmentChecksumOffset),
                                               checksum_seed(store, 'S', header.number, 0)))
    return fail(ErrorCode::kCorruption, "segment header: checksum differs");
  if (version != kLogFormatVersion || (features & ~kLogFeatures) != 0)
    return fail(ErrorCode::kFormat, "log format version " + std::to_string(version) +
                                        ", feature bits " + std::to_string(features) +
                                        ": unknown to this program");
  return header;
}

uint64_t payload_checksum(const StoreId& store, uint64_t lsn, std::string_view stored) {
  return checksum64(stored, checksum_seed(store, 'P', lsn, 0));
}

void put_record_header(std::string& out, const RecordHeader& header, const StoreId& store,
                       uint64_t segment, uint64_t offset) {
  const size_t begin = out.size();
  put_fixed(out, kRecordMagic);
  put_fixed(out, header.flags);
  put_fixed(out, header.lsn);
  put_fixed(out, header.durable_up_to);
  put_fixed(out, header.stored_bytes);
  put_fixed(out, header.raw_bytes);
  put_fixed(out, header.payload_checksum);
  put_fixed(out, checksum64(std::string_view(out).substr(begin),
                            checksum_seed(store, 'R', segment, offset)));
}

std::optional<RecordHeader> decode_record_header(std::string_view bytes, const StoreId& store,
                                                 uint64_t segment, uint64_t offset) {
  if (bytes.size() < kRecordHeaderBytes) return std::nullopt;
  Reader reader(bytes);
  if (reader.fixed<uint32_t>() != kRecordMagic) return std::nullopt;
  RecordHeader header;
  header.flags = reader.fixed<uint32_t>();
  header.lsn = reader.fixed<uint64_t>();
  header.durable_up_to = reader.fixed<uint64_t>();
  header.stored_bytes = reader.fixed<uint32_t>();
  header.raw_bytes = reader.fixed<uint32_t>();
  header.payload_checksum = reader.fixed<uint64_t>();
  const auto checksum = reader.fixed<uint64_t>();
  if (checksum != checksum64(bytes.substr(0, kRecordHeaderBytes - 8),
                             checksum_seed(store, 'R', segment, offset)))
    return std::nullopt;
  return header;
}

std::string segment_name(uint64_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < kNameDigits) digits.insert(0, kNameDigits - digits.size(), '0');
  return std::string(kNamePrefix) + digits;
}

std::optional<uint64_t> parse_segment_name(std::string_view name) {
  if (!name.starts_with(kNamePrefix)) return std::nullopt;
  const std::string_view digits = name.substr(kNamePrefix.size());
  uint64_t number = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return std::nullopt;
  if (number == 0 || segment_name(number) != name) return std::nullopt;
  return number;
}

}  // namespace wherestar::fractal_tree
