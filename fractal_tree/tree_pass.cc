// How changes enter a tree.
//
// 1. A run enters the root: in a leaf it is merged into the basement nodes it touches, above into
//    the buffers of the children it concerns.
// 2. While a node's buffers together, or one alone, exceed their limit, the heaviest is flushed to
//    its child, whole: all that is older than it lies below, so order between levels is kept.
// 3. A leaf over its size splits, at the right end if changes came there; a node over its fanout
//    splits; small neighbours merge; the root grows and shrinks.
// 4. A range erase that covers all of a child, with no snapshot older than it, replaces the child
//    by an empty leaf, unread but for its inner nodes.
#include <algorithm>
#include <utility>

#include "fractal_tree/tree.h"

namespace wherestar::fractal_tree {
namespace {

std::shared_ptr<Node> empty_leaf() {
  auto leaf = std::make_shared<Node>();
  leaf->slots.push_back({make_part(RunBuilder().finish()), {}});
  return leaf;
}

bool touches(const RangeErase& erase, std::string_view low, const std::string* high) {
  return erase.end > low && (high == nullptr || erase.begin < *high);
}

bool covers_all(const RangeErase& erase, std::string_view low, const std::string* high) {
  return high != nullptr && erase.begin <= low && erase.end >= *high;
}

}  // namespace

TreePass::TreePass(Tree& tree, const PassOptions& options)
    : tree_(tree),
      options_(options),
      nodes_(tree.nodes()),
      root_(tree.version()->root),
      sink_(std::make_shared<RetireSink>(tree.retire_list_)) {}

TreePass::~TreePass() {
  if (published_) return;
  for (const BlockId block : written_) nodes_.blocks().free(block);
}

void TreePass::event(std::string_view name) const {
  if (options_.on_event != nullptr && *options_.on_event) (*options_.on_event)(name);
}

FoldOptions TreePass::fold_options(bool bottom) {
  return {.snapshots = &options_.snapshots,
          .bottom = bottom,
          .dropped_overflow =
              [this](std::string_view reference) {
                if (auto block = NodeStore::overflow_block(reference)) retired_.push_back(*block);
              },
          .read_overflow =
              [this](std::string_view reference) { return nodes_.read_overflow(reference); }};
}

// The parts of the copy keep the node's block alive as long as one of them is in it.
std::shared_ptr<Node> TreePass::copy(const NodeRef& ref, const Node& node) {
  auto mine = std::make_shared<Node>(node);
  if (ref.node == nullptr) {
    const auto life = std::make_shared<BlockLife>(sink_, ref.block);
    for (Slot& slot : mine->slots) slot.part.life = life;
  }
  changed_ = true;
  return mine;
}

TreePass::Range TreePass::slot_range(const Node& node, size_t slot, const Range& range) const {
  return {slot == 0 ? range.low : std::string_view(node.pivots[slot - 1]),
          slot + 1 == node.slots.size() ? range.high : &node.pivots[slot]};
}

Status TreePass::spill_large_values(RunRef& run) {
  const size_t limit = nodes_.options().overflow_value_bytes;
  size_t large = 0;
  for (size_t i = 0; i < run->size(); ++i) {
    const Entry entry = run->entry(i);
    if (entry.kind == EntryKind::kPut && entry.value.size() > limit) ++large;
  }
  if (large == 0) return {};
  tree_.has_overflow_ = true;
  RunBuilder builder;
  for (size_t i = 0; i < run->size(); ++i) {
    Entry entry = run->entry(i);
    std::string reference;
    if (entry.kind == EntryKind::kPut && entry.value.size() > limit) {
      ASSIGN_OR_RETURN(reference, nodes_.write_overflow(entry.value));
      ASSIGN_OR_RETURN(const BlockId block, NodeStore::overflow_block(reference));
      written_.push_back(block);
      entry.kind = EntryKind::kPutOverflow;
      entry.value = reference;
    }
    builder.add(entry);
  }
  for (const RangeErase& range : run->ranges()) builder.add_range(range);
  run = builder.finish();
  return {};
}

Status TreePass::apply(RunRef run) {
  if (run->empty()) return {};
  RETURN_IF_ERROR(spill_large_values(run));
  const Range all;
  NodeRef root = root_.none() ? NodeRef{empty_leaf(), kNoBlock} : root_;
  ASSIGN_OR_RETURN(Pieces pieces, push(root, run, all));
  while (pieces.size() > 1) {
    auto parent = std::make_shared<Node>();
    ASSIGN_OR_RETURN(const auto first, nodes_.load(pieces.front().node));
    parent->height = first->height + 1;
    if (parent->height > kMaxHeight) return fail(ErrorCode::kInternal, "a tree grew too high");
    for (Piece& piece : pieces) {
      if (!parent->slots.empty()) parent->pivots.push_back(std::move(piece.low));
      parent->slots.push_back({make_part(RunBuilder().finish()), std::move(piece.node)});
    }
    ASSIGN_OR_RETURN(pieces, split_internal(std::move(parent), all));
  }
  root_ = std::move(pieces.front().node);
  // A root with one child and nothing in its buffer is that child.
  for (;;) {
    ASSIGN_OR_RETURN(const auto node, nodes_.load(root_));
    if (node->is_leaf() || node->slots.size() > 1 || !node->slots[0].part.empty()) return {};
    const NodeRef child = node->slots[0].child;
    if (root_.node == nullptr) retired_.push_back(root_.block);
    root_ = child;
  }
}

Result<TreePass::Pieces> TreePass::push(const NodeRef& ref, const RunRef& run, const Range& range) {
  ASSIGN_OR_RETURN(const auto node, nodes_.load(ref));
  std::shared_ptr<Node> mine = copy(ref, *node);
  if (mine->is_leaf()) return push_into_leaf(*mine, run, range);
  RETURN_IF_ERROR(push_into_children(*mine, run, range));
  RETURN_IF_ERROR(flush_heavy_children(*mine, range));
  return split_internal(std::move(mine), range);
}

// --- leaves ------------------------------------------------------------------------------------

Result<TreePass::Pieces> TreePass::push_into_leaf(Node& leaf, const RunRef& run,
                                                  const Range& range) {
  auto next = std::make_shared<Node>();
  const size_t last = leaf.slots.size() - 1;
  next->appending = run->size() > 0 && run->ranges().empty() && last > 0 &&
                    run->key(0) >= std::string_view(leaf.pivots[last - 1]);
  for (size_t slot = 0; slot < leaf.slots.size(); ++slot) {
    const Range part_range = slot_range(leaf, slot, range);
    const size_t begin = run->lower_bound(part_range.low);
    const size_t end =
        part_range.high == nullptr ? run->size() : run->lower_bound(*part_range.high);
    const bool erased = std::any_of(
        run->ranges().begin(), run->ranges().end(),
        [&](const RangeErase& erase) { return touches(erase, part_range.low, part_range.high); });
    if (begin == end && !erased) {
      if (!next->slots.empty()) next->pivots.emplace_back(part_range.low);
      next->slots.push_back(std::move(leaf.slots[slot]));
      continue;
    }
    RETURN_IF_ERROR(rebuild_basement(leaf, slot, run, part_range, next->slots, next->pivots));
  }
  if (next->slots.empty()) next = empty_leaf();
  return split_leaf(std::move(next), range);
}

// Merges a basement node with its share of the run, into none, one or several basement nodes.
Status TreePass::rebuild_basement(const Node& leaf, size_t slot, const RunRef& run,
                                  const Range& range, std::vector<Slot>& slots,
                                  std::vector<std::string>& pivots) {
  ASSIGN_OR_RETURN(const RunRef old, nodes_.load_once(leaf.slots[slot].part));
  const RunSlice slices[] = {{run, run->lower_bound(range.low),
                              range.high == nullptr ? run->size() : run->lower_bound(*range.high)},
                             {old, 0, old->size()}};
  const FoldOptions options = fold_options(true);
  RunBuilder builder;
  std::string low(range.low);
  const auto cut = [&] {
    if (builder.size() == 0) return;
    if (!slots.empty()) pivots.push_back(low);
    slots.push_back({make_part(builder.finish()), {}});
  };
  const auto before_key = [&](std::string_view key) {
    if (builder.bytes() < nodes_.options().basement_bytes) return;
    cut();
    low = key;
  };
  RETURN_IF_ERROR(merge_slices(slices, run->ranges(), options, builder, before_key));
  cut();
  return {};
}

Result<TreePass::Pieces> TreePass::split_leaf(std::shared_ptr<Node> leaf, const Range& range) {
  const size_t limit = nodes_.options().leaf_bytes;
  const size_t total = leaf->estimated_bytes();
  Pieces pieces;
  if (total <= limit || leaf->slots.size() < 2) {
    ASSIGN_OR_RETURN(NodeRef node, finish(std::move(leaf)));
    pieces.push_back({std::string(range.low), std::move(node)});
    return pieces;
  }
  event("split");
  // At an append edge the left nodes stay nearly full, else all get room.
  const size_t target =
      leaf->appending ? limit / 10 * 9 : total / ((total + limit * 2 / 3 - 1) / (limit * 2 / 3));
  const double per_raw = static_cast<double>(total) / static_cast<double>(leaf->raw_bytes() + 1);
  auto part = std::make_shared<Node>();
  std::string low(range.low);
  double size = 0;
  for (size_t slot = 0; slot < leaf->slots.size(); ++slot) {
    const double bytes = per_raw * leaf->slots[slot].part.raw_bytes;
    if (!part->slots.empty() && size + bytes / 2 > static_cast<double>(target)) {
      ASSIGN_OR_RETURN(NodeRef node, finish(std::move(part)));
      pieces.push_back({std::move(low), std::move(node)});
      part = std::make_shared<Node>();
      low = leaf->pivots[slot - 1];
      size = 0;
    }
    if (!part->slots.empty()) part->pivots.push_back(leaf->pivots[slot - 1]);
    part->slots.push_back(std::move(leaf->slots[slot]));
    size += bytes;
  }
  part->appending = leaf->appending;
  ASSIGN_OR_RETURN(NodeRef node, finish(std::move(part)));
  pieces.push_back({std::move(low), std::move(node)});
  return pieces;
}

// --- inner nodes -------------------------------------------------------------------------------

Status TreePass::push_into_children(Node& node, const RunRef& run, const Range& range) {
  for (size_t slot = 0; slot < node.slots.size(); ++slot) {
    const Range part_range = slot_range(node, slot, range);
    const size_t begin = run->lower_bound(part_range.low);
    const size_t end =
        part_range.high == nullptr ? run->size() : run->lower_bound(*part_range.high);
    RETURN_IF_ERROR(add_to_buffer(node, slot, run, begin, end, part_range));
  }
  return {};
}

Status TreePass::add_to_buffer(Node& node, size_t slot, const RunRef& run, size_t begin, size_t end,
                               const Range& range) {
  std::vector<RangeErase> arriving;
  for (const RangeErase& erase : run->ranges())
    if (touches(erase, range.low, range.high)) arriving.push_back(erase);
  if (begin == end && arriving.empty()) return {};
  Slot& target = node.slots[slot];
  ASSIGN_OR_RETURN(const RunRef old, nodes_.load_once(target.part));
  RunBuilder builder;
  std::vector<RangeErase> ranges = old->ranges();
  for (RangeErase& erase : arriving) {
    const bool alone = options_.snapshots.empty() || options_.snapshots.front() >= erase.sequence;
    if (covers_all(erase, range.low, range.high) && alone) {
      // Nothing below is seen by anybody any more.
      ASSIGN_OR_RETURN(const auto child, nodes_.load(target.child));
      if (!child->is_leaf() || child->slots.size() > 1 || !child->slots[0].part.empty()) {
        RETURN_IF_ERROR(drop_subtree(target.child));
        auto empty = empty_leaf();
        // Siblings share one height: an empty path down to a leaf keeps it so.
        NodeRef ref{empty, kNoBlock};
        for (uint32_t height = 1; height < node.height; ++height) {
          auto above = std::make_shared<Node>();
          above->height = height;
          above->slots.push_back({make_part(RunBuilder().finish()), ref});
          ref = {above, kNoBlock};
        }
        target.child = ref;
      }
    }
    if (erase.begin < range.low) erase.begin = range.low;
    if (range.high != nullptr && erase.end > *range.high) erase.end = *range.high;
    ranges.push_back(erase);
  }
  const RunSlice slices[] = {{run, begin, end}, {old, 0, old->size()}};
  const FoldOptions options = fold_options(false);
  RETURN_IF_ERROR(merge_slices(slices, ranges, options, builder, {}));
  for (RangeErase& erase : ranges) builder.add_range(std::move(erase));
  target.part = make_part(builder.finish());
  return {};
}

Status TreePass::flush_heavy_children(Node& node, const Range& range) {
  const size_t one = nodes_.options().buffer_bytes;
  const size_t together = one * nodes_.options().fanout / 2;
  for (;;) {
    size_t heaviest = 0;
    size_t sum = 0;
    for (size_t slot = 0; slot < node.slots.size(); ++slot) {
      sum += node.slots[slot].part.raw_bytes;
      if (node.slots[slot].part.raw_bytes > node.slots[heaviest].part.raw_bytes) heaviest = slot;
    }
    if (node.slots[heaviest].part.raw_bytes <= one && sum <= together) break;
    RETURN_IF_ERROR(flush_child(node, heaviest, range));
  }
  return merge_small_children(node);
}

Status TreePass::flush_child(Node& node, size_t slot, const Range& range) {
  event("flush");
  if (options_.flushes != nullptr) ++*options_.flushes;
  ASSIGN_OR_RETURN(const RunRef run, nodes_.load_once(node.slots[slot].part));
  const Range child_range = slot_range(node, slot, range);
  ASSIGN_OR_RETURN(Pieces pieces, push(node.slots[slot].child, run, child_range));
  std::vector<Slot> slots;
  std::vector<std::string> pivots;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) pivots.push_back(std::move(pieces[i].low));
    slots.push_back({make_part(RunBuilder().finish()), std::move(pieces[i].node)});
  }
  const auto at = static_cast<ptrdiff_t>(slot);
  node.slots[slot] = std::move(slots.front());
  node.slots.insert(node.slots.begin() + at + 1, std::make_move_iterator(slots.begin() + 1),
                    std::make_move_iterator(slots.end()));
  node.pivots.insert(node.pivots.begin() + at, std::make_move_iterator(pivots.begin()),
                     std::make_move_iterator(pivots.end()));
  return {};
}

