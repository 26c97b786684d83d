// The conversation with one client, without I/O: messages in, frames out.
//
// States: not logged in (capabilities, login), logging in (a challenge is out), ready, closed. What
// a message may do in which state is docs/xprotocol.md's table.
//
//   ClientSession session(environment);
//   auto next = session.handle(frame.type, frame.payload, out);   // replies are in `out`
//   while (next == Next::kMore) { write(out); next = session.resume(out); }
//
// A result is cut at kReplyChunkBytes, so that a client that does not read holds one piece of it.
// Threads: one at a time; cancel() from any.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/session.h"
#include "server/store.h"
#include "xproto/admin.h"
#include "xproto/authentication.h"
#include "xproto/capabilities.h"
#include "xproto/client_registry.h"
#include "xproto/expectations.h"
#include "xproto/frame.h"
#include "xproto/translate.h"

namespace Mysqlx::Prepare {
class Execute;
class Prepare;
}  // namespace Mysqlx::Prepare

namespace wherestar::xproto {

inline constexpr size_t kReplyChunkBytes = 256u << 10;

struct ClientLimits {
  size_t message_memory_bytes = 512u << 20;  // what parsing one message may take
  size_t messages_before_login = 16;
  size_t failed_logins = 3;
  size_t prepared_statements = 1024;
  size_t prepared_bytes = 64u << 20;
};

struct ClientEnvironment {
  server::Store* store = nullptr;
  ClientRegistry* registry = nullptr;
  uint64_t client_id = 0;
  std::string host;  // of the peer, as accounts see it: "127.0.0.1", "localhost"
  bool tls_available = false;
  bool unix_socket = false;
  bool loopback = true;  // the peer cannot be overheard: passwords may go without TLS
  ClientLimits limits;
};

enum class Next : uint8_t {
  kRead,      // the reply is whole
  kMore,      // write, then resume()
  kStartTls,  // write, then do the handshake and call tls_established()
  kClose,     // write, then close
};

class ClientSession {
 public:
  explicit ClientSession(ClientEnvironment environment);
  ~ClientSession();
  ClientSession(const ClientSession&) = delete;
  ClientSession& operator=(const ClientSession&) = delete;

  void set_client_id(uint64_t id) { environment_.client_id = id; }
  Next handle(uint8_t type, std::string_view payload, std::string& out);
  Next resume(std::string& out);
  void tls_established();
  void cancel();

  bool logged_in() const { return state_ == State::kReady; }
  bool interactive() const { return capabilities_.interactive; }
  uint32_t max_frame_bytes() const {
    return logged_in() ? kMaxFrameBytes : kMaxFrameBytesBeforeLogin;
  }

 private:
  enum class State : uint8_t { kGreeting, kChallenged, kReady };
  enum class ReplyKind : uint8_t { kSql, kFind, kInsert, kUpdate, kDelete, kAdmin };

  // A result under way.
  struct Reply {
    server::ExecuteResult result;
    ReplyKind kind = ReplyKind::kSql;
    ErrorContext context = ErrorContext::kSql;
  };
  struct PreparedStatement {
    std::optional<Translated> crud;
    std::string sql;  // when `crud` is absent
    bool compact_metadata = false;
    std::vector<server::SqlValue> arguments;  // fixed at prepare time; the execute's follow
    size_t bytes = 0;
  };

  Next handle_before_login(ClientMessage type, std::string_view payload, std::string& out);
  Next handle_ready(ClientMessage type, std::string_view payload, std::string& out);
  Next handle_statement(ClientMessage type, std::string_view payload, std::string& out);

  Next set_capabilities_message(std::string_view payload, std::string& out);
  Next authenticate_start(std::string_view payload, std::string& out);
  Next authenticate_continue(std::string_view payload, std::string& out);
  Next authenticate(AuthMethod method, std::string_view auth_data, std::string& out);
  Next login_failed(const std::string& user, bool with_password, std::string& out);
  Next reset(std::string_view payload, std::string& out);
  void leave_session();

  Next expect_open(std::string_view payload, std::string& out);
  template <class Message>
  Next crud(std::string_view payload, ReplyKind kind, std::string& out);
  Next statement_execute(std::string_view payload, std::string& out);
  Next admin(const Mysqlx::Sql::StmtExecute& message, std::string& out);
  Next list_clients(std::string& out);
  Next kill_client(uint64_t id, std::string& out);
  Next list_notices(std::string& out);
  Next switch_notices(const SwitchNotices& notices, std::string& out);
  Next prepare(std::string_view payload, std::string& out);
  XResult<PreparedStatement> make_prepared(const Mysqlx::Prepare::Prepare& message) const;
  Next execute_prepared(std::string_view payload, std::string& out);
  Next deallocate(std::string_view payload, std::string& out);

  Next run(const Translated& translated, std::span<const server::SqlValue> arguments,
           ReplyKind kind, bool compact, std::string& out);
  Next start_reply(Result<server::ExecuteResult> result, ReplyKind kind, ErrorContext context,
                   bool compact, std::string& out);
  void finish_reply(std::string& out);
  Next fail(const XError& error, std::string& out);
  Next bad_message(std::string& out);

  ClientEnvironment environment_;
  State state_ = State::kGreeting;
  bool was_closed_ = false;  // Session.Close came: only connect attributes may be set any more
  size_t messages_before_login_ = 0;
  size_t failed_logins_ = 0;
  CapabilityState capabilities_;
  AuthMethod method_ = AuthMethod::kPlain;
  std::string nonce_;
  Expectations expectations_;
  bool warnings_enabled_ = true;
  std::map<uint32_t, PreparedStatement> prepared_;
  size_t prepared_bytes_ = 0;

  std::mutex session_mutex_;  // of the pointer, against cancel()
  std::unique_ptr<server::Session> session_;
  std::optional<Reply> reply_;  // behind session_: its rows go first
};

}  // namespace wherestar::xproto
