// What the sessions of one store share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <shared_mutex>
#include <string>

#include "fractal_tree/engine.h"
#include "index/index.h"
#include "schema_stats/schema_stats.h"
#include "server/catalog.h"
#include "server/lock_table.h"
#include "server/store.h"

namespace wherestar::server {

struct StoreCore {
  StoreOptions options;
  std::string directory;
  std::unique_ptr<fractal_tree::Engine> engine;  // first: everything below points into it
  fractal_tree::DictionaryId documents{};
  fractal_tree::DictionaryId ids{};
  std::unique_ptr<index::Index> index;
  std::unique_ptr<schema_stats::SchemaStats> stats;
  std::unique_ptr<Catalog> catalog;
  LockTable locks;
  // Commits hold it shared; a rebuild of the index, which must see every document's postings as
  // they are derived, holds it alone.
  std::shared_mutex commit_gate;
  std::atomic<uint64_t> next_transaction{1};
  std::atomic<uint64_t> next_generated_id{1};
  uint32_t generated_id_epoch = 0;  // unix time of this start, later than that of any start before
  int64_t started_unix_s = 0;

  // 28 hex digits: 0000, the start's time, a counter; ascending within a start.
  std::string generate_id();
};

}  // namespace wherestar::server
