// The road of a commit: one leader takes all batches that wait, appends them to the log, syncs
// once, applies them to the active front and wakes their owners.
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

EngineImpl::Leadership::Leadership(EngineImpl& engine, bool wanted)
    : engine_(engine), held_(wanted) {
  if (!held_) return;
  std::unique_lock lock(engine_.queue_mutex_);
  engine_.queue_changed_.wait(lock, [&] { return !engine_.leading_; });
  engine_.leading_ = true;
}

EngineImpl::Leadership::~Leadership() {
  if (!held_) return;
  {
    const std::lock_guard lock(engine_.queue_mutex_);
    engine_.leading_ = false;
  }
  engine_.queue_changed_.notify_all();
}

Status EngineImpl::commit(WriteBatch batch, Durability durability, Purpose purpose) {
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
  if (purpose == Purpose::kWrite) RETURN_IF_ERROR(check_room());
  Status status = commit_encoded(mine);
  if (status || status.error().code != ErrorCode::kNoSpace) return status;
  if (!checkpoint()) return status;  // it makes room: the log is trimmed, blocks are free
  mine.done = false;
  mine.status = {};
  return commit_encoded(mine);
}

Status EngineImpl::commit_encoded(Waiting& mine) {
  RETURN_IF_ERROR(make_room());
  std::unique_lock lock(queue_mutex_);
  queue_.push_back(&mine);
  for (;;) {
    queue_changed_.wait(lock, [&] { return mine.done || !leading_; });
    if (mine.done) break;
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
  Status status = write_log(group);
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

// Before anything is appended, so that a full disk costs these commits and no more.
Status EngineImpl::reserve_log(const Group& group) {
  uint64_t bytes = 0;
  for (const Waiting* waiting : group) bytes += waiting->payload.size();
  Status reserved = storage_->log().reserve(bytes, group.size());
  if (!reserved && use_reserve(reserved.error()))
    reserved = storage_->log().reserve(bytes, group.size());
  if (!reserved && reserved.error().code == ErrorCode::kPoisoned) return poison(reserved);
  return reserved;
}

// A record that cannot be appended fails alone; a failed write or sync fails all, for good.
Status EngineImpl::write_log(Group& group) {
  RETURN_IF_ERROR(check_writable());
  RETURN_IF_ERROR(reserve_log(group));
  Log& log = storage_->log();
  bool sync = false;
  for (Waiting* waiting : group) {
    auto appended = log.append(waiting->payload);
    if (!appended && appended.error().code != ErrorCode::kLimitExceeded)
      return poison(std::unexpected(std::move(appended).error()));
    if (!appended) waiting->status = std::unexpected(std::move(appended).error());
    sync |= waiting->durability == Durability::kSync;
  }
  {
    const std::lock_guard lock(state_mutex_);
    unsynced_ = !sync && options_.background_threads;
  }
  if (!sync && options_.background_threads) {
    sync_wanted_.notify_all();
    return poison(log.write());
  }
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
      set_stuck(checkpoint_locked());  // the commits are durable: what fails stops the next one
    }
    return {};
  }
  rotate_front(storage_->log().end());
  if (options_.background_threads) {
    {
      const std::lock_guard lock(state_mutex_);
    }  // the worker has not just looked
    work_wanted_.notify_all();
    return {};
  }
  const std::lock_guard lock(work_mutex_);
  set_stuck(checkpoint_due() ? checkpoint_locked() : hand_over_all());
  return {};
}

void EngineImpl::set_stuck(const Status& status) {
  const std::lock_guard lock(state_mutex_);
  if (!status && !stuck_) say("handing over to the trees failed: " + status.error().message);
  stuck_ = status ? std::nullopt : std::optional(status.error());
}

void EngineImpl::rotate_front(Lsn end) {
  publish_view([&](StoreView& view) {
    if (view.active->empty()) return;
    front_ends_[view.active.get()] = {end, sequence_};
    view.frozen.push_back(view.active);
    view.active = std::make_shared<MemoryFront>();
  });
  adjust_cache();
}

// Waits until the trees have caught up. Before the commit is queued: who leads must not wait for
// the worker, which may want to lead for a moment.
Status EngineImpl::make_room() {
  if (!options_.background_threads) return catch_up();
  const auto full = [&] { return view()->frozen.size() >= kMaxFrozenFronts; };
  if (!full()) return {};
  ++commit_stalls_;
  std::unique_lock lock(state_mutex_);
  room_made_.wait(lock, [&] { return stuck_ || poisoned_ || stopping_ || !full(); });
  if (stuck_ && full()) return std::unexpected(*stuck_);
  return {};
}

// Without a worker: what failed after an earlier commit is tried again.
Status EngineImpl::catch_up() {
  {
    const std::lock_guard lock(state_mutex_);
    if (!stuck_) return {};
  }
  const std::lock_guard lock(work_mutex_);
  const Status status = hand_over_all();
  set_stuck(status);
  return status;
}

}  // namespace wherestar::fractal_tree
