#include "xproto/client_session.h"

#include <mysqlx.pb.h>
#include <mysqlx_expect.pb.h>
#include <mysqlx_session.pb.h>

#include "xproto/error_map.h"
#include "xproto/notices.h"
#include "xproto/wire_check.h"

namespace wherestar::xproto {

ClientSession::ClientSession(ClientEnvironment environment) : environment_(std::move(environment)) {
  capabilities_.tls_available = environment_.tls_available;
  capabilities_.plain_allowed = environment_.unix_socket;
}

ClientSession::~ClientSession() {
  reply_.reset();
  leave_session();
}

void ClientSession::cancel() {
  std::lock_guard lock(session_mutex_);
  if (session_) session_->cancel();
}

void ClientSession::tls_established() {
  capabilities_.tls_active = true;
  capabilities_.plain_allowed = true;
}

Next ClientSession::fail(const XError& error, std::string& out) {
  append_error(out, error);
  expectations_.statement_failed();
  return error.fatal ? Next::kClose : Next::kRead;
}

Next ClientSession::bad_message(std::string& out) {
  return fail({.code = code::kBadMessage, .message = "Invalid message", .fatal = true}, out);
}

Next ClientSession::handle(uint8_t type, std::string_view payload, std::string& out) {
  if (auto cost = check_wire(type, payload, environment_.limits.message_memory_bytes); !cost) {
    if (cost.error().code == ErrorCode::kLimitExceeded && logged_in()) {
      return fail({.code = code::kPacketTooLarge,
                   .message = std::move(cost).error().message,
                   .sql_state = "08S01"},
                  out);
    }
    return bad_message(out);
  }
  auto message = static_cast<ClientMessage>(type);
  if (message == ClientMessage::kConnectionClose) {
    append_ok(out, "bye!");
    return Next::kClose;
  }
  return logged_in() ? handle_ready(message, payload, out)
                     : handle_before_login(message, payload, out);
}

Next ClientSession::handle_before_login(ClientMessage type, std::string_view payload,
                                        std::string& out) {
  if (++messages_before_login_ > environment_.limits.messages_before_login) {
    return bad_message(out);
  }
  if (state_ == State::kChallenged) {
    return type == ClientMessage::kAuthenticateContinue ? authenticate_continue(payload, out)
                                                        : bad_message(out);
  }
  switch (type) {
    case ClientMessage::kCapabilitiesGet:
      append_frame(out, ServerMessage::kCapabilities, list_capabilities(capabilities_));
      return Next::kRead;
    case ClientMessage::kCapabilitiesSet:
      return set_capabilities_message(payload, out);
    case ClientMessage::kAuthenticateStart:
      return authenticate_start(payload, out);
    default:
      return bad_message(out);
  }
}

Next ClientSession::set_capabilities_message(std::string_view payload, std::string& out) {
  Mysqlx::Connection::CapabilitiesSet message;
  if (!parse_message(payload, message)) return bad_message(out);
  auto result = set_capabilities(message.capabilities(), was_closed_, capabilities_);
  if (!result) return fail(result.error(), out);
  append_ok(out);
  return result->start_tls ? Next::kStartTls : Next::kRead;
}

Next ClientSession::authenticate_start(std::string_view payload, std::string& out) {
  Mysqlx::Session::AuthenticateStart message;
  if (!parse_message(payload, message)) return bad_message(out);
  if (!environment_.loopback && !environment_.unix_socket && !capabilities_.tls_active) {
    return fail({.code = 3159,
                 .message = "Connections using insecure transport are prohibited",
                 .fatal = true},
                out);
  }
  auto method = auth_method(message.mech_name());
  if (!method || (*method == AuthMethod::kPlain && !capabilities_.plain_allowed)) {
    return fail({.code = code::kBadAuthenticationMethod,
                 .message = "Invalid authentication method " + message.mech_name(),
                 .sql_state = "08004",
                 .fatal = true},
                out);
  }
  method_ = *method;
  if (method_ == AuthMethod::kPlain) return authenticate(method_, message.auth_data(), out);
  auto nonce = make_nonce();
  if (!nonce) {
    return fail({.code = 1105, .message = "No random numbers to be had", .fatal = true}, out);
  }
  nonce_ = *std::move(nonce);
  state_ = State::kChallenged;
  Mysqlx::Session::AuthenticateContinue challenge;
  challenge.set_auth_data(nonce_);
  append_frame(out, ServerMessage::kAuthenticateContinue, challenge);
  return Next::kRead;
}

Next ClientSession::authenticate_continue(std::string_view payload, std::string& out) {
  Mysqlx::Session::AuthenticateContinue message;
  if (!parse_message(payload, message)) return bad_message(out);
  state_ = State::kGreeting;  // a challenge is answered once
  return authenticate(method_, message.auth_data(), out);
}

Next ClientSession::login_failed(const std::string& user, bool with_password, std::string& out) {
  bool fatal = ++failed_logins_ >= environment_.limits.failed_logins;
  return fail({.code = code::kAccessDenied,
               .message = "Access denied for user '" + user + "'@'" + environment_.host +
                          "' (using password: " + (with_password ? "YES" : "NO") + ")",
               .sql_state = "28000",
               .fatal = fatal},
              out);
}

Next ClientSession::authenticate(AuthMethod method, std::string_view auth_data, std::string& out) {
  auto credentials = parse_credentials(method, auth_data);
  if (!credentials) return login_failed("", false, out);
  auto account = environment_.store->account(credentials->user);
  if (!account) return fail(to_x_error(account.error(), ErrorContext::kSql), out);
  const server::Account* found = *account ? &**account : nullptr;
  bool verified = verify_credentials(method, *credentials, nonce_, found);
  nonce_.clear();
  // An account without a password is good for this machine only.
  bool local = environment_.loopback || environment_.unix_socket;
  if (!verified || (!found->has_password() && !local)) {
    return login_failed(credentials->user, !credentials->response.empty(), out);
  }
  auto session = environment_.store->make_session({.user = credentials->user,
                                                   .host = environment_.host,
                                                   .database = credentials->database,
                                                   .connection_id = environment_.client_id});
  if (!session) return fail(to_x_error(std::move(session).error(), ErrorContext::kSql), out);
  {
    std::lock_guard lock(session_mutex_);
    session_ = *std::move(session);
  }
  state_ = State::kReady;
  messages_before_login_ = 0;
  failed_logins_ = 0;
  environment_.registry->set_user(environment_.client_id, credentials->user);
  append_client_id(out, environment_.client_id);
  append_frame(out, ServerMessage::kAuthenticateOk, Mysqlx::Session::AuthenticateOk());
  return Next::kRead;
}

void ClientSession::leave_session() {
  prepared_.clear();
  prepared_bytes_ = 0;
  std::unique_ptr<server::Session> left;  // rolled back without the lock, which cancel() takes
  std::lock_guard lock(session_mutex_);
  left.swap(session_);
}

Next ClientSession::reset(std::string_view payload, std::string& out) {
  Mysqlx::Session::Reset message;
  if (!parse_message(payload, message)) return bad_message(out);
  if (message.keep_open()) {
    prepared_.clear();
    prepared_bytes_ = 0;
    session_->reset();
    append_ok(out);
    return Next::kRead;
  }
  leave_session();
  expectations_.clear();
  state_ = State::kGreeting;
  was_closed_ = true;
  capabilities_.connect_attributes.clear();
  environment_.registry->set_user(environment_.client_id, "");
  append_ok(out);
  return Next::kRead;
}

Next ClientSession::handle_ready(ClientMessage type, std::string_view payload, std::string& out) {
  // Expectations count blocks also where a block has failed.
  if (type == ClientMessage::kExpectOpen) return expect_open(payload, out);
  if (type == ClientMessage::kExpectClose) {
    if (auto status = expectations_.close(); !status) {
      append_error(out, status.error());
    } else {
      append_ok(out);
    }
    return Next::kRead;
  }
  if (auto status = expectations_.check(); !status) return fail(status.error(), out);
  switch (type) {
    case ClientMessage::kReset:
      return reset(payload, out);
    case ClientMessage::kSessionClose:
      return reset({}, out);
    default:
      return handle_statement(type, payload, out);
  }
}

Next ClientSession::expect_open(std::string_view payload, std::string& out) {
  Mysqlx::Expect::Open message;
  if (!parse_message(payload, message)) return bad_message(out);
  if (auto status = expectations_.open(message); !status) {
    append_error(out, status.error());
  } else {
    append_ok(out);
  }
  return Next::kRead;
}

}  // namespace wherestar::xproto
