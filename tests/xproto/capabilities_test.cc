#include "xproto/capabilities.h"

#include <string>

#include <doctest/doctest.h>

using namespace wherestar::xproto;
using Mysqlx::Connection::Capabilities;
using Mysqlx::Datatypes::Any;
using Mysqlx::Datatypes::Scalar;

namespace {

void add_bool(Capabilities& list, const char* name, bool value) {
  auto* capability = list.add_capabilities();
  capability->set_name(name);
  capability->mutable_value()->set_type(Any::SCALAR);
  capability->mutable_value()->mutable_scalar()->set_type(Scalar::V_BOOL);
  capability->mutable_value()->mutable_scalar()->set_v_bool(value);
}

Mysqlx::Datatypes::Object* add_attributes(Capabilities& list) {
  auto* capability = list.add_capabilities();
  capability->set_name("session_connect_attrs");
  capability->mutable_value()->set_type(Any::OBJECT);
  return capability->mutable_value()->mutable_obj();
}

void add_attribute(Mysqlx::Datatypes::Object* object, const std::string& key,
                   const std::string& value) {
  auto* field = object->add_fld();
  field->set_key(key);
  field->mutable_value()->set_type(Any::SCALAR);
  field->mutable_value()->mutable_scalar()->set_type(Scalar::V_STRING);
  field->mutable_value()->mutable_scalar()->mutable_v_string()->set_value(value);
}

uint32_t attribute_error(const std::string& key, const std::string& value, int times = 1) {
  Capabilities list;
  auto* object = add_attributes(list);
  for (int i = 0; i < times; ++i) add_attribute(object, key, value);
  CapabilityState state;
  auto result = set_capabilities(list, false, state);
  return result ? 0 : result.error().code;
}

}  // namespace

TEST_CASE("PLAIN is offered only where nobody listens, and tls only where there is a certificate") {
  auto names = [](const CapabilityState& state) {
    std::string text;
    const auto listed = list_capabilities(state);
    for (const auto& capability : listed.capabilities()) {
      if (capability.name() == "tls") {
        text += capability.value().scalar().v_bool() ? "tls=1 " : "tls=0 ";
      }
      if (capability.name() != "authentication.mechanisms") continue;
      for (const auto& any : capability.value().array().value()) {
        text += any.scalar().v_string().value() + " ";
      }
    }
    return text;
  };
  CHECK(names({}) == "MYSQL41 SHA256_MEMORY ");
  CapabilityState state;
  state.tls_available = true;
  CHECK(names(state) == "tls=0 MYSQL41 SHA256_MEMORY ");
  state.tls_active = true;
  state.plain_allowed = true;
  CHECK(names(state) == "tls=1 MYSQL41 PLAIN SHA256_MEMORY ");
}

TEST_CASE("tls can be asked for once, and only where there is a certificate") {
  Capabilities list;
  add_bool(list, "tls", true);
  CapabilityState state;
  auto refused = set_capabilities(list, false, state);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == 5001);
  CHECK(refused.error().message == "Capability prepare failed for 'tls'");
  state.tls_available = true;
  auto accepted = set_capabilities(list, false, state);
  REQUIRE(accepted);
  CHECK(accepted->start_tls);
  state.tls_active = true;
  CHECK(set_capabilities(list, false, state).error().code == 5001);
}

TEST_CASE("an unknown capability is named, and nothing of the set is applied") {
  Capabilities list;
  add_bool(list, "client.interactive", true);
  add_bool(list, "teleport", true);
  CapabilityState state;
  auto result = set_capabilities(list, false, state);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == 5002);
  CHECK(result.error().message == "Capability 'teleport' doesn't exist");
  CHECK_FALSE(state.interactive);
}

TEST_CASE("a capability given twice is refused") {
  Capabilities list;
  add_bool(list, "client.interactive", true);
  add_bool(list, "client.interactive", false);
  CapabilityState state;
  CHECK(set_capabilities(list, false, state).error().code == 5019);
}

TEST_CASE("connection attributes have limits, each with its own number") {
  CHECK(attribute_error("k", "v") == 0);
  CHECK(attribute_error(std::string(32, 'k'), std::string(1024, 'v')) == 0);
  CHECK(attribute_error(std::string(33, 'k'), "v") == 5005);
  CHECK(attribute_error("k", std::string(1025, 'v')) == 5004);
  CHECK(attribute_error("", "v") == 5006);
  CHECK(attribute_error("k", std::string(1024, 'v'), 64) == 5007);
  CHECK(attribute_error("k", "v", 0) == 5001);
}

TEST_CASE("an attribute that is no string is refused") {
  Capabilities list;
  auto* field = add_attributes(list)->add_fld();
  field->set_key("k");
  field->mutable_value()->set_type(Any::SCALAR);
  field->mutable_value()->mutable_scalar()->set_type(Scalar::V_NULL);
  CapabilityState state;
  CHECK(set_capabilities(list, false, state).error().code == 5008);
}

TEST_CASE("behind Session.Close only attributes may be set") {
  Capabilities list;
  add_bool(list, "client.interactive", true);
  CapabilityState state;
  auto result = set_capabilities(list, true, state);
  REQUIRE_FALSE(result);
  CHECK(result.error().code == 5009);
  CHECK(result.error().fatal);
}
