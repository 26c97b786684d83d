#include "fractal_tree/block_allocator.h"

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace wherestar::fractal_tree;

namespace {

// One flag per unit: true where it is taken.
class Bitmap {
 public:
  explicit Bitmap(uint64_t first_unit) : taken_(first_unit, true) {}

  uint64_t allocate(uint64_t units) {
    uint64_t run = 0;
    for (uint64_t i = 0;; ++i) {
      if (i == taken_.size()) taken_.push_back(false);
      run = taken_[i] ? 0 : run + 1;
      if (run == units) {
        set(i + 1 - units, units, true);
        return i + 1 - units;
      }
    }
  }
  bool reserve(uint64_t unit, uint64_t units) {
    if (taken_.size() < unit + units) taken_.resize(unit + units, false);
    for (uint64_t i = unit; i < unit + units; ++i)
      if (taken_[i]) return false;
    set(unit, units, true);
    return true;
  }
  void free(uint64_t unit, uint64_t units) { set(unit, units, false); }
  std::vector<std::pair<uint64_t, uint64_t>> holes() const {
    std::vector<std::pair<uint64_t, uint64_t>> holes;
    const auto last = std::find(taken_.rbegin(), taken_.rend(), true);
    const auto end = static_cast<uint64_t>(taken_.rend() - last);
    for (uint64_t i = 0; i < end; ++i) {
      if (taken_[i]) continue;
      if (i > 0 && !taken_[i - 1])
        ++holes.back().second;
      else
        holes.emplace_back(i, 1);
    }
    return holes;
  }

 private:
  void set(uint64_t unit, uint64_t units, bool taken) {
    for (uint64_t i = unit; i < unit + units; ++i) taken_[i] = taken;
  }
  std::vector<bool> taken_;
};

}  // namespace

TEST_CASE("the allocator agrees with a bitmap over random allocations and frees") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    BlockAllocator allocator(2);
    Bitmap bitmap(2);
    std::map<uint64_t, uint64_t> blocks;
    const uint64_t target = 20 + seed * 20;  // blocks in use, about
    for (int i = 0; i < 3000; ++i) {
      if (blocks.empty() || random() % (2 * target) >= blocks.size()) {
        const uint64_t units = 1 + random() % (random() % 4 == 0 ? 40 : 4);
        if (random() % 10 == 0) {
          const uint64_t unit = 2 + random() % 2000;
          const bool reserved = allocator.reserve(unit, units);
          REQUIRE(reserved == bitmap.reserve(unit, units));
          if (reserved) blocks[unit] = units;
        } else {
          const uint64_t unit = allocator.allocate(units);
          REQUIRE(unit == bitmap.allocate(units));
          blocks[unit] = units;
        }
      } else {
        auto victim = blocks.lower_bound(random() % (blocks.rbegin()->first + 1));
        allocator.free(victim->first, victim->second);
        bitmap.free(victim->first, victim->second);
        blocks.erase(victim);
      }
      if (i % 50 != 0) continue;
      const auto holes = bitmap.holes();
      REQUIRE(allocator.holes() == holes);
      uint64_t total = 0;
      uint64_t largest = 0;
      for (const auto& [unit, units] : holes) {
        total += units;
        largest = std::max(largest, units);
      }
      REQUIRE(allocator.free_units() == total);
      REQUIRE(allocator.largest_hole() == largest);
      REQUIRE(allocator.hole_count() == holes.size());
      const uint64_t end = blocks.empty() ? 2 : blocks.rbegin()->first + blocks.rbegin()->second;
      REQUIRE(allocator.end() == end);
    }
  }
}

TEST_CASE("the lowest hole that is large enough is taken") {
  BlockAllocator allocator(2);
  const uint64_t first = allocator.allocate(3);
  allocator.allocate(1);
  const uint64_t second = allocator.allocate(5);
  allocator.allocate(1);
  allocator.free(second, 5);
  allocator.free(first, 3);
  CHECK(allocator.allocate(4) == second);
  CHECK(allocator.allocate(2) == first);
  CHECK(allocator.allocate(2) == 12);
}
