// Finds room in a dictionary file: first fit, lowest offset, in O(log n).
//
// The holes are kept in a treap ordered by offset in which every node knows the largest hole below
// it (max hole size), so that a search goes left whenever something large enough lies there. The
// last hole, from end() to infinity, is kept apart. Freed extents merge with their neighbours.
// Everything counts in units (of kUnitBytes); a file begins with units that are never free.
//
//   BlockAllocator allocator(2);
//   const uint64_t unit = allocator.allocate(3);
//   allocator.free(unit, 3);
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace wherestar::fractal_tree {

inline constexpr uint64_t kUnitBytes = 4096;

inline uint64_t units_of(uint64_t bytes) {
  return (bytes + kUnitBytes - 1) / kUnitBytes;
}

class BlockAllocator {
 public:
  explicit BlockAllocator(uint64_t first_unit);

  uint64_t allocate(uint64_t units);  // units > 0
  // The extent must have been allocated or reserved; freeing free space is a CHECK.
  void free(uint64_t unit, uint64_t units);
  // Takes this very extent (a file is being opened); false if a part of it is taken already.
  bool reserve(uint64_t unit, uint64_t units);

  uint64_t end() const { return end_; }                // everything from here on is free
  uint64_t free_units() const { return free_units_; }  // below end()
  uint64_t hole_count() const { return hole_count_; }
  uint64_t largest_hole() const { return nodes_[root_].largest; }  // below end()
  std::vector<std::pair<uint64_t, uint64_t>> holes() const;        // (unit, units), ascending

 private:
  using Index = uint32_t;  // into nodes_; 0 is no node
  struct Node {
    uint64_t unit = 0;
    uint64_t units = 0;
    uint64_t largest = 0;  // of this hole and all below
    Index left = 0;
    Index right = 0;
    uint32_t priority = 0;
  };

  void update(Index index);
  void update_path();
  Index merge(Index left, Index right);
  void split(Index tree, uint64_t unit, Index& below, Index& above);
  Index find(uint64_t unit);  // the hole that begins there; fills path_ from the root
  Index last_not_after(uint64_t unit) const;
  Index first_after(uint64_t unit) const;
  void insert(uint64_t unit, uint64_t units);
  void erase_at_path();  // the last node of path_
  void erase(uint64_t unit);
  void resize(uint64_t old_unit, uint64_t unit, uint64_t units);  // keeps its place in the order

  std::vector<Node> nodes_;
  std::vector<Index> unused_;
  std::vector<Index> path_;  // scratch: from the root to the node in hand
  Index root_ = 0;
  uint64_t end_;
  uint64_t free_units_ = 0;
  uint64_t hole_count_ = 0;
  uint32_t random_ = 2463534242;  // xorshift; the shape of the tree need not be a secret
};

}  // namespace wherestar::fractal_tree
