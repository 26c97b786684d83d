// A transaction: what a session wrote and has not committed, its snapshot and its locks.
//
// Writes are kept in layers, one above the other: a statement writes into a layer of its own, which
// is joined to the one below when it succeeds and dropped when it fails. A savepoint is a mark
// between two layers. All reads of the transaction see its layers above the committed state.
//
//   transaction.begin_statement();
//   ... collection.insert(transaction.layer(), ...) ...
//   ok ? transaction.end_statement() : transaction.undo_statement();
//   RETURN_IF_ERROR(transaction.commit());
//
// Plain reads see the snapshot that the first of them took; writes and locking reads see the newest
// committed state. Locks are held until the end. One thread at a time.
//
// What a layer says of postings and counters is a difference against the newest committed document.
// Where the snapshot holds another state of that document, the layer has a bridge: the differences
// between the two, seen by reads of the snapshot only and never committed.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fractal_tree/engine.h"
#include "server/store_core.h"

namespace wherestar::server {

class Transaction {
 public:
  struct Options {
    bool read_only = false;
    bool read_committed = false;  // each statement takes a snapshot of its own
  };
  Transaction(StoreCore& core, Options options);
  ~Transaction();  // rolls back
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  bool read_only() const { return options_.read_only; }
  bool has_writes() const;
  TransactionId id() const { return id_; }

  // Views live until the next call that changes the layers.
  fractal_tree::ReadView snapshot_view();  // takes the snapshot at its first call
  fractal_tree::ReadView newest_view() const { return {.snapshot = nullptr, .own = own_}; }
  // The committed state alone, of the snapshot (null: none was taken) and now.
  const fractal_tree::Snapshot* snapshot() const { return snapshot_.get(); }

  void begin_read();  // of a statement, written or not, before its first view
  void begin_statement(fractal_tree::Purpose purpose = fractal_tree::Purpose::kWrite);
  fractal_tree::WriteBatch& layer() { return layers_.back()->changes; }
  // Where the bridge of this document goes, before its first change; null when it needs none or has
  // one.
  fractal_tree::WriteBatch* bridge(PartId part, std::string_view id_key);
  void end_statement();
  void undo_statement();

  void set_savepoint(const std::string& name);
  Status rollback_to(const std::string& name);  // kUnknownSavepoint
  Status release(const std::string& name);      // kUnknownSavepoint

  // Errors as LockTable::lock(). Only documents are locked here; see lock_part().
  Status lock(PartId part, std::string_view id_key, LockRequest request);
  uint64_t lock_waits() const { return lock_waits_; }  // how often lock() had to wait
  // Before the first write to a part: it cannot be dropped then.
  Status lock_part(PartId part, const LockRequest& request) { return lock(part, {}, request); }

  Status commit();  // also ends it when it fails
  void rollback();

 private:
  struct Savepoint {
    std::string name;   // folded to lower case
    size_t layers = 0;  // below it
  };
  struct Layer {
    fractal_tree::WriteBatch changes;
    fractal_tree::WriteBatch bridge;  // goes before the changes
    std::set<std::string> bridged;    // names of documents
  };
  void push_layer();
  void drop_layers(size_t keep);
  void forget_layers(size_t keep);
  std::vector<Savepoint>::iterator find_savepoint(const std::string& folded);
  Status lock_name(std::string name, const LockRequest& request);
  void release_locks();

  StoreCore& core_;
  const TransactionId id_;
  const Options options_;
  std::unique_ptr<fractal_tree::Snapshot> snapshot_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<const fractal_tree::WriteBatch*> own_;          // as a ReadView takes them
  std::vector<const fractal_tree::WriteBatch*> own_bridged_;  // of the last snapshot_view()
  std::vector<Savepoint> savepoints_;
  std::map<std::string, LockMode, std::less<>> locked_;
  uint64_t lock_waits_ = 0;
  fractal_tree::Purpose purpose_ = fractal_tree::Purpose::kReclaim;  // of all statements
};

}  // namespace wherestar::server
