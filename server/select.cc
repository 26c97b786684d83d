#include "server/select.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "server/views.h"

namespace wherestar::server {

namespace {

uint64_t memory_of(const SqlValue& value) {
  uint64_t bytes = sizeof(SqlValue) + value.string().size();
  if (value.type() == SqlType::kJson) bytes += 64 + value.json_as_text().size();
  return bytes;
}

uint64_t memory_of(const std::vector<SqlValue>& values) {
  uint64_t bytes = sizeof values;
  for (const SqlValue& value : values) bytes += memory_of(value);
  return bytes;
}

class MemoryRows : public RowSource {
 public:
  explicit MemoryRows(std::vector<ResultRow> rows) : rows_(std::move(rows)) {}
  Result<std::optional<ResultRow>> next() override {
    if (at_ == rows_.size()) return std::nullopt;
    return std::move(rows_[at_++]);
  }

 private:
  std::vector<ResultRow> rows_;
  size_t at_ = 0;
};

struct Group {
  SourceRow first;  // what expressions outside aggregates see
  std::vector<std::unique_ptr<Accumulator>> accumulators;
};

struct SortedRow {
  std::vector<SqlValue> keys;
  ResultRow row;
};

class SelectRows : public RowSource {
 public:
  SelectRows(std::shared_ptr<Transaction> transaction, std::shared_ptr<StatementContext> context)
      : transaction_(std::move(transaction)), context_(std::move(context)) {}

  BoundSelect& bound() { return bound_; }
  void set_source(std::unique_ptr<Source> source) { source_ = std::move(source); }
  const Source* source() const { return source_.get(); }

  Result<std::optional<ResultRow>> next() override {
    if (done_) return std::nullopt;
    auto row = next_row();
    if (!row || !*row) done_ = true;  // keeps source_ for EXPLAIN ANALYZE
    return row;
  }

 private:
  Row row_of(const SourceRow& row) const { return Row{row.document.get(), row.columns}; }

  bool gathers() const { return bound_.grouped || !bound_.order_by.empty(); }

  Result<std::optional<ResultRow>> next_row() {
    if (bound_.row_count && given_ >= *bound_.row_count) return std::nullopt;
    if (gathers()) {
      if (!gathered_) RETURN_IF_ERROR(gather());
      gathered_ = true;
      while (sorted_at_ < sorted_.size()) {
        ResultRow row = std::move(sorted_[sorted_at_++].row);
        if (skipped_ < bound_.offset) {
          ++skipped_;
          continue;
        }
        ++given_;
        return row;
      }
      return std::nullopt;
    }
    while (true) {
      ASSIGN_OR_RETURN(const auto source_row, next_having());
      if (!source_row) return std::nullopt;
      ASSIGN_OR_RETURN(ResultRow row, project(*source_row));
      ASSIGN_OR_RETURN(const bool fresh, is_fresh(row));
      if (!fresh) continue;
      if (skipped_ < bound_.offset) {
        ++skipped_;
        continue;
      }
      ++given_;
      return row;
    }
  }

  // Without groups HAVING filters rows, behind the WHERE.
  Result<std::optional<SourceRow>> next_having() {
    while (true) {
      ASSIGN_OR_RETURN(auto row, source_->next());
      if (!row || !bound_.having) return row;
      ASSIGN_OR_RETURN(const auto holds,
                       evaluate_condition(*bound_.having, row_of(*row), context_->evaluation));
      if (holds.value_or(false)) return row;
    }
  }

  Result<ResultRow> project(const SourceRow& row) {
    ResultRow out;
    out.reserve(bound_.projections.size());
    for (const Expression& projection : bound_.projections) {
      ASSIGN_OR_RETURN(SqlValue value, evaluate(projection, row_of(row), context_->evaluation));
      out.push_back(std::move(value));
    }
    return out;
  }

  Result<bool> is_fresh(const ResultRow& row) {
    if (!bound_.distinct) return true;
    std::string key = group_key(row);
    RETURN_IF_ERROR(context_->charge(key.size() + 64));
    return seen_.insert(std::move(key)).second;
  }

  Status gather() {
    if (bound_.grouped) {
      RETURN_IF_ERROR(group());
    } else {
      while (true) {
        ASSIGN_OR_RETURN(const auto row, next_having());
        if (!row) break;
        RETURN_IF_ERROR(keep(*row));
      }
    }
    if (!bound_.order_by.empty()) sort();
    return {};
  }

