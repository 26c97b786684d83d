#include "server/modify.h"

#include <algorithm>
#include <set>
#include <utility>

#include "server/update.h"

namespace wherestar::server {

using document::Json;

namespace {

constexpr uint32_t kDuplicateEntry = 1062;
constexpr std::string_view kNotUnique =
    "Document contains a field value that is not unique but required to be";

// Locks the part against a drop; the collection may have gone or changed while waiting.
Result<CollectionPtr> open_for_write(const ExecutionInput& input, const CollectionRef& target) {
  ASSIGN_OR_RETURN(const CollectionPtr seen, find_collection(*input.core, input.database, target));
  RETURN_IF_ERROR(
      input.transaction->lock_part(seen->part, input.context->lock_request(LockMode::kShared)));
  ASSIGN_OR_RETURN(CollectionPtr now, find_collection(*input.core, input.database, target));
  if (now->id != seen->id)
    return fail(ErrorCode::kUnknownCollection, "Table '" + seen->full_name() + "' doesn't exist");
  return now;
}

// Before the first change of a document in a transaction that has a snapshot; it is locked.
Status bridge(const ExecutionInput& input, CollectionWriter& writer, std::string_view id_key) {
  const PartId part = writer.collection().part;
  fractal_tree::WriteBatch* batch = input.transaction->bridge(part, id_key);
  if (batch == nullptr) return {};
  const auto state =
      [&](const fractal_tree::ReadView& view) -> Result<std::optional<StoredDocument>> {
    ASSIGN_OR_RETURN(const auto doc, find_id(*input.core, part, id_key, view));
    if (!doc) return std::optional<StoredDocument>();
    return read_document(*input.core, part, *doc, view);
  };
  ASSIGN_OR_RETURN(const auto then, state({.snapshot = input.transaction->snapshot(), .own = {}}));
  ASSIGN_OR_RETURN(const auto now, state({}));
  return writer.carry_over(*batch, then, now);
}

// The text of a document as it was given.
Result<std::string> document_text(const SqlValue& value) {
  switch (value.type()) {
    case SqlType::kText:
    case SqlType::kBinary:
      return value.string();
    case SqlType::kJson:
      return value.json_as_text();
    default:
      return fail(ErrorCode::kNotAnObject, "a document must be a JSON object");
  }
}

class Inserter {
 public:
  Inserter(const ExecutionInput& input, const Insert& insert, CollectionWriter& writer)
      : input_(input), insert_(insert), writer_(writer), transaction_(*input.transaction) {}

  Status add(const Expression& expression) {
    ASSIGN_OR_RETURN(const SqlValue value, evaluate(expression, Row{}, input_.context->evaluation));
    ASSIGN_OR_RETURN(std::string text, document_text(value));
    ASSIGN_OR_RETURN(const PreparedDocument document, writer_.prepare(std::move(text)));
    const PartId part = writer_.collection().part;
    RETURN_IF_ERROR(transaction_.lock(part, document.id.key,
                                      input_.context->lock_request(LockMode::kExclusive)));
    ASSIGN_OR_RETURN(const auto present,
                     find_id(*input_.core, part, document.id.key, transaction_.newest_view()));
    RETURN_IF_ERROR(bridge(input_, writer_, document.id.key));
    if (present) return add_duplicate(*present, document);
    RETURN_IF_ERROR(writer_.insert(transaction_.layer(), document));
    ++affected_;
    if (document.generated) generated_ids_.push_back(id_text(document.id));
    return {};
  }

  ExecuteResult result() && {
    ExecuteResult result;
    result.rows_affected = affected_;
    result.generated_ids = std::move(generated_ids_);
    result.message = "Records: " + std::to_string(insert_.documents.size()) +
                     "  Duplicates: " + std::to_string(duplicates_) +
                     "  Warnings: " + std::to_string(input_.context->evaluation.warning_count);
    return result;
  }

 private:
  static std::string id_text(const document::DocumentKey& id) {
    return id.json.substr(1, id.json.size() - 2);  // without quotes; a generated id has no escapes
  }

  Status add_duplicate(DocId present, const PreparedDocument& document) {
    if (insert_.ignore) {
      ++duplicates_;
      input_.context->warn(Warning::Level::kWarning, kDuplicateEntry,
                           "Duplicate entry '" + document.id.json + "' for key '" +
                               writer_.collection().name + ".PRIMARY'");
      return {};
    }
    if (!insert_.upsert)
      return fail(ErrorCode::kDuplicateId, std::string(kNotUnique) + ": _id " + document.id.json +
                                               " in " + writer_.collection().full_name());
    ASSIGN_OR_RETURN(const auto before, read_document(*input_.core, writer_.collection().part,
                                                      present, transaction_.newest_view()));
    if (!before)
      return fail(
          ErrorCode::kCorruption,
          "ids: names a document of " + writer_.collection().full_name() + " that is not there");
    ++duplicates_;
    if (before->text == writer_.prepared_text()) {
      ++affected_;
      return {};
    }
    RETURN_IF_ERROR(writer_.replace(transaction_.layer(), *before, writer_.prepared_text()));
    affected_ += 2;
    return {};
  }

