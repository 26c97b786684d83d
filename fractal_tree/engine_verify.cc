// verify: every block of every tree is read from its file and compared with what its neighbours
// say.
#include <algorithm>
#include <set>
#include <utility>

#include "fractal_tree/engine_impl.h"

namespace wherestar::fractal_tree {
namespace {

constexpr size_t kMaxProblems = 100;

class TreeVerifier {
 public:
  TreeVerifier(Tree& tree, uint64_t newest_sequence, VerifyReport& report)
      : tree_(tree), newest_sequence_(newest_sequence), report_(report) {}

  void run() {
    const auto version = tree_.version();
    // Before the blocks are listed: what is freed meanwhile is in neither.
    const std::vector<BlockId> retired = tree_.retired();
    const std::vector<BlockId> live = tree_.nodes().blocks().blocks();
    if (!version->root.none()) node(version->root, version->height, {}, nullptr);
    const std::set<BlockId> spare(retired.begin(), retired.end());
    for (const BlockId block : live)
      if (!seen_.contains(block) && !spare.contains(block))
        problem(describe(block) + ": nothing refers to this block");
    for (const std::string& wrong : tree_.nodes().blocks().check_space()) problem(wrong);
    report_.blocks += live.size();
    ++report_.dictionaries;
  }

 private:
  void problem(std::string text) {
    if (report_.problems.size() < kMaxProblems) report_.problems.push_back(std::move(text));
  }
  std::string describe(BlockId block) const { return tree_.nodes().blocks().describe(block); }
  std::string describe(const NodeRef& ref) const {
    return ref.node != nullptr ? tree_.name() + ", a node not written yet" : describe(ref.block);
  }
  void refer(BlockId block) {
    if (!seen_.insert(block).second) problem(describe(block) + ": is referred to twice");
  }

  void node(const NodeRef& ref, uint32_t height, std::string_view low, const std::string* high) {
    if (ref.node == nullptr) refer(ref.block);
    auto loaded = ref.node != nullptr ? Result<std::shared_ptr<const Node>>(ref.node)
                                      : tree_.nodes().read(ref.block);
    if (!loaded) return problem(loaded.error().message);
    const Node& node = **loaded;
    if (node.height + 1 != height) return problem(describe(ref) + ": at a wrong height");
    if (node.pivots.size() + 1 != node.slots.size())
      return problem(describe(ref) + ": pivots and slots do not fit");
    for (size_t i = 0; i < node.pivots.size(); ++i) {
      const std::string& pivot = node.pivots[i];
      if (pivot < low || (high != nullptr && pivot >= *high) ||
          (i > 0 && pivot <= node.pivots[i - 1]))
        return problem(describe(ref) + ": a pivot outside of the node's keys");
    }
    for (size_t i = 0; i < node.slots.size(); ++i) {
      const Slot& slot = node.slots[i];
      const std::string_view slot_low = i == 0 ? low : std::string_view(node.pivots[i - 1]);
      const std::string* slot_high = i + 1 == node.slots.size() ? high : &node.pivots[i];
      if (Status status = part(ref, node, slot.part, slot_low, slot_high); !status)
        problem(status.error().message);
      if (!node.is_leaf()) this->node(slot.child, height - 1, slot_low, slot_high);
    }
  }

  Status part(const NodeRef& ref, const Node& node, const Part& part, std::string_view low,
              const std::string* high) {
    ASSIGN_OR_RETURN(const RunRef run, tree_.nodes().read(part));
    for (size_t i = 0; i < run->size(); ++i) {
      const Entry entry = run->entry(i);
      if (entry.key < low || (high != nullptr && entry.key >= *high))
        return fail(ErrorCode::kCorruption, describe(ref) + ": a key outside of its slot");
      if (entry.sequence > newest_sequence_)
        return fail(ErrorCode::kCorruption, describe(ref) + ": a change from the future");
      if (node.is_leaf() && is_merge(entry.kind))
        return fail(ErrorCode::kCorruption, describe(ref) + ": a merge in a leaf");
      if (entry.kind == EntryKind::kPutOverflow) {
        ASSIGN_OR_RETURN(const BlockId block, NodeStore::overflow_block(entry.value));
        refer(block);
        RETURN_IF_ERROR(tree_.nodes().read_overflow(entry.value));
      }
      if (node.is_leaf() && is_put(entry.kind)) ++report_.entries;
    }
    if (node.is_leaf() && !run->ranges().empty())
      return fail(ErrorCode::kCorruption, describe(ref) + ": a range erase in a leaf");
    return {};
  }

  Tree& tree_;
  uint64_t newest_sequence_;
  VerifyReport& report_;
  std::set<BlockId> seen_;
};

}  // namespace

Result<VerifyReport> EngineImpl::verify() {
  const std::lock_guard lock(work_mutex_);
  VerifyReport report;
  for (const auto& [id, tree] : view()->trees) TreeVerifier(*tree.tree, sequence_, report).run();
  return report;
}

}  // namespace wherestar::fractal_tree