  void sort() {
    std::ranges::stable_sort(sorted_, [this](const SortedRow& a, const SortedRow& b) {
      return sorts_before(a.keys, b.keys, bound_.order_by);
    });
  }

  // A row that grouping has done with, or that needs none: into the sort.
  Status keep(const SourceRow& row) {
    SortedRow kept;
    ASSIGN_OR_RETURN(kept.row, project(row));
    ASSIGN_OR_RETURN(const bool fresh, is_fresh(kept.row));
    if (!fresh) return {};
    for (const OrderItem& item : bound_.order_by) {
      ASSIGN_OR_RETURN(SqlValue key, evaluate(item.expression, row_of(row), context_->evaluation));
      kept.keys.push_back(std::move(key));
    }
    const uint64_t bytes = memory_of(kept.keys) + memory_of(kept.row);
    RETURN_IF_ERROR(context_->charge(bytes));
    sorted_.push_back(std::move(kept));
    drop_beyond_limit();
    return {};
  }

  // With a LIMIT only the first rows are kept, cut whenever there are twice as many.
  void drop_beyond_limit() {
    constexpr uint64_t kAtLeast = 1024;
    if (!bound_.row_count || bound_.order_by.empty() || bound_.offset > UINT32_MAX ||
        *bound_.row_count > UINT32_MAX)
      return;
    const uint64_t wanted = *bound_.row_count + bound_.offset;
    if (sorted_.size() < 2 * wanted + kAtLeast) return;
    sort();
    for (size_t i = wanted; i < sorted_.size(); ++i)
      context_->refund(memory_of(sorted_[i].keys) + memory_of(sorted_[i].row));
    sorted_.resize(wanted);
  }

  Result<Group> new_group(SourceRow first) {
    Group group;
    group.first = std::move(first);
    for (const Expression& aggregate : bound_.aggregates) {
      ASSIGN_OR_RETURN(auto accumulator, Accumulator::make(aggregate));
      group.accumulators.push_back(std::move(accumulator));
    }
    return group;
  }

  Status group() {
    if (bound_.counts_only) return count();
    std::vector<Group> groups;
    std::map<std::string, size_t> by_key;
    while (true) {
      ASSIGN_OR_RETURN(auto row, source_->next());
      if (!row) break;
      std::vector<SqlValue> keys;
      for (const Expression& expression : bound_.group_by) {
        ASSIGN_OR_RETURN(SqlValue key, evaluate(expression, row_of(*row), context_->evaluation));
        keys.push_back(std::move(key));
      }
      const auto [found, is_new] = by_key.try_emplace(group_key(keys), groups.size());
      if (is_new) {
        const uint64_t document = row->document ? 256 : 0;
        RETURN_IF_ERROR(
            context_->charge(found->first.size() + 256 + document + memory_of(row->columns)));
        ASSIGN_OR_RETURN(Group group, new_group(*row));
        groups.push_back(std::move(group));
      }
      RETURN_IF_ERROR(accumulate(groups[found->second], *row));
    }
    if (groups.empty() && bound_.group_by.empty()) {
      SourceRow nothing;
      nothing.columns.resize(bound_.base_slots);
      ASSIGN_OR_RETURN(Group group, new_group(std::move(nothing)));
      groups.push_back(std::move(group));
    }
    for (Group& group : groups) {
      SourceRow row = std::move(group.first);
      row.columns.resize(bound_.base_slots);
      for (auto& accumulator : group.accumulators) {
        ASSIGN_OR_RETURN(SqlValue value, accumulator->result(context_->evaluation));
        row.columns.push_back(std::move(value));
      }
      RETURN_IF_ERROR(keep_if_having(row));
    }
    return {};
  }

  Status accumulate(Group& group, const SourceRow& row) {
    for (auto& accumulator : group.accumulators) {
      const size_t before = accumulator->memory_bytes();
      RETURN_IF_ERROR(accumulator->add(row_of(row), context_->evaluation));
      const size_t after = accumulator->memory_bytes();
      if (after > before) RETURN_IF_ERROR(context_->charge(after - before));
    }
    return {};
  }

