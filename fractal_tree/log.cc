#include "fractal_tree/log.h"

#include <algorithm>
#include <utility>

#include <lz4.h>

namespace wherestar::fractal_tree {
namespace {

constexpr size_t kCompressAboveBytes = 512;
constexpr uint64_t kMaxPendingBytes = 32u << 20;  // beyond, append writes by itself
constexpr uint64_t kBatchBytes = 4u << 20;
constexpr uint64_t kZeroStepBytes = 4u << 20;
constexpr uint64_t kZeroPieceBytes = 1u << 20;
constexpr uint64_t kSegmentAlignmentBytes = 4096;
constexpr size_t kMaxSpares = 2;

// The payload as lz4, if that saves an eighth.
std::optional<std::string> compress(std::string_view payload) {
  if (payload.size() <= kCompressAboveBytes) return std::nullopt;
  const size_t room = payload.size() - payload.size() / 8;
  std::string out(room, '\0');
  const int size = LZ4_compress_default(payload.data(), out.data(),
                                        static_cast<int>(payload.size()), static_cast<int>(room));
  if (size <= 0) return std::nullopt;
  out.resize(static_cast<size_t>(size));
  return out;
}

}  // namespace

Result<std::unique_ptr<FileLog>> FileLog::open(LogOptions options, uint64_t start,
                                               uint64_t newest_segment) {
  options.segment_bytes = std::max<uint64_t>(options.segment_bytes, 4 * kSegmentAlignmentBytes) /
                          kSegmentAlignmentBytes * kSegmentAlignmentBytes;
  std::unique_ptr<FileLog> log(new FileLog(std::move(options), start));
  const LogPlace& place = log->options_.place;
  ASSIGN_OR_RETURN(LogDirectory directory, read_log_directory(place));
  if (directory.newest < newest_segment)
    return fail(ErrorCode::kCorruption, place.path(newest_segment) + ": is missing");
  log->newest_ = directory.newest;
  log->segments_ = std::move(directory.segments);
  for (const Segment& segment : directory.unused)
    if (segment.file_bytes == log->options_.segment_bytes) log->spares_.push_back(segment);
  if (log->options_.read_only) return log;
  for (const Segment& segment : directory.unused) {
    // The newest file stays: its number proves that no younger one was lost.
    if (segment.file_bytes != log->options_.segment_bytes && segment.number != directory.newest)
      RETURN_IF_ERROR(place.file_system->remove(place.path(segment.number)));
  }
  return log;
}

Status FileLog::replay(const std::function<Status(LogRecord)>& record) {
  const std::lock_guard io_lock(io_mutex_);
  {
    const std::lock_guard lock(mutex_);
    if (replayed_) return fail(ErrorCode::kInvalidArgument, "the log was replayed already");
  }
  const LogPlace& place = options_.place;
  ASSIGN_OR_RETURN(const uint64_t end, read_log(place, segments_, start_, record));
  if (!options_.read_only && !segments_.empty()) {
    // What was read may be in the system's cache only; the next segment's header will call it
    // durable.
    ASSIGN_OR_RETURN(
        const std::unique_ptr<File> file,
        place.file_system->open(place.path(segments_.back().number), OpenMode::kReadWrite));
    RETURN_IF_ERROR(file->sync());
  }
  const std::lock_guard lock(mutex_);
  end_ = durable_up_to_ = end;
  may_trim_below_ = start_;
  replayed_ = true;
  return {};
}

std::unexpected<Error> FileLog::poisoned() const {
  return fail(ErrorCode::kPoisoned, "the log failed before: " + error_->message);
}

Status FileLog::check_usable() const {
  if (error_) return poisoned();
  if (options_.read_only) return fail(ErrorCode::kReadOnly, "the store is open for reading only");
  if (!replayed_) return fail(ErrorCode::kInvalidArgument, "the log was not replayed yet");
  return {};
}

Status FileLog::poison(Status status) {
  if (status) return status;
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = status.error();
  return status;
}

Result<Lsn> FileLog::append(std::string_view payload) {
  if (payload.size() > kMaxRecordBytes)
    return fail(ErrorCode::kLimitExceeded,
                "a log record of " + std::to_string(payload.size()) + " bytes");
  Pending record;
  record.raw_bytes = static_cast<uint32_t>(payload.size());
  if (auto compressed = compress(payload)) {
    record.stored = *std::move(compressed);
    record.flags = kRecordIsLz4;
  } else {
    record.stored = payload;
  }
  Lsn end{0};
  bool much = false;
  {
    const std::lock_guard lock(mutex_);
    RETURN_IF_ERROR(check_usable());
    record.lsn = end_;
    end_ += record_bytes(record.stored.size());
    end = Lsn{end_};
    pending_bytes_ += record.stored.size();
    much = pending_bytes_ > kMaxPendingBytes;
    pending_.push_back(std::move(record));
  }
  if (much) RETURN_IF_ERROR(write());
  return end;
}

Status FileLog::sync() {
  uint64_t target = 0;
  {
    const std::lock_guard lock(mutex_);
    RETURN_IF_ERROR(check_usable());
    target = end_;
  }
  const std::lock_guard io_lock(io_mutex_);
  {
    const std::lock_guard lock(mutex_);
    RETURN_IF_ERROR(check_usable());
    if (durable_up_to_ >= target) return {};  // another thread's sync covered it
  }
  RETURN_IF_ERROR(poison(write_pending()));
  return poison(sync_current());
}

Status FileLog::write() {
  const std::lock_guard io_lock(io_mutex_);
  {
    const std::lock_guard lock(mutex_);
    RETURN_IF_ERROR(check_usable());
  }
  return poison(write_pending());
}

Status FileLog::write_pending() {
  std::vector<Pending> records;
  uint64_t durable = 0;
  {
    const std::lock_guard lock(mutex_);
    records = std::exchange(pending_, {});
    pending_bytes_ = 0;
    durable = durable_up_to_;
  }
  std::string batch;
  for (const Pending& record : records) {
    const uint64_t bytes = record_bytes(record.stored.size());
    if (!current_ || current_->offset + batch.size() + bytes > current_->segment.file_bytes) {
      RETURN_IF_ERROR(write_batch(batch));
      RETURN_IF_ERROR(begin_segment(record.lsn, kSegmentHeaderBytes + bytes));
      durable = record.lsn;
    }
    const size_t begin = batch.size();
    put_record_header(
        batch,
        {record.flags, record.lsn, durable, static_cast<uint32_t>(record.stored.size()),
         record.raw_bytes, payload_checksum(options_.place.store, record.lsn, record.stored)},
        options_.place.store, current_->segment.number, current_->offset + begin);
    batch.append(record.stored);
    batch.resize(begin + bytes, '\0');
    if (batch.size() >= kBatchBytes) RETURN_IF_ERROR(write_batch(batch));
  }
  return write_batch(batch);
}

Status FileLog::write_batch(std::string& batch) {
  if (batch.empty()) return {};
  Current& current = *current_;
  current.unsynced = true;
  const uint64_t end = current.offset + batch.size();
  if (end > current.zeroed_up_to) {
    const uint64_t target = std::min(current.segment.file_bytes, end + kZeroStepBytes);
    const std::string zeros(std::min(kZeroPieceBytes, target - current.zeroed_up_to), '\0');
    while (current.zeroed_up_to < target) {
      const uint64_t piece = std::min<uint64_t>(zeros.size(), target - current.zeroed_up_to);
      RETURN_IF_ERROR(
          current.file->write_at(current.zeroed_up_to, std::string_view(zeros).substr(0, piece)));
      current.zeroed_up_to += piece;
    }
  }
  RETURN_IF_ERROR(current.file->write_at(current.offset, batch));
  current.offset = end;
  batch.clear();
  return {};
}

Status FileLog::sync_current() {
  if (!current_) return {};
  if (current_->unsynced) RETURN_IF_ERROR(current_->file->sync());
  current_->unsynced = false;
  const std::lock_guard lock(mutex_);
  durable_up_to_ = current_->segment.first_lsn + (current_->offset - kSegmentHeaderBytes);
  return {};
}

Status FileLog::begin_segment(uint64_t lsn, uint64_t needed_bytes) {
  RETURN_IF_ERROR(sync_current());
  if (current_) segments_.push_back(current_->segment);
  current_.reset();
  FileSystem& fs = *options_.place.file_system;
  Current next;
  {
    const std::lock_guard lock(mutex_);
    next.segment.number = newest_ + 1;
  }
  next.segment.first_lsn = lsn;
  next.segment.file_bytes = options_.segment_bytes;
  const std::string path = options_.place.path(next.segment.number);
  std::optional<Segment> recycled;
  if (needed_bytes <= options_.segment_bytes) recycled = take_recyclable();
  if (recycled) {
    RETURN_IF_ERROR(fs.rename(options_.place.path(recycled->number), path));
    next.zeroed_up_to = next.segment.file_bytes;
  } else {
    next.segment.file_bytes =
        std::max(options_.segment_bytes, (needed_bytes + kSegmentAlignmentBytes - 1) /
                                             kSegmentAlignmentBytes * kSegmentAlignmentBytes);
    RETURN_IF_ERROR(make_segment_file(next.segment.number, next.segment.file_bytes));
    next.zeroed_up_to = kSegmentHeaderBytes;
  }
  // The name first: a header of this number under the old name would look like damage.
  RETURN_IF_ERROR(fs.sync_directory(options_.place.directory));
  ASSIGN_OR_RETURN(next.file, fs.open(path, OpenMode::kReadWrite));
  RETURN_IF_ERROR(next.file->write_at(
      0, encode_segment_header({options_.place.store, next.segment.number, lsn})));
  RETURN_IF_ERROR(next.file->sync());
  next.offset = kSegmentHeaderBytes;
  current_ = std::move(next);
  const std::lock_guard lock(mutex_);
  newest_ = current_->segment.number;  // only now: a manifest may name it, so it must be durable
  return {};
}

Status FileLog::make_segment_file(uint64_t number, uint64_t bytes) {
  ASSIGN_OR_RETURN(
      const std::unique_ptr<File> file,
      options_.place.file_system->open(options_.place.path(number), OpenMode::kCreateNew));
  return file->allocate(0, bytes);
}

std::optional<Segment> FileLog::take_recyclable() {
  if (!spares_.empty()) {
    const Segment spare = spares_.back();
    spares_.pop_back();
    return spare;
  }
  const std::lock_guard lock(mutex_);
  if (segments_.empty() || segments_.front().file_bytes != options_.segment_bytes)
    return std::nullopt;
  const uint64_t end = segments_.size() > 1 ? segments_[1].first_lsn
                       : current_           ? current_->segment.first_lsn
                                            : durable_up_to_;
  if (end > may_trim_below_) return std::nullopt;
  const Segment oldest = segments_.front();
  segments_.erase(segments_.begin());
  return oldest;
}

Status FileLog::trim(Lsn below) {
  const std::lock_guard io_lock(io_mutex_);
  uint64_t limit = 0;
  {
    const std::lock_guard lock(mutex_);
    RETURN_IF_ERROR(check_usable());
    limit = std::min(static_cast<uint64_t>(below), may_trim_below_);
  }
  return trim_segments(limit);
}

Status FileLog::trim_segments(uint64_t below) {
  // Without a current segment the last one stays: the newest number is not to be lost.
  while (!segments_.empty()) {
    if (segments_.size() == 1 && !current_) break;
    const uint64_t end =
        segments_.size() > 1 ? segments_[1].first_lsn : current_->segment.first_lsn;
    if (end > below) break;
    const Segment oldest = segments_.front();
    segments_.erase(segments_.begin());
    if (spares_.size() < kMaxSpares && oldest.file_bytes == options_.segment_bytes) {
      spares_.push_back(oldest);
      continue;
    }
    RETURN_IF_ERROR(options_.place.file_system->remove(options_.place.path(oldest.number)));
  }
  return {};
}

Lsn FileLog::end() const {
  const std::lock_guard lock(mutex_);
  return Lsn{end_};
}

Lsn FileLog::durable_up_to() const {
  const std::lock_guard lock(mutex_);
  return Lsn{durable_up_to_};
}

uint64_t FileLog::bytes_since(Lsn lsn) const {
  const std::lock_guard lock(mutex_);
  const auto from = static_cast<uint64_t>(lsn);
  return from < end_ ? end_ - from : 0;
}

void FileLog::allow_trim(Lsn below) {
  const std::lock_guard lock(mutex_);
  may_trim_below_ = std::max(may_trim_below_, static_cast<uint64_t>(below));
}

uint64_t FileLog::newest_segment() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

}  // namespace wherestar::fractal_tree
