#include "server/source.h"

#include <algorithm>
#include <utility>

namespace wherestar::server {

using document::Json;
using document::Place;
using fractal_tree::ReadView;

namespace {

// A document for which the condition holds has a match of it.
bool brings_match(const Expression& condition) {
  if (condition.kind != Expression::Kind::kOperator) return false;
  const auto& parts = condition.operands;
  switch (condition.op) {
    case Operator::kAnd:
      return std::ranges::any_of(parts, brings_match);
    case Operator::kOr:
      return std::ranges::all_of(parts, brings_match);
    case Operator::kEqual:
    case Operator::kIn:
    case Operator::kBetween:
    case Operator::kLike:
      return parts[0].kind == Expression::Kind::kAnyPath;
    default:
      return false;
  }
}

}  // namespace

Result<uint64_t> Source::count() {
  uint64_t rows = 0;
  while (true) {
    ASSIGN_OR_RETURN(const auto row, next());
    if (!row) return rows;
    ++rows;
  }
}

Result<std::optional<SourceRow>> RowsSource::next() {
  while (at_ < rows_.size()) {
    RETURN_IF_ERROR(context_.check());
    std::vector<SqlValue>& columns = rows_[at_++];
    if (where_) {
      ASSIGN_OR_RETURN(const auto holds,
                       evaluate_condition(*where_, Row{nullptr, columns}, context_.evaluation));
      if (!holds.value_or(false)) continue;
    }
    return SourceRow{nullptr, std::move(columns)};
  }
  return std::nullopt;
}

DocumentSource::DocumentSource(StoreCore& core, Transaction& transaction,
                               std::vector<CollectionPtr> collections, const BoundSelect& bound,
                               StatementContext& context, const DocumentSourceOptions& options)
    : core_(core),
      transaction_(transaction),
      collections_(std::move(collections)),
      bound_(bound),
      context_(context),
      options_(options) {}

ReadView DocumentSource::view() {
  if (options_.newest || options_.lock != Lock::kNone) return transaction_.newest_view();
  return transaction_.snapshot_view();
}

Status DocumentSource::open_collection() {
  keys_before_ = context_.keys_read;
  documents_before_ = context_.documents_read;
  trace_.push_back({.collection = collections_[at_]->full_name()});
  locked_.clear();
  RETURN_IF_ERROR(start_reading());
  is_open_ = true;
  return {};
}

Status DocumentSource::start_reading() {
  const CollectionInfo& info = *collections_[at_];
  waits_before_ = transaction_.lock_waits();
  const PlanInput input{.core = &core_, .collection = &info, .view = view()};
  const Expression* where = bound_.where ? &*bound_.where : nullptr;
  ASSIGN_OR_RETURN(const Plan plan, make_plan(input, where, context_));
  access_ = trace_.back().access = plan.access;
  recheck_ = where != nullptr;
  docs_.clear();
  doc_at_ = 0;
  if (plan.access == Access::kScan) {
    cursor_ = core_.engine->cursor(core_.documents, input.view);
    cursor_->seek(part_prefix(info.part));
  } else if (plan.access != Access::kNone) {
    const bool each_is_a_row =
        options_.lock == Lock::kNone && (!bound_.expands_matches || brings_match(*where));
    ASSIGN_OR_RETURN(const Found found,
                     run_plan(input, plan, each_is_a_row ? options_.limit : 0, context_));
    recheck_ = !found.exact;
    docs_ = found.docs.to_vector();
  }
  return {};
}

std::vector<CollectionTrace> DocumentSource::trace() const {
  std::vector<CollectionTrace> out = trace_;
  if (is_open_) {  // a LIMIT ended it early
    out.back().keys_read = context_.keys_read - keys_before_;
    out.back().documents_read = context_.documents_read - documents_before_;
  }
  return out;
}

void DocumentSource::close_collection() {
  trace_.back().keys_read = context_.keys_read - keys_before_;
  trace_.back().documents_read = context_.documents_read - documents_before_;
  cursor_.reset();
  docs_.clear();
  is_open_ = false;
  ++at_;
}

// What others committed while a lock was waited for may match too: it is looked for once more.
Result<bool> DocumentSource::next_stored() {
  while (true) {
    ASSIGN_OR_RETURN(const bool found, read_next());
    if (found && locked_.contains(stored_.doc)) continue;
    if (found || transaction_.lock_waits() == waits_before_) return found;
    RETURN_IF_ERROR(start_reading());
  }
}

Result<bool> DocumentSource::read_next() {
  const PartId part = collections_[at_]->part;
  if (access_ == Access::kScan) {
    if (!cursor_->valid()) {
      RETURN_IF_ERROR(cursor_->status());
      return false;
    }
    if (!cursor_->key().starts_with(part_prefix(part))) return false;
    ASSIGN_OR_RETURN(const DocId doc, decode_doc_id(cursor_->key()));
    ASSIGN_OR_RETURN(stored_, decode_record(part, doc, cursor_->value()));
    cursor_->next();
    ++context_.documents_read;
    return true;
  }
  while (doc_at_ < docs_.size()) {
    ASSIGN_OR_RETURN(auto found, read_document(core_, part, docs_[doc_at_++], view()));
    ++context_.documents_read;
    if (!found) continue;  // removed since the index was read, where no snapshot holds it
    stored_ = std::move(*found);
    return true;
  }
  return false;
}

Result<bool> DocumentSource::lock_stored() {
  const PartId part = collections_[at_]->part;
  ASSIGN_OR_RETURN(const Json json, Json::parse(stored_.text));
  const Json* id = json.member("_id");
  if (!id) return fail(ErrorCode::kCorruption, "documents: a document without _id");
  ASSIGN_OR_RETURN(const document::DocumentKey key, document::document_key(*id));
  LockRequest request = context_.lock_request(
      options_.lock == Lock::kShared ? LockMode::kShared : LockMode::kExclusive);
  request.wait = options_.wait == LockWait::kWait;
  if (Status locked = transaction_.lock(part, key.key, request); !locked) {
    const bool skip =
        options_.wait == LockWait::kSkipLocked && locked.error().code == ErrorCode::kLockNowait;
    if (skip) return false;
    return std::unexpected(std::move(locked).error());
  }
  ASSIGN_OR_RETURN(const auto doc, find_id(core_, part, key.key, transaction_.newest_view()));
  if (!doc) return false;
  ASSIGN_OR_RETURN(auto newest, read_document(core_, part, *doc, transaction_.newest_view()));
  if (!newest) return false;
  stored_ = std::move(*newest);
  RETURN_IF_ERROR(context_.charge(sizeof(DocId) + 3 * sizeof(void*)));
  locked_.insert(stored_.doc);
  return true;
}

std::vector<SqlValue> document_columns(const BoundSelect& bound, const CollectionInfo& collection,
                                       const StoredDocument& stored, const Json* document) {
  std::vector<SqlValue> columns(kBaseSlotCount);
  if (bound.used[kCollectionSlot])
    columns[kCollectionSlot] = SqlValue::text(collection.full_name());
  if (bound.used[kIdSlot] && document != nullptr) {
    if (const Json* id = document->member("_id"))
      columns[kIdSlot] = SqlValue::text(id->is_string() ? id->as_string() : id->number_text());
  }
  if (bound.used[kDocSlot]) columns[kDocSlot] = SqlValue::json_text(stored.text);
  return columns;
}

namespace {

SqlValue list_of(const std::vector<Place>& matches) {
  Json::Array list;
  for (const Place& place : matches) {
    Json::Object entry;
    entry.emplace_back("path", Json::string(place.place));
    entry.emplace_back("value", *place.value);
    list.push_back(Json::object(std::move(entry)));
  }
  return SqlValue::json(Json::array(std::move(list)));
}

}  // namespace

Result<bool> DocumentSource::holds(const std::optional<Expression>& condition,
                                   const SourceRow& row) {
  if (!condition) return true;
  ASSIGN_OR_RETURN(
      const auto holds,
      evaluate_condition(*condition, Row{row.document.get(), row.columns}, context_.evaluation));
  return holds.value_or(false);
}

// One row, or one for each match, of a document that satisfies the document's part of the WHERE.
Status DocumentSource::expand_matches(SourceRow row) {
  std::vector<Place> matches;
  if (bound_.where) {
    ASSIGN_OR_RETURN(matches, collect_matches(*bound_.where, Row{row.document.get(), row.columns},
                                              context_.evaluation));
  }
  if (bound_.used[kMatchesSlot]) row.columns[kMatchesSlot] = list_of(matches);
  const auto keep = [&](SourceRow one) -> Status {
    bool kept = true;
    if (bound_.filters_matches) {
      ASSIGN_OR_RETURN(kept, holds(bound_.where, one));
    }
    if (kept) pending_.push_back(std::move(one));
    return {};
  };
  if (!bound_.expands_matches) return keep(std::move(row));
  for (const Place& place : matches) {
    RETURN_IF_ERROR(context_.check());
    SourceRow match = row;
    match.columns[kPathSlot] = SqlValue::text(place.canonical);
    match.columns[kPlaceSlot] = SqlValue::text(place.place);
    match.columns[kValueSlot] = SqlValue::json(*place.value);
    RETURN_IF_ERROR(keep(std::move(match)));
  }
  std::ranges::reverse(pending_);
  return {};
}

Result<bool> DocumentSource::make_rows() {
  if (options_.lock != Lock::kNone) {
    // The condition is asked again of what the lock protects.
    ASSIGN_OR_RETURN(const bool locked, lock_stored());
    if (!locked) return false;
  }
  SourceRow row;
  const bool recheck = (recheck_ || options_.lock != Lock::kNone) && bound_.document_filter;
  if (recheck || bound_.needs_document) {
    ASSIGN_OR_RETURN(Json json, Json::parse(stored_.text));
    row.document = std::make_shared<const Json>(std::move(json));
  }
  row.columns = document_columns(bound_, *collections_[at_], stored_, row.document.get());
  if (recheck) {
    ASSIGN_OR_RETURN(const bool kept, holds(bound_.document_filter, row));
    if (!kept) return false;
  }
  if (!bound_.used[kMatchesSlot] && !bound_.expands_matches) {
    pending_.push_back(std::move(row));
    return true;
  }
  RETURN_IF_ERROR(expand_matches(std::move(row)));
  return !pending_.empty();
}

Result<std::optional<SourceRow>> DocumentSource::next() {
  while (true) {
    if (!pending_.empty()) {
      SourceRow row = std::move(pending_.back());
      pending_.pop_back();
      ++trace_.back().rows;
      return row;
    }
    if (!is_open_) {
      if (at_ == collections_.size()) return std::nullopt;
      RETURN_IF_ERROR(open_collection());
    }
    RETURN_IF_ERROR(context_.check());
    ASSIGN_OR_RETURN(const bool found, next_stored());
    if (!found) {
      close_collection();
      continue;
    }
    RETURN_IF_ERROR(make_rows());
  }
}

// Without reading a document, where the statistics or an exact plan tell.
Result<std::optional<uint64_t>> DocumentSource::count_by_index() {
  const CollectionInfo& info = *collections_[at_];
  if (options_.lock != Lock::kNone || bound_.expands_matches) return std::nullopt;
  if (context_.scan_only) return std::nullopt;
  const PlanInput input{.core = &core_, .collection = &info, .view = view()};
  Plan plan;
  plan.exact = true;
  if (bound_.where) {
    ASSIGN_OR_RETURN(plan, make_plan(input, &*bound_.where, context_));
  }
  if (!plan.exact) return std::nullopt;
  if (plan.access == Access::kScan) {  // whatever there is
    ASSIGN_OR_RETURN(const schema_stats::PartTotals totals,
                     core_.stats->totals(static_cast<uint32_t>(info.part), input.view));
    trace_.push_back({.collection = info.full_name(), .access = Access::kNone});
    return totals.documents;
  }
  uint64_t count = 0;
  const uint64_t keys_before = context_.keys_read;
  if (plan.access != Access::kNone) {
    ASSIGN_OR_RETURN(const Found found, run_plan(input, plan, 0, context_));
    if (!found.exact) return std::nullopt;
    count = found.docs.size();
  }
  trace_.push_back({.collection = info.full_name(),
                    .access = plan.access,
                    .keys_read = context_.keys_read - keys_before,
                    .documents_read = 0,
                    .rows = count});
  return count;
}

Result<uint64_t> DocumentSource::count() {
  uint64_t total = 0;
  for (; at_ < collections_.size(); ++at_) {
    RETURN_IF_ERROR(context_.check());
    ASSIGN_OR_RETURN(const auto quick, count_by_index());
    if (quick) {
      total += *quick;
      continue;
    }
    RETURN_IF_ERROR(open_collection());
    while (true) {
      RETURN_IF_ERROR(context_.check());
      ASSIGN_OR_RETURN(const bool found, next_stored());
      if (!found) break;
      RETURN_IF_ERROR(make_rows());
      total += pending_.size();
      trace_.back().rows += pending_.size();
      pending_.clear();
    }
    close_collection();
    --at_;  // the loop steps on
  }
  return total;
}

}  // namespace wherestar::server
