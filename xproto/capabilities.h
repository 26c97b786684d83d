// Capabilities: what client and server agree on before login.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <mysqlx_connection.pb.h>

#include "xproto/x_error.h"

namespace wherestar::xproto {

struct CapabilityState {
  bool tls_available = false;
  bool tls_active = false;
  bool plain_allowed = false;  // the transport is TLS or a unix socket
  bool interactive = false;
  bool password_expire_ok = false;
  std::vector<std::pair<std::string, std::string>> connect_attributes;
};

Mysqlx::Connection::Capabilities list_capabilities(const CapabilityState& state);

struct CapabilitiesResult {
  bool start_tls = false;
};
// All or nothing. 5001, 5002, 5004-5008, 5019. `attributes_only`: behind Session.Close, where only
// connect attributes may be set (else 5009, fatal).
XResult<CapabilitiesResult> set_capabilities(const Mysqlx::Connection::Capabilities& wanted,
                                             bool attributes_only, CapabilityState& state);

}  // namespace wherestar::xproto
