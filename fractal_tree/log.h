// The log in segment files: the Log of storage.h.
//
//   ASSIGN_OR_RETURN(auto log, FileLog::open(options, root.log_start, manifest.log_segment));
//   RETURN_IF_ERROR(log->replay(use));        // once, before the first append
//   ASSIGN_OR_RETURN(Lsn end, log->append(payload));
//   RETURN_IF_ERROR(log->sync());
//
// append() compresses and queues; sync() takes the queue, places the records, writes and syncs them
// while other threads go on appending. Of several threads in sync() one does the work for all that
// appended before. Records do not span segments: one that is larger gets a segment of its size.
// A segment is preallocated, before the records that need it are appended (reserve); zeros are
// written ahead of the records once in its life, so that a sync in a recycled one changes no
// metadata. Each opening begins a new segment (log_reader.h says why).
//
// Threads: as storage.h says; append, sync, write and trim may run at the same time.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fractal_tree/log_reader.h"

namespace wherestar::fractal_tree {

struct LogOptions {
  LogPlace place;
  uint64_t segment_bytes = 64u << 20;
  bool read_only = false;
};

class FileLog : public Log {
 public:
  // Reads the directory only. `newest_segment` is what the manifest says; a log without a file of
  // that number or above lost its records: kCorruption.
  static Result<std::unique_ptr<FileLog>> open(LogOptions options, uint64_t start,
                                               uint64_t newest_segment);

  Status replay(const std::function<Status(LogRecord)>& record);

  Status reserve(uint64_t payload_bytes, size_t records) override;
  Result<Lsn> append(std::string_view payload) override;
  Status sync() override;
  Status write() override;
  Lsn end() const override;
  Lsn durable_up_to() const override;
  Status trim(Lsn below) override;  // at most up to what allow_trim allowed
  uint64_t bytes_since(Lsn lsn) const override;

  void allow_trim(Lsn below);  // a durable root needs nothing below
  uint64_t newest_segment() const;

 private:
  struct Pending {
    std::string stored;
    uint32_t raw_bytes = 0;
    uint32_t flags = 0;
    uint64_t lsn = 0;
  };
  struct Current {  // the segment that is written
    Segment segment;
    std::unique_ptr<File> file;
    uint64_t offset = 0;        // where the next record goes
    uint64_t zeroed_up_to = 0;  // no sync up to here changes metadata
    bool unsynced = false;
  };

  FileLog(LogOptions options, uint64_t start) : options_(std::move(options)), start_(start) {}
  Status secure_tail(const LogEnd& end);
  std::unexpected<Error> poisoned() const;  // mutex_ held
  Status check_usable() const;              // mutex_ held
  Status poison(Status status);             // remembers a failure
  // With io_mutex_ held:
  Status write_pending();
  Status write_batch(std::string& batch);
  Status sync_current();
  Status begin_segment(uint64_t lsn, uint64_t needed_bytes);
  Status prepare_segment(uint64_t needed_bytes);
  Status make_segment_file(uint64_t number, uint64_t bytes);
  Status choose_file(Current& next, uint64_t needed_bytes);
  std::optional<Segment> take_recyclable();
  Status trim_segments(uint64_t below);

  const LogOptions options_;
  const uint64_t start_;

  mutable std::mutex mutex_;  // guards the next block; never held during I/O
  std::vector<Pending> pending_;
  uint64_t pending_bytes_ = 0;
  uint64_t end_ = 0;
  uint64_t durable_up_to_ = 0;
  uint64_t may_trim_below_ = 0;
  uint64_t newest_ = 0;
  bool replayed_ = false;
  std::optional<Error> error_;

  std::mutex io_mutex_;              // guards the rest; taken before mutex_
  std::vector<Segment> segments_;    // before the current one, ascending
  std::vector<Segment> spares_;      // files to be recycled
  std::optional<Segment> prepared_;  // the next segment's file, empty; its number is newest_ + 1
  std::optional<Current> current_;
};

}  // namespace wherestar::fractal_tree
