// What a read looks at: fronts, trees, and the sequence up to which it sees.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fractal_tree/engine.h"
#include "fractal_tree/memory_front.h"
#include "fractal_tree/tree.h"

namespace wherestar::fractal_tree {

// One dictionary as a view sees it.
struct TreeView {
  std::shared_ptr<Tree> tree;
  std::shared_ptr<TreeVersion> version;
};

// Replaced as a whole whenever a front is begun or handed over; never changed.
struct StoreView {
  std::shared_ptr<MemoryFront> active;
  std::vector<std::shared_ptr<MemoryFront>> frozen;  // oldest first
  std::map<DictionaryId, TreeView> trees;
};

// A consistent place to read from; keeps its view and its sequence alive.
class ReadPoint {
 public:
  ReadPoint(std::shared_ptr<const StoreView> view, std::shared_ptr<SnapshotRegistry> registry,
            uint64_t sequence);  // the sequence is registered already
  ~ReadPoint();
  ReadPoint(const ReadPoint&) = delete;
  ReadPoint& operator=(const ReadPoint&) = delete;

  const StoreView& view() const { return *view_; }
  uint64_t sequence() const { return sequence_; }

 private:
  std::shared_ptr<const StoreView> view_;
  std::shared_ptr<SnapshotRegistry> registry_;
  uint64_t sequence_;
};

// Own batches count as newer than every commit: layer i has these sequences.
inline constexpr uint64_t kOwnSequence = uint64_t{1} << 62;

Result<std::optional<std::string>> read_value(const ReadPoint& point, DictionaryId dictionary,
                                              std::string_view key,
                                              std::span<const WriteBatch* const> own);
// `point` null: over the batches alone.
std::unique_ptr<Cursor> make_cursor(std::shared_ptr<const ReadPoint> point, DictionaryId dictionary,
                                    std::span<const WriteBatch* const> own);
std::unique_ptr<Cursor> make_failed_cursor(Error error);

}  // namespace wherestar::fractal_tree
