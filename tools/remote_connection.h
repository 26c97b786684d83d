// A Connection to a server over X Protocol: synchronous, one statement at a time.
//
// TLS with PLAIN where the server offers it; else MYSQL41, in clear on loopback only. One thread.
// Errors: kIo (cannot connect, connection lost), kAccessDenied, those of statements by their MySQL
// number.
#pragma once

#include <memory>

#include "tools/connection.h"
#include "tools/target.h"

namespace wherestar::tools {

Result<std::unique_ptr<Connection>> open_remote(const ServerUri& uri);

}  // namespace wherestar::tools
