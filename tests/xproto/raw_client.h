// A client of frames over a socket, synchronous: what a test sends is what goes out.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <google/protobuf/message_lite.h>
#include <mysqlx_connection.pb.h>
#include <mysqlx_session.pb.h>
#include <mysqlx_sql.pb.h>
#include <sys/socket.h>

#include "replies.h"
#include "xproto/messages.h"

namespace wherestar::xproto_test {

namespace asio = boost::asio;

inline std::string frame_of(xproto::ClientMessage type, const std::string& payload) {
  std::string bytes;
  auto length = static_cast<uint32_t>(payload.size() + 1);
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(length >> shift));
  bytes.push_back(static_cast<char>(type));
  return bytes + payload;
}

class RawClient {
 public:
  explicit RawClient(uint16_t port) : socket_(io_) {
    asio::ip::tcp::socket tcp(io_);
    tcp.connect({asio::ip::address_v4::loopback(), port});
    socket_ = std::move(tcp);
    limit_waiting();
  }
  explicit RawClient(const std::string& path) : socket_(io_) {
    asio::local::stream_protocol::socket local(io_);
    local.connect(asio::local::stream_protocol::endpoint(path));
    socket_ = std::move(local);
    limit_waiting();
  }

  void write(const std::string& bytes) {
    boost::system::error_code error;
    if (tls_) {
      asio::write(*tls_, asio::buffer(bytes), error);
    } else {
      asio::write(socket_, asio::buffer(bytes), error);
    }
  }
  void send(xproto::ClientMessage type, const std::string& payload = {}) {
    write(frame_of(type, payload));
  }
  void send(xproto::ClientMessage type, const google::protobuf::MessageLite& message) {
    send(type, message.SerializePartialAsString());
  }

  // The next frame; nullopt at the end of the stream.
  std::optional<Reply> receive() {
    std::string header(5, '\0');
    if (!read(header)) return std::nullopt;
    uint32_t length = 0;
    for (size_t i = 0; i < 4; ++i) {
      length |= static_cast<uint32_t>(static_cast<uint8_t>(header[i])) << (8 * i);
    }
    Reply reply{.type = static_cast<uint8_t>(header[4]), .payload = std::string(length - 1, '\0')};
    if (!read(reply.payload)) return std::nullopt;
    return reply;
  }
  // Frames up to the end of one reply: Ok, Error, Capabilities, a challenge, login, StmtExecuteOk.
  // At the end of the stream: "... end".
  std::vector<Reply> receive_all() {
    std::vector<Reply> replies;
    while (auto reply = receive()) {
      replies.push_back(*reply);
      if (reply->type <= 4 || reply->type == 17) return replies;
    }
    at_end = true;
    return replies;
  }
  std::string reply() { return describe(receive_all()); }
  // Everything until the server closes.
  std::string rest() {
    std::vector<Reply> replies;
    while (auto reply = receive()) replies.push_back(*reply);
    return describe(replies) + "|";
  }

  std::string sql(const std::string& text) {
    Mysqlx::Sql::StmtExecute message;
    message.set_stmt(text);
    send(xproto::ClientMessage::kStatementExecute, message);
    return reply();
  }
  void log_in() {
    Mysqlx::Session::AuthenticateStart start;
    start.set_mech_name("MYSQL41");
    send(xproto::ClientMessage::kAuthenticateStart, start);
    REQUIRE(reply() == "challenge");
    Mysqlx::Session::AuthenticateContinue go_on;
    go_on.set_auth_data(std::string("\0root\0", 6));
    send(xproto::ClientMessage::kAuthenticateContinue, go_on);
    REQUIRE(reply() == "notice3:11 authenticated");
  }
  void start_tls(long options = 0) {
    ask_for_tls();
    REQUIRE(reply() == "ok");
    REQUIRE(handshake(options));
  }
  void ask_for_tls() { send(xproto::ClientMessage::kCapabilitiesSet, tls_request()); }
  static Mysqlx::Connection::CapabilitiesSet tls_request() {
    Mysqlx::Connection::CapabilitiesSet message;
    auto* capability = message.mutable_capabilities()->add_capabilities();
    capability->set_name("tls");
    capability->mutable_value()->set_type(Mysqlx::Datatypes::Any::SCALAR);
    auto* scalar = capability->mutable_value()->mutable_scalar();
    scalar->set_type(Mysqlx::Datatypes::Scalar::V_BOOL);
    scalar->set_v_bool(true);
    return message;
  }
  bool handshake(long options) {
    tls_context_.emplace(asio::ssl::context::tls_client);
    SSL_CTX_set_security_level(tls_context_->native_handle(), 0);
    tls_context_->set_options(options);
    tls_.emplace(socket_, *tls_context_);
    boost::system::error_code error;
    tls_->handshake(asio::ssl::stream_base::client, error);
    return !error;
  }
  void close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
  }

  bool at_end = false;

 private:
  // A server that does not answer fails the test instead of hanging it.
  void limit_waiting() {
    timeval limit{.tv_sec = 60, .tv_usec = 0};
    ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  }
  bool read(std::string& bytes) {
    boost::system::error_code error;
    if (tls_) {
      asio::read(*tls_, asio::buffer(bytes), error);
    } else {
      asio::read(socket_, asio::buffer(bytes), error);
    }
    return !error;
  }

  asio::io_context io_;
  asio::generic::stream_protocol::socket socket_;
  std::optional<asio::ssl::context> tls_context_;
  std::optional<asio::ssl::stream<asio::generic::stream_protocol::socket&>> tls_;
};

}  // namespace wherestar::xproto_test
