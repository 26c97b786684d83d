// The catalog: which databases, collections and accounts there are.
//
// What it hides: the dictionary `catalog`. It is read into memory at open; every change is one
// durable commit of its own (DDL commits implicitly) and is seen at once. Part numbers are never
// used twice. Names are case-sensitive, 1 to 64 characters of UTF-8 without NUL.
//
//   keys    "d" database name                -> format, created
//           "c" u32 collection id            -> format, part, created, names, validation, indexes
//           "r" u32 part                     -> u64 DocIds below it may be in use
//           "u" account name                 -> format, verifiers
//           "n" counter name                 -> varint
//
// Threads: may be used by many threads.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "fractal_tree/engine.h"
#include "index/posting.h"
#include "server/statement.h"
#include "server/store.h"

namespace wherestar::server {

using index::DocId;
using index::PartId;

inline constexpr size_t kMaxNameCharacters = 64;

// Gives out the DocIds of one part: reserved durably in steps, so that none is ever given twice.
class DocIdCounter {
 public:
  DocIdCounter(PartId part, uint64_t first) : part_(part), next_(first), reserved_(first) {}
  Result<DocId> take(fractal_tree::Engine& engine, fractal_tree::DictionaryId catalog);

 private:
  static constexpr uint64_t kStep = 1024;
  const PartId part_;
  std::mutex mutex_;
  uint64_t next_;      // guarded by mutex_
  uint64_t reserved_;  // guarded by mutex_
};

// A secondary index that a client declared. Every path is indexed anyway, so it is only remembered.
struct IndexDeclaration {
  std::string name;
  std::string type;
  std::vector<IndexMember> members;
};

struct CollectionInfo {
  uint32_t id = 0;
  std::string database;
  std::string name;
  PartId part{};
  int64_t created_unix_s = 0;
  std::string validation_schema;  // JSON text; empty: none
  bool validation_strict = true;
  std::vector<IndexDeclaration> indexes;
  std::shared_ptr<DocIdCounter> doc_ids;

  std::string full_name() const { return database + "." + name; }
};
using CollectionPtr = std::shared_ptr<const CollectionInfo>;  // a state; never changed

class Catalog {
 public:
  static Result<std::unique_ptr<Catalog>> open(fractal_tree::Engine& engine);

  std::vector<std::string> databases() const;  // sorted
  bool has_database(std::string_view name) const;
  CollectionPtr find(std::string_view database, std::string_view name) const;  // null: none
  // Sorted by database and name; of one database, or of all.
  std::vector<CollectionPtr> collections(std::optional<std::string_view> database) const;

  Status create_database(const std::string& name);  // kDatabaseExists
  // `erasures` holds what the collections' parts leave behind; all goes in one commit.
  Status drop_database(const std::string& name, fractal_tree::WriteBatch erasures);
  Result<CollectionPtr> create_collection(const std::string& database, const std::string& name,
                                          const Validation& validation);  // kCollectionExists
  Status drop_collection(const CollectionInfo& collection, fractal_tree::WriteBatch erasures);
  Status change_collection(CollectionInfo changed);  // by id

  std::optional<Account> account(std::string_view name) const;
  std::vector<std::string> accounts() const;
  Status put_account(const Account& account);

  // Takes the next number of a durable counter, at least `least`.
  Result<uint64_t> next_number(const std::string& counter, uint64_t least);
  std::optional<uint64_t> number(const std::string& counter) const;
  Status set_number(const std::string& counter, uint64_t value);

  fractal_tree::DictionaryId dictionary() const { return dictionary_; }

 private:
  explicit Catalog(fractal_tree::Engine& engine) : engine_(engine) {}
  Status load();
  Status load_entry(std::string_view key, std::string_view value);
  Status commit(fractal_tree::WriteBatch batch,
                fractal_tree::Purpose purpose = fractal_tree::Purpose::kWrite);
  Result<uint64_t> take_number(const std::string& counter, uint64_t least);

  fractal_tree::Engine& engine_;
  fractal_tree::DictionaryId dictionary_{};
  std::mutex change_mutex_;                                // one change at a time, over its commit
  mutable std::shared_mutex mutex_;                        // guards all below
  std::map<std::string, int64_t, std::less<>> databases_;  // name -> created
  std::map<std::pair<std::string, std::string>, CollectionPtr> collections_;
  std::map<std::string, Account, std::less<>> accounts_;
  std::map<std::string, uint64_t, std::less<>> numbers_;
  std::map<uint32_t, uint64_t> reserved_doc_ids_;  // of load() only
};

// kInvalidArgument with MySQL's text when it is no name.
Status check_name(std::string_view name, std::string_view kind);

}  // namespace wherestar::server
