// The storage engine: named, ordered dictionaries of bytes, kept in fractal trees.
//
// What it hides: nodes with message buffers, the memory front, the block table, the log,
// checkpoints and recovery (docs/engine.md tells how). It knows bytes and never JSON.
//
//   ASSIGN_OR_RETURN(auto engine, Engine::open("/var/lib/store", {}));
//   ASSIGN_OR_RETURN(DictionaryId words, engine->dictionary("words", {}));
//   WriteBatch batch;
//   batch.put(words, "beach", "1");
//   batch.merge(words, "count", MergeKind::kAddCounters, encode_counters({1}));
//   RETURN_IF_ERROR(engine->commit(std::move(batch), Durability::kSync));
//   auto snapshot = engine->snapshot();
//   auto cursor = engine->cursor(words, {.snapshot = snapshot.get()});
//   for (cursor->seek("b"); cursor->valid(); cursor->next()) use(cursor->key(), cursor->value());
//   RETURN_IF_ERROR(cursor->status());
//
// Keys are ordered as memcmp orders them, at most kMaxKeyBytes; the empty key is allowed. A commit
// is atomic over all dictionaries; it is visible to reads that begin after commit() returned, and
// durable by then with Durability::kSync. Reads never wait for writers, checkpoints or each other.
//
// Threads: an Engine may be used by many threads. A WriteBatch, a Cursor and a Snapshot by one at a
// time; cursors and snapshots must be destroyed before their engine. Two engines may live in one
// process; a directory can be open once (kLocked).
//
// Errors: kCorruption names file and block; after a failed log write or sync every later commit
// returns kPoisoned with the first error, reads go on. On a full disk commits return kNoSpace until
// there is room again; those of Purpose::kReclaim are taken as long as what was kept aside lasts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/result.h"

namespace wherestar::fractal_tree {

inline constexpr size_t kMaxKeyBytes = 1024;
inline constexpr size_t kMaxValueBytes = 64u << 20;
inline constexpr size_t kMaxBatchBytes = 1u << 30;  // of one commit

enum class DictionaryId : uint32_t {};

// Declared associative operations; no user code is needed to recover, verify or copy a store.
enum class MergeKind : uint8_t {
  // A vector of signed 64-bit counters: element-wise sum, a shorter vector is extended by zeros.
  // All zero is the same as absent.
  kAddCounters = 1,
  // A sparse list of (register, rank), as of HyperLogLog: the greater rank wins.
  kMaxRegisters = 2,
  // Additions and removals in a posting chunk (base/posting_chunk.h). Empty is the same as absent.
  kPostings = 3,
};

// Encodings of operands and merged values; decoding returns kCorruption for damaged bytes.
std::string encode_counters(std::span<const int64_t> counters);
Result<std::vector<int64_t>> decode_counters(std::string_view bytes);
struct Register {
  uint16_t index = 0;
  uint8_t rank = 0;
};
std::string encode_registers(std::span<const Register> registers);  // ascending, distinct indexes
Result<std::vector<Register>> decode_registers(std::string_view bytes);

enum class Codec : uint8_t { kNone = 0, kLz4 = 1, kZstd = 2 };

struct DictionaryOptions {
  Codec codec = Codec::kZstd;
  uint32_t leaf_bytes = 512u << 10;     // split above this estimated compressed size
  uint32_t basement_bytes = 32u << 10;  // uncompressed
  uint32_t buffer_bytes = 256u << 10;   // of one child, uncompressed; flushed beyond
  uint32_t fanout = 16;
  uint32_t overflow_value_bytes = 4096;  // larger values go to overflow blocks
};

// What a commit is for: kReclaim takes things away, and is let through on a disk that is nearly
// full, since only it makes room.
enum class Purpose { kWrite, kReclaim };

enum class Durability { kSync, kAsync };  // async: synced within EngineOptions::async_sync_ms

struct EngineOptions {
  FileSystem* file_system = nullptr;        // null: posix_file_system(); must outlive the engine
  uint64_t cache_bytes = 256u << 20;        // everything: memory front, nodes, I/O buffers
  uint64_t memory_front_bytes = 32u << 20;  // handed to the trees beyond; part of cache_bytes
  uint64_t log_segment_bytes = 64u << 20;
  uint64_t checkpoint_log_bytes = 256u << 20;
  // The two above are made smaller where the disk is small, as is this: space kept aside for
  // deletions and checkpoints on a full disk. 0: none.
  uint64_t reserve_bytes = 0;
  uint32_t checkpoint_interval_ms = 60'000;  // 0: never by time
  uint32_t async_sync_ms = 100;
  // Without threads every hand-over and checkpoint runs inside the commit that makes it due, so
  // that a test is deterministic.
  bool background_threads = true;
  bool read_only = false;                          // replays into memory only, writes nothing
  std::function<void(std::string_view)> log_line;  // progress of recovery, warnings; may be empty
  // Tests: called by the thread that hands over or writes a checkpoint, at "flush", "split",
  // "merge", "checkpoint begin", "checkpoint write", "checkpoint header", "checkpoint manifest".
  std::function<void(std::string_view)> on_event;
};

// An ordered set of pending changes: the private memory front of a transaction. Changes of one key
// are folded as they come, an erase_range first erases what the batch holds in it. Reads can look
// through batches not yet committed (ReadView::own).
class WriteBatch {
 public:
  WriteBatch();
  ~WriteBatch();
  WriteBatch(WriteBatch&&) noexcept;
  WriteBatch& operator=(WriteBatch&&) noexcept;

