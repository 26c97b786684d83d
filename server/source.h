// Where the rows of a SELECT come from, before grouping and projection.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "document/json.h"
#include "fractal_tree/engine.h"
#include "server/bind.h"
#include "server/catalog.h"
#include "server/collection.h"
#include "server/planner.h"
#include "server/statement_context.h"
#include "server/store_core.h"
#include "server/transaction.h"

namespace wherestar::server {

struct SourceRow {
  std::shared_ptr<const document::Json> document;  // null in views, or when nothing looks into it
  std::vector<SqlValue> columns;                   // by slot; unused ones are NULL
};

class Source {
 public:
  virtual ~Source() = default;
  virtual Result<std::optional<SourceRow>> next() = 0;
  // How many rows there are from here on; the source is at its end afterwards.
  virtual Result<uint64_t> count();
};

// The columns of a document's row but those of its matches: what `bound` uses of them.
std::vector<SqlValue> document_columns(const BoundSelect& bound, const CollectionInfo& collection,
                                       const StoredDocument& stored,
                                       const document::Json* document);

// Rows in memory: of a view, or the one row of a SELECT without FROM.
class RowsSource : public Source {
 public:
  RowsSource(std::vector<std::vector<SqlValue>> rows, const Expression* where,
             StatementContext& context)
      : rows_(std::move(rows)), where_(where), context_(context) {}
  Result<std::optional<SourceRow>> next() override;

 private:
  std::vector<std::vector<SqlValue>> rows_;
  const Expression* where_;
  StatementContext& context_;
  size_t at_ = 0;
};

// What happened in one collection, for EXPLAIN ANALYZE.
struct CollectionTrace {
  std::string collection;
  Access access = Access::kScan;
  uint64_t keys_read = 0;
  uint64_t documents_read = 0;
  uint64_t rows = 0;
};

struct DocumentSourceOptions {
  Lock lock = Lock::kNone;  // else: the newest committed documents, locked
  LockWait wait = LockWait::kWait;
  bool newest = false;  // read the newest committed state without locks
  uint64_t limit = 0;   // rows beyond which the caller does not ask; 0: all
};

// Documents of collections in order, each by its plan, filtered by the WHERE, one row a match where
// the statement looks at matches. `bound` and the context must outlive it; the transaction's layers
// must not change meanwhile.
class DocumentSource : public Source {
 public:
  DocumentSource(StoreCore& core, Transaction& transaction, std::vector<CollectionPtr> collections,
                 const BoundSelect& bound, StatementContext& context,
                 const DocumentSourceOptions& options);
  Result<std::optional<SourceRow>> next() override;
  Result<uint64_t> count() override;

  // The document of the last row, and where it lives.
  const StoredDocument& stored() const { return stored_; }
  const CollectionPtr& collection() const { return collections_[at_]; }
  std::vector<CollectionTrace> trace() const;

 private:
  fractal_tree::ReadView view();
  Status open_collection();
  Status start_reading();
  Result<bool> next_stored();  // into stored_; false: the collection is at its end
  Result<bool> read_next();
  Result<bool> lock_stored();  // false: leave it out
  Result<bool> make_rows();    // from stored_ into pending_; false: none
  Result<bool> holds(const std::optional<Expression>& condition, const SourceRow& row);
  Status expand_matches(SourceRow row);
  Result<std::optional<uint64_t>> count_by_index();
  void close_collection();

  StoreCore& core_;
  Transaction& transaction_;
  const std::vector<CollectionPtr> collections_;
  const BoundSelect& bound_;
  StatementContext& context_;
  const DocumentSourceOptions options_;

  size_t at_ = 0;  // in collections_
  bool is_open_ = false;
  bool recheck_ = true;
  Access access_ = Access::kScan;
  std::vector<DocId> docs_;  // of an index access
  size_t doc_at_ = 0;
  std::unique_ptr<fractal_tree::Cursor> cursor_;  // of a scan
  std::set<DocId> locked_;                        // of this collection
  uint64_t waits_before_ = 0;                     // Transaction::lock_waits() when reading began
  StoredDocument stored_;
  std::vector<SourceRow> pending_;  // rows of stored_ not given yet, last first
  std::vector<CollectionTrace> trace_;
  uint64_t keys_before_ = 0, documents_before_ = 0;
};

}  // namespace wherestar::server
