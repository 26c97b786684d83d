// What is remembered of a part between documents, so that little is written again: which shapes
// are defined, which registers are set, when last-seen times were written.
//
// It is only a memory of the store: nothing in it is needed to be right. A definition is written
// with every document of its shape until it is seen in a committed state, so that a rolled back
// transaction takes none away for good; a register is left out only when a committed state has it.
//
// Threads: the owner locks `mutex`.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "schema_stats/distinct.h"
#include "schema_stats/statistics_keys.h"

namespace wherestar::schema_stats {

inline constexpr size_t kMaxDefinitionBytes = 64u << 10;      // of one shape
inline constexpr size_t kMaxPartDefinitionBytes = 16u << 20;  // of all shapes of a part
inline constexpr int64_t kLastSeenInterval_s = 60;
// Registers of a path are read back from the store after so many were sent, and kept.
inline constexpr uint32_t kSketchReadInterval = 512;
inline constexpr size_t kMaxSketches = 1024;  // of a part; 4 KiB each

using Sketch = std::array<uint8_t, kRegisterCount>;  // rank by register

// When a last-seen time was written, and after how many dropped batches: one that was dropped since
// may have been the one that held it.
struct SeenMemory {
  bool is_due(int64_t now_unix_s, int64_t interval_s, uint64_t drops) {
    if (written && drops == drops_before && now_unix_s < written_unix_s + interval_s) return false;
    written = true;
    written_unix_s = now_unix_s;
    drops_before = drops;
    return true;
  }
  bool written = false;
  int64_t written_unix_s = 0;
  uint64_t drops_before = 0;
};

struct ShapeMemory {
  bool committed = false;
  int64_t first_seen_unix_s = 0;
  SeenMemory seen;
  std::string definition;  // until it is committed
};

struct PathMemory {
  SeenMemory seen;
  uint32_t registers_sent = 0;  // since the sketch was read
  std::unique_ptr<Sketch> sketch;
};

struct PartMemory {
  std::mutex mutex;
  bool shapes_loaded = false;
  std::map<uint64_t, ShapeMemory> shapes;
  size_t definition_bytes = 0;
  std::unordered_map<uint32_t, PathMemory> paths;  // numbers are ours, not chosen by clients
  size_t sketches = 0;
};

}  // namespace wherestar::schema_stats
