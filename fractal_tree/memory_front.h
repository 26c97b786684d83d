// The ordered table in memory that takes commits, and the private one of a transaction.
//
// Per dictionary: versions of each key, newest first, and range erases. A change folds into the
// newest version of its key where no live snapshot lies between. Sequence numbers: a commit uses
// two, the even one for its range erases, the odd one above for everything else, so that a batch
// erases its ranges first.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/btree_map.h>

#include "base/result.h"
#include "fractal_tree/engine.h"
#include "fractal_tree/fold.h"
#include "fractal_tree/run.h"

namespace wherestar::fractal_tree {

// Memory of keys and replaced values, given back all at once.
class Arena {
 public:
  std::string_view copy(std::string_view bytes);
  size_t memory_bytes() const { return memory_bytes_; }

 private:
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  size_t left_ = 0;
  size_t memory_bytes_ = 0;
};

// The changes of one dictionary. Not thread-safe: its owner locks.
class Changes {
 public:
  struct Version {
    uint64_t sequence = 0;
    EntryKind kind = EntryKind::kPut;
    std::string value;
    std::unique_ptr<Version> older;
  };
  using Map = absl::btree_map<std::string_view, Version>;

  // `fold_above`: a version with a sequence above it may be folded with the new one (no snapshot
  // sees it alone).
  Status add(std::string_view key, EntryKind kind, std::string_view value, uint64_t sequence,
             uint64_t fold_above);
  void add_range(std::string_view begin, std::string_view end, uint64_t sequence);
  // What a batch holds in [begin, end) goes; only for private batches.
  void remove_range(std::string_view begin, std::string_view end);

  const Map& map() const { return map_; }
  const std::vector<RangeErase>& ranges() const { return ranges_; }
  bool empty() const { return map_.empty() && ranges_.empty(); }
  size_t memory_bytes() const { return arena_.memory_bytes() + value_bytes_; }
  size_t count() const { return map_.size() + ranges_.size(); }

  // Everything as one run, folded for these snapshots.
  Result<RunRef> to_run(const Snapshots& snapshots) const;
  // Entries of [begin, end) with sequences at most `sequence`, at most `limit` keys; `more` is the
  // first key left out, if any. With an `end` of nullopt there is none.
  RunRef slice(std::string_view begin, const std::string* end, uint64_t sequence, size_t limit,
               std::string* more) const;
  // The `limit` keys just below `end` (null: the greatest), not below `begin`; `first` becomes the
  // least key taken when some below it were left out.
  RunRef slice_before(std::string_view begin, const std::string* end, uint64_t sequence,
                      size_t limit, std::string* first) const;

 private:
  Map map_;
  std::vector<RangeErase> ranges_;
  Arena arena_;
  size_t value_bytes_ = 0;
};

struct WriteBatch::Contents {
  std::map<DictionaryId, Changes> dictionaries;
  size_t change_count = 0;
  Status error;  // the first change that could not be made: reported by commit
};

// Serialises a batch for the log, and back.
std::string encode_batch(const WriteBatch::Contents& contents);
Status decode_batch(std::string_view payload, WriteBatch& batch);

// Sequences that somebody still reads at.
class SnapshotRegistry {
 public:
  void add(uint64_t sequence);
  void remove(uint64_t sequence);
  Snapshots all() const;
  uint64_t greatest() const;  // 0: none

 private:
  mutable std::mutex mutex_;
  std::multiset<uint64_t> sequences_;
};

class MemoryFront {
 public:
  // Applies a committed batch with the next two sequences, and publishes them in `published`.
  Status apply_and_publish(const WriteBatch::Contents& contents, const SnapshotRegistry& snapshots,
                           std::atomic<uint64_t>& published);

  size_t memory_bytes() const;
  bool empty() const;

  std::shared_mutex& mutex() const { return mutex_; }
  // Under the mutex, or when frozen.
  const std::map<DictionaryId, Changes>& dictionaries() const { return dictionaries_; }
  const Changes* find(DictionaryId id) const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<DictionaryId, Changes> dictionaries_;
  size_t memory_bytes_ = 0;
};

}  // namespace wherestar::fractal_tree
