// Decoded clean partitions and node shells, within a byte budget.
//
// The unit is one partition (or one shell), far smaller than a shard. Sharded by key; each shard
// evicts its least recently used entries, in the thread that inserts. An evicted object lives on
// while somebody holds it.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/checksum.h"

namespace wherestar::fractal_tree {

struct CacheKey {
  uint64_t block = 0;
  uint32_t dictionary = 0;
  uint32_t part = 0;  // kShellPart: the node's shell
  friend bool operator==(const CacheKey&, const CacheKey&) = default;
};
inline constexpr uint32_t kShellPart = 0xffffffff;

class Cache {
 public:
  explicit Cache(uint64_t capacity_bytes);

  std::shared_ptr<const void> find(const CacheKey& key);
  void insert(const CacheKey& key, std::shared_ptr<const void> object, size_t bytes);
  // Memory fronts and dirty nodes share the budget: what is left for clean things.
  void set_capacity(uint64_t bytes) { capacity_bytes_ = bytes; }

  uint64_t used_bytes() const { return used_bytes_; }
  uint64_t hits() const { return hits_; }
  uint64_t misses() const { return misses_; }

 private:
  struct Item {
    CacheKey key;
    std::shared_ptr<const void> object;
    size_t bytes;
  };
  struct KeyHash {
    size_t operator()(const CacheKey& key) const {
      return checksum64({reinterpret_cast<const char*>(&key), sizeof key}, 0);
    }
  };
  struct Shard {
    std::mutex mutex;
    std::list<Item> items;  // most recently used first
    std::unordered_map<CacheKey, std::list<Item>::iterator, KeyHash> index;
    uint64_t bytes = 0;
  };
  static constexpr size_t kShards = 16;

  Shard& shard(const CacheKey& key) { return shards_[KeyHash()(key) % kShards]; }

  std::atomic<uint64_t> capacity_bytes_;
  std::atomic<uint64_t> used_bytes_ = 0;
  std::atomic<uint64_t> hits_ = 0;
  std::atomic<uint64_t> misses_ = 0;
  std::vector<Shard> shards_{kShards};
};

}  // namespace wherestar::fractal_tree
