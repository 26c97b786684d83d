// The workload of `bench/run engine`, the same for every engine: an adapter of a few calls is all
// that an engine needs to take part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wherestar::bench {

class KeyValueEngine {
 public:
  virtual ~KeyValueEngine() = default;
  struct Change {
    enum class Kind { kPut, kErase, kIncrement } kind;
    std::string key;
  };
  virtual void commit(const std::vector<Change>& batch) = 0;  // log synced every 100 ms
  virtual bool get(std::string_view key) = 0;
  virtual size_t scan(std::string_view from, size_t limit) = 0;  // keys read; 0: no limit
  virtual void settle() = 0;                                     // all merged, checkpointed
  virtual void reopen() = 0;                                     // with cold caches of its own
  virtual std::string first_key() = 0;
  virtual uint64_t bytes_written() const = 0;  // log and data files, since the start
};

struct WorkloadOptions {
  std::string name;  // of the engine, for the output
  std::string directory;
  uint64_t keys = 6'000'000;
  uint64_t budget_bytes = 128u << 20;
};

// Runs all phases and prints one line `{"name": ..., "value": ..., "unit": ...}` per figure.
int run_engine_workload(KeyValueEngine& engine, const WorkloadOptions& options);
WorkloadOptions parse_workload_options(int argc, char** argv, std::string name);

}  // namespace wherestar::bench