  const ExecutionInput& input_;
  const Insert& insert_;
  CollectionWriter& writer_;
  Transaction& transaction_;
  uint64_t affected_ = 0;
  uint64_t duplicates_ = 0;
  std::vector<std::string> generated_ids_;
};

struct Candidate {
  std::string id_key;
  std::vector<SqlValue> sort_keys;
};

struct LockedDocument {
  StoredDocument stored;
  Json json;
  std::vector<SqlValue> columns;  // by BaseSlot
};

// The documents an UPDATE or DELETE is about, in its order, by `_id`: gathered before the first of
// them is changed, so that the statement does not meet its own work. Where others had to be waited
// for, what they committed may match too: then it is gathered again, and each document that was
// not looked at yet follows.
class Changer {
 public:
  Changer(const ExecutionInput& input, CollectionWriter& writer, CollectionPtr collection)
      : input_(input), writer_(writer), collection_(std::move(collection)) {
    shape_.has_documents = true;
    shape_.database = collection_->database;
    shape_.name = collection_->name;
  }

  Status bind(const std::optional<Expression>& where, const std::vector<OrderItem>& order_by,
              const Limit& limit, const std::string& alias) {
    shape_.alias = alias;
    ASSIGN_OR_RETURN(bound_, bind_change(where, order_by, limit, shape_, *input_.context));
    return {};
  }

  // A value of SET, over the columns of the document's row.
  Status bind_value(Expression& value) { return server::bind_value(value, shape_, bound_); }

  Status gather() {
    candidates_.clear();
    at_ = 0;
    if (bound_.row_count == 0) return {};
    waits_before_ = input_.transaction->lock_waits();
    const bool ordered = !bound_.order_by.empty();
    DocumentSource source(
        *input_.core, *input_.transaction, {collection_}, bound_, *input_.context,
        {.lock = Lock::kNone, .wait = LockWait::kWait, .newest = true, .limit = 0});
    while (true) {
      ASSIGN_OR_RETURN(const auto row, source.next());
      if (!row) break;
      ASSIGN_OR_RETURN(Candidate candidate, candidate_of(*row));
      if (looked_at_.contains(candidate.id_key)) continue;
      RETURN_IF_ERROR(input_.context->charge(sizeof candidate + candidate.id_key.size() +
                                             64 * candidate.sort_keys.size()));
      candidates_.push_back(std::move(candidate));
    }
    if (ordered)
      std::ranges::stable_sort(candidates_, [this](const Candidate& a, const Candidate& b) {
        return sorts_before(a.sort_keys, b.sort_keys, bound_.order_by);
      });
    return {};
  }

  // The next document, locked and as it now is, if it still satisfies the condition.
  Result<std::optional<LockedDocument>> next() {
    while (!bound_.row_count || given_ < *bound_.row_count) {
      RETURN_IF_ERROR(input_.context->check());
      if (at_ == candidates_.size()) {
        if (input_.transaction->lock_waits() == waits_before_) break;
        RETURN_IF_ERROR(gather());
        continue;
      }
      Candidate& candidate = candidates_[at_++];
      ASSIGN_OR_RETURN(auto locked, lock(candidate.id_key));
      looked_at_.insert(std::move(candidate.id_key));
      if (!locked) continue;
      ++given_;
      return locked;
    }
    return std::nullopt;
  }

  uint64_t matched() const { return given_; }

 private:
  // nullopt: it went, or does not match any more.
  Result<std::optional<LockedDocument>> lock(const std::string& id_key) {
    const PartId part = collection_->part;
    Transaction& transaction = *input_.transaction;
    RETURN_IF_ERROR(
        transaction.lock(part, id_key, input_.context->lock_request(LockMode::kExclusive)));
    ASSIGN_OR_RETURN(const auto doc,
                     find_id(*input_.core, part, id_key, transaction.newest_view()));
    if (!doc) return std::nullopt;
    ASSIGN_OR_RETURN(auto stored,
                     read_document(*input_.core, part, *doc, transaction.newest_view()));
    if (!stored) return std::nullopt;
    LockedDocument locked;
    ASSIGN_OR_RETURN(locked.json, Json::parse(stored->text));
    locked.columns = document_columns(bound_, *collection_, *stored, &locked.json);
    if (bound_.where) {
      ASSIGN_OR_RETURN(const auto holds,
                       evaluate_condition(*bound_.where, Row{&locked.json, locked.columns},
                                          input_.context->evaluation));
      if (!holds.value_or(false)) return std::nullopt;
    }
    RETURN_IF_ERROR(bridge(input_, writer_, id_key));
    locked.stored = std::move(*stored);
    return locked;
  }

