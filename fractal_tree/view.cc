#include "fractal_tree/view.h"

#include <algorithm>
#include <shared_mutex>
#include <utility>

namespace wherestar::fractal_tree {
namespace {

// Versions of one key, gathered newest first until one ends the search.
class Gatherer {
 public:
  Gatherer(std::string_view key, uint64_t limit) : key_(key), limit_(limit) {}

  bool done() const { return done_; }

  // The chain of a front or batch with the range erases beside it. `base` lifts own sequences.
  void add(const Changes& changes, uint64_t base) {
    if (done_) return;
    uint64_t erased_at = 0;
    for (const RangeErase& range : changes.ranges())
      if (range.covers(key_) && visible(base + range.sequence))
        erased_at = std::max(erased_at, base + range.sequence + 1);
    const auto found = changes.map().find(key_);
    if (found != changes.map().end()) {
      for (const Changes::Version* v = &found->second; v != nullptr && !done_; v = v->older.get()) {
        if (!visible(base + v->sequence)) continue;
        if (erased_at > base + v->sequence) break;
        take({key_, base + v->sequence, v->kind, v->value});
      }
    }
    if (erased_at != 0) done_ = true;
  }

  void add(const Run& run) {
    if (done_) return;
    uint64_t erased_at = 0;
    for (const RangeErase& range : run.ranges())
      if (range.covers(key_) && visible(range.sequence))
        erased_at = std::max(erased_at, range.sequence + 1);
    for (size_t i = run.lower_bound(key_); i < run.size() && !done_ && run.key(i) == key_; ++i) {
      const Entry entry = run.entry(i);
      if (!visible(entry.sequence)) continue;
      if (erased_at > entry.sequence) break;
      take(entry);
    }
    if (erased_at != 0) done_ = true;
  }

  // Folds to the one visible version; nullopt if there is none.
  Result<std::optional<std::string>> result(NodeStore* nodes) {
    static const Snapshots kNone;
    const FoldOptions options{.snapshots = &kNone,
                              .bottom = true,
                              .dropped_overflow = {},
                              .read_overflow = [nodes](std::string_view reference) {
                                return nodes->read_overflow(reference);
                              }};
    std::vector<Entry> entries;
    for (const Held& held : held_) entries.push_back({key_, held.sequence, held.kind, held.value});
    RunBuilder builder;
    if (!entries.empty()) RETURN_IF_ERROR(Folder(options).fold(key_, entries, builder));
    const RunRef run = builder.finish();
    if (run->size() == 0 || run->entry(0).kind == EntryKind::kErase) return std::nullopt;
    const Entry entry = run->entry(0);
    if (entry.kind == EntryKind::kPutOverflow) {
      ASSIGN_OR_RETURN(std::string value, nodes->read_overflow(entry.value));
      return value;
    }
    return std::string(entry.value);
  }

 private:
  struct Held {
    uint64_t sequence;
    EntryKind kind;
    std::string value;
  };
  bool visible(uint64_t sequence) const { return sequence <= limit_ || sequence >= kOwnSequence; }
  void take(const Entry& entry) {
    held_.push_back({entry.sequence, entry.kind, std::string(entry.value)});
    if (!is_merge(entry.kind)) done_ = true;
  }

  std::string_view key_;
  uint64_t limit_;
  std::vector<Held> held_;
  bool done_ = false;
};

Status gather_from_tree(NodeStore& nodes, NodeRef ref, std::string_view key, Gatherer& gatherer) {
  for (uint32_t depth = 0; !ref.none() && !gatherer.done(); ++depth) {
    if (depth > kMaxHeight) return fail(ErrorCode::kCorruption, "a tree that is too deep");
    ASSIGN_OR_RETURN(const auto node, nodes.load(ref));
    const Slot& slot = node->slots[node->find_slot(key)];
    if (!slot.part.empty()) {
      ASSIGN_OR_RETURN(const RunRef run, nodes.load(slot.part));
      gatherer.add(*run);
    }
    if (node->is_leaf()) return {};
    ref = slot.child;
  }
  return {};
}

}  // namespace

ReadPoint::ReadPoint(std::shared_ptr<const StoreView> view,
                     std::shared_ptr<SnapshotRegistry> registry, uint64_t sequence)
    : view_(std::move(view)), registry_(std::move(registry)), sequence_(sequence) {}

ReadPoint::~ReadPoint() {
  if (registry_) registry_->remove(sequence_);
}

Result<std::optional<std::string>> read_value(const ReadPoint& point, DictionaryId dictionary,
                                              std::string_view key,
                                              std::span<const WriteBatch* const> own) {
  Gatherer gatherer(key, point.sequence());
  for (size_t layer = own.size(); layer-- > 0;) {
    const auto& dictionaries = own[layer]->contents().dictionaries;
    if (const auto found = dictionaries.find(dictionary); found != dictionaries.end())
      gatherer.add(found->second, kOwnSequence + 2 * layer);
  }
  const StoreView& view = point.view();
  if (!gatherer.done()) {
    const std::shared_lock lock(view.active->mutex());
    if (const Changes* changes = view.active->find(dictionary)) gatherer.add(*changes, 0);
  }
  for (size_t i = view.frozen.size(); i-- > 0;)
    if (const Changes* changes = view.frozen[i]->find(dictionary)) gatherer.add(*changes, 0);
  const auto tree = view.trees.find(dictionary);
  if (tree == view.trees.end()) return fail(ErrorCode::kInvalidArgument, "no such dictionary");
  NodeStore& nodes = tree->second.tree->nodes();
  RETURN_IF_ERROR(gather_from_tree(nodes, tree->second.version->root, key, gatherer));
  return gatherer.result(&nodes);
}

}  // namespace wherestar::fractal_tree