Result<TreePass::Pieces> TreePass::split_internal(std::shared_ptr<Node> node, const Range& range) {
  Pieces pieces;
  const size_t fanout = std::max<size_t>(4, nodes_.options().fanout);
  const size_t count = node->slots.size();
  const size_t parts = count <= fanout ? 1 : (count + fanout * 3 / 4 - 1) / (fanout * 3 / 4);
  if (parts > 1) event("split");
  std::string low(range.low);
  size_t slot = 0;
  for (size_t part = 0; part < parts; ++part) {
    auto piece = std::make_shared<Node>();
    piece->height = node->height;
    const size_t end = count * (part + 1) / parts;
    std::string next_low;
    for (; slot < end; ++slot) {
      piece->slots.push_back(std::move(node->slots[slot]));
      if (slot + 1 == count) break;
      if (slot + 1 < end) {
        piece->pivots.push_back(std::move(node->pivots[slot]));
      } else {
        next_low = std::move(node->pivots[slot]);
      }
    }
    ASSIGN_OR_RETURN(NodeRef ref, finish(std::move(piece)));
    pieces.push_back({std::move(low), std::move(ref)});
    low = std::move(next_low);
  }
  return pieces;
}

Status TreePass::merge_small_children(Node& node) {
  for (size_t slot = 0; slot + 1 < node.slots.size();) {
    ASSIGN_OR_RETURN(const bool merged, try_merge(node, slot));
    if (!merged) ++slot;
  }
  return {};
}

