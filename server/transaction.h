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
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fractal_tree/engine.h"
#include "server/store_core.h"

namespace wherestar::server {

class Transaction {
 public:
  explicit Transaction(StoreCore& core, bool read_only = false);
  ~Transaction();  // rolls back
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  bool read_only() const { return read_only_; }
  bool has_writes() const;
  TransactionId id() const { return id_; }

  // Views live until the next call that changes the layers.
  fractal_tree::ReadView snapshot_view();  // takes the snapshot at its first call
  fractal_tree::ReadView newest_view() const { return {.snapshot = nullptr, .own = own_}; }

  void begin_statement();
  fractal_tree::WriteBatch& layer() { return *layers_.back(); }
  void end_statement();
  void undo_statement();

  void set_savepoint(const std::string& name);
  Status rollback_to(const std::string& name);  // kUnknownSavepoint
  Status release(const std::string& name);      // kUnknownSavepoint

  // Errors as LockTable::lock(). Only documents are locked here; see lock_part().
  Status lock(PartId part, std::string_view id_key, LockRequest request);
  // Before the first write to a part: it cannot be dropped then.
  Status lock_part(PartId part, LockMode mode, const std::atomic<bool>* cancelled);

  Status commit();  // also ends it when it fails
  void rollback();

 private:
  struct Savepoint {
    std::string name;   // folded to lower case
    size_t layers = 0;  // below it
  };
  void push_layer();
  void drop_layers(size_t keep);
  std::vector<Savepoint>::iterator find_savepoint(const std::string& folded);
  Status lock_name(std::string name, const LockRequest& request);
  void release_locks();

  StoreCore& core_;
  const TransactionId id_;
  const bool read_only_;
  std::unique_ptr<fractal_tree::Snapshot> snapshot_;
  std::vector<std::unique_ptr<fractal_tree::WriteBatch>> layers_;
  std::vector<const fractal_tree::WriteBatch*> own_;  // layers_ as a ReadView takes them
  std::vector<Savepoint> savepoints_;
  std::map<std::string, LockMode, std::less<>> locked_;
};

}  // namespace wherestar::server
