// One dictionary's tree: its published versions, and the pass that makes the next one.
//
// Persistent in memory: a pass copies the nodes it changes (their runs are shared) and publishes a
// new root; readers hold a TreeVersion and wait for nobody. There is one pass at a time in a store.
// A block that a new version does not use is freed when no older version lives: version n holds
// version n + 1, so versions end in order, and each brings the blocks retired on the way to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fractal_tree/fold.h"
#include "fractal_tree/node.h"

namespace wherestar::fractal_tree {

// Blocks that are retired but not freed yet. A checkpoint keeps the list: after a restart no reader
// needs them.
class UnfreedBlocks {
 public:
  explicit UnfreedBlocks(BlockStore& store) : store_(store) {}
  void add(const std::vector<BlockId>& blocks);
  void free(const std::vector<BlockId>& blocks);
  std::vector<BlockId> all() const;

 private:
  BlockStore& store_;
  mutable std::mutex mutex_;
  std::set<BlockId> blocks_;
};

struct TreeVersion {
  NodeRef root;  // none: an empty tree
  uint32_t height = 0;
  // Blocks that this version was the last to use: freed when it ends.
  std::vector<BlockId> retired;
  std::shared_ptr<UnfreedBlocks> unfreed;
  std::shared_ptr<TreeVersion> next;

  ~TreeVersion();
};

class Tree {
 public:
  Tree(DictionaryId id, std::string name, BlockStore& blocks, Cache& cache,
       const DictionaryOptions& options);

  // Gives blocks that lost their last user since the newest version to its list.
  void absorb_retired();
  // As a checkpoint left it; frees what was retired before the restart.
  Status load(BlockId root, std::string_view state);
  // For DictionaryRoot::tree_state, right after write_all() was published.
  std::string encode_state();

  DictionaryId id() const { return id_; }
  const std::string& name() const { return name_; }
  NodeStore& nodes() { return nodes_; }
  std::shared_ptr<TreeVersion> version() const;  // the newest
  // Blocks that live although the newest version does not use them. Under the pass's lock.
  std::vector<BlockId> retired() const;

 private:
  friend class TreePass;
  DictionaryId id_;
  std::string name_;
  NodeStore nodes_;
  std::shared_ptr<RetireList> retire_list_ = std::make_shared<RetireList>();
  std::shared_ptr<UnfreedBlocks> unfreed_;
  mutable std::mutex mutex_;
  std::shared_ptr<TreeVersion> version_;
  bool has_overflow_ = false;  // some value may be in an overflow block; used by passes alone
};

struct PassOptions {
  Snapshots snapshots;
  // Dirty nodes are written as soon as all trees together have more than this of them.
  uint64_t dirty_limit_bytes = 64u << 20;
  std::shared_ptr<std::atomic<uint64_t>> dirty_bytes;  // of all trees
  std::atomic<uint64_t>* flushes = nullptr;
  const std::function<void(std::string_view)>* on_event = nullptr;
};

// Changes to one tree, invisible until publish(); destroyed without it, nothing has happened.
class TreePass {
 public:
  TreePass(Tree& tree, const PassOptions& options);
  ~TreePass();
  TreePass(const TreePass&) = delete;
  TreePass& operator=(const TreePass&) = delete;

  Status apply(RunRef run);
  Status write_all();  // every dirty node, children first
  void publish();

 private:
  struct Piece {
    std::string low;  // least key of its range; of the first piece the range's own
    NodeRef node;
  };
  using Pieces = std::vector<Piece>;
  struct Range {  // of keys; null end: none
    std::string_view low;
    const std::string* high = nullptr;
  };

  std::shared_ptr<Node> copy(const NodeRef& ref, const Node& node);
  Result<Pieces> push(const NodeRef& ref, const RunRef& run, const Range& range);
  Result<Pieces> push_into_leaf(Node& leaf, const RunRef& run, const Range& range);
  Status rebuild_basement(const Node& leaf, size_t slot, const RunRef& run, const Range& range,
                          std::vector<Slot>& slots, std::vector<std::string>& pivots);
  Result<Pieces> split_leaf(std::shared_ptr<Node> leaf, const Range& range);
  Status push_into_children(Node& node, const RunRef& run, const Range& range);
  Status add_to_buffer(Node& node, size_t slot, const RunRef& run, size_t begin, size_t end,
                       const Range& range);
  Status flush_heavy_children(Node& node, const Range& range);
  Status flush_child(Node& node, size_t slot, const Range& range);
  Status merge_small_children(Node& node);
  Result<bool> try_merge(Node& node, size_t left);
  Result<Pieces> split_internal(std::shared_ptr<Node> node, const Range& range);
  Status drop_subtree(const NodeRef& ref);
  Result<NodeRef> finish(std::shared_ptr<Node> node);
  Result<NodeRef> write(const NodeRef& ref);
  Range slot_range(const Node& node, size_t slot, const Range& range) const;
  Status spill_large_values(RunRef& run);
  void event(std::string_view name) const;
  FoldOptions fold_options(bool bottom);

  Tree& tree_;
  const PassOptions& options_;
  NodeStore& nodes_;
  NodeRef root_;
  std::shared_ptr<RetireSink> sink_;
  std::vector<BlockId> written_;  // by this pass
  std::vector<BlockId> retired_;  // not used by the new version
  bool changed_ = false;
  bool published_ = false;
};

}  // namespace wherestar::fractal_tree
