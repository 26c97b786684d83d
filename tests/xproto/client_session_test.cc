#include "xproto/client_session.h"

#include <string>

#include <doctest/doctest.h>
#include <mysqlx_connection.pb.h>
#include <mysqlx_crud.pb.h>
#include <mysqlx_expect.pb.h>
#include <mysqlx_prepare.pb.h>
#include <mysqlx_session.pb.h>
#include <mysqlx_sql.pb.h>

#include "fake_store.h"
#include "replies.h"

using namespace wherestar::xproto;
using wherestar::xproto_test::describe;
using wherestar::xproto_test::FakeStore;

namespace {

class Fixture {
 public:
  Fixture() : session(environment()) {}

  std::string send(uint8_t type, const std::string& payload) {
    std::string out;
    next = session.handle(type, payload, out);
    pieces = 1;
    std::string text;
    while (next == Next::kMore) {
      ++pieces;
      largest_piece = std::max(largest_piece, out.size());
      whole += out;
      out.clear();
      next = session.resume(out);
    }
    whole += out;
    std::string all;
    all.swap(whole);
    return describe(all);
  }
  std::string send(ClientMessage type, const std::string& payload = {}) {
    return send(static_cast<uint8_t>(type), payload);
  }
  std::string send(ClientMessage type, const google::protobuf::MessageLite& message) {
    return send(type, message.SerializePartialAsString());
  }
  std::string sql(const std::string& text) {
    Mysqlx::Sql::StmtExecute message;
    message.set_stmt(text);
    return send(ClientMessage::kStatementExecute, message);
  }
  std::string admin(const std::string& text) {
    Mysqlx::Sql::StmtExecute message;
    message.set_stmt(text);
    message.set_namespace_("mysqlx");
    return send(ClientMessage::kStatementExecute, message);
  }
  std::string start(const std::string& mechanism, const std::string& data = {}) {
    Mysqlx::Session::AuthenticateStart message;
    message.set_mech_name(mechanism);
    if (!data.empty()) message.set_auth_data(data);
    return send(ClientMessage::kAuthenticateStart, message);
  }
  std::string go_on(const std::string& data) {
    Mysqlx::Session::AuthenticateContinue message;
    message.set_auth_data(data);
    return send(ClientMessage::kAuthenticateContinue, message);
  }
  void log_in() {
    REQUIRE(start("MYSQL41") == "challenge");
    REQUIRE(go_on(std::string("\0root\0", 6)) == "notice3:11 authenticated");
  }

  FakeStore store;
  ClientRegistry registry;
  ClientSession session;
  Next next = Next::kRead;
  size_t pieces = 0;
  size_t largest_piece = 0;
  std::string whole;

