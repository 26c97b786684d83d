// A line that tells how far a long run is: redrawn on a terminal, a plain line every 10 s
// elsewhere.
//
//   Progress progress(console, total_bytes);
//   progress.update({.done_bytes = ..., .documents = ...});   // cheap, draws at most 10 times a
//   second progress.clear();
//
// One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "tools/console.h"

namespace wherestar::tools {

struct ProgressState {
  std::string label;  // "03.jsonl [3/4]"
  uint64_t done = 0;  // of `total`, bytes or documents
  uint64_t documents = 0;
  uint64_t bad = 0;
};

class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(Console& console, uint64_t total) : console_(console), total_(total) {}
  ~Progress() { clear(); }

  void update(const ProgressState& state);
  void clear();  // takes the line off the terminal
  void set_total(uint64_t total) { total_ = total; }
  double seconds() const;

 private:
  Console& console_;
  uint64_t total_;  // 0: unknown
  Clock::time_point begin_ = Clock::now();
  Clock::time_point drawn_ = begin_;
  bool visible_ = false;
};

// One line without line break. `width` 0: plain words, no bar.
std::string progress_text(const ProgressState& state, uint64_t total, double seconds, size_t width);

}  // namespace wherestar::tools
