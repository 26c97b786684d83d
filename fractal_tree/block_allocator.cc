#include "fractal_tree/block_allocator.h"

#include <algorithm>

#include "base/result.h"

namespace wherestar::fractal_tree {

BlockAllocator::BlockAllocator(uint64_t first_unit) : nodes_(1), end_(first_unit) {}

void BlockAllocator::update(Index index) {
  Node& node = nodes_[index];
  node.largest = std::max({node.units, nodes_[node.left].largest, nodes_[node.right].largest});
}

void BlockAllocator::update_path() {
  for (size_t i = path_.size(); i > 0; --i) update(path_[i - 1]);
}

// Depth is logarithmic (expected), so recursion is safe here.
BlockAllocator::Index BlockAllocator::merge(Index left, Index right) {
  if (left == 0 || right == 0) return left == 0 ? right : left;
  if (nodes_[left].priority > nodes_[right].priority) {
    nodes_[left].right = merge(nodes_[left].right, right);
    update(left);
    return left;
  }
  nodes_[right].left = merge(left, nodes_[right].left);
  update(right);
  return right;
}

void BlockAllocator::split(Index tree, uint64_t unit, Index& below, Index& above) {
  if (tree == 0) {
    below = above = 0;
    return;
  }
  Index rest = 0;
  if (nodes_[tree].unit < unit) {
    split(nodes_[tree].right, unit, rest, above);
    nodes_[tree].right = rest;
    below = tree;
  } else {
    split(nodes_[tree].left, unit, below, rest);
    nodes_[tree].left = rest;
    above = tree;
  }
  update(tree);
}

BlockAllocator::Index BlockAllocator::find(uint64_t unit) {
  path_.clear();
  Index index = root_;
  while (index != 0) {
    path_.push_back(index);
    const Node& node = nodes_[index];
    if (node.unit == unit) return index;
    index = unit < node.unit ? node.left : node.right;
  }
  return 0;
}

BlockAllocator::Index BlockAllocator::last_not_after(uint64_t unit) const {
  Index best = 0;
  for (Index index = root_; index != 0;) {
    if (nodes_[index].unit <= unit) {
      best = index;
      index = nodes_[index].right;
    } else {
      index = nodes_[index].left;
    }
  }
  return best;
}

BlockAllocator::Index BlockAllocator::first_after(uint64_t unit) const {
  Index best = 0;
  for (Index index = root_; index != 0;) {
    if (nodes_[index].unit > unit) {
      best = index;
      index = nodes_[index].left;
    } else {
      index = nodes_[index].right;
    }
  }
  return best;
}

void BlockAllocator::insert(uint64_t unit, uint64_t units) {
  Index index = 0;
  if (unused_.empty()) {
    index = static_cast<Index>(nodes_.size());
    nodes_.emplace_back();
  } else {
    index = unused_.back();
    unused_.pop_back();
  }
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  nodes_[index] = {unit, units, units, 0, 0, random_};
  // Descends to where the priority belongs and splits only what is below.
  path_.clear();
  Index* link = &root_;
  while (*link != 0 && nodes_[*link].priority >= random_) {
    path_.push_back(*link);
    Node& node = nodes_[*link];
    link = unit < node.unit ? &node.left : &node.right;
  }
  Index below = 0;
  Index above = 0;
  split(*link, unit, below, above);
  nodes_[index].left = below;
  nodes_[index].right = above;
  update(index);
  *link = index;
  update_path();
  ++hole_count_;
}

void BlockAllocator::erase_at_path() {
  const Index index = path_.back();
  path_.pop_back();
  const Index rest = merge(nodes_[index].left, nodes_[index].right);
  if (path_.empty())
    root_ = rest;
  else if (nodes_[path_.back()].left == index)
    nodes_[path_.back()].left = rest;
  else
    nodes_[path_.back()].right = rest;
  update_path();
  unused_.push_back(index);
  --hole_count_;
}

void BlockAllocator::erase(uint64_t unit) {
  CHECK(find(unit) != 0);
  erase_at_path();
}

void BlockAllocator::resize(uint64_t old_unit, uint64_t unit, uint64_t units) {
  const Index index = find(old_unit);
  CHECK(index != 0);
  nodes_[index].unit = unit;
  nodes_[index].units = units;
  update_path();
}

uint64_t BlockAllocator::allocate(uint64_t units) {
  CHECK(units > 0);
  if (nodes_[root_].largest < units) {
    const uint64_t unit = end_;
    end_ += units;
    return unit;
  }
  path_.clear();
  Index index = root_;
  while (true) {
    path_.push_back(index);
    const Node& node = nodes_[index];
    if (nodes_[node.left].largest >= units)
      index = node.left;
    else if (node.units >= units)
      break;
    else
      index = node.right;
  }
  Node& node = nodes_[index];
  const uint64_t unit = node.unit;
  free_units_ -= units;
  if (node.units == units) {
    erase_at_path();
  } else {
    node.unit += units;
    node.units -= units;
    update_path();
  }
  return unit;
}

void BlockAllocator::free(uint64_t unit, uint64_t units) {
  CHECK(units > 0 && unit + units <= end_);
  const Index before = last_not_after(unit);
  const Index after = first_after(unit);
  CHECK(before == 0 || nodes_[before].unit + nodes_[before].units <= unit);
  CHECK(after == 0 || unit + units <= nodes_[after].unit);
  const bool joins_before = before != 0 && nodes_[before].unit + nodes_[before].units == unit;
  const bool joins_after = after != 0 && unit + units == nodes_[after].unit;
  const uint64_t before_unit = nodes_[before].unit;
  const uint64_t before_units = nodes_[before].units;
  const uint64_t after_unit = nodes_[after].unit;
  const uint64_t after_units = nodes_[after].units;
  if (unit + units == end_) {
    end_ = joins_before ? before_unit : unit;
    if (joins_before) {
      free_units_ -= before_units;
      erase(before_unit);
    }
    return;
  }
  free_units_ += units;
  if (joins_before && joins_after) {
    erase(after_unit);
    resize(before_unit, before_unit, before_units + units + after_units);
  } else if (joins_before) {
    resize(before_unit, before_unit, before_units + units);
  } else if (joins_after) {
    resize(after_unit, unit, units + after_units);
  } else {
    insert(unit, units);
  }
}

bool BlockAllocator::reserve(uint64_t unit, uint64_t units) {
  CHECK(units > 0);
  if (unit >= end_) {
    if (unit > end_) {
      insert(end_, unit - end_);
      free_units_ += unit - end_;
    }
    end_ = unit + units;
    return true;
  }
  const Index index = last_not_after(unit);
  if (index == 0) return false;
  const uint64_t hole_unit = nodes_[index].unit;
  const uint64_t hole_end = hole_unit + nodes_[index].units;
  if (unit + units > hole_end) return false;
  free_units_ -= units;
  if (unit + units < hole_end) {
    if (hole_unit < unit)
      insert(unit + units, hole_end - unit - units);
    else
      resize(hole_unit, unit + units, hole_end - unit - units);
  }
  if (hole_unit < unit)
    resize(hole_unit, hole_unit, unit - hole_unit);
  else if (unit + units == hole_end)
    erase(hole_unit);
  return true;
}

std::vector<std::pair<uint64_t, uint64_t>> BlockAllocator::holes() const {
  std::vector<std::pair<uint64_t, uint64_t>> result;
  std::vector<Index> above;
  for (Index index = root_; index != 0 || !above.empty();) {
    if (index != 0) {
      above.push_back(index);
      index = nodes_[index].left;
      continue;
    }
    const Node& node = nodes_[above.back()];
    above.pop_back();
    result.emplace_back(node.unit, node.units);
    index = node.right;
  }
  return result;
}

}  // namespace wherestar::fractal_tree