// Two neighbours that fit into one with room to spare: their slots, and their buffers, join.
Result<bool> TreePass::try_merge(Node& node, size_t left) {
  // Only children that this pass changed can have shrunk.
  if (node.slots[left].child.node == nullptr && node.slots[left + 1].child.node == nullptr)
    return false;
  ASSIGN_OR_RETURN(const auto a, nodes_.load(node.slots[left].child));
  ASSIGN_OR_RETURN(const auto b, nodes_.load(node.slots[left + 1].child));
  if (a->is_leaf()) {
    const size_t limit = nodes_.options().leaf_bytes;
    const size_t x = a->estimated_bytes();
    const size_t y = b->estimated_bytes();
    const auto is_empty = [](const Node& leaf) {
      return leaf.slots.size() == 1 && leaf.slots[0].part.empty();
    };
    if (!is_empty(*a) && !is_empty(*b) && (x + y > limit / 2 || (x > limit / 4 && y > limit / 4)))
      return false;
  } else if (a->slots.size() + b->slots.size() > std::max<size_t>(4, nodes_.options().fanout) / 2) {
    return false;
  }
  event("merge");
  std::shared_ptr<Node> joined = copy(node.slots[left].child, *a);
  std::shared_ptr<Node> right = copy(node.slots[left + 1].child, *b);
  const std::string middle = node.pivots[left];
  if (joined->is_leaf() && right->slots.size() == 1 && right->slots[0].part.empty()) {
    // Nothing to take over.
  } else if (joined->is_leaf() && joined->slots.size() == 1 && joined->slots[0].part.empty()) {
    joined = right;
  } else {
    joined->pivots.push_back(middle);
    for (std::string& pivot : right->pivots) joined->pivots.push_back(std::move(pivot));
    for (Slot& slot : right->slots) joined->slots.push_back(std::move(slot));
  }
  joined->appending = false;
  ASSIGN_OR_RETURN(const RunRef first, nodes_.load_once(node.slots[left].part));
  ASSIGN_OR_RETURN(const RunRef second, nodes_.load_once(node.slots[left + 1].part));
  RunBuilder builder;
  for (const RunRef& run : {first, second}) {
    for (size_t i = 0; i < run->size(); ++i) builder.add(run->entry(i));
    for (const RangeErase& erase : run->ranges()) builder.add_range(erase);
  }
  ASSIGN_OR_RETURN(NodeRef ref, finish(std::move(joined)));
  node.slots[left] = {make_part(builder.finish()), std::move(ref)};
  node.slots.erase(node.slots.begin() + static_cast<ptrdiff_t>(left) + 1);
  node.pivots.erase(node.pivots.begin() + static_cast<ptrdiff_t>(left));
  return true;
}

