// Handing fronts over to the trees, and checkpoints.
//
// A checkpoint: 1. the active front is frozen, at the log's end; 2. all frozen fronts are handed
// over; 3. every dirty node is written, children first; 4. the storage publishes the new root.
// Commits go on into the new front all the while.
#include <algorithm>
#include <utility>

#include "fractal_tree/engine_impl.h"

namespace wherestar::fractal_tree {
namespace {

constexpr auto kRetryAfter = std::chrono::seconds(1);

}  // namespace

bool EngineImpl::checkpoint_due() const {
  Lsn from{};
  {
    const std::lock_guard lock(state_mutex_);
    from = checkpointed_lsn_;
  }
  return storage_->log().bytes_since(from) >= options_.checkpoint_log_bytes;
}

void EngineImpl::adjust_cache() {
  uint64_t taken = *dirty_bytes_;
  const auto view = this->view();
  taken += view->active->memory_bytes();
  for (const auto& front : view->frozen) taken += front->memory_bytes();
  const uint64_t least = options_.cache_bytes / 8;
  cache_.set_capacity(taken + least > options_.cache_bytes ? least : options_.cache_bytes - taken);
}

Status EngineImpl::hand_over_all() {
  while (!view()->frozen.empty()) {
    Status handed = hand_over_oldest();
    if (!handed && !use_reserve(handed.error())) return handed;
  }
  return {};
}

Status EngineImpl::hand_over_oldest() {
  const auto view = this->view();
  const auto front = view->frozen.front();
  PassOptions options;
  options.snapshots = snapshots_->all();
  options.dirty_limit_bytes = options_.cache_bytes / 4;
  options.dirty_bytes = dirty_bytes_;
  options.flushes = &flushes_;
  options.on_event = &options_.on_event;
  std::vector<std::unique_ptr<TreePass>> passes;
  for (const auto& [id, changes] : front->dictionaries()) {
    const auto tree = view->trees.find(id);
    if (tree == view->trees.end() || changes.empty()) continue;  // dropped meanwhile
    ASSIGN_OR_RETURN(RunRef run, changes.to_run(options.snapshots));
    passes.push_back(std::make_unique<TreePass>(*tree->second.tree, options));
    RETURN_IF_ERROR(passes.back()->apply(std::move(run)));
  }
  for (const auto& pass : passes) pass->publish();
  publish_view([&](StoreView& next) {
    next.frozen.erase(next.frozen.begin());
    for (auto& [id, tree] : next.trees) tree.version = tree.tree->version();
    handed_over_ = front_ends_.at(front.get());
    front_ends_.erase(front.get());
  });
  adjust_cache();
  {
    const std::lock_guard lock(state_mutex_);
    stuck_.reset();
  }
  room_made_.notify_all();
  return {};
}

Status EngineImpl::write_trees() {
  PassOptions options;
  options.snapshots = snapshots_->all();
  options.dirty_bytes = dirty_bytes_;
  options.on_event = &options_.on_event;
  std::vector<std::unique_ptr<TreePass>> passes;
  const auto view = this->view();
  for (const auto& [id, tree] : view->trees) {
    passes.push_back(std::make_unique<TreePass>(*tree.tree, options));
    RETURN_IF_ERROR(passes.back()->write_all());
  }
  for (const auto& pass : passes) pass->publish();
  publish_view([&](StoreView& next) {
    for (auto& [id, tree] : next.trees) tree.version = tree.tree->version();
  });
  return {};
}

Status EngineImpl::checkpoint_locked() {
  Status status = try_checkpoint();
  if (!status && use_reserve(status.error())) status = try_checkpoint();
  if (status) restore_reserve();
  return status;
}

Status EngineImpl::try_checkpoint() {
  RETURN_IF_ERROR(check_writable());
  const auto at = [&](std::string_view event) {
    if (options_.on_event) options_.on_event(event);
  };
  at("checkpoint begin");
  RETURN_IF_ERROR(freeze_for_checkpoint());
  RETURN_IF_ERROR(hand_over_all());
  at("checkpoint write");
  RETURN_IF_ERROR(write_trees());
  StoreRoot next = root_;
  ++next.checkpoint;
  next.log_start = handed_over_.lsn;
  next.last_sequence = handed_over_.sequence;
  next.dictionaries.clear();
  const auto view = this->view();
  for (auto& [id, root] : roots_) {
    const TreeView& tree = view->trees.at(id);
    root.root = tree.version->root.block;
    root.tree_state = tree.tree->encode_state();
    next.dictionaries.push_back(root);
  }
  if (Status status = storage_->publish(next, at); !status) {
    if (status.error().code == ErrorCode::kPoisoned) return poison(std::move(status));
    return status;
  }
  root_ = std::move(next);
  ++checkpoints_;
  const std::lock_guard lock(state_mutex_);
  checkpointed_lsn_ = root_.log_start;
  last_checkpoint_ = std::chrono::steady_clock::now();
  stuck_.reset();
  return {};
}

// Only who leads the commits may replace the active front. An idle front is not replaced: its place
// in the log is noted.
Status EngineImpl::freeze_for_checkpoint() {
  // Commits may wait for room, which only this thread makes: it does not wait for them.
  RETURN_IF_ERROR(hand_over_all());
  const Leadership leadership(*this, options_.background_threads);
  if (view()->active->empty() && view()->frozen.empty()) {
    handed_over_ = {storage_->log().end(), sequence_};
  } else {
    rotate_front(storage_->log().end());
  }
  return {};
}

Status EngineImpl::checkpoint() {
  Status status;
  {
    const Leadership leadership(*this, !options_.background_threads);
    const std::lock_guard lock(work_mutex_);
    status = checkpoint_locked();
  }
  room_made_.notify_all();
  return status;
}

Status EngineImpl::do_work(bool timed) {
  const std::lock_guard work_lock(work_mutex_);
  const bool is_behind = storage_->log().bytes_since(checkpointed_lsn_) > 0;
  const bool by_time = timed && options_.checkpoint_interval_ms != 0;
  if (checkpoint_due() || (is_behind && (by_time || is_full_))) return checkpoint_locked();
  RETURN_IF_ERROR(hand_over_all());
  if (is_full_) restore_reserve();
  return {};
}

void EngineImpl::work_loop() {
  std::unique_lock lock(state_mutex_);
  const auto interval = std::chrono::milliseconds(
      options_.checkpoint_interval_ms == 0 ? 3'600'000 : options_.checkpoint_interval_ms);
  while (!stopping_) {
    const auto deadline = stuck_ || is_full_ ? std::chrono::steady_clock::now() + kRetryAfter
                                             : last_checkpoint_ + interval;
    const auto work = [&] { return stopping_ || (!stuck_ && !view()->frozen.empty()); };
    const bool woken = work_wanted_.wait_until(lock, deadline, work);
    if (stopping_ || poisoned_) {
      if (poisoned_) work_wanted_.wait(lock, [&] { return stopping_; });
      return;
    }
    lock.unlock();
    set_stuck(do_work(!woken));
    room_made_.notify_all();
    lock.lock();
    if (!woken) last_checkpoint_ = std::chrono::steady_clock::now();
  }
}

void EngineImpl::sync_loop() {
  std::unique_lock lock(state_mutex_);
  while (!stopping_) {
    sync_wanted_.wait(lock, [&] { return stopping_ || unsynced_; });
    sync_wanted_.wait_for(lock, std::chrono::milliseconds(options_.async_sync_ms),
                          [&] { return stopping_; });
    if (stopping_ || poisoned_) return;
    if (!std::exchange(unsynced_, false)) continue;
    lock.unlock();
    ++log_syncs_;
    static_cast<void>(poison(storage_->log().sync()).has_value());
    lock.lock();
  }
}

}  // namespace wherestar::fractal_tree
