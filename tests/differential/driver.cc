// A store behind a pipe: one request a line comes in, one reply a line goes out, as JSON.
//
//   differential_driver DIRECTORY [LOCK_WAIT_TIMEOUT_MS]
//
//   {"s": "a", "sql": "SELECT n FROM shop.items"}
//     -> {"s": "a", "columns": ["n"], "rows": [[{"json": "1.0"}]], "affected": 0}
//     -> {"s": "a", "error": "Deadlock found ...", "code": "deadlock"}
//   {"op": "verify"}               -> {"op": "verify", "documents": 7, "problems": []}
//   {"op": "checkpoint"}           -> {"op": "checkpoint"}
//   {"op": "cancel", "s": "a"}     -> {"op": "cancel", "s": "a"}, and an error from the statement
//   {"op": "close", "s": "a"}      -> {"op": "close", "s": "a"}; its transaction is rolled back
//
// Every session has a thread and a queue, so that a statement that waits for a lock holds up only
// what its own session was asked next. In a row, JSON is {"json": text}, so that its numbers arrive
// as they are stored, text is a string, NULL is null, a number is a number; what JSON cannot hold
// is {"special": text}. The end of the input ends all sessions; a crash is for the caller to make.
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "document/json.h"
#include "server/store.h"

using namespace wherestar;
using namespace wherestar::server;
using document::Json;

namespace {

void reply(const Json& line) {
  static std::mutex mutex;
  const std::string text = line.to_text() + "\n";
  const std::lock_guard lock(mutex);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

const char* code_name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kDeadlock:
      return "deadlock";
    case ErrorCode::kLockTimeout:
      return "lock_timeout";
    case ErrorCode::kLockNowait:
      return "lock_nowait";
    case ErrorCode::kCancelled:
      return "cancelled";
    case ErrorCode::kDuplicateId:
      return "duplicate_id";
    case ErrorCode::kUnknownSavepoint:
      return "unknown_savepoint";
    case ErrorCode::kUnknownVariable:
      return "unknown_variable";
    case ErrorCode::kUnknownColumn:
      return "unknown_column";
    case ErrorCode::kSqlSyntax:
      return "syntax";
    case ErrorCode::kInternal:
      return "internal";
    case ErrorCode::kCorruption:
      return "corruption";
    default:
      return "other";
  }
}

Json error_reply(const std::string& session, const Error& error) {
  Json out = Json::object();
  out.set_member("s", Json::string(session));
  out.set_member("error", Json::string(error.message));
  out.set_member("code", Json::string(code_name(error.code)));
  return out;
}

Json special(const char* name, std::string text) {
  Json out = Json::object();
  out.set_member(name, Json::string(std::move(text)));
  return out;
}

Json cell(const SqlValue& value) {
  switch (value.type()) {
    case SqlType::kNull:
      return Json::null();
    case SqlType::kSigned:
      return Json::integer(value.as_signed());
    case SqlType::kUnsigned:
      return Json::unsigned_integer(value.as_unsigned());
    case SqlType::kDouble:
      if (!std::isfinite(value.as_double()))
        return special("special", std::to_string(value.as_double()));
      return Json::real(value.as_double());
    case SqlType::kDecimal:
      return Json::number_text(value.string());
    case SqlType::kJson:
      return special("json", value.json_as_text());
    case SqlType::kBinary:
      return special("special", "binary");
    default:
      return Json::string(value.string());
  }
}

class Worker {
 public:
  Worker(std::string name, std::unique_ptr<Session> session)
      : name_(std::move(name)), session_(std::move(session)), thread_([this] { work(); }) {}

  // What waits in the queue is not run any more; what runs is cancelled.
  ~Worker() {
    {
      const std::lock_guard lock(mutex_);
      queue_.clear();
      is_ending_ = true;
    }
    changed_.notify_one();
    session_->cancel();
    thread_.join();
  }

