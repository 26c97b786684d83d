#include <algorithm>
#include <utility>

#include "fractal_tree/engine_impl.h"

namespace wherestar::fractal_tree {
namespace {

class EngineSnapshot : public Snapshot {
 public:
  EngineSnapshot(std::shared_ptr<SnapshotRegistry> registry, uint64_t sequence)
      : registry_(std::move(registry)), sequence_(sequence) {}
  ~EngineSnapshot() override { registry_->remove(sequence_); }
  EngineSnapshot(const EngineSnapshot&) = delete;
  EngineSnapshot& operator=(const EngineSnapshot&) = delete;
  uint64_t sequence() const override { return sequence_; }

 private:
  std::shared_ptr<SnapshotRegistry> registry_;
  uint64_t sequence_;
};

class FailedCursor : public Cursor {
 public:
  explicit FailedCursor(Error error) : error_(std::move(error)) {}
  void seek(std::string_view) override {}
  void seek_to_last_before(std::string_view) override {}
  void seek_to_first() override {}
  void seek_to_last() override {}
  void next() override {}
  void previous() override {}
  bool valid() const override { return false; }
  std::string_view key() const override { return {}; }
  std::string_view value() const override { return {}; }
  Status status() const override { return std::unexpected(error_); }

 private:
  Error error_;
};

}  // namespace

namespace {

// What is set aside for the log and the reserve fits the disk.
EngineOptions fitted(const std::string& directory, EngineOptions options) {
  constexpr uint64_t kLeastBytes = 1u << 20;
  FileSystem& fs = options.file_system != nullptr ? *options.file_system : posix_file_system();
  if (options.read_only || !fs.create_directories(directory)) return options;
  const auto free = fs.free_bytes(directory);
  if (!free) return options;
  const auto fit = [&](uint64_t& bytes, uint64_t share) {
    bytes = std::min(bytes, std::max(kLeastBytes, *free / share));
  };
  fit(options.log_segment_bytes, 64);
  fit(options.checkpoint_log_bytes, 16);
  if (options.reserve_bytes > 0) fit(options.reserve_bytes, 16);
  return options;
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::open(const std::string& directory,
                                             const EngineOptions& given) {
  const EngineOptions options = fitted(directory, given);
  StorageOptions storage_options;
  storage_options.reserve_bytes = options.reserve_bytes;
  storage_options.file_system = options.file_system;
  storage_options.log_segment_bytes = options.log_segment_bytes;
  storage_options.read_only = options.read_only;
  storage_options.log_line = options.log_line;
  ASSIGN_OR_RETURN(std::unique_ptr<Storage> storage, open_file_storage(directory, storage_options));
  auto engine = std::make_unique<EngineImpl>(options, std::move(storage));
  RETURN_IF_ERROR(engine->start());
  return std::unique_ptr<Engine>(std::move(engine));
}

EngineImpl::EngineImpl(const EngineOptions& options, std::unique_ptr<Storage> storage)
    : options_(options), storage_(std::move(storage)), cache_(options.cache_bytes / 2) {
  auto view = std::make_shared<StoreView>();
  view->active = std::make_shared<MemoryFront>();
  view_ = std::move(view);
}

EngineImpl::~EngineImpl() {
  {
    const std::lock_guard lock(state_mutex_);
    stopping_ = true;
  }
  work_wanted_.notify_all();
  room_made_.notify_all();
  sync_wanted_.notify_all();
  if (worker_.joinable()) worker_.join();
  if (syncer_.joinable()) syncer_.join();
  // What was committed without waiting for the disk should not wait for the next start.
  if (unsynced_ && !options_.read_only && !poisoned_)
    static_cast<void>(storage_->log().sync().has_value());
}

void EngineImpl::say(const std::string& line) const {
  if (options_.log_line) options_.log_line(line);
}

Status EngineImpl::start() {
  root_ = storage_->root();
  sequence_ = root_.last_sequence;
  handed_over_ = {root_.log_start, root_.last_sequence};
  checkpointed_lsn_ = root_.log_start;
  RETURN_IF_ERROR(load_trees());
  RETURN_IF_ERROR(replay());
  opened_at_ = storage_->log().end();
  if (!options_.read_only && !storage_->take_reserve()) {
    is_full_ = true;
    say("the disk is full: nothing can be kept aside; writes go on when there is room");
  }
  if (options_.background_threads && !options_.read_only) {
    worker_ = std::thread([this] { work_loop(); });
    syncer_ = std::thread([this] { sync_loop(); });
  }
  return {};
}

Status EngineImpl::add_tree(const DictionaryRoot& root) {
  ASSIGN_OR_RETURN(BlockStore * blocks, storage_->blocks(root.id));
  auto tree = std::make_shared<Tree>(root.id, root.name, *blocks, cache_, root.options);
  RETURN_IF_ERROR(tree->load(root.root, root.tree_state));
  roots_[root.id] = root;
  publish_view([&](StoreView& view) { view.trees[root.id] = {tree, tree->version()}; });
  return {};
}

Status EngineImpl::load_trees() {
  for (const DictionaryRoot& root : root_.dictionaries) RETURN_IF_ERROR(add_tree(root));
  return {};
}

Status EngineImpl::replay() {
  const auto apply = [this](LogRecord record) -> Status {
    WriteBatch batch;
    if (Status status = decode_batch(record.payload, batch); !status)
      return fail_in("log record at LSN " + std::to_string(static_cast<uint64_t>(record.lsn)),
                     std::move(status).error());
    if (!options_.read_only && view()->active->memory_bytes() >= options_.memory_front_bytes) {
      say("recovery: " + std::to_string(recovered_messages_) + " changes replayed");
      rotate_front(record.lsn);
      RETURN_IF_ERROR(hand_over_all());
    }
    RETURN_IF_ERROR(view()->active->apply_and_publish(batch.contents(), *snapshots_, sequence_));
    recovered_messages_ += batch.change_count();
    return {};
  };
  RETURN_IF_ERROR(storage_->replay(apply));
  if (recovered_messages_ > 0)
    say("recovery: " + std::to_string(recovered_messages_) + " changes replayed, done");
  return {};
}

std::shared_ptr<const StoreView> EngineImpl::view() const {
  const std::lock_guard lock(view_mutex_);
  return view_;
}

void EngineImpl::publish_view(const std::function<void(StoreView&)>& change) {
  std::shared_ptr<const StoreView> before;  // may be the last holder of much: ends unlocked
  const std::lock_guard lock(view_mutex_);
  auto next = std::make_shared<StoreView>(*view_);
  change(*next);
  before = std::exchange(view_, std::move(next));
}

std::shared_ptr<const ReadPoint> EngineImpl::read_point(const Snapshot* snapshot) {
  const std::lock_guard lock(view_mutex_);
  const std::shared_lock front_lock(view_->active->mutex());
  const uint64_t sequence = snapshot != nullptr ? snapshot->sequence() : sequence_.load();
  snapshots_->add(sequence);
  return std::make_shared<ReadPoint>(view_, snapshots_, sequence);
}

std::unique_ptr<Snapshot> EngineImpl::snapshot() {
  const std::lock_guard lock(view_mutex_);
  const std::shared_lock front_lock(view_->active->mutex());
  const uint64_t sequence = sequence_;
  snapshots_->add(sequence);
  return std::make_unique<EngineSnapshot>(snapshots_, sequence);
}

Result<std::optional<std::string>> EngineImpl::get(DictionaryId dictionary, std::string_view key,
                                                   const ReadView& view) {
  const auto point = read_point(view.snapshot);
  return read_value(*point, dictionary, key, view.own);
}

std::unique_ptr<Cursor> EngineImpl::cursor(DictionaryId dictionary, const ReadView& view) {
  return make_cursor(read_point(view.snapshot), dictionary, view.own);
}

std::unique_ptr<Cursor> make_failed_cursor(Error error) {
  return std::make_unique<FailedCursor>(std::move(error));
}

Result<DictionaryId> EngineImpl::dictionary(std::string_view name,
                                            const DictionaryOptions& options) {
  const Leadership leadership(*this, !options_.background_threads);
  const std::lock_guard lock(work_mutex_);
  for (const auto& [id, root] : roots_)
    if (root.name == name) return id;
  if (options_.read_only)
    return fail(ErrorCode::kNotFound, "no dictionary '" + std::string(name) + "'");
  if (name.empty() || name.size() > 64)
    return fail(ErrorCode::kInvalidArgument, "a dictionary's name has 1 to 64 bytes");
  DictionaryRoot root;
  root.id = DictionaryId{root_.next_dictionary_id};
  root.name = name;
  root.options = options;
  ++root_.next_dictionary_id;
  RETURN_IF_ERROR(add_tree(root));
  if (Status status = checkpoint_locked(); !status) {
    roots_.erase(root.id);
    publish_view([&](StoreView& view) { view.trees.erase(root.id); });
    return std::unexpected(std::move(status).error());
  }
  return root.id;
}

Status EngineImpl::drop_dictionary(std::string_view name) {
  const Leadership leadership(*this, !options_.background_threads);
  const std::lock_guard lock(work_mutex_);
  const auto found = std::find_if(roots_.begin(), roots_.end(),
                                  [&](const auto& entry) { return entry.second.name == name; });
  if (found == roots_.end())
    return fail(ErrorCode::kNotFound, "no dictionary '" + std::string(name) + "'");
  const DictionaryRoot root = found->second;
  roots_.erase(found);
  if (Status status = checkpoint_locked(); !status) {
    roots_[root.id] = root;
    return status;
  }
  publish_view([&](StoreView& view) { view.trees.erase(root.id); });
  return {};
}

EngineCounters EngineImpl::counters() const {
  EngineCounters counters;
  counters.commits = commits_;
  counters.messages = messages_;
  counters.log_syncs = log_syncs_;
  counters.checkpoints = checkpoints_;
  counters.flushes = flushes_;
  counters.commit_stalls = commit_stalls_;
  counters.recovered_messages = recovered_messages_;
  counters.cache_hits = cache_.hits();
  counters.cache_misses = cache_.misses();
  counters.log_bytes = storage_->log().bytes_since(opened_at_);
  const auto view = this->view();
  counters.cache_bytes = cache_.used_bytes() + *dirty_bytes_ + view->active->memory_bytes();
  for (const auto& front : view->frozen) counters.cache_bytes += front->memory_bytes();
  for (const auto& [id, tree] : view->trees) {
    BlockStore& blocks = tree.tree->nodes().blocks();
    const BlockStoreCounters store = blocks.counters();
    counters.block_bytes_written += tree.tree->nodes().bytes_written();
    counters.block_bytes_read += tree.tree->nodes().bytes_read();
    counters.dictionaries.push_back({tree.tree->name(), store.file_bytes, store.used_bytes,
                                     store.blocks, tree.version->height});
  }
  return counters;
}

}  // namespace wherestar::fractal_tree
