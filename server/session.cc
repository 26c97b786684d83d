#include "server/session.h"

#include <ctime>
#include <functional>
#include <utility>

#include "server/accounts.h"
#include "server/definitions.h"
#include "server/modify.h"
#include "server/select.h"
#include "server/session_factory.h"
#include "server/show.h"
#include "server/sql_parser.h"
#include "server/variables.h"
#include "server/views.h"

namespace wherestar::server {

namespace {

constexpr uint32_t kNoEffect = 1235;  // ER_NOT_SUPPORTED_YET

// Rows are made as they are pulled, so their errors come when the statement seems over: the session
// hears of them all the same.
class SessionRows : public RowSource {
 public:
  SessionRows(std::unique_ptr<RowSource> rows, std::function<void(const Error&)> on_error)
      : rows_(std::move(rows)), on_error_(std::move(on_error)) {}

  Result<std::optional<ResultRow>> next() override {
    if (!rows_) return std::nullopt;
    auto row = rows_->next();
    if (!row) {
      rows_.reset();  // lets go of the transaction
      on_error_(row.error());
    }
    return row;
  }

 private:
  std::unique_ptr<RowSource> rows_;
  const std::function<void(const Error&)> on_error_;
};

class StoreSession : public Session {
 public:
  StoreSession(StoreCore& core, SessionOptions options)
      : core_(core),
        options_(std::move(options)),
        cancelled_(std::make_shared<std::atomic<bool>>(false)),
        database_(options_.database),
        variables_(core) {}
  ~StoreSession() override { transaction_.reset(); }

  Result<ExecuteResult> execute(const Statement& statement,
                                std::span<const SqlValue> arguments) override {
    cancelled_->store(false);
    const std::shared_ptr<StatementContext> previous = context_;
    context_ = make_context(arguments);
    const bool reads =
        std::holds_alternative<Select>(statement) || std::holds_alternative<Explain>(statement);
    const uint32_t timeout_ms =
        reads ? variables_.select_timeout_ms() : core_.options.statement_timeout_ms;
    if (timeout_ms > 0)
      context_->evaluation.deadline =
          std::chrono::steady_clock::now() + std::chrono::milliseconds(timeout_ms);
    if (previous && std::holds_alternative<Show>(statement)) {
      const Show& show = std::get<Show>(statement);
      if (show.kind == Show::Kind::kWarnings)
        context_->evaluation.warnings =
            previous->evaluation.warnings;  // asking for warnings does not forget them
    }
    return std::visit([this](const auto& one) { return run(one); }, statement);
  }

  Result<ExecuteResult> execute_sql(std::string_view text,
                                    std::span<const SqlValue> arguments) override {
    auto parsed = parse_sql(text);
    if (parsed && parsed->placeholders > arguments.size())
      parsed =
          fail(ErrorCode::kMissingArgument,
               "There are " + std::to_string(parsed->placeholders) + " placeholders and only " +
                   std::to_string(arguments.size()) + " values for them");
    if (!parsed) {
      context_ = make_context({});
      return std::unexpected(std::move(parsed).error());
    }
    return execute(parsed->statement, arguments);
  }

  const std::vector<Warning>& warnings() const override {
    static const std::vector<Warning> none;
    return context_ ? context_->evaluation.warnings : none;
  }
  bool in_transaction() const override { return transaction_ != nullptr; }
  const std::string& database() const override { return database_; }

  void reset() override {
    transaction_.reset();
    context_.reset();
    database_ = options_.database;
    variables_ = SessionVariables(core_);
  }

  void cancel() override {
    cancelled_->store(true);
    core_.locks.wake_all();
  }

 private:
  std::shared_ptr<StatementContext> make_context(std::span<const SqlValue> arguments) {
    auto context = std::make_shared<StatementContext>();
    context->arguments.assign(arguments.begin(), arguments.end());
    context->variables = variables_.all();
    context->cancelled = cancelled_;
    context->lock_wait_timeout = std::chrono::milliseconds(variables_.lock_wait_timeout_ms());
    context->scan_only = variables_.scan_only();
    context->memory_limit_bytes = core_.options.statement_memory_bytes;
    EvaluationContext& evaluation = context->evaluation;
    evaluation.arguments = context->arguments;
    evaluation.variables = &context->variables;
    evaluation.database = database_;
    evaluation.user = options_.user + "@" + options_.host;
    evaluation.connection_id = options_.connection_id;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    evaluation.now_unix_us = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
    return context;
  }

