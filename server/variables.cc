#include "server/variables.h"

#include <algorithm>
#include <ctime>

namespace wherestar::server {

std::vector<std::pair<std::string, SqlValue>> default_variables(const StoreCore& core) {
  const auto text = [](std::string_view value) { return SqlValue::text(std::string(value)); };
  const auto number = [](int64_t value) { return SqlValue::signed_integer(value); };
  std::vector<std::pair<std::string, SqlValue>> variables = {
      {"autocommit", number(1)},
      {"auto_increment_increment", number(1)},
      {"character_set_client", text("utf8mb4")},
      {"character_set_connection", text("utf8mb4")},
      {"character_set_database", text("utf8mb4")},
      {"character_set_results", text("utf8mb4")},
      {"character_set_server", text("utf8mb4")},
      {"character_set_system", text("utf8mb4")},
      {"collation_connection", text("utf8mb4_bin")},
      {"collation_database", text("utf8mb4_bin")},
      {"collation_server", text("utf8mb4_bin")},
      {"datadir", text(core.directory)},
      {"foreign_key_checks", number(1)},
      {"group_concat_max_len", number(1024)},
      {"have_ssl", text("YES")},
      {"hostname", text("localhost")},
      {"init_connect", text("")},
      {"innodb_lock_wait_timeout", number(core.options.lock_wait_timeout_ms / 1000)},
      {"interactive_timeout", number(28800)},
      {"license", text("Apache-2.0")},
      {"lower_case_table_names", number(0)},
      {"max_allowed_packet", number(67108864)},
      {"max_execution_time", number(core.options.statement_timeout_ms)},
      {"mysqlx_max_allowed_packet", number(67108864)},
      {"mysqlx_max_connections", number(100)},
      {"mysqlx_port", number(33060)},
      {"mysqlx_read_timeout", number(28800)},
      {"mysqlx_socket", text("")},
      {"mysqlx_wait_timeout", number(28800)},
      {"mysqlx_write_timeout", number(60)},
      {"net_read_timeout", number(30)},
      {"net_write_timeout", number(60)},
      {"performance_schema", number(0)},
      {"port", number(0)},
      {"protocol_version", number(10)},
      {"query_cache_size", number(0)},
      {"query_cache_type", text("OFF")},
      {"read_only", number(core.options.read_only ? 1 : 0)},
      {"sql_auto_is_null", number(0)},
      {"sql_mode", text("STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO")},
      {"sql_safe_updates", number(0)},
      {"sql_select_limit", SqlValue::unsigned_integer(UINT64_MAX)},
      {"super_read_only", number(core.options.read_only ? 1 : 0)},
      {"system_time_zone", text("UTC")},
      {"time_zone", text("+00:00")},
      {"transaction_isolation", text("REPEATABLE-READ")},
      {"transaction_read_only", number(0)},
      {"tx_isolation", text("REPEATABLE-READ")},
      {"tx_read_only", number(0)},
      {"unique_checks", number(1)},
      {"version", text(kVersion)},
      {"version_comment", text("Wherestar document store")},
      {"version_compile_machine", text("x86_64")},
      {"version_compile_os", text("Linux")},
      {"wait_timeout", number(28800)},
  };
  std::ranges::sort(variables, {}, &std::pair<std::string, SqlValue>::first);
  return variables;
}

std::vector<std::pair<std::string, std::string>> status_variables(const StoreCore& core) {
  const fractal_tree::EngineCounters counters = core.engine->counters();
  std::vector<std::pair<std::string, std::string>> status = {
      {"Mysqlx_bytes_sent_compressed_payload", "0"},
      {"Mysqlx_compression_algorithm", ""},
      {"Mysqlx_ssl_active", ""},
      {"Mysqlx_ssl_cipher", ""},
      {"Mysqlx_ssl_version", ""},
      {"Ssl_cipher", ""},
      {"Ssl_version", ""},
      {"Uptime", std::to_string(std::time(nullptr) - core.started_unix_s)},
      {"Wherestar_checkpoints", std::to_string(counters.checkpoints)},
      {"Wherestar_commits", std::to_string(counters.commits)},
      {"Wherestar_cache_bytes", std::to_string(counters.cache_bytes)},
      {"Wherestar_log_bytes", std::to_string(counters.log_bytes)},
  };
  std::ranges::sort(status);
  return status;
}

}  // namespace wherestar::server
