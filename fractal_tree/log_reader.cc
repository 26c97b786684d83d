#include "fractal_tree/log_reader.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include <lz4.h>

#include "base/coding.h"

namespace wherestar::fractal_tree {
namespace {

constexpr uint64_t kWindowBytes = 1u << 20;
constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

struct FoundRecord {
  std::string payload;
  uint64_t bytes = 0;  // with header and padding
};

// One segment file, read through a window.
class SegmentReader {
 public:
  SegmentReader(const LogPlace& place, const Segment& segment, std::unique_ptr<File> file)
      : place_(place), segment_(segment), file_(std::move(file)) {}

  std::string where(uint64_t offset) const {
    return place_.path(segment_.number) + ": record at offset " + std::to_string(offset);
  }

  Result<std::optional<RecordHeader>> header(uint64_t offset) {
    if (offset > segment_.file_bytes || segment_.file_bytes - offset < kRecordHeaderBytes)
      return std::nullopt;
    ASSIGN_OR_RETURN(const std::string_view bytes, view(offset, kRecordHeaderBytes));
    auto header = decode_record_header(bytes, place_.store, segment_.number, offset);
    if (header && header->lsn != segment_.first_lsn + (offset - kSegmentHeaderBytes))
      return std::nullopt;
    return header;
  }

  // Absent if there is no whole, sound record at that place.
  Result<std::optional<FoundRecord>> record(uint64_t offset) {
    ASSIGN_OR_RETURN(const std::optional<RecordHeader> header, this->header(offset));
    if (!header) return std::nullopt;
    const uint64_t begin = offset + kRecordHeaderBytes;
    if (header->stored_bytes > segment_.file_bytes - begin) return std::nullopt;
    ASSIGN_OR_RETURN(const std::string_view stored, view(begin, header->stored_bytes));
    if (payload_checksum(place_.store, header->lsn, stored) != header->payload_checksum)
      return std::nullopt;
    ASSIGN_OR_RETURN(std::string payload, decode(*header, stored, offset));
    return FoundRecord{std::move(payload), record_bytes(header->stored_bytes)};
  }

  // The greatest durable-up-to LSN that any record header from `offset` on tells; 0: none is there.
  Result<std::optional<uint64_t>> greatest_durable(uint64_t offset) {
    std::optional<uint64_t> greatest;
    std::string magic;
    put_fixed(magic, kRecordMagic);
    for (; offset + kRecordHeaderBytes <= segment_.file_bytes; offset += kRecordAlignmentBytes) {
      ASSIGN_OR_RETURN(const std::string_view bytes, view(offset, magic.size()));
      if (bytes != magic) continue;
      ASSIGN_OR_RETURN(const std::optional<RecordHeader> header, this->header(offset));
      if (header) greatest = std::max(greatest.value_or(0), header->durable_up_to);
    }
    return greatest;
  }

  // Whether any record header of this segment number is there, whatever its LSN.
  Result<bool> has_record() {
    std::string magic;
    put_fixed(magic, kRecordMagic);
    for (uint64_t offset = kSegmentHeaderBytes; offset + kRecordHeaderBytes <= segment_.file_bytes;
         offset += kRecordAlignmentBytes) {
      ASSIGN_OR_RETURN(const std::string_view bytes, view(offset, kRecordHeaderBytes));
      if (bytes.starts_with(magic) &&
          decode_record_header(bytes, place_.store, segment_.number, offset))
        return true;
    }
    return false;
  }

 private:
  // Bytes inside the file; the view lives until the next call.
  Result<std::string_view> view(uint64_t offset, uint64_t size) {
    if (offset < window_offset_ || offset + size > window_offset_ + window_.size()) {
      const uint64_t length = std::min(std::max(kWindowBytes, size), segment_.file_bytes - offset);
      ASSIGN_OR_RETURN(window_, file_->read_at(offset, length));
      window_offset_ = offset;
    }
    return std::string_view(window_).substr(offset - window_offset_, size);
  }

  Result<std::string> decode(const RecordHeader& header, std::string_view stored,
                             uint64_t offset) const {
    if ((header.flags & ~kRecordIsLz4) != 0)
      return fail(ErrorCode::kFormat, where(offset) + ": flags are unknown to this program");
    const bool compressed = (header.flags & kRecordIsLz4) != 0;
    std::string payload;
    if (!compressed) {
      payload = stored;
    } else if (header.raw_bytes <= kMaxRecordBytes && stored.size() <= kMaxRecordBytes &&
               header.raw_bytes / 255 <= stored.size()) {
      payload.resize(header.raw_bytes);
      const int size =
          LZ4_decompress_safe(stored.data(), payload.data(), static_cast<int>(stored.size()),
                              static_cast<int>(payload.size()));
      if (size < 0)
        payload.clear();
      else
        payload.resize(static_cast<size_t>(size));
    }
    if (payload.size() != header.raw_bytes)
      return fail(ErrorCode::kCorruption, where(offset) + ": length differs from its header's");
    return payload;
  }