// Retires all blocks of a subtree. Leaves are not read, unless large values may hang on them.
Status TreePass::drop_subtree(const NodeRef& ref) {
  ASSIGN_OR_RETURN(const auto node, nodes_.load(ref));
  for (const Slot& slot : node->slots) {
    if (slot.part.has_overflow) {
      ASSIGN_OR_RETURN(const RunRef run, nodes_.load_once(slot.part));
      for (size_t i = 0; i < run->size(); ++i) {
        const Entry entry = run->entry(i);
        if (entry.kind != EntryKind::kPutOverflow) continue;
        ASSIGN_OR_RETURN(const BlockId block, NodeStore::overflow_block(entry.value));
        retired_.push_back(block);
      }
    }
    if (node->is_leaf()) continue;
    if (node->height == 1 && !tree_.has_overflow_) {
      if (slot.child.node == nullptr) retired_.push_back(slot.child.block);
    } else {
      RETURN_IF_ERROR(drop_subtree(slot.child));
    }
  }
  if (ref.node == nullptr) retired_.push_back(ref.block);
  return {};
}

// --- writing -----------------------------------------------------------------------------------

// A node of the new version: stays dirty, or is written at once when too much is.
Result<NodeRef> TreePass::finish(std::shared_ptr<Node> node) {
  const size_t bytes = node->memory_bytes();
  if (*options_.dirty_bytes + bytes > options_.dirty_limit_bytes)
    return write({std::move(node), kNoBlock});
  node->account = MemoryAccount(options_.dirty_bytes, bytes);
  return NodeRef{std::move(node), kNoBlock};
}

