// A random workload on a Storage and a model of what must be found afterwards.
//
// Blocks carry a checksum of their own, as the trees' blocks do, so that a damaged one is told from
// a wrong one. Failures of single calls are taken note of and the workload goes on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/memory_file_system.h"
#include "fractal_tree/storage.h"

namespace wherestar::fractal_tree {

inline constexpr const char* kStorePath = "/db";
inline constexpr uint64_t kWorkloadSegmentBytes = 16 << 10;

using Blocks = std::map<BlockId, std::string>;  // their contents
using Dictionaries = std::map<DictionaryId, Blocks>;

struct PublishedState {
  StoreRoot root;
  Dictionaries dictionaries;
};

struct WrittenRecord {
  uint64_t lsn = 0;
  std::string payload;
};

// What a reopened store may and must hold.
struct Expectation {
  std::vector<PublishedState> candidates;  // one of these roots
  std::vector<WrittenRecord> records;      // all ever appended, in order
  uint64_t durable_up_to = 0;              // those below were acknowledged
};

class StorageWorkload {
 public:
  StorageWorkload(MemoryFileSystem& fs, uint64_t seed, uint64_t common_bytes = 600);

  // Opens the store; false (and nothing done) if that fails.
  bool open();
  void step();  // one random operation
  void publish();
  void close();
  Expectation expectation() const;

  Storage& storage() { return *storage_; }
  const std::optional<Error>& first_error() const { return first_error_; }

 private:
  void note(const Error& error);
  void write_block();
  void free_block();
  void drop_dictionary();
  void append();
  void sync();

  MemoryFileSystem& fs_;
  std::mt19937_64 random_;
  const uint64_t common_bytes_;  // most blocks and records are smaller
  std::unique_ptr<Storage> storage_;
  Dictionaries live_;
  uint32_t next_dictionary_ = 1;
  PublishedState published_;
  std::optional<PublishedState> publishing_;
  std::vector<WrittenRecord> records_;
  uint64_t acknowledged_ = 0;
  bool poisoned_ = false;
  std::optional<Error> first_error_;
};

struct Found {
  std::optional<Error> error;      // of open, replay or a read
  std::vector<std::string> wrong;  // what contradicts the expectation
  size_t missing_records = 0;      // acknowledged, but not found
  std::vector<std::string> payloads;
};

// Opens the store and compares everything. With `go_on`, appends and publishes, and compares again
// after another crash.
Found check_store(MemoryFileSystem& fs, const Expectation& expected, bool go_on, uint64_t seed);

}  // namespace wherestar::fractal_tree
