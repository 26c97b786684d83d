#include "server/store.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <utility>

#include "server/accounts.h"
#include "server/session_factory.h"
#include "server/store_core.h"
#include "server/verify.h"

namespace wherestar::server {

std::string StoreCore::generate_id() {
  const auto hex = [](std::string& out, uint64_t value, size_t digits) {
    char buffer[16];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, 16).ptr;
    const auto size = static_cast<size_t>(end - buffer);
    out.append(digits - std::min(digits, size), '0');
    out.append(buffer, size);
  };
  std::string id = "0000";
  hex(id, generated_id_epoch, 8);
  hex(id, next_generated_id.fetch_add(1), 16);
  return id;
}

namespace {

class EngineStore : public Store {
 public:
  explicit EngineStore(std::unique_ptr<StoreCore> core) : core_(std::move(core)) {}

  Result<std::unique_ptr<Session>> make_session(const SessionOptions& options) override {
    return make_store_session(*core_, options);
  }

  Result<std::optional<Account>> account(std::string_view user) override {
    return core_->catalog->account(user);
  }

  Status set_password(std::string_view user, std::string_view password) override {
    return set_account_password(*core_->catalog, user, password);
  }

  Result<bool> database_exists(std::string_view name) override {
    return core_->catalog->has_database(name);
  }

  Status checkpoint() override { return core_->engine->checkpoint(); }
  Result<StoreReport> verify() override { return verify_store(*core_); }

  Status reindex(const std::function<void(uint64_t, uint64_t)>& progress) override {
    if (core_->options.read_only)
      return fail(ErrorCode::kReadOnly, "The store was opened read-only.");
    return reindex_store(*core_, progress);
  }

  fractal_tree::EngineCounters counters() const override { return core_->engine->counters(); }

 private:
  std::unique_ptr<StoreCore> core_;
};

fractal_tree::EngineOptions engine_options(const StoreOptions& options) {
  fractal_tree::EngineOptions engine;
  engine.file_system = options.file_system;
  engine.cache_bytes = options.cache_bytes;
  engine.memory_front_bytes =
      std::min<uint64_t>(engine.memory_front_bytes, options.cache_bytes / 8);
  engine.read_only = options.read_only;
  engine.background_threads = options.background_threads;
  engine.reserve_bytes = options.reserve_bytes;
  engine.log_line = options.log_line;
  return engine;
}

// Later than that of any start before. On a disk without a byte left the clock alone must do, for
// then nothing else could be read either.
Result<uint32_t> take_epoch(StoreCore& core) {
  const auto now = static_cast<uint64_t>(std::max<int64_t>(1, core.started_unix_s));
  const auto next = core.catalog->next_number("start", now);
  if (next) return static_cast<uint32_t>(*next);
  if (next.error().code != ErrorCode::kNoSpace) return std::unexpected(next.error());
  if (core.options.log_line)
    core.options.log_line("opened on a full disk: " + next.error().message);
  return static_cast<uint32_t>(std::max(now, core.catalog->number("start").value_or(0) + 1));
}

Status open_core(StoreCore& core, const std::string& directory) {
  core.directory = directory;
  core.started_unix_s = std::time(nullptr);
  ASSIGN_OR_RETURN(core.engine,
                   fractal_tree::Engine::open(directory, engine_options(core.options)));
  ASSIGN_OR_RETURN(core.documents, core.engine->dictionary("documents", {}));
  ASSIGN_OR_RETURN(core.ids, core.engine->dictionary("ids", {}));
  ASSIGN_OR_RETURN(core.catalog, Catalog::open(*core.engine));
  ASSIGN_OR_RETURN(core.index, index::Index::open(*core.engine));
  ASSIGN_OR_RETURN(core.stats, schema_stats::SchemaStats::open(*core.engine));
  if (core.options.read_only) return {};
  RETURN_IF_ERROR(ensure_root(*core.catalog));
  ASSIGN_OR_RETURN(core.generated_id_epoch, take_epoch(core));
  ASSIGN_OR_RETURN(const bool rebuild, needs_reindex(core));
  if (!rebuild) return {};
  if (core.options.log_line) core.options.log_line("deriving the index from the documents again");
  return reindex_store(core, {});
}

}  // namespace

Result<std::unique_ptr<Store>> Store::open(const std::string& directory,
                                           const StoreOptions& options) {
  auto core = std::make_unique<StoreCore>();
  core->options = options;
  if (options.on_lock_wait)
    core->locks.on_wait([observer = options.on_lock_wait](TransactionId) { observer(); });
  RETURN_IF_ERROR(open_core(*core, directory));
  return std::make_unique<EngineStore>(std::move(core));
}

}  // namespace wherestar::server
