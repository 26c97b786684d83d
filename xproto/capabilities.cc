#include "xproto/capabilities.h"

#include <set>
#include <string_view>

#include "xproto/error_map.h"
#include "xproto/values.h"

namespace wherestar::xproto {
namespace {

using Mysqlx::Datatypes::Any;
using Mysqlx::Datatypes::Scalar;

constexpr size_t kMaxAttributeKeyBytes = 32;
constexpr size_t kMaxAttributeValueBytes = 1024;
constexpr size_t kMaxAttributesBytes = 64u << 10;
constexpr std::string_view kAttributes = "session_connect_attrs";

void set_string(Scalar& scalar, std::string_view text) {
  scalar.set_type(Scalar::V_STRING);
  scalar.mutable_v_string()->set_value(std::string(text));
}

Any* add(Mysqlx::Connection::Capabilities& list, std::string_view name) {
  auto* capability = list.add_capabilities();
  capability->set_name(std::string(name));
  return capability->mutable_value();
}

void add_bool(Mysqlx::Connection::Capabilities& list, std::string_view name, bool value) {
  Any* any = add(list, name);
  any->set_type(Any::SCALAR);
  any->mutable_scalar()->set_type(Scalar::V_BOOL);
  any->mutable_scalar()->set_v_bool(value);
}

void add_string(Mysqlx::Connection::Capabilities& list, std::string_view name,
                std::string_view value) {
  Any* any = add(list, name);
  any->set_type(Any::SCALAR);
  set_string(*any->mutable_scalar(), value);
}

std::unexpected<XError> prepare_failed(const std::string& name) {
  return x_fail(code::kCapabilityPrepareFailed, "Capability prepare failed for '" + name + "'");
}

// Clients send booleans as V_BOOL, some as numbers.
XResult<bool> to_bool(const std::string& name, const Any& value) {
  if (value.type() == Any::SCALAR) {
    const Scalar& scalar = value.scalar();
    if (scalar.type() == Scalar::V_BOOL && scalar.has_v_bool()) return scalar.v_bool();
    if (scalar.type() == Scalar::V_UINT && scalar.has_v_unsigned_int()) {
      return scalar.v_unsigned_int() != 0;
    }
    if (scalar.type() == Scalar::V_SINT && scalar.has_v_signed_int()) {
      return scalar.v_signed_int() != 0;
    }
  }
  return prepare_failed(name);
}

XStatus set_attributes(const std::string& name, const Any& value, CapabilityState& state) {
  if (value.type() != Any::OBJECT || value.obj().fld_size() == 0) return prepare_failed(name);
  size_t total_bytes = 0;
  std::vector<std::pair<std::string, std::string>> attributes;
  for (const auto& field : value.obj().fld()) {
    if (field.key().empty()) {
      return x_fail(code::kAttributeEmptyKey, "Key name of a connection attribute is empty");
    }
    if (field.key().size() > kMaxAttributeKeyBytes) {
      return x_fail(code::kAttributeKeyLength, "Key name of connection attribute '" + field.key() +
                                                   "' is longer than 32 bytes");
    }
    if (field.value().type() != Any::SCALAR || field.value().scalar().type() != Scalar::V_STRING) {
      return x_fail(code::kAttributeType,
                    "Value of connection attribute '" + field.key() + "' is not a string");
    }
    const std::string& text = field.value().scalar().v_string().value();
    if (text.size() > kMaxAttributeValueBytes) {
      return x_fail(code::kAttributeValueLength, "Value of connection attribute '" + field.key() +
                                                     "' is longer than 1024 bytes");
    }
    total_bytes += field.key().size() + text.size();
    if (total_bytes > kMaxAttributesBytes) {
      return x_fail(code::kAttributeTotalLength,
                    "Connection attributes are longer than 65536 bytes");
    }
    attributes.emplace_back(field.key(), text);
  }
  state.connect_attributes = std::move(attributes);
  return {};
}

XStatus set_one(const Mysqlx::Connection::Capability& capability, CapabilityState& state,
                CapabilitiesResult& result) {
  const std::string& name = capability.name();
  const Any& value = capability.value();
  if (name == kAttributes) return set_attributes(name, value, state);
  if (name == "tls") {
    auto wanted = to_bool(name, value);
    if (!wanted) return std::unexpected(std::move(wanted).error());
    if (!*wanted || !state.tls_available || state.tls_active) return prepare_failed(name);
    result.start_tls = true;
    return {};
  }
  if (name == "client.interactive" || name == "client.pwd_expire_ok") {
    auto wanted = to_bool(name, value);
    if (!wanted) return std::unexpected(std::move(wanted).error());
    (name == "client.interactive" ? state.interactive : state.password_expire_ok) = *wanted;
    return {};
  }
  if (name == "authentication.mechanisms" || name == "doc.formats" || name == "node_type") {
    return prepare_failed(name);  // the server's to say
  }
  return x_fail(code::kUnknownCapability, "Capability '" + name + "' doesn't exist");
}

}  // namespace

Mysqlx::Connection::Capabilities list_capabilities(const CapabilityState& state) {
  Mysqlx::Connection::Capabilities list;
  if (state.tls_available) add_bool(list, "tls", state.tls_active);
  Any* mechanisms = add(list, "authentication.mechanisms");
  mechanisms->set_type(Any::ARRAY);
  auto add_mechanism = [&](std::string_view name) {
    Any* any = mechanisms->mutable_array()->add_value();
    any->set_type(Any::SCALAR);
    set_string(*any->mutable_scalar(), name);
  };
  add_mechanism("MYSQL41");
  if (state.plain_allowed) add_mechanism("PLAIN");
  add_mechanism("SHA256_MEMORY");
  add_string(list, "doc.formats", "text");
  add_bool(list, "client.interactive", state.interactive);
  add_string(list, "node_type", "mysql");
  add_bool(list, "client.pwd_expire_ok", state.password_expire_ok);
  return list;
}

XResult<CapabilitiesResult> set_capabilities(const Mysqlx::Connection::Capabilities& wanted,
                                             bool attributes_only, CapabilityState& state) {
  CapabilityState changed = state;
  CapabilitiesResult result;
  std::set<std::string> seen;
  for (const auto& capability : wanted.capabilities()) {
    if (attributes_only && capability.name() != kAttributes) {
      return x_fail_fatal(code::kCapabilityNotAllowed,
                          "Capability '" + capability.name() + "' can't be set any more");
    }
    if (!seen.insert(capability.name()).second) {
      return x_fail(code::kDuplicateCapability,
                    "Capability '" + capability.name() + "' is given twice");
    }
    if (auto status = set_one(capability, changed, result); !status) {
      return std::unexpected(std::move(status).error());
    }
  }
  state = std::move(changed);
  return result;
}

}  // namespace wherestar::xproto
