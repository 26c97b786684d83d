#include "xproto/listener.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "fake_store.h"
#include "raw_client.h"

using namespace wherestar::xproto;
using namespace wherestar::xproto_test;
using wherestar::ErrorCode;

namespace {

class Server {
 public:
  explicit Server(ListenerOptions options = {}) {
    std::string pattern = (std::filesystem::temp_directory_path() / "wherestar.XXXXXX").string();
    directory = ::mkdtemp(pattern.data());
    options.port = 0;
    options.data_directory = directory;
    options.socket_path = directory + "/x.sock";
    auto started = Listener::start(store, options);
    REQUIRE(started);
    listener = *std::move(started);
  }
  ~Server() {
    listener.reset();
    std::filesystem::remove_all(directory);
  }
  // Waits until every session is gone: connections end on the server's own time.
  void wait_for_sessions(int count) {
    std::unique_lock lock(store.state.mutex);
    store.state.changed.wait(lock, [&] { return store.state.sessions == count; });
  }
  void wait_until_blocked() {
    std::unique_lock lock(store.state.mutex);
    store.state.changed.wait(lock, [&] { return store.state.blocked; });
  }

  FakeStore store;
  std::string directory;
  std::unique_ptr<Listener> listener;
};

const std::string kSqlReply = "notice1 notice3:4 executed";

}  // namespace

TEST_CASE("a client logs in over TCP, asks and says goodbye") {
  Server server;
  RawClient client(server.listener->port());
  client.send(ClientMessage::kCapabilitiesGet);
  CHECK(client.reply() == "capabilities");
  client.log_in();
  CHECK(client.sql("x") == kSqlReply);
  CHECK(client.sql("fail") == "error1146");
  CHECK(client.sql("two rows") == "column row row done " + kSqlReply);
  client.send(ClientMessage::kConnectionClose);
  CHECK(client.rest() == "ok|");
  server.wait_for_sessions(0);
}

TEST_CASE("a client upgrades to TLS and sends its password") {
  Server server;
  CHECK(server.listener->certificate_fingerprint().size() == 95);
  RawClient client(server.listener->port());
  client.start_tls();
  client.send(ClientMessage::kCapabilitiesGet);
  CHECK(client.reply() == "capabilities");
  Mysqlx::Session::AuthenticateStart start;
  start.set_mech_name("PLAIN");
  start.set_auth_data(std::string("\0root\0", 6));
  client.send(ClientMessage::kAuthenticateStart, start);
  CHECK(client.reply() == "notice3:11 authenticated");
  CHECK(client.sql("many rows").ends_with("row done " + kSqlReply));
  client.send(ClientMessage::kConnectionClose);
  CHECK(client.rest() == "ok|");
}

TEST_CASE("old versions of TLS are refused") {
  Server server;
  RawClient client(server.listener->port());
  client.ask_for_tls();
  REQUIRE(client.reply() == "ok");
  CHECK_FALSE(client.handshake(SSL_OP_NO_TLSv1_2 | SSL_OP_NO_TLSv1_3));
}

TEST_CASE("what comes in the clear behind the request for TLS is never read") {
  Server server;
  RawClient client(server.listener->port());
  client.write(
      frame_of(ClientMessage::kCapabilitiesSet, RawClient::tls_request().SerializeAsString()) +
      frame_of(ClientMessage::kCapabilitiesGet, ""));
  CHECK(client.rest() == "fatal5000|");
}

TEST_CASE("plain text where a handshake is due ends the connection") {
  Server server;
  RawClient client(server.listener->port());
  client.ask_for_tls();
  REQUIRE(client.reply() == "ok");
  client.send(ClientMessage::kCapabilitiesGet);
  while (client.receive()) {  // a TLS alert at most
  }
  RawClient other(server.listener->port());
  other.log_in();
}

