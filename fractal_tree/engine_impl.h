// The engine: commits into the memory front, fronts into the trees, trees into checkpoints.
//
// Locks, in the order they are taken (the first two swap places where there is a worker thread,
// whose commits never take work_mutex_):
//   leadership     who appends to the log and to the active front, and may replace it
//   work_mutex_    one hand-over, checkpoint or verify at a time; guards passes and roots
//   queue_mutex_   commits waiting, and whether somebody leads them
//   state_mutex_   failures, and what the threads wait for
//   view_mutex_    the view that reads begin with
//   a front's      its contents, and the published sequence while it is active
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "fractal_tree/cache.h"
#include "fractal_tree/storage.h"
#include "fractal_tree/view.h"

namespace wherestar::fractal_tree {

class EngineImpl : public Engine {
 public:
  EngineImpl(const EngineOptions& options, std::unique_ptr<Storage> storage);
  ~EngineImpl() override;
  Status start();  // loads the trees, replays the log, starts the threads

  Result<DictionaryId> dictionary(std::string_view name, const DictionaryOptions& options) override;
  Status drop_dictionary(std::string_view name) override;
  Status commit(WriteBatch batch, Durability durability, Purpose purpose) override;
  std::unique_ptr<Snapshot> snapshot() override;
  Result<std::optional<std::string>> get(DictionaryId dictionary, std::string_view key,
                                         const ReadView& view) override;
  std::unique_ptr<Cursor> cursor(DictionaryId dictionary, const ReadView& view) override;
  Status checkpoint() override;
  Result<VerifyReport> verify() override;
  EngineCounters counters() const override;

 private:
  struct Waiting {
    const WriteBatch* batch = nullptr;
    std::string payload;
    Durability durability = Durability::kSync;
    bool done = false;
    Status status;
  };
  using Group = std::vector<Waiting*>;

  // Leads the commits while it lives: nobody else appends to the log or the active front.
  class Leadership {
   public:
    Leadership(EngineImpl& engine, bool wanted);
    ~Leadership();
    Leadership(const Leadership&) = delete;
    Leadership& operator=(const Leadership&) = delete;

   private:
    EngineImpl& engine_;
    bool held_;
  };

  // Commit road (engine_commit.cc).
  Status commit_encoded(Waiting& mine);
  void lead(Group& group);
  Status reserve_log(const Group& group);
  Status write_log(Group& group);
  Status apply_group(const Group& group);
  Status make_room();
  Status catch_up();
  void rotate_front(Lsn end);
  Status check_writable() const;
  Status poison(Status status);

  // A full disk (engine_space.cc).
  Status check_room();
  bool use_reserve(const Error& error);
  void restore_reserve();

  // Hand-over and checkpoint (engine_work.cc).
  Status hand_over_all();  // under work_mutex_
  Status hand_over_oldest();
  Status checkpoint_locked();
  Status try_checkpoint();
  Status do_work(bool timed);
  Status freeze_for_checkpoint();
  Status write_trees();
  void set_stuck(const Status& status);
  void publish_view(const std::function<void(StoreView&)>& change);
  void work_loop();
  void sync_loop();
  bool checkpoint_due() const;
  void adjust_cache();

  std::shared_ptr<const StoreView> view() const;
  std::shared_ptr<const ReadPoint> read_point(const Snapshot* snapshot);
  Status load_trees();
  Status replay();
  Status add_tree(const DictionaryRoot& root);
  void say(const std::string& line) const;

  EngineOptions options_;
  std::unique_ptr<Storage> storage_;
  Cache cache_;
  std::shared_ptr<SnapshotRegistry> snapshots_ = std::make_shared<SnapshotRegistry>();
  std::shared_ptr<std::atomic<uint64_t>> dirty_bytes_ = std::make_shared<std::atomic<uint64_t>>(0);
  std::atomic<uint64_t> flushes_ = 0;

  mutable std::mutex work_mutex_;
  std::map<DictionaryId, DictionaryRoot> roots_;
  StoreRoot root_;

  mutable std::mutex view_mutex_;
  std::shared_ptr<const StoreView> view_;
  std::atomic<uint64_t> sequence_ = 0;  // published; changed under the active front's lock

  // Where each frozen front ends.
  struct FrontEnd {
    Lsn lsn{0};
    uint64_t sequence = 0;
  };
  std::map<const MemoryFront*, FrontEnd> front_ends_;  // under view_mutex_
  FrontEnd handed_over_;  // everything below is in the trees; under work_mutex_

  mutable std::mutex queue_mutex_;
  std::condition_variable queue_changed_;
  std::deque<Waiting*> queue_;
  bool leading_ = false;

  mutable std::mutex state_mutex_;
  std::condition_variable work_wanted_;
  std::condition_variable room_made_;
  std::condition_variable sync_wanted_;
  std::optional<Error> poisoned_;
  std::optional<Error> stuck_;  // handing over fails; commits wait for a checkpoint that succeeds
  bool stopping_ = false;
  bool unsynced_ = false;  // the log holds records that were acknowledged without a sync
  Lsn checkpointed_lsn_{0};
  std::chrono::steady_clock::time_point last_checkpoint_ = std::chrono::steady_clock::now();

  std::atomic<bool> is_full_ = false;  // told so: what was kept aside is in use

  std::atomic<uint64_t> commits_ = 0;
  std::atomic<uint64_t> messages_ = 0;
  std::atomic<uint64_t> log_syncs_ = 0;
  std::atomic<uint64_t> checkpoints_ = 0;
  std::atomic<uint64_t> commit_stalls_ = 0;
  std::atomic<uint64_t> recovered_messages_ = 0;
  Lsn opened_at_{0};

  std::thread worker_;
  std::thread syncer_;
};

}  // namespace wherestar::fractal_tree
