// A run: sorted changes of one dictionary, the common form of message buffers, basement nodes and
// what a memory front hands over.
//
// Entries are ordered by (key ascending, sequence descending). In a basement node an entry is a
// put, or an erase that hides older versions which some snapshot may still see. Range erases are
// kept beside the entries, ordered by begin; they erase what is older than their sequence.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fractal_tree/engine.h"

namespace wherestar::fractal_tree {

enum class EntryKind : uint8_t {
  kPut = 0,
  kMergeCounters = 1,  // as MergeKind
  kMergeRegisters = 2,
  kMergePostings = 3,
  kErase = 4,
  kPutOverflow = 5,  // value: a reference to an overflow block
};

inline bool is_merge(EntryKind kind) {
  return kind >= EntryKind::kMergeCounters && kind <= EntryKind::kMergePostings;
}
inline bool is_put(EntryKind kind) {
  return kind == EntryKind::kPut || kind == EntryKind::kPutOverflow;
}

struct Entry {
  std::string_view key;
  uint64_t sequence = 0;
  EntryKind kind = EntryKind::kPut;
  std::string_view value;
};

struct RangeErase {
  std::string begin;
  std::string end;  // exclusive
  uint64_t sequence = 0;
  bool covers(std::string_view key) const { return begin <= key && key < end; }
};

class Run {
 public:
  size_t size() const { return offsets_.size(); }
  bool empty() const { return offsets_.empty() && ranges_.empty(); }
  Entry entry(size_t index) const;
  std::string_view key(size_t index) const;
  size_t lower_bound(std::string_view key) const;  // first entry with a key not below
  const std::vector<RangeErase>& ranges() const { return ranges_; }
  bool has_overflow() const { return has_overflow_; }
  // Bytes of keys and values as they count against node sizes.
  size_t bytes() const { return bytes_.size() + range_bytes_; }
  size_t memory_bytes() const {
    return sizeof *this + bytes_.capacity() + offsets_.capacity() * sizeof(uint32_t) + range_bytes_;
  }

  // Prefix-truncated form for blocks, before compression; see docs/formats.md.
  std::string encode() const;
  static Result<std::shared_ptr<const Run>> decode(std::string_view bytes);

 private:
  friend class RunBuilder;
  std::string bytes_;
  std::vector<uint32_t> offsets_;
  std::vector<RangeErase> ranges_;
  size_t range_bytes_ = 0;
  bool has_overflow_ = false;
};
using RunRef = std::shared_ptr<const Run>;

class RunBuilder {
 public:
  RunBuilder() : run_(std::make_shared<Run>()) {}
  void reserve(size_t entries, size_t bytes);
  void add(const Entry& entry);  // in order
  void add_range(RangeErase range);
  size_t size() const { return run_->size(); }
  size_t bytes() const { return run_->bytes(); }
  bool empty() const { return run_->empty(); }
  RunRef finish();  // sorts the ranges; the builder is as new afterwards

 private:
  std::shared_ptr<Run> run_;
};

}  // namespace wherestar::fractal_tree