TEST_CASE("the unix socket is private, and PLAIN may be used on it") {
  Server server;
  std::string path = server.directory + "/x.sock";
  struct stat info{};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  RawClient client(path);
  Mysqlx::Session::AuthenticateStart start;
  start.set_mech_name("PLAIN");
  start.set_auth_data(std::string("\0root\0", 6));
  client.send(ClientMessage::kAuthenticateStart, start);
  CHECK(client.reply() == "notice3:11 authenticated");
  server.listener->stop();
  CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a socket that a killed server left is taken over, any other file is not") {
  FakeStore store;
  std::string pattern = (std::filesystem::temp_directory_path() / "wherestar.XXXXXX").string();
  std::string directory = ::mkdtemp(pattern.data());
  ListenerOptions options;
  options.host = "";
  options.socket_path = directory + "/x.sock";
  {
    boost::asio::io_context io;
    boost::asio::local::stream_protocol::acceptor left(
        io, boost::asio::local::stream_protocol::endpoint(options.socket_path));
  }
  REQUIRE(std::filesystem::exists(options.socket_path));
  auto taken_over = Listener::start(store, options);
  REQUIRE(taken_over);
  CHECK((*taken_over)->port() == 0);
  auto second = Listener::start(store, options);
  REQUIRE_FALSE(second);
  CHECK(second.error().code == ErrorCode::kIo);
  options.socket_path = directory;
  CHECK(Listener::start(store, options).error().code == ErrorCode::kInvalidArgument);
  taken_over->reset();
  std::filesystem::remove_all(directory);
}

TEST_CASE("hostile lengths get an error at once") {
  Server server;
  for (const std::string& header :
       {std::string(4, '\0'), std::string(4, '\xff'), std::string("\x01\x00\x02\x00", 4)}) {
    RawClient client(server.listener->port());
    client.write(header);
    std::string reply = client.rest();
    CHECK((reply == "fatal5000|" || reply == "fatal1153|"));
  }
}

TEST_CASE("a frame cut at any byte gets no reply when the client goes") {
  Server server;
  Mysqlx::Sql::StmtExecute message;
  message.set_stmt("never");
  std::string frame = frame_of(ClientMessage::kStatementExecute, message.SerializeAsString());
  for (size_t cut = 0; cut < frame.size(); ++cut) {
    RawClient client(server.listener->port());
    client.log_in();
    client.write(frame.substr(0, cut));
    client.close();
  }
  server.wait_for_sessions(0);
  std::lock_guard lock(server.store.state.mutex);
  CHECK(server.store.state.statements.empty());
}

TEST_CASE("pipelined messages are answered in order") {
  Server server;
  RawClient client(server.listener->port());
  client.log_in();
  std::string bytes;
  for (int i = 0; i < 1000; ++i) {
    Mysqlx::Sql::StmtExecute message;
    message.set_stmt(i % 2 == 0 ? "x" : "two rows");
    bytes += frame_of(ClientMessage::kStatementExecute, message.SerializeAsString());
  }
  client.write(bytes);
  for (int i = 0; i < 1000; ++i) {
    REQUIRE(client.reply() == (i % 2 == 0 ? kSqlReply : "column row row done " + kSqlReply));
  }
}

TEST_CASE("one client's statement that waits holds up nobody else") {
  Server server;
  RawClient waiting(server.listener->port());
  waiting.log_in();
  Mysqlx::Sql::StmtExecute message;
  message.set_stmt("block");
  waiting.send(ClientMessage::kStatementExecute, message);
  server.wait_until_blocked();
  RawClient other(server.listener->port());
  other.log_in();
  CHECK(other.sql("x") == kSqlReply);
  RawClient hostile(server.listener->port());
  hostile.write(std::string(1000, '\xff'));
  CHECK(hostile.rest() == "fatal1153|");
  CHECK(other.sql("x") == kSqlReply);
  {
    std::lock_guard lock(server.store.state.mutex);
    server.store.state.released = true;
    server.store.state.changed.notify_all();
  }
  CHECK(waiting.reply() == kSqlReply);
}

