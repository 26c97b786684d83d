#include "fractal_tree/cache.h"

namespace wherestar::fractal_tree {
namespace {
constexpr size_t kItemOverheadBytes = 128;
}

Cache::Cache(uint64_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

std::shared_ptr<const void> Cache::find(const CacheKey& key) {
  Shard& shard = this->shard(key);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.index.find(key);
  if (found == shard.index.end()) {
    ++misses_;
    return nullptr;
  }
  ++hits_;
  shard.items.splice(shard.items.begin(), shard.items, found->second);
  return found->second->object;
}

void Cache::insert(const CacheKey& key, std::shared_ptr<const void> object, size_t bytes) {
  bytes += kItemOverheadBytes;
  Shard& shard = this->shard(key);
  std::vector<std::shared_ptr<const void>> evicted;  // destroyed outside of the lock
  const std::lock_guard lock(shard.mutex);
  if (shard.index.contains(key)) return;
  shard.items.push_front({key, std::move(object), bytes});
  shard.index.emplace(key, shard.items.begin());
  shard.bytes += bytes;
  used_bytes_ += bytes;
  while (shard.bytes > capacity_bytes_ / kShards && shard.items.size() > 1) {
    Item& victim = shard.items.back();
    shard.bytes -= victim.bytes;
    used_bytes_ -= victim.bytes;
    evicted.push_back(std::move(victim.object));
    shard.index.erase(victim.key);
    shard.items.pop_back();
  }
}

}  // namespace wherestar::fractal_tree
