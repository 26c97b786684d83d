// The one seam below the trees: blocks, the log and the root.
//
// A block is written once, read, and freed; it is known by a BlockId, never by a file name or an
// offset. The log is appended to, read back and trimmed. The root is swapped by a checkpoint. The
// only implementation is FileStorage (file_storage.h): one file per dictionary, log segments and a
// manifest; a shared store could stand in its place.
//
// Crash rules, which every implementation keeps:
//  1. A checkpoint is prepared (all its blocks and tables written and synced), then published by
//  one
//     atomic swap of the root. After a crash open() finds the newest published root, complete.
//  2. A block that the published root refers to is neither overwritten nor its space reused before
//     a newer root without it is durable.
//  3. Log records are read back in order up to the last whole one. A bad record below the
//     durable-up-to LSN of any later readable record is kCorruption; above it is the tail, dropped.
//
// Threads: blocks may be read by many threads while one writes; the log has one appender at a time;
// prepare/publish are called by one thread, concurrently with reads and with log appends.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fractal_tree/engine.h"

namespace wherestar::fractal_tree {

enum class BlockId : uint64_t {};  // unique in its dictionary for ever; 0 is no block
inline constexpr BlockId kNoBlock{0};

// Position in the log: total bytes of records before it, since the store was made. Monotonic.
enum class Lsn : uint64_t {};

struct BlockStoreCounters {
  uint64_t file_bytes = 0;
  uint64_t used_bytes = 0;
  uint64_t free_bytes = 0;
  uint64_t deferred_bytes = 0;  // freed, but a durable root or the next one still needs them
  uint64_t blocks = 0;
};

// The blocks of one dictionary.
class BlockStore {
 public:
  virtual ~BlockStore() = default;

  // Writes a new block. Not durable before the next published checkpoint, and gone after a crash
  // unless that checkpoint's root reaches it. kNoSpace, kIo.
  virtual Result<BlockId> write(std::string_view bytes) = 0;
  // The id that the next write() will give: checksums inside the block need it. One writer at a
  // time.
  virtual BlockId next_block() const = 0;
  // `size` bytes from `offset` of the block (checksums are the caller's: see block_seed).
  // kCorruption if the range is outside the block or the block is unknown.
  virtual Result<std::string> read(BlockId block, uint64_t offset, size_t size) = 0;
  virtual Result<uint64_t> block_bytes(BlockId block) = 0;
  // No tree version will read it again. Its space is reused only by rule 2.
  virtual void free(BlockId block) = 0;
  // Seed for checksums of bytes in this block: mixes store, dictionary and block.
  virtual uint64_t block_seed(BlockId block) const = 0;
  // "documents.tree, block 17" for messages.
  virtual std::string describe(BlockId block) const = 0;
  virtual std::vector<BlockId> blocks() const = 0;  // all live ones, for verify
  virtual BlockStoreCounters counters() const = 0;
  // Used, free and deferred extents partition the file; else what is wrong.
  virtual std::vector<std::string> check_space() const = 0;
};

// What the root says of one dictionary.
struct DictionaryRoot {
  DictionaryId id{};
  std::string name;
  DictionaryOptions options;
  BlockId root = kNoBlock;  // kNoBlock: an empty tree
  std::string tree_state;   // the tree's own bytes (height, counters), opaque here
};

// The root of the store: what one checkpoint publishes.
struct StoreRoot {
  uint64_t checkpoint = 0;     // number; 0: a new store
  Lsn log_start{0};            // replay begins here
  uint64_t last_sequence = 0;  // of the commits below log_start
  uint32_t next_dictionary_id = 1;
  std::vector<DictionaryRoot> dictionaries;
};

struct LogRecord {
  Lsn lsn{0};  // of its first byte
  std::string payload;
};

class Log {
 public:
  virtual ~Log() = default;
  // Makes sure that records of so many bytes in all can be appended and written without asking the
  // file system for room. kNoSpace: nothing happened, and it may be tried again.
  virtual Status reserve(uint64_t payload_bytes, size_t records) = 0;
  // Appends one record to the log's buffer and returns the LSN just behind it. Not durable yet.
  virtual Result<Lsn> append(std::string_view payload) = 0;
  // Writes and syncs everything appended before the call. After a failure every later call of
  // append or sync returns that first error as kPoisoned.
  virtual Status sync() = 0;
  // Writes everything appended to the file without syncing (async durability, tests).
  virtual Status write() = 0;
  virtual Lsn end() const = 0;
  virtual Lsn durable_up_to() const = 0;
  // Records below are not needed any more: whole segments are recycled.
  virtual Status trim(Lsn below) = 0;
  virtual uint64_t bytes_since(Lsn lsn) const = 0;
};

class Storage {
 public:
  virtual ~Storage() = default;
  virtual const StoreRoot& root() const = 0;  // the newest published
  // The block store of a dictionary; made on first use for an id that the root does not know yet.
  virtual Result<BlockStore*> blocks(DictionaryId id) = 0;
  virtual Log& log() = 0;
  // Replays records from root().log_start; to be called once, before the first append. `record`
  // returning an error stops it. Afterwards the log is ready to append behind the last good record.
  virtual Status replay(const std::function<Status(LogRecord)>& record) = 0;

  // Makes `next` the root: writes the block table and header of every dictionary that changed,
  // syncs all files, then swaps the root (the manifest) atomically and durably. When it returns,
  // the old root is not needed: extents freed before this call become reusable and the log may be
  // trimmed. `at` is told "checkpoint header" and "checkpoint manifest" on the way. An error
  // leaves the old root in force, and publish may be tried again (except after a failed sync:
  // kPoisoned).
  virtual Status publish(const StoreRoot& next,
                         const std::function<void(std::string_view)>& at) = 0;

  // Space kept aside, so that a store on a full disk can still delete and write checkpoints.
  // take_reserve is fine when it is taken already; kNoSpace.
  virtual bool has_reserve() const = 0;
  virtual Status take_reserve() = 0;
  virtual void release_reserve() = 0;
  // Gives free space inside of files back to the file system. Best effort.
  virtual void give_back_space() = 0;
};

struct StorageOptions {
  FileSystem* file_system = nullptr;
  uint64_t log_segment_bytes = 64u << 20;
  uint64_t reserve_bytes = 0;  // 0: none is kept
  bool read_only = false;
  std::function<void(std::string_view)> log_line = {};  // warnings; may be empty
};

// Opens or creates the files of a store in `directory` (docs/formats.md) and takes its lock.
Result<std::unique_ptr<Storage>> open_file_storage(const std::string& directory,
                                                   const StorageOptions& options);

}  // namespace wherestar::fractal_tree
