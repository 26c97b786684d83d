// The in-memory twin of the file system, for tests: crash clones and injected failures.
//
//   MemoryFileSystem fs;
//   auto engine = Engine::open("/db", {.file_system = &fs});
//   ... work ...
//   auto crashed = fs.crash_clone(seed);            // any moment, from any thread
//   auto again = Engine::open("/db", {.file_system = crashed.get()});
//
// Model of a crash: what was synced stays. Of each file's unsynced writes, in units of 512-byte
// sectors, the clone keeps a random part, in any order (a later write may survive where an earlier
// one is lost), and may keep a torn sector's first bytes only. Creates, renames and removes that no
// sync_directory followed are kept or lost at random, each by itself. Truncations count as writes.
// Locks do not survive.
//
// Failures: fail_at(n) makes the n-th counted call from now fail, once or for good, with kIo or
// kNoSpace; a failed write may have written a part, a failed sync leaves the unsynced bytes to
// chance forever. on_call installs an observer that sees each counted call before it happens, so
// that a test can take a crash clone at every point of a workload.
//
// Threads: all of it may be used from many threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/file_system.h"

namespace wherestar {

enum class FileCall {
  kOpen,
  kRead,
  kWrite,
  kSync,
  kTruncate,
  kAllocate,
  kRename,
  kRemove,
  kSyncDirectory
};

struct CrashOptions {
  double keep_probability = 0.5;  // of each unsynced sector: 0 all lost, 1 all kept
  bool tear_sectors = true;
};

class MemoryFileSystem : public FileSystem {
 public:
  MemoryFileSystem();
  ~MemoryFileSystem() override;

  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
  Status create_directories(const std::string& path) override;
  Result<bool> exists(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& path) override;
  Status remove(const std::string& path) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status sync_directory(const std::string& path) override;
  Result<uint64_t> free_bytes(const std::string& path) override;
  Result<std::unique_ptr<FileLock>> lock(const std::string& path) override;

  // What a machine would find after a crash now. Independent of this one afterwards.
  std::unique_ptr<MemoryFileSystem> crash_clone(uint64_t seed, CrashOptions options = {}) const;
  // An exact copy, as if the process alone had died.
  std::unique_ptr<MemoryFileSystem> clone() const;

  // Counted calls so far: every one of FileCall but kRead and kOpen of an existing file for
  // reading.
  uint64_t call_count() const;
  // The n-th counted call from now (0 = the next) fails; with `forever` every later one too.
  void fail_at(uint64_t n, ErrorCode code, bool forever = false);
  void fail_reads_at(uint64_t n);  // the n-th read from now fails with kIo, once
  void clear_failures();
  void set_capacity(uint64_t bytes);  // writes beyond it fail with kNoSpace
  void on_call(std::function<void(FileCall, const std::string& path)> observer);

  // Damage: flips bits of one byte, durable at once.
  Status flip_byte(const std::string& path, uint64_t offset, uint8_t mask);

 private:
  struct State;
  std::unique_ptr<State> state_;
  explicit MemoryFileSystem(std::unique_ptr<State> state);
};

}  // namespace wherestar