TEST_CASE("a killed client's statement is cancelled and its connection closed") {
  Server server;
  RawClient victim(server.listener->port());
  victim.log_in();
  Mysqlx::Sql::StmtExecute message;
  message.set_stmt("block");
  victim.send(ClientMessage::kStatementExecute, message);
  server.wait_until_blocked();
  RawClient killer(server.listener->port());
  killer.log_in();
  message.set_stmt("kill_client");
  message.set_namespace_("mysqlx");
  auto* any = message.add_args();
  any->set_type(Mysqlx::Datatypes::Any::OBJECT);
  auto* field = any->mutable_obj()->add_fld();
  field->set_key("id");
  field->mutable_value()->set_type(Mysqlx::Datatypes::Any::SCALAR);
  field->mutable_value()->mutable_scalar()->set_type(Mysqlx::Datatypes::Scalar::V_UINT);
  field->mutable_value()->mutable_scalar()->set_v_unsigned_int(1);
  killer.send(ClientMessage::kStatementExecute, message);
  CHECK(killer.reply() == "executed");
  CHECK(victim.rest() == "error1317 notice1|");
  field->mutable_value()->mutable_scalar()->set_v_unsigned_int(99);
  killer.send(ClientMessage::kStatementExecute, message);
  CHECK(killer.reply() == "error1094");
}

TEST_CASE("a server that stops tells its clients and ends what runs") {
  Server server;
  RawClient idle(server.listener->port());
  idle.log_in();
  RawClient busy(server.listener->port());
  busy.log_in();
  Mysqlx::Sql::StmtExecute message;
  message.set_stmt("block");
  busy.send(ClientMessage::kStatementExecute, message);
  server.wait_until_blocked();
  std::thread reader([&] {
    CHECK(idle.rest() == "notice1|");
    CHECK(busy.rest() == "error1317 notice1|");
  });
  server.listener->stop();
  reader.join();
  CHECK(server.store.state.sessions == 0);
  CHECK(server.listener->connections() == 0);
}

TEST_CASE("more clients than allowed are told so") {
  ListenerOptions options;
  options.max_connections = 2;
  Server server(options);
  RawClient first(server.listener->port());
  first.log_in();
  RawClient second(server.listener->port());
  second.log_in();
  RawClient third(server.listener->port());
  CHECK(third.rest() == "fatal1040|");
  CHECK(first.sql("x") == kSqlReply);
}

TEST_CASE("a client that does not log in in time is closed") {
  ListenerOptions options;
  options.login_timeout_s = 1;
  Server server(options);
  RawClient client(server.listener->port());
  client.send(ClientMessage::kCapabilitiesGet);
  CHECK(client.rest() == "capabilities|");
}

TEST_CASE("an idle client is told why it is closed, and a frame left unfinished ends it") {
  ListenerOptions options;
  options.idle_timeout_s = 1;
  options.read_timeout_s = 1;
  Server server(options);
  RawClient idle(server.listener->port());
  idle.log_in();
  CHECK(idle.rest() == "notice1|");
  RawClient slow(server.listener->port());
  slow.log_in();
  slow.write(std::string("\x10\x00\x00\x00\x0c", 5));
  CHECK(slow.rest() == "|");
}

TEST_CASE("a client that does not read is not read from, and goes when it stays silent") {
  ListenerOptions options;
  options.write_timeout_s = 1;
  Server server(options);
  RawClient client(server.listener->port());
  client.log_in();
  Mysqlx::Sql::StmtExecute message;
  message.set_stmt("many rows");
  client.send(ClientMessage::kStatementExecute, message);
  server.wait_for_sessions(0);  // 20 MB do not fit the socket's buffers
}

TEST_CASE("a statement that runs out of memory costs its connection only") {
  Server server;
  RawClient client(server.listener->port());
  client.log_in();
  CHECK(client.sql("throw") == "fatal1041");
  RawClient other(server.listener->port());
  other.log_in();
  CHECK(other.sql("x") == kSqlReply);
}

TEST_CASE("an address that others can reach needs a password of root") {
  FakeStore store;
  ListenerOptions options;
  options.host = "0.0.0.0";
  options.port = 0;
  auto refused = Listener::start(store, options);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kInvalidArgument);
  CHECK(refused.error().message.find("no password") != std::string::npos);
  store.state.root.mysql41_verifier = std::string(20, 'v');
  CHECK(Listener::start(store, options));
  options.host = "not an address";
  CHECK_FALSE(Listener::start(store, options));
}