  // The open transaction, or one for this statement alone.
  std::shared_ptr<Transaction> transaction_for_statement() {
    if (transaction_) return transaction_;
    auto transaction = new_transaction(false);
    if (!variables_.autocommit()) transaction_ = transaction;
    return transaction;
  }

  std::shared_ptr<Transaction> new_transaction(bool read_only) const {
    return std::make_shared<Transaction>(
        core_, Transaction::Options{.read_only = read_only || variables_.read_only(),
                                    .read_committed = variables_.read_committed()});
  }

  ExecutionInput input(std::shared_ptr<Transaction> transaction) const {
    return {&core_, std::move(transaction), context_, database_};
  }

  Status check_writable() const {
    if (core_.options.read_only)
      return fail(ErrorCode::kReadOnly, "The store was opened read-only.");
    if (transaction_ ? transaction_->read_only() : variables_.read_only())
      return fail(ErrorCode::kReadOnly, "Cannot execute statement in a READ ONLY transaction.");
    return {};
  }

  // A deadlock's victim loses its transaction; any other failure undoes its statement alone.
  void give_up_after(const Error& error) {
    if (error.code != ErrorCode::kDeadlock || !transaction_) return;
    transaction_->rollback();
    transaction_.reset();
  }

  template <class Read>
  Result<ExecuteResult> read(const Read& run_it) {
    const std::shared_ptr<Transaction> transaction = transaction_for_statement();
    transaction->begin_read();
    auto result = run_it(input(transaction));
    if (!result) {
      give_up_after(result.error());
    } else if (result->rows) {
      result->rows = std::make_unique<SessionRows>(
          std::move(result->rows), [this](const Error& error) { give_up_after(error); });
    }
    return result;
  }

  template <class Write>
  Result<ExecuteResult> write(const Write& run_it,
                              fractal_tree::Purpose purpose = fractal_tree::Purpose::kWrite) {
    RETURN_IF_ERROR(check_writable());
    const std::shared_ptr<Transaction> transaction = transaction_for_statement();
    transaction->begin_read();
    transaction->begin_statement(purpose);
    auto result = run_it(input(transaction));
    if (!result) {
      transaction->undo_statement();
      give_up_after(result.error());
      return result;
    }
    transaction->end_statement();
    if (transaction != transaction_) RETURN_IF_ERROR(transaction->commit());
    return result;
  }

  Status commit_open() {
    const std::shared_ptr<Transaction> open = std::move(transaction_);
    transaction_.reset();
    return open ? open->commit() : Status();
  }

  template <class Definition>
  Result<ExecuteResult> define(const Definition& statement) {
    if (core_.options.read_only)
      return fail(ErrorCode::kReadOnly, "The store was opened read-only.");
    RETURN_IF_ERROR(commit_open());
    return execute_definition(input(new_transaction(false)), statement);
  }

  Result<ExecuteResult> run(const Select& select) {
    return read([&](const ExecutionInput& in) { return execute_select(in, select); });
  }
  Result<ExecuteResult> run(const Explain& explain) {
    return read([&](const ExecutionInput& in) { return execute_explain(in, explain); });
  }
  Result<ExecuteResult> run(const Show& show) {
    return read([&](const ExecutionInput& in) {
      return execute_show(in, show, context_->evaluation.warnings);
    });
  }
  Result<ExecuteResult> run(const ListObjects& list) {
    return read([&](const ExecutionInput& in) { return execute_list_objects(in, list); });
  }
  Result<ExecuteResult> run(const GetCollectionOptions& statement) {
    return read(
        [&](const ExecutionInput& in) { return execute_collection_options(in, statement); });
  }
  Result<ExecuteResult> run(const Insert& insert) {
    return write([&](const ExecutionInput& in) { return execute_insert(in, insert); });
  }
  Result<ExecuteResult> run(const Update& update) {
    return write([&](const ExecutionInput& in) { return execute_update(in, update); });
  }
  Result<ExecuteResult> run(const Delete& statement) {
    return write([&](const ExecutionInput& in) { return execute_delete(in, statement); },
                 fractal_tree::Purpose::kReclaim);
  }
  Result<ExecuteResult> run(const CreateDatabase& statement) { return define(statement); }
  Result<ExecuteResult> run(const CreateCollection& statement) { return define(statement); }
  Result<ExecuteResult> run(const ModifyCollection& statement) { return define(statement); }
  Result<ExecuteResult> run(const DropCollection& statement) { return define(statement); }
  Result<ExecuteResult> run(const CreateIndex& statement) { return define(statement); }
  Result<ExecuteResult> run(const DropIndex& statement) { return define(statement); }
  Result<ExecuteResult> run(const DropDatabase& statement) {
    auto result = define(statement);
    if (result && statement.name == database_) database_.clear();
    return result;
  }

