// A store whose statements do what a test says: the protocol is tested without an engine.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/store.h"

namespace wherestar::xproto_test {

using server::ExecuteResult;
using server::ResultRow;
using server::SqlValue;

// `count` rows of one text column, made as they are pulled.
class CountedRows : public server::RowSource {
 public:
  CountedRows(size_t count, size_t row_bytes, size_t fail_at)
      : count_(count), row_bytes_(row_bytes), fail_at_(fail_at) {}
  Result<std::optional<ResultRow>> next() override {
    if (made_ == fail_at_) return fail(ErrorCode::kDivisionByZero, "Division by 0");
    if (made_ == count_) return std::optional<ResultRow>();
    ++made_;
    return std::optional<ResultRow>(ResultRow{SqlValue::text(std::string(row_bytes_, 'x'))});
  }

 private:
  size_t count_;
  size_t row_bytes_;
  size_t fail_at_;
  size_t made_ = 0;
};

struct FakeState {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> statements;  // SQL as it came; "execute N" for trees of kind N
  std::vector<size_t> argument_counts;
  int sessions = 0;
  bool blocked = false;  // a statement "block" is waiting
  bool released = false;
  uint64_t next_rows = 0;
  server::Account root{.name = "root", .mysql41_verifier = "", .sha256_verifier = ""};
};

class FakeSession : public server::Session {
 public:
  FakeSession(FakeState& state, server::SessionOptions options)
      : state_(state), database_(options.database) {
    std::lock_guard lock(state_.mutex);
    ++state_.sessions;
  }
  ~FakeSession() override {
    std::lock_guard lock(state_.mutex);
    --state_.sessions;
    state_.changed.notify_all();
  }

  Result<ExecuteResult> execute(const server::Statement& statement,
                                std::span<const SqlValue> arguments) override {
    record("execute " + std::to_string(statement.index()), arguments.size());
    if (std::holds_alternative<server::Insert>(statement)) {
      ExecuteResult result;
      result.rows_affected = 1;
      result.generated_ids = {"0001"};
      result.message = "Records: 1  Duplicates: 0  Warnings: 0";
      return result;
    }
    if (std::holds_alternative<server::Select>(statement)) return rows(2, 3, SIZE_MAX);
    ExecuteResult result;
    result.rows_affected = 1;
    return result;
  }

  Result<ExecuteResult> execute_sql(std::string_view text,
                                    std::span<const SqlValue> arguments) override {
    record(std::string(text), arguments.size());
    if (text == "fail") return fail(ErrorCode::kUnknownCollection, "Table 's.c' doesn't exist");
    if (text == "two rows") return rows(2, 3, SIZE_MAX);
    if (text == "fail in rows") return rows(5, 3, 2);
    if (text == "many rows") return rows(20'000, 1000, SIZE_MAX);
    if (text == "block") return block();
    if (text == "throw") throw std::bad_alloc();
    ExecuteResult result;
    result.rows_affected = 7;
    return result;
  }

  const std::vector<server::Warning>& warnings() const override { return warnings_; }
  bool in_transaction() const override { return false; }
  const std::string& database() const override { return database_; }
  void reset() override { record("reset", 0); }
  void cancel() override {
    std::lock_guard lock(state_.mutex);
    cancelled_ = true;
    state_.changed.notify_all();
  }

 private:
  static ExecuteResult rows(size_t count, size_t row_bytes, size_t fail_at) {
    ExecuteResult result;
    server::Column column;
    column.name = "doc";
    column.type = server::SqlType::kText;
    result.columns = {column};
    result.rows = std::make_unique<CountedRows>(count, row_bytes, fail_at);
    return result;
  }

  Result<ExecuteResult> block() {
    std::unique_lock lock(state_.mutex);
    state_.blocked = true;
    state_.changed.notify_all();
    state_.changed.wait(lock, [&] { return cancelled_ || state_.released; });
    if (cancelled_) return fail(ErrorCode::kCancelled, "Query execution was interrupted");
    return ExecuteResult{};
  }

  void record(std::string text, size_t arguments) {
    std::lock_guard lock(state_.mutex);
    state_.statements.push_back(std::move(text));
    state_.argument_counts.push_back(arguments);
  }

  FakeState& state_;
  std::string database_;
  bool cancelled_ = false;  // guarded by state_.mutex
  std::vector<server::Warning> warnings_{
      {.level = server::Warning::Level::kNote, .code = 1051, .message = "a note"}};
};

class FakeStore : public server::Store {
 public:
  FakeState state;

  Result<std::unique_ptr<server::Session>> make_session(
      const server::SessionOptions& options) override {
    if (options.database == "nowhere") {
      return fail(ErrorCode::kUnknownDatabase, "Unknown database 'nowhere'");
    }
    return std::make_unique<FakeSession>(state, options);
  }
  Result<std::optional<server::Account>> account(std::string_view user) override {
    std::lock_guard lock(state.mutex);
    if (user != "root") return std::optional<server::Account>();
    return std::optional<server::Account>(state.root);
  }
  Status set_password(std::string_view, std::string_view) override { return {}; }
  Result<bool> database_exists(std::string_view) override { return true; }
  Status checkpoint() override { return {}; }
  Result<server::StoreReport> verify() override { return server::StoreReport{}; }
  Status reindex(const std::function<void(uint64_t, uint64_t)>&) override { return {}; }
  fractal_tree::EngineCounters counters() const override { return {}; }
};

}  // namespace wherestar::xproto_test