  Status count() {
    ASSIGN_OR_RETURN(const uint64_t rows, source_->count());
    SourceRow row;
    row.columns.resize(bound_.base_slots);
    for (size_t i = 0; i < bound_.aggregates.size(); ++i)
      row.columns.push_back(SqlValue::signed_integer(static_cast<int64_t>(rows)));
    return keep_if_having(row);
  }

  Status keep_if_having(const SourceRow& row) {
    if (bound_.having) {
      ASSIGN_OR_RETURN(const auto holds,
                       evaluate_condition(*bound_.having, row_of(row), context_->evaluation));
      if (!holds.value_or(false)) return {};
    }
    return keep(row);
  }

  std::shared_ptr<Transaction> transaction_;  // keeps its snapshot and locks while rows are read
  std::shared_ptr<StatementContext> context_;
  BoundSelect bound_;
  std::unique_ptr<Source> source_;
  bool done_ = false;
  bool gathered_ = false;
  std::vector<SortedRow> sorted_;
  size_t sorted_at_ = 0;
  std::set<std::string> seen_;
  uint64_t skipped_ = 0;
  uint64_t given_ = 0;
};

struct Opened {
  std::vector<Column> columns;
  std::unique_ptr<SelectRows> rows;
  std::vector<CollectionPtr> collections;
  bool has_documents = false;
};

uint64_t rows_wanted(const BoundSelect& bound) {
  if (!bound.row_count || bound.grouped || bound.distinct || bound.having ||
      !bound.order_by.empty())
    return 0;
  if (bound.offset > UINT32_MAX || *bound.row_count > UINT32_MAX) return 0;
  return std::max<uint64_t>(1, *bound.row_count + bound.offset);
}

Result<Opened> open_select(const ExecutionInput& input, const Select& select) {
  Opened opened;
  SourceShape shape;
  std::optional<View> view;
  if (select.from) {
    shape.alias = select.from->alias;
    ASSIGN_OR_RETURN(view, find_view(input.database, *select.from));
    if (view) {
      shape.database = view->database;
      shape.name = view->name;
      shape.columns = view->columns;
    } else {
      ASSIGN_OR_RETURN(opened.collections,
                       find_collections(*input.core, input.database, *select.from));
      opened.has_documents = shape.has_documents = true;
      shape.many_collections = select.from->any_database || select.from->any_collection;
      if (!shape.many_collections) {
        shape.database = opened.collections.front()->database;
        shape.name = opened.collections.front()->name;
      }
    }
  }
  opened.rows = std::make_unique<SelectRows>(input.transaction, input.context);
  BoundSelect& bound = opened.rows->bound();
  ASSIGN_OR_RETURN(bound, bind_select(select, shape, *input.context));
  opened.columns = bound.columns;
  if (opened.has_documents) {
    opened.rows->set_source(std::make_unique<DocumentSource>(
        *input.core, *input.transaction, opened.collections, bound, *input.context,
        DocumentSourceOptions{.lock = select.lock,
                              .wait = select.lock_wait,
                              .newest = false,
                              .limit = rows_wanted(bound)}));
  } else {
    std::vector<ResultRow> rows(1);  // of a SELECT without FROM
    if (view) {
      ASSIGN_OR_RETURN(rows, view_rows(input, *view, bound));
    }
    opened.rows->set_source(std::make_unique<RowsSource>(
        std::move(rows), bound.where ? &*bound.where : nullptr, *input.context));
  }
  return opened;
}

Column text_column(std::string name, SqlType type = SqlType::kText) {
  Column column;
  column.name = column.original_name = std::move(name);
  column.type = type;
  return column;
}

std::string filter_text(const BoundSelect& bound, const Plan& plan) {
  if (!bound.where) return "";
  if (plan.exact) return "exact";
  return plan.access == Access::kScan ? "every document is checked" : "recheck";
}

}  // namespace

bool sorts_before(const std::vector<SqlValue>& a, const std::vector<SqlValue>& b,
                  const std::vector<OrderItem>& order) {
  for (size_t i = 0; i < order.size(); ++i) {
    const std::weak_ordering compared = compare_for_sort(a[i], b[i]);
    if (compared == 0) continue;
    return order[i].descending ? compared > 0 : compared < 0;
  }
  return false;
}

ExecuteResult rows_result(std::vector<Column> columns, std::vector<ResultRow> rows) {
  ExecuteResult result;
  result.columns = std::move(columns);
  result.rows = std::make_unique<MemoryRows>(std::move(rows));
  return result;
}

Result<CollectionPtr> find_collection(const StoreCore& core, const std::string& default_database,
                                      const CollectionRef& reference) {
  const std::string& database = reference.database.empty() ? default_database : reference.database;
  if (database.empty()) return fail(ErrorCode::kNoDatabase, "No database selected");
  if (!core.catalog->has_database(database))
    return fail(ErrorCode::kUnknownDatabase, "Unknown database '" + database + "'");
  CollectionPtr found = core.catalog->find(database, reference.collection);
  if (!found)
    return fail(ErrorCode::kUnknownCollection,
                "Table '" + database + "." + reference.collection + "' doesn't exist");
  return found;
}

Result<std::vector<CollectionPtr>> find_collections(const StoreCore& core,
                                                    const std::string& default_database,
                                                    const CollectionRef& from) {
  if (from.any_database) return core.catalog->collections(std::nullopt);
  if (from.any_collection) {
    const std::string& database = from.database.empty() ? default_database : from.database;
    if (database.empty()) return fail(ErrorCode::kNoDatabase, "No database selected");
    if (!core.catalog->has_database(database))
      return fail(ErrorCode::kUnknownDatabase, "Unknown database '" + database + "'");
    return core.catalog->collections(database);
  }
  ASSIGN_OR_RETURN(CollectionPtr one, find_collection(core, default_database, from));
  return std::vector<CollectionPtr>{std::move(one)};
}

Result<ExecuteResult> execute_select(const ExecutionInput& input, const Select& select) {
  ASSIGN_OR_RETURN(Opened opened, open_select(input, select));
  ExecuteResult result;
  result.columns = std::move(opened.columns);
  result.rows = std::move(opened.rows);
  return result;
}

Result<ExecuteResult> execute_explain(const ExecutionInput& input, const Explain& explain) {
  std::vector<Column> columns = {
      text_column("collection"), text_column("access"),
      text_column("keys"),       text_column("estimated_documents", SqlType::kUnsigned),
      text_column("filter"),     text_column("text")};
  if (explain.analyze) {
    for (const char* name : {"keys_read", "documents_read", "rows"})
      columns.push_back(text_column(name, SqlType::kUnsigned));
    columns.push_back(text_column("time_ms", SqlType::kDouble));
  }
  ASSIGN_OR_RETURN(Opened opened, open_select(input, explain.select));
  const BoundSelect& bound = opened.rows->bound();
  const auto start = std::chrono::steady_clock::now();
  std::vector<ResultRow> rows;
  for (const CollectionPtr& collection : opened.collections) {
    const PlanInput plan_input{.core = input.core,
                               .collection = collection.get(),
                               .view = input.transaction->snapshot_view(),
                               .explain = true};
    ASSIGN_OR_RETURN(const Plan plan,
                     make_plan(plan_input, bound.where ? &*bound.where : nullptr, *input.context));
    rows.push_back({SqlValue::text(collection->full_name()),
                    SqlValue::text(std::string(access_name(plan.access))),
                    SqlValue::text(plan.keys), SqlValue::unsigned_integer(plan.estimated_documents),
                    SqlValue::text(filter_text(bound, plan)),
                    SqlValue::text(explain.select.where ? explain.select.where->text : "")});
  }
  if (!explain.analyze) return rows_result(std::move(columns), std::move(rows));
  while (true) {
    ASSIGN_OR_RETURN(const auto row, opened.rows->next());
    if (!row) break;
  }
  const double elapsed_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  if (opened.has_documents) {
    const auto trace = static_cast<const DocumentSource*>(opened.rows->source())->trace();
    for (size_t i = 0; i < rows.size(); ++i) {
      const CollectionTrace done = i < trace.size() ? trace[i] : CollectionTrace{};
      rows[i].push_back(SqlValue::unsigned_integer(done.keys_read));
      rows[i].push_back(SqlValue::unsigned_integer(done.documents_read));
      rows[i].push_back(SqlValue::unsigned_integer(done.rows));
      rows[i].push_back(SqlValue::real(elapsed_ms));
    }
  }
  return rows_result(std::move(columns), std::move(rows));
}

}  // namespace wherestar::server