  void put(DictionaryId dictionary, std::string_view key, std::string_view value);
  void erase(DictionaryId dictionary, std::string_view key);
  void erase_range(DictionaryId dictionary, std::string_view begin, std::string_view end);  // [,)
  void merge(DictionaryId dictionary, std::string_view key, MergeKind kind,
             std::string_view operand);
  // As if the changes of `newer` had been made here, in order.
  void append(WriteBatch&& newer);

  bool empty() const;
  size_t memory_bytes() const;
  size_t change_count() const;

  struct Contents;
  const Contents& contents() const { return *contents_; }

 private:
  std::unique_ptr<Contents> contents_;
};

// The state after some commit; keeps the versions it can see while it lives.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
  virtual uint64_t sequence() const = 0;
};

// What a read sees: a snapshot (null: the newest committed state when the read begins) below the
// own batches, oldest first. The batches must outlive the cursor and not change while it is used.
struct ReadView {
  const Snapshot* snapshot = nullptr;
  std::span<const WriteBatch* const> own;
};

// An iterator over one dictionary in key order, both ways. Not positioned at first. key() and
// value() live until the cursor moves. Any error ends it: valid() is false and status() says why.
class Cursor {
 public:
  virtual ~Cursor() = default;
  virtual void seek(std::string_view key) = 0;                 // first key >= key
  virtual void seek_to_last_before(std::string_view key) = 0;  // last key < key
  virtual void seek_to_first() = 0;
  virtual void seek_to_last() = 0;
  virtual void next() = 0;
  virtual void previous() = 0;
  virtual bool valid() const = 0;
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  virtual Status status() const = 0;
};

struct VerifyReport {
  uint64_t dictionaries = 0;
  uint64_t blocks = 0;
  uint64_t entries = 0;
  std::vector<std::string> problems;  // empty: all sound; at most 100
};

struct DictionaryCounters {
  std::string name;
  uint64_t file_bytes = 0;  // length of its file
  uint64_t used_bytes = 0;  // in blocks of the newest checkpoint
  uint64_t blocks = 0;
  uint32_t height = 0;
};

struct EngineCounters {
  uint64_t commits = 0;
  uint64_t messages = 0;   // changes committed
  uint64_t log_bytes = 0;  // written since open
  uint64_t log_syncs = 0;
  uint64_t block_bytes_written = 0;
  uint64_t block_bytes_read = 0;
  uint64_t checkpoints = 0;
  uint64_t cache_bytes = 0;  // in use, everything
  uint64_t cache_hits = 0;
  uint64_t cache_misses = 0;
  uint64_t flushes = 0;
  uint64_t recovered_messages = 0;
  uint64_t commit_stalls = 0;  // commits that waited for the trees to catch up
  std::vector<DictionaryCounters> dictionaries;
};

class Engine {
 public:
  // Opens or creates the store in `directory`, recovers it, and takes its lock.
  static Result<std::unique_ptr<Engine>> open(const std::string& directory,
                                              const EngineOptions& options);
  virtual ~Engine() = default;  // stops its threads; what was acknowledged is durable already

  // The dictionary of that name, made durably if there is none (the options then hold for good).
  virtual Result<DictionaryId> dictionary(std::string_view name,
                                          const DictionaryOptions& options) = 0;
  virtual Status drop_dictionary(std::string_view name) = 0;

  // kInvalidArgument: key, value or batch over its limit. Nothing of a failed commit is ever seen,
  // but after kPoisoned the batch may or may not survive a restart.
  // kNoSpace: nothing happened; it may be tried again.
  virtual Status commit(WriteBatch batch, Durability durability,
                        Purpose purpose = Purpose::kWrite) = 0;

  virtual std::unique_ptr<Snapshot> snapshot() = 0;
  virtual Result<std::optional<std::string>> get(DictionaryId dictionary, std::string_view key,
                                                 const ReadView& view) = 0;
  virtual std::unique_ptr<Cursor> cursor(DictionaryId dictionary, const ReadView& view) = 0;

  virtual Status checkpoint() = 0;  // returns when it is durable
  // Reads the whole newest checkpoint and the trees: checksums, pivots, order, counts, and that
  // used, free and deferred extents partition each file.
  virtual Result<VerifyReport> verify() = 0;
  virtual EngineCounters counters() const = 0;
};

// Reads own batches alone, as if over an empty store; for tools that keep nothing.
std::unique_ptr<Cursor> cursor_over_batches(DictionaryId dictionary,
                                            std::span<const WriteBatch* const> batches);

}  // namespace wherestar::fractal_tree