 private:
  ClientEnvironment environment() {
    ClientEnvironment environment;
    environment.store = &store;
    environment.registry = &registry;
    environment.client_id = registry.add("localhost", [] {});
    environment.host = "localhost";
    environment.tls_available = true;
    environment.limits.prepared_statements = 4;
    return environment;
  }
};

Mysqlx::Crud::Find find() {
  Mysqlx::Crud::Find message;
  message.mutable_collection()->set_name("c");
  return message;
}

Mysqlx::Crud::Insert insert() {
  Mysqlx::Crud::Insert message;
  message.mutable_collection()->set_name("c");
  auto* field = message.add_row()->add_field();
  field->set_type(Mysqlx::Expr::Expr::OBJECT);
  field->mutable_object();
  return message;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "login by MYSQL41 assigns the client its id") {
  log_in();
  CHECK(session.logged_in());
  CHECK(session.max_frame_bytes() == kMaxFrameBytes);
  CHECK(registry.list().at(0).user == "root");
}

TEST_CASE_FIXTURE(Fixture, "before login only capabilities and login are understood") {
  for (int type = 0; type < 256; ++type) {
    CAPTURE(type);
    Fixture fresh;
    std::string reply = fresh.send(static_cast<uint8_t>(type), "");
    switch (type) {
      case 1:
        CHECK(reply == "capabilities");
        break;
      case 3:
        CHECK(reply == "ok");
        break;
      default:
        CHECK(reply == "fatal5000");
    }
    CHECK((fresh.next == Next::kClose) == (type != 1));
  }
}

TEST_CASE_FIXTURE(Fixture, "during a challenge only its answer is understood") {
  for (int type = 0; type < 256; ++type) {
    CAPTURE(type);
    Fixture fresh;
    REQUIRE(fresh.start("MYSQL41") == "challenge");
    std::string reply = fresh.send(static_cast<uint8_t>(type), "");
    if (type == 3) {
      CHECK(reply == "ok");
    } else {
      CHECK(reply == "fatal5000");
    }
  }
}

TEST_CASE_FIXTURE(Fixture, "after login every message number gets an answer") {
  for (int type = 0; type < 256; ++type) {
    CAPTURE(type);
    Fixture fresh;
    fresh.log_in();
    std::string reply = fresh.send(static_cast<uint8_t>(type), "");
    bool is_known = type == 3 || type == 6 || type == 7 || type == 12 ||
                    (type >= 17 && type <= 20) || type == 24 || type == 25 ||
                    (type >= 40 && type <= 42);
    if (!is_known) {
      CHECK(reply == "error1047");
      CHECK(fresh.sql("x") == "notice1 notice3:4 executed");
    }
    if (type == 6 || type == 7) CHECK(reply == "ok");
    if (type == 17) CHECK(reply == "error5113");
    if (type == 24) CHECK(reply == "ok");
    if (type == 25) CHECK(reply == "error5158");
    if (type == 40) CHECK(reply == "fatal5000");
    if (type == 41) CHECK(reply == "error5110");
  }
}

TEST_CASE_FIXTURE(Fixture, "undecodable bytes end the connection") {
  log_in();
  CHECK(send(ClientMessage::kFind, "\xff\xff\xff") == "fatal5000");
  CHECK(next == Next::kClose);
}

TEST_CASE_FIXTURE(Fixture, "wrong passwords are errors twice, and fatal then") {
  store.state.root.mysql41_verifier = std::string(20, 'v');
  std::string wrong("\0root\0*0000000000000000000000000000000000000000", 47);
  REQUIRE(start("MYSQL41") == "challenge");
  CHECK(go_on(wrong) == "error1045");
  REQUIRE(start("SHA256_MEMORY") == "challenge");
  CHECK(go_on(wrong) == "error1045");
  REQUIRE(start("MYSQL41") == "challenge");
  CHECK(go_on(wrong) == "fatal1045");
  CHECK(next == Next::kClose);
}

TEST_CASE_FIXTURE(Fixture, "a challenge is answered once") {
  store.state.root.mysql41_verifier = std::string(20, 'v');
  REQUIRE(start("MYSQL41") == "challenge");
  CHECK(go_on(std::string("\0root\0", 6)) == "error1045");
  CHECK(go_on(std::string("\0root\0", 6)) == "fatal5000");
}

TEST_CASE_FIXTURE(Fixture, "an unknown user, a wrong password and an unknown database tell alike") {
  store.state.root.mysql41_verifier = std::string(20, 'v');
  REQUIRE(start("MYSQL41") == "challenge");
  CHECK(go_on(std::string("nowhere\0root\0", 13)) == "error1045");
  REQUIRE(start("MYSQL41") == "challenge");
  CHECK(go_on(std::string("nowhere\0nobody\0", 15)) == "error1045");
}

TEST_CASE_FIXTURE(Fixture, "the right password and an unknown database are 1049") {
  REQUIRE(start("MYSQL41") == "challenge");
  CHECK(go_on(std::string("nowhere\0root\0", 13)) == "error1049");
  CHECK_FALSE(session.logged_in());
}

TEST_CASE_FIXTURE(Fixture, "PLAIN in the clear and unknown mechanisms are fatal") {
  CHECK(start("PLAIN", std::string("\0root\0", 6)) == "fatal1251");
  Fixture other;
  CHECK(other.start("KERBEROS") == "fatal1251");
  Fixture secure;
  secure.session.tls_established();
  CHECK(secure.start("PLAIN", std::string("\0root\0", 6)) == "notice3:11 authenticated");
}

TEST_CASE_FIXTURE(Fixture, "a client that never logs in gets sixteen messages") {
  for (int i = 0; i < 16; ++i) REQUIRE(send(ClientMessage::kCapabilitiesGet) == "capabilities");
  CHECK(send(ClientMessage::kCapabilitiesGet) == "fatal5000");
}

TEST_CASE_FIXTURE(Fixture, "each kind of statement has its sequence of replies") {
  log_in();
  CHECK(sql("anything") == "notice1 notice3:4 executed");
  CHECK(sql("two rows") == "column row row done notice1 notice3:4 executed");
  CHECK(send(ClientMessage::kFind, find()) == "column row row done notice1 executed");
  CHECK(send(ClientMessage::kInsert, insert()) ==
        "notice1 notice3:4 notice3:12 notice3:10 executed");
  CHECK(admin("ping") == "executed");
  CHECK(admin("list_clients") == "column column column column row done executed");
  CHECK(admin("nonsense") == "error5157");
}

TEST_CASE_FIXTURE(Fixture, "an error leaves the session as it was, also behind rows") {
  log_in();
  CHECK(sql("fail") == "error1146");
  CHECK(sql("fail in rows") == "column row row error1365");
  CHECK(sql("two rows") == "column row row done notice1 notice3:4 executed");
}

TEST_CASE_FIXTURE(Fixture, "a large result comes in pieces of bounded size") {
  log_in();
  std::string reply = sql("many rows");
  CHECK(pieces > 50);
  CHECK(largest_piece < kReplyChunkBytes + 2000);
  CHECK(reply.ends_with("row done notice1 notice3:4 executed"));
}

TEST_CASE_FIXTURE(Fixture, "arguments are bound, and must be scalars") {
  log_in();
  Mysqlx::Sql::StmtExecute message;
  message.set_stmt("with arguments");
  auto* any = message.add_args();
  any->set_type(Mysqlx::Datatypes::Any::SCALAR);
  any->mutable_scalar()->set_type(Mysqlx::Datatypes::Scalar::V_NULL);
  CHECK(send(ClientMessage::kStatementExecute, message) == "notice1 notice3:4 executed");
  CHECK(store.state.argument_counts.back() == 1);
  any->set_type(Mysqlx::Datatypes::Any::ARRAY);
  CHECK(send(ClientMessage::kStatementExecute, message) == "error5012");
  message.clear_args();
  message.set_namespace_("xplugin");
  CHECK(send(ClientMessage::kStatementExecute, message) == "error5162");
}

TEST_CASE_FIXTURE(Fixture,
                  "a placeholder without an argument, or with a scalar of no type, is refused") {
  log_in();
  auto message = find();
  message.mutable_criteria()->set_type(Mysqlx::Expr::Expr::PLACEHOLDER);
  message.mutable_criteria()->set_position(0);
  CHECK(send(ClientMessage::kFind, message) == "error5154");
  message.add_args();
  CHECK(send(ClientMessage::kFind, message) == "error5154");
}

TEST_CASE_FIXTURE(Fixture, "prepared statements run with fixed and bound arguments") {
  log_in();
  Mysqlx::Prepare::Prepare prepare;
  prepare.set_stmt_id(1);
  prepare.mutable_stmt()->set_type(Mysqlx::Prepare::Prepare::OneOfMessage::FIND);
  *prepare.mutable_stmt()->mutable_find() = find();
  auto* limit = prepare.mutable_stmt()->mutable_find()->mutable_limit_expr()->mutable_row_count();
  limit->set_type(Mysqlx::Expr::Expr::PLACEHOLDER);
  limit->set_position(1);
  prepare.mutable_stmt()->mutable_find()->add_args()->set_type(Mysqlx::Datatypes::Scalar::V_NULL);
  CHECK(send(ClientMessage::kPrepare, prepare) == "ok");
  Mysqlx::Prepare::Execute execute;
  execute.set_stmt_id(1);
  CHECK(send(ClientMessage::kExecute, execute) == "error5134");
  auto* any = execute.add_args();
  any->set_type(Mysqlx::Datatypes::Any::SCALAR);
  any->mutable_scalar()->set_type(Mysqlx::Datatypes::Scalar::V_UINT);
  any->mutable_scalar()->set_v_unsigned_int(5);
  CHECK(send(ClientMessage::kExecute, execute) == "column row row done notice1 executed");
  CHECK(store.state.argument_counts.back() == 2);
  execute.mutable_args(0)->set_type(Mysqlx::Datatypes::Any::OBJECT);
  CHECK(send(ClientMessage::kExecute, execute) == "error5133");
  Mysqlx::Prepare::Deallocate deallocate;
  deallocate.set_stmt_id(1);
  CHECK(send(ClientMessage::kDeallocate, deallocate) == "ok");
  CHECK(send(ClientMessage::kDeallocate, deallocate) == "error5110");
  CHECK(send(ClientMessage::kExecute, execute) == "error5110");
}

TEST_CASE_FIXTURE(Fixture, "prepared statements are limited and forgotten by a reset") {
  log_in();
  Mysqlx::Prepare::Prepare prepare;
  prepare.mutable_stmt()->set_type(Mysqlx::Prepare::Prepare::OneOfMessage::STMT);
  prepare.mutable_stmt()->mutable_stmt_execute()->set_stmt("SELECT 1");
  for (uint32_t id = 1; id <= 4; ++id) {
    prepare.set_stmt_id(id);
    CHECK(send(ClientMessage::kPrepare, prepare) == "ok");
  }
  prepare.set_stmt_id(4);
  CHECK(send(ClientMessage::kPrepare, prepare) == "ok");  // replaces
  prepare.set_stmt_id(5);
  CHECK(send(ClientMessage::kPrepare, prepare) == "error1461");
  Mysqlx::Session::Reset reset;
  reset.set_keep_open(true);
  CHECK(send(ClientMessage::kReset, reset) == "ok");
  CHECK(session.logged_in());
  Mysqlx::Prepare::Execute execute;
  execute.set_stmt_id(1);
  CHECK(send(ClientMessage::kExecute, execute) == "error5110");
  CHECK(send(ClientMessage::kPrepare, prepare) == "ok");
}

TEST_CASE_FIXTURE(Fixture, "a session that is closed can be logged in to again") {
  log_in();
  CHECK(store.state.sessions == 1);
  CHECK(send(ClientMessage::kSessionClose) == "ok");
  CHECK(store.state.sessions == 0);
  CHECK(registry.list().at(0).user.empty());
  CHECK_FALSE(session.logged_in());
  log_in();
  CHECK(send(ClientMessage::kConnectionClose) == "ok");
  CHECK(next == Next::kClose);
}

TEST_CASE_FIXTURE(Fixture, "a failing statement fails the rest of its expectation block") {
  log_in();
  Mysqlx::Expect::Open open;
  open.add_cond()->set_condition_key(Mysqlx::Expect::Open::Condition::EXPECT_NO_ERROR);
  CHECK(send(ClientMessage::kExpectOpen, open) == "ok");
  CHECK(sql("fail") == "error1146");
  CHECK(sql("two rows") == "error5159");
  CHECK(send(ClientMessage::kFind, find()) == "error5159");
  CHECK(send(ClientMessage::kExpectClose) == "error5159");
  CHECK(sql("two rows") == "column row row done notice1 notice3:4 executed");
}

TEST_CASE_FIXTURE(Fixture, "notices of warnings can be switched off, others cannot") {
  log_in();
  auto notices = [&](const char* command, const char* name) {
    Mysqlx::Sql::StmtExecute message;
    message.set_stmt(command);
    message.set_namespace_("mysqlx");
    auto* any = message.add_args();
    any->set_type(Mysqlx::Datatypes::Any::OBJECT);
    auto* field = any->mutable_obj()->add_fld();
    field->set_key("notice");
    field->mutable_value()->set_type(Mysqlx::Datatypes::Any::SCALAR);
    auto* scalar = field->mutable_value()->mutable_scalar();
    scalar->set_type(Mysqlx::Datatypes::Scalar::V_STRING);
    scalar->mutable_v_string()->set_value(name);
    return send(ClientMessage::kStatementExecute, message);
  };
  CHECK(notices("disable_notices", "warnings") == "executed");
  CHECK(sql("x") == "notice3:4 executed");
  CHECK(notices("enable_notices", "warnings") == "executed");
  CHECK(sql("x") == "notice1 notice3:4 executed");
  CHECK(notices("disable_notices", "rows_affected") == "error5164");
  CHECK(notices("enable_notices", "gossip") == "error5163");
  CHECK(admin("list_notices") == "column column row row row row row done executed");
}

TEST_CASE("peers that could be overheard must use TLS, and an account without password is local") {
  FakeStore store;
  ClientRegistry registry;
  ClientEnvironment environment;
  environment.store = &store;
  environment.registry = &registry;
  environment.client_id = registry.add("10.0.0.7", [] {});
  environment.host = "10.0.0.7";
  environment.loopback = false;
  Mysqlx::Session::AuthenticateStart start;
  start.set_mech_name("MYSQL41");
  std::string out;
  {
    ClientSession session(environment);
    CHECK(session.handle(4, start.SerializeAsString(), out) == Next::kClose);
    CHECK(describe(out) == "fatal3159");
  }
  ClientSession session(environment);
  session.tls_established();
  start.set_mech_name("PLAIN");
  start.set_auth_data(std::string("\0root\0", 6));
  out.clear();
  session.handle(4, start.SerializeAsString(), out);
  CHECK(describe(out) == "error1045");
}
