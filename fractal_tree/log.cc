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
  ASSIGN_OR_RETURN(const LogEnd end, read_log(place, segments_, start_, record));
  if (!options_.read_only) RETURN_IF_ERROR(secure_tail(end));
  const std::lock_guard lock(mutex_);
  end_ = durable_up_to_ = end.lsn;
  may_trim_below_ = start_;
  replayed_ = true;
  return {};
}

// The next segment's header will call everything read durable. But the tail may be in the system's
// cache alone, and if an earlier process' sync failed, a sync does not even write it: so it is
// written anew. The bytes are the same, whatever of it a crash leaves is no worse than before.
Status FileLog::secure_tail(const LogEnd& end) {
  if (segments_.empty() || end.lsn == end.durable_up_to) return {};
  const Segment& last = segments_.back();
  ASSIGN_OR_RETURN(
      const std::unique_ptr<File> file,
      options_.place.file_system->open(options_.place.path(last.number), OpenMode::kReadWrite));
  const uint64_t end_offset = kSegmentHeaderBytes + (end.lsn - last.first_lsn);
  uint64_t offset = kSegmentHeaderBytes + (end.durable_up_to - last.first_lsn);
  while (offset < end_offset) {
    const uint64_t piece = std::min(kBatchBytes, end_offset - offset);
    ASSIGN_OR_RETURN(const std::string bytes, file->read_at(offset, piece));
    RETURN_IF_ERROR(file->write_at(offset, bytes));
    offset += piece;
  }
  return file->sync();
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

Status FileLog::reserve(uint64_t payload_bytes, size_t records) {
  const std::lock_guard io_lock(io_mutex_);
  uint64_t bytes = payload_bytes + records * (kRecordHeaderBytes + kRecordAlignmentBytes);
  {
    const std::lock_guard lock(mutex_);
    RETURN_IF_ERROR(check_usable());
    for (const Pending& record : pending_) bytes += record_bytes(record.stored.size());
  }
  if (current_ && current_->offset + bytes <= current_->segment.file_bytes) return {};
  const uint64_t needed = kSegmentHeaderBytes + bytes;
  if (prepared_ && prepared_->file_bytes >= needed) return {};
  if (needed <= options_.segment_bytes) {
    if (auto recycled = take_recyclable()) {
      spares_.push_back(*recycled);
      return {};
    }
  }
  return prepare_segment(needed);
}

// A nearly full disk gets a smaller segment.
Status FileLog::prepare_segment(uint64_t needed_bytes) {
  const LogPlace& place = options_.place;
  Segment next;
  {
    const std::lock_guard lock(mutex_);
    next.number = newest_ + 1;
  }
  if (prepared_) {
    RETURN_IF_ERROR(place.file_system->remove(place.path(prepared_->number)));
    prepared_.reset();
  }
  const uint64_t least =
      (needed_bytes + kSegmentAlignmentBytes - 1) / kSegmentAlignmentBytes * kSegmentAlignmentBytes;
  Status made;
  for (const uint64_t wish : {options_.segment_bytes, options_.segment_bytes / 8, uint64_t{0}}) {
    next.file_bytes = std::max(least, wish / kSegmentAlignmentBytes * kSegmentAlignmentBytes);
    made = make_segment_file(next.number, next.file_bytes);
    if (made) {
      prepared_ = next;
      return {};
    }
    // What of it there is does no harm: it has no header, and is made anew under its number.
    static_cast<void>(place.file_system->remove(place.path(next.number)).has_value());
    if (made.error().code != ErrorCode::kNoSpace) break;
  }
  return made;
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
  const std::string path = options_.place.path(next.segment.number);
  RETURN_IF_ERROR(choose_file(next, needed_bytes));
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

// The file of the segment that `next` becomes, under its name.
Status FileLog::choose_file(Current& next, uint64_t needed_bytes) {
  FileSystem& fs = *options_.place.file_system;
  const std::string path = options_.place.path(next.segment.number);
  std::optional<Segment> recycled;
  const bool is_prepared = prepared_ && prepared_->file_bytes >= needed_bytes;
  if (!is_prepared && needed_bytes <= options_.segment_bytes) recycled = take_recyclable();
  if (recycled) {
    if (std::exchange(prepared_, {})) RETURN_IF_ERROR(fs.remove(path));
    RETURN_IF_ERROR(fs.rename(options_.place.path(recycled->number), path));
    next.segment.file_bytes = next.zeroed_up_to = recycled->file_bytes;
    return {};
  }
  if (!is_prepared) RETURN_IF_ERROR(prepare_segment(needed_bytes));
  next.segment.file_bytes = prepared_->file_bytes;
  next.zeroed_up_to = kSegmentHeaderBytes;
  prepared_.reset();
  return {};
}

Status FileLog::make_segment_file(uint64_t number, uint64_t bytes) {
  ASSIGN_OR_RETURN(
      const std::unique_ptr<File> file,
      options_.place.file_system->open(options_.place.path(number), OpenMode::kCreateOrOpen));
  ASSIGN_OR_RETURN(const uint64_t left, file->size());  // by an attempt that failed
  if (left > 0) RETURN_IF_ERROR(file->truncate(0));
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
