// Administrative commands: StmtExecute in the namespace "mysqlx".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <mysqlx_sql.pb.h>

#include "server/statement.h"
#include "xproto/error_map.h"
#include "xproto/x_error.h"

namespace wherestar::xproto {

// What the store does.
struct AdminStatement {
  server::Statement statement;
  ErrorContext context = ErrorContext::kSql;
};
// What the connection itself does.
struct Ping {};
struct ListClients {};
struct KillClient {
  uint64_t client_id = 0;
};
struct ListNotices {};
struct SwitchNotices {
  std::vector<std::string> names;
  bool enable = true;
};

using AdminCommand =
    std::variant<AdminStatement, Ping, ListClients, KillClient, ListNotices, SwitchNotices>;

// 5157 for an unknown command; 5015-5017, 5020, 5021 for its arguments.
XResult<AdminCommand> translate_admin(const Mysqlx::Sql::StmtExecute& message);

}  // namespace wherestar::xproto
