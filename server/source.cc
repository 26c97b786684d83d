#include "server/source.h"

#include <algorithm>
#include <utility>

namespace wherestar::server {

using document::Json;
using document::Place;
using fractal_tree::ReadView;

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
  const CollectionInfo& info = *collections_[at_];
  keys_before_ = context_.keys_read;
  documents_before_ = context_.documents_read;
  trace_.push_back({.collection = info.full_name()});
  const PlanInput input{.core = &core_, .part = info.part, .view = view()};
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
    const bool each_is_a_row = !bound_.match_filter && options_.lock == Lock::kNone;
    ASSIGN_OR_RETURN(const Found found,
                     run_plan(input, plan, each_is_a_row ? options_.limit : 0, context_));
    recheck_ = !found.exact;
    docs_ = found.docs.to_vector();
  }
  is_open_ = true;
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

Result<bool> DocumentSource::next_stored() {
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
  const LockRequest request{
      .mode = options_.lock == Lock::kShared ? LockMode::kShared : LockMode::kExclusive,
      .wait = options_.wait == LockWait::kWait,
      .timeout = {},
      .cancelled = context_.cancelled.get()};
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
  return true;
}

Status DocumentSource::fill_columns(SourceRow& row, const std::vector<Place>* matches) const {
  row.columns.resize(kBaseSlotCount);
  if (bound_.used[kCollectionSlot])
    row.columns[kCollectionSlot] = SqlValue::text(collections_[at_]->full_name());
  if (bound_.used[kIdSlot]) {
    if (const Json* id = row.document->member("_id"))
      row.columns[kIdSlot] = SqlValue::text(id->is_string() ? id->as_string() : id->number_text());
  }
  if (bound_.used[kDocSlot]) row.columns[kDocSlot] = SqlValue::json_text(stored_.text);
  if (bound_.used[kMatchesSlot] && matches) {
    Json::Array list;
    for (const Place& place : *matches) {
      Json::Object entry;
      entry.emplace_back("path", Json::string(place.place));
      entry.emplace_back("value", *place.value);
      list.push_back(Json::object(std::move(entry)));
    }
    row.columns[kMatchesSlot] = SqlValue::json(Json::array(std::move(list)));
  }
  return {};
}

Status DocumentSource::expand_matches(const SourceRow& row) {
  std::vector<Place> matches;
  if (bound_.where) {
    ASSIGN_OR_RETURN(matches, collect_matches(*bound_.where, Row{row.document.get(), row.columns},
                                              context_.evaluation));
  }
  if (!bound_.expands_matches) {
    pending_.push_back(row);
    return fill_columns(pending_.back(), &matches);
  }
  SourceRow filled = row;
  RETURN_IF_ERROR(fill_columns(filled, &matches));
  for (const Place& place : matches) {
    SourceRow match = filled;
    match.columns[kPathSlot] = SqlValue::text(place.canonical);
    match.columns[kPlaceSlot] = SqlValue::text(place.place);
    match.columns[kValueSlot] = SqlValue::json(*place.value);
    if (bound_.match_filter) {
      ASSIGN_OR_RETURN(
          const auto holds,
          evaluate_condition(*bound_.match_filter, Row{match.document.get(), match.columns},
                             context_.evaluation));
      if (!holds.value_or(false)) continue;
    }
    pending_.push_back(std::move(match));
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
  const bool recheck = (recheck_ || options_.lock != Lock::kNone) && bound_.where.has_value();
  if (recheck || bound_.needs_document) {
    ASSIGN_OR_RETURN(Json json, Json::parse(stored_.text));
    row.document = std::make_shared<const Json>(std::move(json));
  }
  if (bound_.used[kMatchesSlot] || bound_.expands_matches) {
    if (recheck) {
      ASSIGN_OR_RETURN(const auto holds,
                       evaluate_condition(*bound_.where, Row{row.document.get(), row.columns},
                                          context_.evaluation));
      if (!holds.value_or(false)) return false;
    }
    RETURN_IF_ERROR(expand_matches(row));
    return !pending_.empty();
  }
  RETURN_IF_ERROR(fill_columns(row, nullptr));
  if (recheck) {
    ASSIGN_OR_RETURN(const auto holds,
                     evaluate_condition(*bound_.where, Row{row.document.get(), row.columns},
                                        context_.evaluation));
    if (!holds.value_or(false)) return false;
  }
  pending_.push_back(std::move(row));
  return true;
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
  if (core_.scan_only.load(std::memory_order_relaxed)) return std::nullopt;
  const PlanInput input{.core = &core_, .part = info.part, .view = view()};
  if (!bound_.where) {
    ASSIGN_OR_RETURN(const schema_stats::PartTotals totals,
                     core_.stats->totals(static_cast<uint32_t>(info.part), input.view));
    trace_.push_back({.collection = info.full_name(), .access = Access::kNone});
    return totals.documents;
  }
  ASSIGN_OR_RETURN(const Plan plan, make_plan(input, &*bound_.where, context_));
  if (!plan.exact || plan.access == Access::kScan) return std::nullopt;
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