  const LogPlace& place_;
  const Segment segment_;
  std::unique_ptr<File> file_;
  std::string window_;
  uint64_t window_offset_ = 0;
};

Result<SegmentReader> open_segment(const LogPlace& place, const Segment& segment) {
  ASSIGN_OR_RETURN(std::unique_ptr<File> file,
                   place.file_system->open(place.path(segment.number), OpenMode::kRead));
  return SegmentReader(place, segment, std::move(file));
}

// Sorts one file into the directory.
Status classify(const LogPlace& place, uint64_t number, LogDirectory& directory) {
  const std::string path = place.path(number);
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, place.file_system->open(path, OpenMode::kRead));
  Segment segment{number, 0, 0};
  ASSIGN_OR_RETURN(segment.file_bytes, file->size());
  directory.newest = std::max(directory.newest, number);
  if (segment.file_bytes >= kSegmentHeaderBytes) {
    ASSIGN_OR_RETURN(const std::string bytes, file->read_at(0, kSegmentHeaderBytes));
    auto header = decode_segment_header(bytes, place.store);
    if (!header && header.error().code == ErrorCode::kFormat)
      return fail_in(path, std::move(header).error());
    if (header && header->number == number) {
      segment.first_lsn = header->first_lsn;
      directory.segments.push_back(segment);
      return {};
    }
  }
  SegmentReader reader(place, segment, std::move(file));
  ASSIGN_OR_RETURN(const bool has_record, reader.has_record());
  if (has_record)
    return fail(ErrorCode::kCorruption, path + ": segment header is damaged (offset 0)");
  directory.unused.push_back(segment);
  return {};
}

Result<uint64_t> read_segment(const LogPlace& place, const Segment& segment, uint64_t lsn,
                              uint64_t limit, const std::function<Status(LogRecord)>& record) {
  ASSIGN_OR_RETURN(SegmentReader reader, open_segment(place, segment));
  while (lsn < limit) {
    const uint64_t offset = kSegmentHeaderBytes + (lsn - segment.first_lsn);
    ASSIGN_OR_RETURN(std::optional<FoundRecord> found, reader.record(offset));
    if (!found) {
      if (limit != kNoLimit)
        return fail(ErrorCode::kCorruption,
                    reader.where(offset) + " is damaged or missing: the next segment begins at " +
                        "LSN " + std::to_string(limit) + ", this one ends at " +
                        std::to_string(lsn));
      ASSIGN_OR_RETURN(const std::optional<uint64_t> durable, reader.greatest_durable(offset));
      if (durable.value_or(0) > lsn)
        return fail(ErrorCode::kCorruption,
                    reader.where(offset) + " (LSN " + std::to_string(lsn) +
                        ") is damaged: later records say that the log was durable up to LSN " +
                        std::to_string(*durable));
      break;
    }
    const uint64_t bytes = found->bytes;
    RETURN_IF_ERROR(record({Lsn{lsn}, std::move(found->payload)}));
    lsn += bytes;
  }
  return lsn;
}

}  // namespace

Result<LogDirectory> read_log_directory(const LogPlace& place) {
  LogDirectory directory;
  ASSIGN_OR_RETURN(const std::vector<std::string> names, place.file_system->list(place.directory));
  std::vector<uint64_t> numbers;
  for (const std::string& name : names)
    if (const auto number = parse_segment_name(name)) numbers.push_back(*number);
  std::sort(numbers.begin(), numbers.end());
  for (const uint64_t number : numbers) RETURN_IF_ERROR(classify(place, number, directory));
  for (size_t i = 1; i < directory.segments.size(); ++i) {
    if (directory.segments[i].first_lsn < directory.segments[i - 1].first_lsn)
      return fail(ErrorCode::kCorruption, place.path(directory.segments[i].number) +
                                              ": begins before the segment before it");
  }
  return directory;
}

Result<uint64_t> read_log(const LogPlace& place, const std::vector<Segment>& segments,
                          uint64_t start, const std::function<Status(LogRecord)>& record) {
  if (segments.empty()) return start;
  if (segments.front().first_lsn > start)
    return fail(ErrorCode::kCorruption, place.path(segments.front().number) + ": begins at LSN " +
                                            std::to_string(segments.front().first_lsn) +
                                            ", but the log is needed from " +
                                            std::to_string(start));
  uint64_t lsn = start;
  for (size_t i = 0; i < segments.size(); ++i) {
    const uint64_t limit = i + 1 < segments.size() ? segments[i + 1].first_lsn : kNoLimit;
    if (limit <= lsn) continue;  // all below the start, or void
    ASSIGN_OR_RETURN(lsn, read_segment(place, segments[i], lsn, limit, record));
    if (lsn > limit)
      return fail(ErrorCode::kCorruption,
                  place.path(segments[i].number) + ": a record reaches into the next segment");
  }
  return lsn;
}

}  // namespace wherestar::fractal_tree