  Result<Candidate> candidate_of(const SourceRow& row) const {
    Candidate candidate;
    const Json* id = row.document->member("_id");
    if (!id) return fail(ErrorCode::kCorruption, "documents: a document without _id");
    ASSIGN_OR_RETURN(document::DocumentKey key, document::document_key(*id));
    candidate.id_key = std::move(key.key);
    for (const OrderItem& item : bound_.order_by) {
      ASSIGN_OR_RETURN(SqlValue value,
                       evaluate(item.expression, Row{row.document.get(), row.columns},
                                input_.context->evaluation));
      candidate.sort_keys.push_back(std::move(value));
    }
    return candidate;
  }

  const ExecutionInput& input_;
  CollectionWriter& writer_;
  CollectionPtr collection_;
  SourceShape shape_;
  BoundSelect bound_;
  std::vector<Candidate> candidates_;
  size_t at_ = 0;
  std::set<std::string> looked_at_;  // by `_id`
  uint64_t waits_before_ = 0;        // Transaction::lock_waits() when it was gathered
  uint64_t given_ = 0;
};

}  // namespace

Result<ExecuteResult> execute_insert(const ExecutionInput& input, const Insert& insert) {
  input.context->evaluation.strict = true;
  ASSIGN_OR_RETURN(const CollectionPtr collection, open_for_write(input, insert.into));
  ASSIGN_OR_RETURN(CollectionWriter writer, CollectionWriter::make(*input.core, collection));
  Inserter inserter(input, insert, writer);
  for (const Expression& document : insert.documents) {
    RETURN_IF_ERROR(input.context->check());
    RETURN_IF_ERROR(inserter.add(document));
  }
  return std::move(inserter).result();
}

Result<ExecuteResult> execute_update(const ExecutionInput& input, const Update& update) {
  RETURN_IF_ERROR(check_operations(update.operations));
  ASSIGN_OR_RETURN(const CollectionPtr collection, open_for_write(input, update.target));
  ASSIGN_OR_RETURN(CollectionWriter writer, CollectionWriter::make(*input.core, collection));
  Changer changer(input, writer, collection);
  RETURN_IF_ERROR(changer.bind(update.where, update.order_by, update.limit, update.target.alias));
  std::vector<UpdateOperation> operations = update.operations;
  for (UpdateOperation& operation : operations) {
    if (operation.kind == UpdateOperation::Kind::kRemove) continue;
    RETURN_IF_ERROR(changer.bind_value(operation.value));
  }
  RETURN_IF_ERROR(changer.gather());
  uint64_t changed = 0;
  while (true) {
    ASSIGN_OR_RETURN(auto next, changer.next());
    if (!next) break;
    const auto& [stored, before, columns] = *next;
    input.context->evaluation.strict = true;  // of the new values, not of the condition
    ASSIGN_OR_RETURN(const Json after,
                     apply_operations(before, columns, operations, *input.context));
    input.context->evaluation.strict = false;
    std::string text = after.to_text();
    if (text == before.to_text()) continue;
    if (text.size() > document::kMaxDocumentBytes)
      return fail(ErrorCode::kTooLarge, "the changed document is over " +
                                            std::to_string(document::kMaxDocumentBytes) + " bytes");
    RETURN_IF_ERROR(writer.replace(input.transaction->layer(), stored, std::move(text)));
    ++changed;
  }
  ExecuteResult result;
  result.rows_affected = changed;
  result.message = "Rows matched: " + std::to_string(changer.matched()) +
                   "  Changed: " + std::to_string(changed) +
                   "  Warnings: " + std::to_string(input.context->evaluation.warning_count);
  return result;
}

Result<ExecuteResult> execute_delete(const ExecutionInput& input, const Delete& statement) {
  ASSIGN_OR_RETURN(const CollectionPtr collection, open_for_write(input, statement.target));
  ASSIGN_OR_RETURN(CollectionWriter writer, CollectionWriter::make(*input.core, collection));
  Changer changer(input, writer, collection);
  RETURN_IF_ERROR(
      changer.bind(statement.where, statement.order_by, statement.limit, statement.target.alias));
  RETURN_IF_ERROR(changer.gather());
  ExecuteResult result;
  while (true) {
    ASSIGN_OR_RETURN(auto next, changer.next());
    if (!next) break;
    RETURN_IF_ERROR(writer.remove(input.transaction->layer(), next->stored));
    ++result.rows_affected;
  }
  return result;
}

}  // namespace wherestar::server
