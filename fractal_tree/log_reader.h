// Reads the log back: which segments there are, and the records from a place on.
//
// The rules (storage.h, rule 3), on what this format can prove:
//  - A segment's header is durable before its first record is written, and the segment before it is
//    synced to its end by then. So below the first LSN of a later segment nothing may be bad, and a
//    segment file with a damaged header must not hold a record.
//  - In the last segment a bad record below the durable-up-to LSN of any record header behind it is
//    damage. Otherwise it is the tail: it and all behind it are dropped.
//  - What was dropped can never come back: the writer begins a new segment, whose first LSN is
//    where reading ended, and no segment is read beyond the first LSN of the next.
// Damage in the very last group of records cannot be told from a torn write.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "fractal_tree/log_format.h"
#include "fractal_tree/storage.h"

namespace wherestar::fractal_tree {

struct LogPlace {
  FileSystem* file_system = nullptr;
  std::string directory;
  StoreId store;

  std::string path(uint64_t segment) const { return directory + "/" + segment_name(segment); }
};

struct Segment {
  uint64_t number = 0;
  uint64_t first_lsn = 0;
  uint64_t file_bytes = 0;
};

struct LogDirectory {
  std::vector<Segment> segments;  // ascending in number and LSN
  std::vector<Segment> unused;    // files without a header of their number: new or recycled
  uint64_t newest = 0;            // the greatest number of all; 0: none
};

// kCorruption, kFormat, kIo; each names the file.
Result<LogDirectory> read_log_directory(const LogPlace& place);

// Hands over the records from `start` on in order; returns the LSN behind the last one.
Result<uint64_t> read_log(const LogPlace& place, const std::vector<Segment>& segments,
                          uint64_t start, const std::function<Status(LogRecord)>& record);

}  // namespace wherestar::fractal_tree
