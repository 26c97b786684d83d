#include "xproto/admin.h"

#include <string>

#include <doctest/doctest.h>

using namespace wherestar::xproto;
using Mysqlx::Datatypes::Any;
using Mysqlx::Datatypes::Object;
using Mysqlx::Datatypes::Scalar;

namespace {

Any* add(Object* object, const char* key) {
  auto* field = object->add_fld();
  field->set_key(key);
  return field->mutable_value();
}

Object* add_object(Object* object, const char* key) {
  Any* any = add(object, key);
  any->set_type(Any::OBJECT);
  return any->mutable_obj();
}

void set_text(Any* any, const std::string& text) {
  any->set_type(Any::SCALAR);
  any->mutable_scalar()->set_type(Scalar::V_STRING);
  any->mutable_scalar()->mutable_v_string()->set_value(text);
}

void add_text(Object* object, const char* key, const std::string& text) {
  set_text(add(object, key), text);
}

void add_bool(Object* object, const char* key, bool value) {
  Any* any = add(object, key);
  any->set_type(Any::SCALAR);
  any->mutable_scalar()->set_type(Scalar::V_BOOL);
  any->mutable_scalar()->set_v_bool(value);
}

struct Command {
  Mysqlx::Sql::StmtExecute message;
  Object* fields;
  explicit Command(const char* name) {
    message.set_stmt(name);
    message.set_namespace_("mysqlx");
    Any* any = message.add_args();
    any->set_type(Any::OBJECT);
    fields = any->mutable_obj();
  }
  Command& text(const char* key, const std::string& value) {
    add_text(fields, key, value);
    return *this;
  }
  uint32_t error() const {
    auto result = translate_admin(message);
    return result ? 0 : result.error().code;
  }
};

template <class Statement>
Statement statement_of(const Command& command) {
  auto result = translate_admin(command.message);
  REQUIRE(result);
  return std::get<Statement>(std::get<AdminStatement>(*result).statement);
}

Command collection_command(const char* name) {
  Command command(name);
  command.text("schema", "s").text("name", "c");
  return command;
}

}  // namespace

TEST_CASE("commands are found in any case, and unknown ones are refused") {
  CHECK(Command("PING").error() == 0);
  CHECK(Command("teleport").error() == 5157);
  CHECK(Command("").error() == 5157);
}

TEST_CASE("a collection is created with its validation") {
  auto command = collection_command("create_collection");
  auto plain = statement_of<wherestar::server::CreateCollection>(command);
  CHECK(plain.collection.database == "s");
  CHECK(plain.collection.collection == "c");
  CHECK_FALSE(plain.if_not_exists);
  CHECK_FALSE(plain.validation);
  auto* options = add_object(command.fields, "options");
  add_bool(options, "reuse_existing", true);
  auto* validation = add_object(options, "validation");
  add_text(add_object(validation, "schema"), "type", "object");
  add_text(validation, "level", "STRICT");
  auto create = statement_of<wherestar::server::CreateCollection>(command);
  CHECK(create.if_not_exists);
  REQUIRE(create.validation);
  CHECK(create.validation->schema_json == R"({"type":"object"})");
  CHECK(create.validation->level == "strict");
}

TEST_CASE("arguments missing, of a wrong type, unknown or empty have their numbers") {
  CHECK(Command("create_collection").error() == 5015);
  CHECK(Command("create_collection").text("schema", "s").error() == 5015);
  CHECK(Command("create_collection").text("schema", "").text("name", "c").error() == 5017);
  CHECK(collection_command("create_collection").text("colour", "red").error() == 5021);
  auto with_options = [](auto fill, const char* name = "create_collection") {
    auto command = collection_command(name);
    fill(add_object(command.fields, "options"));
    return command.error();
  };
  CHECK(with_options([](Object*) {}) == 0);
  CHECK(with_options([](Object* options) { add_text(options, "foo", "bar"); }) == 5021);
  CHECK(with_options([](Object* options) { add_object(options, "validation"); }) == 0);
  CHECK(with_options([](Object* options) { add_text(options, "validation", "x"); }) == 5016);
  CHECK(with_options([](Object* options) {
          add_text(add_object(options, "validation"), "level", "foo");
        }) == 5017);
  CHECK(with_options([](Object* options) {
          add_text(add_object(options, "validation"), "foo", "bar");
        }) == 5021);
  CHECK(with_options([](Object*) {}, "modify_collection_options") == 5020);
  CHECK(with_options([](Object* options) { add_object(options, "validation"); },
                     "modify_collection_options") == 5020);
  CHECK(with_options([](Object* options) { add_text(options, "foo", "bar"); },
                     "modify_collection_options") == 5021);
  Command two("ping");
  *two.message.add_args() = two.message.args(0);
  CHECK(two.error() == 5015);
  Command scalar("ping");
  set_text(scalar.message.mutable_args(0), "x");
  CHECK(scalar.error() == 5016);
}

namespace {

Command index_command(const char* path, const char* type) {
  Command command("create_collection_index");
  command.text("schema", "s").text("collection", "c").text("name", "i");
  add_bool(command.fields, "unique", false);
  Any* constraint = add(command.fields, "constraint");
  constraint->set_type(Any::ARRAY);
  Any* item = constraint->mutable_array()->add_value();
  item->set_type(Any::OBJECT);
  add_bool(item->mutable_obj(), "array", true);
  add_text(item->mutable_obj(), "member", path);
  add_text(item->mutable_obj(), "type", type);
  return command;
}

}  // namespace

TEST_CASE("an index names its members") {
  auto create = statement_of<wherestar::server::CreateIndex>(
      index_command("$.address.zip", "CHAR(5) CHARACTER SET utf8mb4"));
  CHECK(create.name == "i");
  CHECK(create.type == "INDEX");
  REQUIRE(create.members.size() == 1);
  CHECK(create.members[0].path.to_string() == "$.address.zip");
  CHECK(create.members[0].array);
  CHECK(index_command("$.a", "INT UNSIGNED").error() == 0);
  CHECK(index_command("$.a", "INT; DROP").error() == 5017);
  CHECK(index_command("$.a", "VARCHAR").error() == 5017);
  CHECK(index_command("address zip", "INT").error() == 5017);
  CHECK(index_command("$", "INT").error() == 5017);
}

TEST_CASE("the commands about the connection itself are told apart") {
  Command kill("kill_client");
  Any* id = add(kill.fields, "id");
  id->set_type(Any::SCALAR);
  id->mutable_scalar()->set_type(Scalar::V_UINT);
  id->mutable_scalar()->set_v_unsigned_int(7);
  auto result = translate_admin(kill.message);
  REQUIRE(result);
  CHECK(std::get<KillClient>(*result).client_id == 7);
  CHECK(Command("kill_client").error() == 5015);
  auto notices = translate_admin(Command("disable_notices").text("notice", "warnings").message);
  REQUIRE(notices);
  CHECK(std::get<SwitchNotices>(*notices).names.at(0) == "warnings");
  CHECK_FALSE(std::get<SwitchNotices>(*notices).enable);
  auto objects = statement_of<wherestar::server::ListObjects>(
      Command("list_objects").text("schema", "s").text("pattern", "a%"));
  CHECK(objects.database == "s");
  CHECK(objects.pattern == "a%");
}
