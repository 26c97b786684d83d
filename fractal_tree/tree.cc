#include "fractal_tree/tree.h"

#include <algorithm>
#include <utility>

#include "base/coding.h"

namespace wherestar::fractal_tree {

void UnfreedBlocks::add(const std::vector<BlockId>& blocks) {
  const std::lock_guard lock(mutex_);
  blocks_.insert(blocks.begin(), blocks.end());
}

void UnfreedBlocks::free(const std::vector<BlockId>& blocks) {
  const std::lock_guard lock(mutex_);
  for (const BlockId block : blocks) {
    if (blocks_.erase(block) == 1) store_.free(block);
  }
}

std::vector<BlockId> UnfreedBlocks::all() const {
  const std::lock_guard lock(mutex_);
  return {blocks_.begin(), blocks_.end()};
}

TreeVersion::~TreeVersion() {
  if (unfreed) unfreed->free(retired);
  // A long chain of versions that nobody holds ends here one by one, not by recursion.
  while (next != nullptr && next.use_count() == 1) {
    std::shared_ptr<TreeVersion> ended = std::move(next);
    next = std::move(ended->next);
  }
}

Tree::Tree(DictionaryId id, std::string name, BlockStore& blocks, Cache& cache,
           const DictionaryOptions& options)
    : id_(id),
      name_(std::move(name)),
      nodes_(id, blocks, cache, options),
      unfreed_(std::make_shared<UnfreedBlocks>(blocks)),
      version_(std::make_shared<TreeVersion>()) {
  version_->unfreed = unfreed_;
}

std::shared_ptr<TreeVersion> Tree::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

void Tree::absorb_retired() {
  const std::vector<BlockId> blocks = retire_list_->take();
  unfreed_->add(blocks);
  const std::shared_ptr<TreeVersion> newest = version();
  newest->retired.insert(newest->retired.end(), blocks.begin(), blocks.end());
}

std::vector<BlockId> Tree::retired() const {
  std::vector<BlockId> blocks = unfreed_->all();
  const std::vector<BlockId> others = retire_list_->all_and_alive();
  blocks.insert(blocks.end(), others.begin(), others.end());
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  return blocks;
}

// varint height, u8 has_overflow, varint number of retired blocks, those (varint each).
std::string Tree::encode_state() {
  absorb_retired();
  std::string state;
  put_varint(state, version()->height);
  state.push_back(has_overflow_ ? 1 : 0);
  // No dirty node is in the newest version, so what is alive belongs to older ones.
  const std::vector<BlockId> blocks = retired();
  put_varint(state, blocks.size());
  for (const BlockId block : blocks) put_varint(state, static_cast<uint64_t>(block));
  return state;
}

Status Tree::load(BlockId root, std::string_view state) {
  if (state.empty()) return {};
  Reader reader(state);
  const uint64_t height = reader.varint();
  has_overflow_ = reader.fixed<uint8_t>() != 0;
  std::vector<BlockId> retired;
  for (uint64_t left = reader.varint(); reader.ok() && left > 0; --left)
    retired.push_back(BlockId{reader.varint()});
  if (!reader.done() || height > kMaxHeight + 1)
    return fail(ErrorCode::kCorruption, name_ + ": damaged state of the tree in the manifest");
  for (const BlockId block : retired) nodes_.blocks().free(block);
  version_->root = {nullptr, root};
  version_->height = static_cast<uint32_t>(height);
  return {};
}

}  // namespace wherestar::fractal_tree
