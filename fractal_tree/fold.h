// Folding: what becomes of all changes of one key when they meet.
//
// 1. Versions between which no live snapshot lies are one version: merges combine with each other
//    and with the put or erase below them, and nothing below a put or an erase is kept.
// 2. At the bottom (in a leaf) operands become values; an erase, or a value that means absence, is
//    kept only where an older version is; what every snapshot sees gets sequence 0.
//
// merge_runs() is the one place where runs meet: buffers with what is flushed into them, basement
// nodes with what arrives, and (in reads) everything that covers a key range.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fractal_tree/run.h"

namespace wherestar::fractal_tree {

// Sequences of live snapshots, ascending. The newest state counts as one more by itself.
using Snapshots = std::vector<uint64_t>;

// Is there a snapshot that sees `older` but not `newer`?
bool snapshot_between(const Snapshots& snapshots, uint64_t older, uint64_t newer);

struct FoldOptions {
  const Snapshots* snapshots = nullptr;
  bool bottom = false;
  // Versions above it are not there for this read, but for own batches (their sequences are at
  // least 2^62).
  uint64_t max_sequence = uint64_t{1} << 62;
  // Told of each overflow reference that no version needs any more.
  std::function<void(std::string_view reference)> dropped_overflow;
  // Reads the value behind an overflow reference, for a merge onto it.
  std::function<Result<std::string>(std::string_view reference)> read_overflow;
};

// A piece of a run: entries [begin, end).
struct RunSlice {
  RunRef run;
  size_t begin = 0;
  size_t end = 0;
};

class Folder {
 public:
  explicit Folder(const FoldOptions& options) : options_(options) {}
  // Versions of one key, newest first (sequences strictly falling). Appends what remains to `out`.
  Status fold(std::string_view key, std::span<const Entry> versions, RunBuilder& out);

 private:
  struct Kept {
    uint64_t sequence = 0;
    EntryKind kind = EntryKind::kPut;
    std::string_view value;
    std::string owned;
    std::string_view bytes() const { return owned.empty() ? value : std::string_view(owned); }
  };
  Status group(std::span<const Entry> versions, std::vector<Kept>& kept);
  Status add_below(Kept& upper, EntryKind kind, std::string_view value);
  Status settle_at_bottom(std::vector<Kept>& kept);
  void drop(EntryKind kind, std::string_view value);

  const FoldOptions& options_;
  std::vector<Kept> kept_;
};

// Merges slices of the same key range, and folds. `ranges` erase what is older than them, in all
// slices; those of the slices' runs are not looked at. Calls cut(next key) before each key, so that
// the caller may finish the builder and begin another.
Status merge_slices(std::span<const RunSlice> slices, std::span<const RangeErase> ranges,
                    const FoldOptions& options, RunBuilder& out,
                    const std::function<void(std::string_view)>& before_key);

}  // namespace wherestar::fractal_tree