  Result<ExecuteResult> run(const Use& use) {
    if (is_view_database(use.database)) {
      database_ = to_lower(use.database);
      return ExecuteResult{};
    }
    if (!core_.catalog->has_database(use.database))
      return fail(ErrorCode::kUnknownDatabase, "Unknown database '" + use.database + "'");
    database_ = use.database;
    return ExecuteResult{};
  }

  Result<ExecuteResult> run(const Begin& begin) {
    RETURN_IF_ERROR(commit_open());
    transaction_ = new_transaction(begin.read_only);
    return ExecuteResult{};
  }
  Result<ExecuteResult> run(const Commit&) {
    RETURN_IF_ERROR(commit_open());
    return ExecuteResult{};
  }
  Result<ExecuteResult> run(const Rollback& rollback) {
    if (!rollback.savepoint) {
      if (transaction_) transaction_->rollback();
      transaction_.reset();
      return ExecuteResult{};
    }
    if (!transaction_) return unknown_savepoint(*rollback.savepoint);
    RETURN_IF_ERROR(transaction_->rollback_to(*rollback.savepoint));
    return ExecuteResult{};
  }
  Result<ExecuteResult> run(const Savepoint& savepoint) {
    // In autocommit it is forgotten at the end of its own statement.
    if (!transaction_ && variables_.autocommit()) return ExecuteResult{};
    transaction_for_statement()->set_savepoint(savepoint.name);
    return ExecuteResult{};
  }
  Result<ExecuteResult> run(const ReleaseSavepoint& release) {
    if (!transaction_) return unknown_savepoint(release.name);
    RETURN_IF_ERROR(transaction_->release(release.name));
    return ExecuteResult{};
  }
  static Result<ExecuteResult> unknown_savepoint(const std::string& name) {
    return fail(ErrorCode::kUnknownSavepoint, "SAVEPOINT " + name + " does not exist");
  }

  Result<ExecuteResult> run(const SetVariables& statement) {
    for (const auto& assignment : statement.assignments) {
      ASSIGN_OR_RETURN(SqlValue value, evaluate(assignment.value, Row{}, context_->evaluation));
      RETURN_IF_ERROR(set_variable(assignment.name, std::move(value)));
    }
    return ExecuteResult{};
  }

  Status set_variable(const std::string& name, SqlValue value) {
    const bool was_autocommit = variables_.autocommit();
    ASSIGN_OR_RETURN(const bool has_effect, variables_.set(name, std::move(value)));
    if (!has_effect)
      context_->warn(Warning::Level::kNote, kNoEffect,
                     "Variable '" + name + "' is kept, but has no effect here");
    return variables_.autocommit() && !was_autocommit ? commit_open() : Status();
  }

  Result<ExecuteResult> run(const SetPassword& statement) {
    const std::string user = statement.user.value_or(options_.user);
    if (user != options_.user && options_.user != "root")
      return fail(ErrorCode::kAccessDenied, "Access denied for user '" + options_.user + "'@'" +
                                                options_.host +
                                                "': only root sets the password of others");
    RETURN_IF_ERROR(set_account_password(*core_.catalog, user, statement.password));
    return ExecuteResult{};
  }

  Result<ExecuteResult> run(const Analyze& analyze) {
    ASSIGN_OR_RETURN(const CollectionPtr collection,
                     find_collection(core_, database_, analyze.collection));
    std::vector<Column> columns;
    for (const char* name : {"Table", "Op", "Msg_type", "Msg_text"}) {
      Column column;
      column.name = column.original_name = name;
      columns.push_back(std::move(column));
    }
    std::vector<ResultRow> rows;
    rows.push_back({SqlValue::text(collection->full_name()), SqlValue::text("analyze"),
                    SqlValue::text("status"), SqlValue::text("OK")});
    return rows_result(std::move(columns), std::move(rows));
  }

  StoreCore& core_;
  const SessionOptions options_;
  std::shared_ptr<std::atomic<bool>> cancelled_;
  std::string database_;
  SessionVariables variables_;
  std::shared_ptr<Transaction> transaction_;   // the open one
  std::shared_ptr<StatementContext> context_;  // of the last statement
};

}  // namespace

std::unique_ptr<Session> make_store_session(StoreCore& core, SessionOptions options) {
  return std::make_unique<StoreSession>(core, std::move(options));
}

}  // namespace wherestar::server
