// The document store without sockets: databases, collections, documents, their index, statistics.
//
//   ASSIGN_OR_RETURN(auto store, Store::open("/var/lib/wherestar", {}));
//   auto session = store->make_session({});
//
// What it hides: the catalog, the layout of documents and ids, transactions and document locks,
// planner, executor, information views. A fresh store has the user `root` with an empty password
// and no database.
//
// Threads: a Store by many. Sessions must be destroyed before their store.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/result.h"
#include "fractal_tree/engine.h"
#include "server/session.h"

namespace wherestar::server {

struct StoreOptions {
  FileSystem* file_system = nullptr;  // null: POSIX
  uint64_t cache_bytes = 512u << 20;
  fractal_tree::Durability durability = fractal_tree::Durability::kSync;
  bool read_only = false;
  bool background_threads = true;
  // Kept aside on the disk, so that a full store can delete; less on a small disk. 0: none.
  uint64_t reserve_bytes = 16u << 20;
  uint32_t lock_wait_timeout_ms = 50'000;
  uint32_t statement_timeout_ms = 0;             // 0: none
  uint64_t statement_memory_bytes = 256u << 20;  // sort, group, matches; kLimitExceeded beyond
  std::function<void(std::string_view)> log_line;
  // Called when a statement begins to wait for a lock; it must not wait or call the store.
  std::function<void()> on_lock_wait;
};

// What logging in needs; passwords are never kept. Empty verifiers: an empty password.
struct Account {
  std::string name;
  std::string mysql41_verifier;  // SHA1(SHA1(password)), 20 bytes
  std::string sha256_verifier;   // SHA256(SHA256(password)), 32 bytes
  bool has_password() const { return !mysql41_verifier.empty(); }
};

struct StoreReport {
  uint64_t documents = 0;
  uint64_t dictionaries = 0;
  uint64_t blocks = 0;
  std::vector<std::string> problems;  // empty: all sound
};

class Store {
 public:
  static Result<std::unique_ptr<Store>> open(const std::string& directory,
                                             const StoreOptions& options);
  virtual ~Store() = default;

  virtual Result<std::unique_ptr<Session>> make_session(const SessionOptions& options) = 0;
  virtual Result<std::optional<Account>> account(std::string_view user) = 0;
  virtual Status set_password(std::string_view user, std::string_view password) = 0;
  virtual Result<bool> database_exists(std::string_view name) = 0;

  virtual Status checkpoint() = 0;
  // Blocks and trees, then: every document readable, ids, postings and statistics agree with the
  // documents.
  virtual Result<StoreReport> verify() = 0;
  // Rebuilds all postings and statistics from the documents. `progress` gets documents done, total.
  virtual Status reindex(const std::function<void(uint64_t, uint64_t)>& progress) = 0;
  virtual fractal_tree::EngineCounters counters() const = 0;
};

}  // namespace wherestar::server