Result<NodeRef> TreePass::write(const NodeRef& ref) {
  if (ref.node == nullptr) return ref;
  auto node = std::make_shared<Node>(*ref.node);
  if (!node->is_leaf()) {
    for (Slot& slot : node->slots) {
      ASSIGN_OR_RETURN(slot.child, write(slot.child));
    }
  }
  ASSIGN_OR_RETURN(const NodeRef written, nodes_.write(*node));
  written_.push_back(written.block);
  changed_ = true;
  return written;
}

Status TreePass::write_all() {
  if (root_.node == nullptr) return {};
  ASSIGN_OR_RETURN(root_, write(root_));
  return {};
}

void TreePass::publish() {
  published_ = true;
  if (!changed_) return;
  auto next = std::make_shared<TreeVersion>();
  next->root = root_;
  next->unfreed = tree_.unfreed_;
  if (root_.node != nullptr) {
    next->height = root_.node->height + 1;
  } else if (!root_.none()) {
    if (const auto node = nodes_.load(root_)) next->height = (*node)->height + 1;
  }
  root_ = {};
  sink_->publish();
  std::shared_ptr<TreeVersion> before;
  {
    const std::lock_guard lock(tree_.mutex_);
    before = std::exchange(tree_.version_, next);
  }
  before->next = next;
  std::vector<BlockId> retired = tree_.retire_list_->take();
  retired.insert(retired.end(), retired_.begin(), retired_.end());
  tree_.unfreed_->add(retired);
  before->retired.insert(before->retired.end(), retired.begin(), retired.end());
}

}  // namespace wherestar::fractal_tree
