// The road of a commit: one leader takes all batches that wait, appends them to the log, syncs once,
// applies them to the active front and wakes their owners.
#include <algorithm>
#include <utility>

#include "fractal_tree/engine_impl.h"

namespace wherestar::fractal_tree {
namespace {

constexpr size_t kMaxFrozenFronts = 2;
constexpr size_t kMaxGroupBytes = 8u << 20;

}  // namespace

Status EngineImpl::check_writable() const {
  if (options_.read_only) return fail(ErrorCode::kReadOnly, "the store is open for reading only");
  const std::lock_guard lock(state_mutex_);
  if (poisoned_)
    return fail(ErrorCode::kPoisoned, "no writes after a failure: " + poisoned_->message);
  return {};
}

Status EngineImpl::poison(Status status) {
  if (status) return status;
  const std::lock_guard lock(state_mutex_);
  if (!poisoned_) {
    poisoned_ = status.error();
    say("the store takes no more writes: " + poisoned_->message);
  }
  return fail(ErrorCode::kPoisoned, poisoned_->message);
}

Status EngineImpl::commit(WriteBatch batch, Durability durability) {
  RETURN_IF_ERROR(check_writable());
  if (!batch.contents().error) return batch.contents().error;
  if (batch.empty()) return {};
  for (const auto& [id, changes] : batch.contents().dictionaries)
    if (!view()->trees.contains(id)) return fail(ErrorCode::kInvalidArgument, "no such dictionary");
  Waiting mine;
  mine.batch = &batch;
  mine.payload = encode_batch(batch.contents());
  mine.durability = durability;
  if (mine.payload.size() > kMaxBatchBytes)
    return fail(ErrorCode::kInvalidArgument,
                "a batch of " + std::to_string(mine.payload.size()) + " bytes is over the limit");
  std::unique_lock lock(queue_mutex_);
  queue_.push_back(&mine);
  queue_changed_.wait(lock, [&] { return mine.done || !leading_; });
  while (!mine.done) {
    leading_ = true;
    Group group;
    size_t bytes = 0;
    while (!queue_.empty() && (group.empty() || bytes < kMaxGroupBytes)) {
      group.push_back(queue_.front());
      bytes += queue_.front()->payload.size();
      queue_.pop_front();
    }
    lock.unlock();
    lead(group);
    lock.lock();
    for (Waiting* waiting : group) waiting->done = true;
    leading_ = false;
    queue_changed_.notify_all();
  }
  return mine.status;
}

void EngineImpl::lead(Group& group) {
  Status status = make_room();
  if (status) status = write_log(group);
  Group written;
  for (Waiting* waiting : group) {
    if (!status) {
      waiting->status = status;
    } else if (waiting->status) {
      written.push_back(waiting);
    }
  }
  if (!status || written.empty()) return;
  status = poison(apply_group(written));
  for (Waiting* waiting : written) waiting->status = status;
}

// A record that cannot be appended fails alone; a failed write or sync fails all, for good.
Status EngineImpl::write_log(Group& group) {
  RETURN_IF_ERROR(check_writable());
  Log& log = storage_->log();
  bool sync = false;
  for (Waiting* waiting : group) {
    auto appended = log.append(waiting->payload);
    if (!appended && appended.error().code != ErrorCode::kLimitExceeded)
      return poison(std::unexpected(std::move(appended).error()));
    if (!appended) waiting->status = std::unexpected(std::move(appended).error());
    sync |= waiting->durability == Durability::kSync;
  }
  if (!sync && options_.background_threads) {
    unsynced_ = true;
    return poison(log.write());
  }
  unsynced_ = false;
  ++log_syncs_;
  return poison(log.sync());
}

Status EngineImpl::apply_group(const Group& group) {
  const auto front = view()->active;  // only the leader replaces it
  for (const Waiting* waiting : group) {
    RETURN_IF_ERROR(front->apply_and_publish(waiting->batch->contents(), *snapshots_, sequence_));
    ++commits_;
    messages_ += waiting->batch->change_count();
  }
  if (front->memory_bytes() < options_.memory_front_bytes) {
    if (!options_.background_threads && checkpoint_due()) {
      const std::lock_guard lock(work_mutex_);
      // The commits are durable: what goes wrong here stops the next one.
      static_cast<void>(checkpoint_locked().has_value());
    }
    return {};
  }
  rotate_front();
  if (options_.background_threads) {
    work_wanted_.notify_all();
    return {};
  }
  const std::lock_guard lock(work_mutex_);
  Status status = checkpoint_due() ? checkpoint_locked() : hand_over_all();
  const std::lock_guard state_lock(state_mutex_);
  stuck_ = status ? std::nullopt : std::optional(status.error());
  return {};
}

void EngineImpl::rotate_front() {
  const Lsn end = storage_->log().end();
  publish_view([&](StoreView& view) {
    if (view.active->empty()) return;
    front_ends_[view.active.get()] = {end, sequence_};
    view.frozen.push_back(view.active);
    view.active = std::make_shared<MemoryFront>();
  });
  adjust_cache();
}

// Waits until the trees have caught up; without threads, catches up here.
Status EngineImpl::make_room() {
  const auto full = [&] { return view()->frozen.size() >= kMaxFrozenFronts; };
  if (!options_.background_threads) {
    std::optional<Error> stuck;
    {
      const std::lock_guard lock(state_mutex_);
      stuck = stuck_;
    }
    if (!stuck) return {};
    const std::lock_guard lock(work_mutex_);
    Status status = hand_over_all();
    const std::lock_guard state_lock(state_mutex_);
    stuck_ = status ? std::nullopt : std::optional(status.error());
    return status;
  }
  if (!full()) return {};
  ++commit_stalls_;
  std::unique_lock lock(state_mutex_);
  room_made_.wait(lock, [&] { return !full() || stuck_ || poisoned_ || stopping_; });
  if (stuck_ && full()) return std::unexpected(*stuck_);
  return {};
}

}  // namespace wherestar::fractal_tree
