// What the engine does on a full disk.
//
// Space is kept aside (Storage::take_reserve). When a checkpoint, a hand-over or the log finds no
// room, it is released and the work goes on with it; from then on only what makes room is committed
// (Purpose::kReclaim). Once a second the worker tries to make room: a checkpoint frees blocks and
// log segments, free space inside of files goes back to the file system, and when the reserve can
// be taken again, whoever made the room, writes go on.
#include "fractal_tree/engine_impl.h"

namespace wherestar::fractal_tree {

// For commits that need room.
Status EngineImpl::check_room() {
  if (storage_->has_reserve()) return {};
  if (const Status taken = storage_->take_reserve(); !taken)
    return fail(ErrorCode::kNoSpace,
                "the disk is full, only deletions are taken: " + taken.error().message);
  restore_reserve();
  return {};
}

// True: there was something kept aside, and what failed should be tried again.
bool EngineImpl::use_reserve(const Error& error) {
  if (error.code != ErrorCode::kNoSpace || options_.reserve_bytes == 0 || !storage_->has_reserve())
    return false;
  storage_->release_reserve();
  if (!is_full_.exchange(true))
    say("the disk is full: " + error.message +
        "; deletions are taken, and writes go on when there is room");
  return true;
}

void EngineImpl::restore_reserve() {
  if (options_.reserve_bytes == 0 || options_.read_only) return;
  if (!storage_->has_reserve()) {
    storage_->give_back_space();
    if (!storage_->take_reserve()) return;
  }
  if (is_full_.exchange(false)) say("there is room on the disk again: writes go on");
}

}  // namespace wherestar::fractal_tree
