// The half of ClientSession that runs statements and sends their results.
#include <array>
#include <utility>

#include <google/protobuf/arena.h>
#include <mysqlx_crud.pb.h>
#include <mysqlx_prepare.pb.h>
#include <mysqlx_sql.pb.h>

#include "xproto/client_session.h"
#include "xproto/error_map.h"
#include "xproto/notices.h"
#include "xproto/result_encoder.h"
#include "xproto/values.h"

namespace wherestar::xproto {
namespace {

using server::Column;
using server::ExecuteResult;
using server::ResultRow;
using server::SqlType;
using server::SqlValue;

// Rows that are there already.
class ReadyRows : public server::RowSource {
 public:
  explicit ReadyRows(std::vector<ResultRow> rows) : rows_(std::move(rows)) {}
  Result<std::optional<ResultRow>> next() override {
    if (position_ == rows_.size()) return std::optional<ResultRow>();
    return std::optional<ResultRow>(std::move(rows_[position_++]));
  }

 private:
  std::vector<ResultRow> rows_;
  size_t position_ = 0;
};

Column column(std::string name, SqlType type) {
  Column result;
  result.original_name = name;
  result.name = std::move(name);
  result.type = type;
  return result;
}

ExecuteResult ready_result(std::vector<Column> columns, std::vector<ResultRow> rows) {
  ExecuteResult result;
  result.columns = std::move(columns);
  result.rows = std::make_unique<ReadyRows>(std::move(rows));
  return result;
}

template <class Args>
XResult<std::vector<SqlValue>> any_arguments(const Args& args, uint32_t non_scalar_code) {
  std::vector<SqlValue> arguments;
  arguments.reserve(static_cast<size_t>(args.size()));
  for (const auto& arg : args) {
    auto value = to_sql_value(arg, non_scalar_code);
    if (!value) return std::unexpected(std::move(value).error());
    arguments.push_back(*std::move(value));
  }
  return arguments;
}

constexpr std::string_view kWarningsNotice = "warnings";
constexpr auto kFixedNotices = std::to_array<std::string_view>(
    {"account_expired", "generated_insert_id", "rows_affected", "produced_message"});

}  // namespace

Next ClientSession::handle_statement(ClientMessage type, std::string_view payload,
                                     std::string& out) {
  switch (type) {
    case ClientMessage::kStatementExecute:
      return statement_execute(payload, out);
    case ClientMessage::kFind:
      return crud<Mysqlx::Crud::Find>(payload, ReplyKind::kFind, out);
    case ClientMessage::kInsert:
      return crud<Mysqlx::Crud::Insert>(payload, ReplyKind::kInsert, out);
    case ClientMessage::kUpdate:
      return crud<Mysqlx::Crud::Update>(payload, ReplyKind::kUpdate, out);
    case ClientMessage::kDelete:
      return crud<Mysqlx::Crud::Delete>(payload, ReplyKind::kDelete, out);
    case ClientMessage::kPrepare:
      return prepare(payload, out);
    case ClientMessage::kExecute:
      return execute_prepared(payload, out);
    case ClientMessage::kDeallocate:
      return deallocate(payload, out);
    default:
      return fail({.code = code::kUnknownMessage,
                   .message = "Unexpected message received",
                   .sql_state = "08S01"},
                  out);
  }
}

template <class Message>
Next ClientSession::crud(std::string_view payload, ReplyKind kind, std::string& out) {
  google::protobuf::Arena arena;
  auto* message = google::protobuf::Arena::CreateMessage<Message>(&arena);
  if (!parse_partial_message(payload, *message)) return bad_message(out);
  auto translated = translate(*message);
  if (!translated) return fail(translated.error(), out);
  auto arguments = to_arguments(message->args());
  if (!arguments) return fail(arguments.error(), out);
  if (arguments->size() < translated->placeholders) {
    return fail({.code = code::kExpressionBadValue, .message = "Invalid value of placeholder"},
                out);
  }
  return run(*translated, *arguments, kind, false, out);
}

Next ClientSession::run(const Translated& translated, std::span<const SqlValue> arguments,
                        ReplyKind kind, bool compact, std::string& out) {
  return start_reply(session_->execute(translated.statement, arguments), kind, translated.context,
                     compact, out);
}

Next ClientSession::statement_execute(std::string_view payload, std::string& out) {
  google::protobuf::Arena arena;
  auto* message = google::protobuf::Arena::CreateMessage<Mysqlx::Sql::StmtExecute>(&arena);
  if (!parse_partial_message(payload, *message)) return bad_message(out);
  if (message->namespace_() == "mysqlx") return admin(*message, out);
  if (message->namespace_() != "sql") {
    return fail(
        {.code = code::kUnknownNamespace, .message = "Unknown namespace " + message->namespace_()},
        out);
  }
  auto arguments = any_arguments(message->args(), code::kInvalidArgument);
  if (!arguments) return fail(arguments.error(), out);
  if (!is_utf8(message->stmt())) {
    return fail({.code = code::kInvalidUtf8, .message = "Statement is not UTF-8"}, out);
  }
  return start_reply(session_->execute_sql(message->stmt(), *arguments), ReplyKind::kSql,
                     ErrorContext::kSql, message->compact_metadata(), out);
}

Next ClientSession::start_reply(Result<ExecuteResult> result, ReplyKind kind, ErrorContext context,
                                bool compact, std::string& out) {
  if (!result) return fail(to_x_error(std::move(result).error(), context), out);
  if (result->rows) append_columns(out, result->columns, compact);
  reply_.emplace(Reply{.result = *std::move(result), .kind = kind, .context = context});
  return resume(out);
}

Next ClientSession::resume(std::string& out) {
  ExecuteResult& result = reply_->result;
  while (result.rows) {
    if (out.size() >= kReplyChunkBytes) return Next::kMore;
    auto row = result.rows->next();
    if (!row) {
      XError error = to_x_error(std::move(row).error(), reply_->context);
      reply_.reset();
      return fail(error, out);
    }
    if (!*row) break;
    append_row(out, result.columns, **row);
  }
  finish_reply(out);
  return Next::kRead;
}

void ClientSession::finish_reply(std::string& out) {
  ExecuteResult& result = reply_->result;
  if (result.rows) append_fetch_done(out);
  result.rows.reset();  // the session may be asked again
  if (warnings_enabled_ && reply_->kind != ReplyKind::kAdmin) {
    for (const server::Warning& warning : session_->warnings()) append_warning(out, warning);
  }
  switch (reply_->kind) {
    case ReplyKind::kSql:
    case ReplyKind::kInsert:
    case ReplyKind::kUpdate:
    case ReplyKind::kDelete:
      append_rows_affected(out, result.rows_affected);
      if (!result.generated_ids.empty()) append_generated_ids(out, result.generated_ids);
      if (!result.message.empty()) append_produced_message(out, result.message);
      break;
    case ReplyKind::kFind:
    case ReplyKind::kAdmin:
      break;
  }
  append_statement_ok(out);
  reply_.reset();
}

Next ClientSession::admin(const Mysqlx::Sql::StmtExecute& message, std::string& out) {
  auto command = translate_admin(message);
  if (!command) return fail(command.error(), out);
  if (auto* statement = std::get_if<AdminStatement>(&*command)) {
    return start_reply(session_->execute(statement->statement, {}), ReplyKind::kAdmin,
                       statement->context, message.compact_metadata(), out);
  }
  if (std::holds_alternative<ListClients>(*command)) return list_clients(out);
  if (auto* kill = std::get_if<KillClient>(&*command)) return kill_client(kill->client_id, out);
  if (std::holds_alternative<ListNotices>(*command)) return list_notices(out);
  if (auto* notices = std::get_if<SwitchNotices>(&*command)) return switch_notices(*notices, out);
  append_statement_ok(out);  // ping
  return Next::kRead;
}

Next ClientSession::list_clients(std::string& out) {
  std::vector<ResultRow> rows;
  for (const ClientInfo& client : environment_.registry->list()) {
    bool logged_in = !client.user.empty();
    rows.push_back({SqlValue::unsigned_integer(client.id),
                    logged_in ? SqlValue::text(client.user) : SqlValue::null(),
                    SqlValue::text(client.host),
                    logged_in ? SqlValue::unsigned_integer(client.id) : SqlValue::null()});
  }
  return start_reply(
      ready_result({column("client_id", SqlType::kUnsigned), column("user", SqlType::kText),
                    column("host", SqlType::kText), column("sql_session", SqlType::kUnsigned)},
                   std::move(rows)),
      ReplyKind::kAdmin, ErrorContext::kSql, false, out);
}

Next ClientSession::kill_client(uint64_t id, std::string& out) {
  if (!environment_.registry->kill(id)) {
    return fail({.code = 1094, .message = "Unknown thread id: " + std::to_string(id)}, out);
  }
  append_statement_ok(out);
  return Next::kRead;
}

Next ClientSession::list_notices(std::string& out) {
  std::vector<ResultRow> rows;
  rows.push_back({SqlValue::text(std::string(kWarningsNotice)),
                  SqlValue::signed_integer(warnings_enabled_ ? 1 : 0)});
  for (std::string_view name : kFixedNotices) {
    rows.push_back({SqlValue::text(std::string(name)), SqlValue::signed_integer(1)});
  }
  return start_reply(
      ready_result({column("notice", SqlType::kText), column("enabled", SqlType::kSigned)},
                   std::move(rows)),
      ReplyKind::kAdmin, ErrorContext::kSql, false, out);
}

Next ClientSession::switch_notices(const SwitchNotices& notices, std::string& out) {
  bool switch_warnings = false;
  for (const std::string& name : notices.names) {
    bool is_fixed = std::ranges::find(kFixedNotices, name) != kFixedNotices.end();
    if (is_fixed && !notices.enable) {
      return fail({.code = code::kNoticeNotSwitchable, .message = "Cannot disable notice " + name},
                  out);
    }
    // Group replication does not exist here; asking for its notices does no harm.
    bool is_group = name.starts_with("group_replication/");
    if (!is_fixed && !is_group && name != kWarningsNotice) {
      return fail({.code = code::kUnknownNotice, .message = "Invalid notice name " + name}, out);
    }
    switch_warnings = switch_warnings || name == kWarningsNotice;
  }
  if (switch_warnings) warnings_enabled_ = notices.enable;
  append_statement_ok(out);
  return Next::kRead;
}

XResult<ClientSession::PreparedStatement> ClientSession::make_prepared(
    const Mysqlx::Prepare::Prepare& message) const {
  using OneOf = Mysqlx::Prepare::Prepare::OneOfMessage;
  const OneOf& one = message.stmt();
  PreparedStatement prepared;
  auto crud = [&](const auto& inner) -> XStatus {
    auto translated = translate(inner);
    if (!translated) return std::unexpected(std::move(translated).error());
    auto arguments = to_arguments(inner.args());
    if (!arguments) return std::unexpected(std::move(arguments).error());
    prepared.crud = *std::move(translated);
    prepared.arguments = *std::move(arguments);
    return {};
  };
  auto statement = [&](const Mysqlx::Sql::StmtExecute& inner) -> XStatus {
    if (inner.namespace_() != "sql") {
      return x_fail(code::kUnknownNamespace, "Unknown namespace " + inner.namespace_());
    }
    if (!is_utf8(inner.stmt())) return x_fail(code::kInvalidUtf8, "Statement is not UTF-8");
    auto arguments = any_arguments(inner.args(), code::kInvalidArgument);
    if (!arguments) return std::unexpected(std::move(arguments).error());
    prepared.sql = inner.stmt();
    prepared.arguments = *std::move(arguments);
    return {};
  };
  XStatus status;
  switch (one.type()) {
    case OneOf::FIND:
      status = crud(one.find());
      break;
    case OneOf::INSERT:
      status = crud(one.insert());
      break;
    case OneOf::UPDATE:
      status = crud(one.update());
      break;
    case OneOf::DELETE:
      status = crud(one.delete_());
      break;
    case OneOf::STMT:
      status = statement(one.stmt_execute());
      break;
  }
  if (!status) return std::unexpected(std::move(status).error());
  return prepared;
}

Next ClientSession::prepare(std::string_view payload, std::string& out) {
  google::protobuf::Arena arena;
  auto* message = google::protobuf::Arena::CreateMessage<Mysqlx::Prepare::Prepare>(&arena);
  if (!parse_partial_message(payload, *message) || !message->has_stmt_id() ||
      !message->stmt().has_type()) {
    return bad_message(out);
  }
  // An id in use is given up first, whatever becomes of the new statement.
  if (auto old = prepared_.find(message->stmt_id()); old != prepared_.end()) {
    prepared_bytes_ -= old->second.bytes;
    prepared_.erase(old);
  }
  if (prepared_.size() >= environment_.limits.prepared_statements ||
      prepared_bytes_ + payload.size() > environment_.limits.prepared_bytes) {
    return fail({.code = code::kPreparedStatementLimit,
                 .message = "Can't create more prepared statements in this session",
                 .sql_state = "42000"},
                out);
  }
  auto prepared = make_prepared(*message);
  if (!prepared) return fail(prepared.error(), out);
  prepared->bytes = payload.size();
  prepared_bytes_ += payload.size();
  prepared_.emplace(message->stmt_id(), *std::move(prepared));
  append_ok(out);
  return Next::kRead;
}

Next ClientSession::execute_prepared(std::string_view payload, std::string& out) {
  google::protobuf::Arena arena;
  auto* message = google::protobuf::Arena::CreateMessage<Mysqlx::Prepare::Execute>(&arena);
  if (!parse_partial_message(payload, *message)) return bad_message(out);
  auto found = prepared_.find(message->stmt_id());
  if (found == prepared_.end() || !message->has_stmt_id()) {
    return fail({.code = code::kBadStatementId,
                 .message = "Statement with ID=" + std::to_string(message->stmt_id()) +
                            " was not prepared"},
                out);
  }
  const PreparedStatement& prepared = found->second;
  auto bound = any_arguments(message->args(), code::kExecuteArgument);
  if (!bound) return fail(bound.error(), out);
  std::vector<SqlValue> arguments = prepared.arguments;
  arguments.insert(arguments.end(), bound->begin(), bound->end());
  if (!prepared.crud) {
    return start_reply(session_->execute_sql(prepared.sql, arguments), ReplyKind::kSql,
                       ErrorContext::kSql, message->compact_metadata(), out);
  }
  if (arguments.size() < prepared.crud->placeholders) {
    return fail({.code = code::kExecuteArgumentMissing,
                 .message = "Too few arguments to execute the prepared statement"},
                out);
  }
  ReplyKind kind = ReplyKind::kFind;
  switch (prepared.crud->context) {
    case ErrorContext::kInsert:
      kind = ReplyKind::kInsert;
      break;
    case ErrorContext::kUpdate:
      kind = ReplyKind::kUpdate;
      break;
    case ErrorContext::kDelete:
      kind = ReplyKind::kDelete;
      break;
    default:
      break;
  }
  return run(*prepared.crud, arguments, kind, message->compact_metadata(), out);
}

Next ClientSession::deallocate(std::string_view payload, std::string& out) {
  Mysqlx::Prepare::Deallocate message;
  if (!parse_message(payload, message)) return bad_message(out);
  auto found = prepared_.find(message.stmt_id());
  if (found == prepared_.end()) {
    return fail(
        {.code = code::kBadStatementId,
         .message = "Statement with ID=" + std::to_string(message.stmt_id()) + " was not prepared"},
        out);
  }
  prepared_bytes_ -= found->second.bytes;
  prepared_.erase(found);
  append_ok(out);
  return Next::kRead;
}

}  // namespace wherestar::xproto