  void push(std::string sql) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push_back(std::move(sql));
    }
    changed_.notify_one();
  }

  void cancel() { session_->cancel(); }

 private:
  void work() {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return is_ending_ || !queue_.empty(); });
      if (is_ending_) return;
      const std::string sql = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      reply(run(sql));
    }
  }

  Json run(const std::string& sql) {
    auto result = session_->execute_sql(sql, {});
    if (!result) return error_reply(name_, result.error());
    Json columns = Json::array();
    for (const Column& column : result->columns)
      columns.elements().push_back(Json::string(column.name));
    Json rows = Json::array();
    while (result->rows) {
      const auto row = result->rows->next();
      if (!row) return error_reply(name_, row.error());
      if (!*row) break;
      Json cells = Json::array();
      for (const SqlValue& value : **row) cells.elements().push_back(cell(value));
      rows.elements().push_back(std::move(cells));
    }
    Json out = Json::object();
    out.set_member("s", Json::string(name_));
    out.set_member("columns", std::move(columns));
    out.set_member("rows", std::move(rows));
    out.set_member("affected", Json::unsigned_integer(result->rows_affected));
    return out;
  }

  const std::string name_;
  const std::unique_ptr<Session> session_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> queue_;  // guarded by mutex_
  bool is_ending_ = false;         // guarded by mutex_
  std::thread thread_;             // last: it uses all the others
};

class Driver {
 public:
  explicit Driver(Store& store) : store_(store) {}

  void take(const std::string& line) {
    const auto request = Json::parse(line);
    if (!request || !request->is_object())
      return refuse("", {ErrorCode::kInvalidArgument, "no JSON object"});
    const std::string op = text_of(*request, "op");
    const std::string session = text_of(*request, "s");
    if (op.empty()) return execute(session, text_of(*request, "sql"));
    if (op == "verify") return verify();
    if (op == "checkpoint") {
      if (const Status done = store_.checkpoint(); !done) return refuse(op, done.error());
    } else if (op == "cancel") {
      if (const auto found = workers_.find(session); found != workers_.end())
        found->second->cancel();
    } else if (op == "close") {
      workers_.erase(session);
    } else {
      return refuse(op, {ErrorCode::kInvalidArgument, "no such operation"});
    }
    Json out = Json::object();
    out.set_member("op", Json::string(op));
    if (!session.empty()) out.set_member("s", Json::string(session));
    reply(out);
  }

 private:
  static std::string text_of(const Json& request, const char* name) {
    const Json* member = request.member(name);
    return member && member->is_string() ? member->as_string() : std::string();
  }

  static void refuse(const std::string& op, const Error& error) {
    Json out = Json::object();
    out.set_member("op", Json::string(op));
    out.set_member("error", Json::string(error.message));
    reply(out);
  }

  void execute(const std::string& name, std::string sql) {
    auto found = workers_.find(name);
    if (found == workers_.end()) {
      auto session = store_.make_session({});
      if (!session) return reply(error_reply(name, session.error()));
      found = workers_.emplace(name, std::make_unique<Worker>(name, *std::move(session))).first;
    }
    found->second->push(std::move(sql));
  }

  void verify() {
    const auto report = store_.verify();
    if (!report) return refuse("verify", report.error());
    Json problems = Json::array();
    for (const std::string& problem : report->problems)
      problems.elements().push_back(Json::string(problem));
    Json out = Json::object();
    out.set_member("op", Json::string("verify"));
    out.set_member("documents", Json::unsigned_integer(report->documents));
    out.set_member("problems", std::move(problems));
    reply(out);
  }

  Store& store_;
  std::map<std::string, std::unique_ptr<Worker>> workers_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::fputs("usage: differential_driver DIRECTORY [LOCK_WAIT_TIMEOUT_MS]\n", stderr);
    return 2;
  }
  StoreOptions options;
  options.cache_bytes = 64 << 20;
  if (argc == 3)
    options.lock_wait_timeout_ms = static_cast<uint32_t>(std::strtoul(argv[2], nullptr, 10));
  const auto store = Store::open(argv[1], options);
  if (!store) {
    std::fprintf(stderr, "%s: %s\n", argv[1], store.error().message.c_str());
    return 1;
  }
  Driver driver(**store);
  std::string line;
  while (std::getline(std::cin, line)) driver.take(line);
  return 0;
}
