// A node of a tree, in memory and in a block.
//
// A node has n slots and n - 1 pivots between them: slot i holds the keys in [pivot i-1, pivot i).
// In a leaf (height 0) a slot is a basement node; above, a slot is a child and the message buffer
// for it. The run of each slot is one partition: compressed and checksummed by itself, so that a
// reader fetches it alone, and a writer copies one it did not touch as the bytes it was.
//
// A published node never changes. It is clean (has a block) or dirty (never written).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fractal_tree/cache.h"
#include "fractal_tree/run.h"
#include "fractal_tree/storage.h"

namespace wherestar::fractal_tree {

// Blocks that the current tree does not use any more but that older versions may.
class RetireList {
 public:
  void add(BlockId block);
  std::vector<BlockId> take();
  // Every block here, and those that dirty nodes still take partitions from.
  std::vector<BlockId> all_and_alive() const;

 private:
  friend class BlockLife;
  mutable std::mutex mutex_;
  std::vector<BlockId> blocks_;
  std::multiset<BlockId> alive_;
};

// Where blocks go whose last partition has left. While its pass is open they wait: only when it is
// published has anything been replaced.
class RetireSink {
 public:
  explicit RetireSink(std::shared_ptr<RetireList> list) : list_(std::move(list)) {}
  void add(BlockId block);
  void publish();
  RetireList& list() { return *list_; }

 private:
  std::mutex mutex_;
  std::shared_ptr<RetireList> list_;
  std::vector<BlockId> waiting_;
  bool published_ = false;
};

// Keeps a block while dirty nodes take partitions from it; retires it when the last is gone.
class BlockLife {
 public:
  BlockLife(std::shared_ptr<RetireSink> sink, BlockId block);
  ~BlockLife();
  BlockLife(const BlockLife&) = delete;
  BlockLife& operator=(const BlockLife&) = delete;

 private:
  std::shared_ptr<RetireSink> sink_;
  BlockId block_;
};

// Counts memory of dirty nodes while it lives; a copy counts nothing.
class MemoryAccount {
 public:
  MemoryAccount() = default;
  MemoryAccount(std::shared_ptr<std::atomic<uint64_t>> counter, uint64_t bytes)
      : counter_(std::move(counter)), bytes_(bytes) {
    *counter_ += bytes_;
  }
  ~MemoryAccount() {
    if (counter_) *counter_ -= bytes_;
  }
  MemoryAccount(const MemoryAccount&) {}
  MemoryAccount& operator=(const MemoryAccount&) { return *this; }
  MemoryAccount(MemoryAccount&&) = default;
  MemoryAccount& operator=(MemoryAccount&& other) noexcept {
    std::swap(counter_, other.counter_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

 private:
  std::shared_ptr<std::atomic<uint64_t>> counter_;
  uint64_t bytes_ = 0;
};

struct Part {
  RunRef run;  // set iff dirty
  // Of a clean part:
  BlockId block = kNoBlock;
  std::shared_ptr<const BlockLife> life;  // in dirty nodes
  uint64_t offset = 0;
  uint64_t checksum = 0;
  uint32_t number = 0;  // in its block
  uint32_t stored_bytes = 0;
  Codec codec = Codec::kNone;
  // Of both:
  uint32_t raw_bytes = 0;
  uint32_t entries = 0;
  bool has_ranges = false;
  bool has_overflow = false;  // some value is a reference to an overflow block

  bool dirty() const { return run != nullptr; }
  bool empty() const { return entries == 0 && !has_ranges; }
};
Part make_part(RunRef run);

struct Node;
struct NodeRef {
  std::shared_ptr<const Node> node;  // set iff dirty
  BlockId block = kNoBlock;
  bool none() const { return node == nullptr && block == kNoBlock; }
};

struct Slot {
  Part part;
  NodeRef child;  // above the leaves
};

struct Node {
  uint32_t height = 0;
  bool appending = false;  // the last changes came at its right end
  std::vector<std::string> pivots;
  std::vector<Slot> slots;
  MemoryAccount account;

  bool is_leaf() const { return height == 0; }
  size_t find_slot(std::string_view key) const;  // the slot whose range holds the key
  size_t raw_bytes() const;
  // Of its block, guessing for dirty partitions.
  size_t estimated_bytes() const;
  size_t memory_bytes() const;  // shell and dirty runs
};

inline constexpr uint32_t kMaxHeight = 32;

// Access to the blocks of one dictionary: node shells and partitions, through the cache.
class NodeStore {
 public:
  NodeStore(DictionaryId id, BlockStore& blocks, Cache& cache, const DictionaryOptions& options)
      : id_(id), blocks_(blocks), cache_(cache), options_(options) {}

  Result<std::shared_ptr<const Node>> load(const NodeRef& ref);
  Result<RunRef> load(const Part& part);
  // From the disk, whatever the cache has.
  Result<std::shared_ptr<const Node>> read(BlockId block) { return read_shell(block); }
  Result<RunRef> read(const Part& part);
  // A part that is going to be rewritten: read without filling the cache.
  Result<RunRef> load_once(const Part& part);
  // The node's slots must have clean children. Returns the clean reference.
  Result<NodeRef> write(const Node& node);

  // Writes a value to a block of its own; returns the reference that stands for it in entries.
  Result<std::string> write_overflow(std::string_view value);
  Result<std::string> read_overflow(std::string_view reference);
  static Result<BlockId> overflow_block(std::string_view reference);

  BlockStore& blocks() { return blocks_; }
  uint64_t bytes_written() const { return bytes_written_; }
  uint64_t bytes_read() const { return bytes_read_; }
  const DictionaryOptions& options() const { return options_; }

 private:
  struct ShellHeader {
    uint32_t height = 0;
    uint32_t slots = 0;
    uint32_t shell_bytes = 0;
    uint64_t checksum = 0;
  };
  Result<ShellHeader> parse_header(BlockId block, std::string_view bytes, uint64_t block_bytes);
  Result<std::shared_ptr<const Node>> read_shell(BlockId block);
  Result<std::shared_ptr<const Node>> parse_shell(BlockId block, const ShellHeader& header,
                                                  std::string_view shell, uint64_t block_bytes);
  Result<std::string> stored_bytes(const Part& part);
  Result<std::string> read_bytes(BlockId block, uint64_t offset, size_t size);
  Result<BlockId> write_bytes(std::string_view bytes);
  Result<RunRef> decode(const Part& part, std::string_view stored);

  DictionaryId id_;
  BlockStore& blocks_;
  Cache& cache_;
  DictionaryOptions options_;
  std::atomic<uint64_t> bytes_written_ = 0;
  std::atomic<uint64_t> bytes_read_ = 0;
};

}  // namespace wherestar::fractal_tree
