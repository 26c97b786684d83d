#include "server/variables.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <optional>
#include <utility>

#include "server/evaluator.h"
#include "server/views.h"

namespace wherestar::server {

namespace {

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
      {"wherestar_access", text("auto")},
  };
  std::ranges::sort(variables, {}, &std::pair<std::string, SqlValue>::first);
  return variables;
}

bool is_fixed(std::string_view name) {
  static constexpr std::array<std::string_view, 9> kFixed = {"datadir",
                                                             "have_ssl",
                                                             "hostname",
                                                             "license",
                                                             "lower_case_table_names",
                                                             "performance_schema",
                                                             "port",
                                                             "read_only",
                                                             "super_read_only"};
  return name.starts_with("version") || std::ranges::find(kFixed, name) != kFixed.end();
}

std::unexpected<Error> wrong_value(const std::string& name, const SqlValue& value) {
  return fail(ErrorCode::kInvalidArgument, "Variable '" + name +
                                               "' can't be set to the value of '" +
                                               (value.is_null() ? "NULL" : to_text(value)) + "'");
}

std::optional<bool> as_switch(const SqlValue& value) {
  const std::string text = to_lower(to_text(value));
  if (text == "1" || text == "on" || text == "true") return true;
  if (text == "0" || text == "off" || text == "false") return false;
  return std::nullopt;
}

std::optional<uint32_t> as_number(const SqlValue& value, uint32_t least, uint32_t most) {
  uint64_t number = 0;
  if (value.type() == SqlType::kSigned && value.as_signed() >= 0)
    number = static_cast<uint64_t>(value.as_signed());
  else if (value.type() == SqlType::kUnsigned)
    number = value.as_unsigned();
  else
    return std::nullopt;
  if (number < least || number > most) return std::nullopt;
  return static_cast<uint32_t>(number);
}

}  // namespace

SessionVariables::SessionVariables(const StoreCore& core)
    : values_(default_variables(core)),
      lock_wait_timeout_ms_(core.options.lock_wait_timeout_ms),
      select_timeout_ms_(core.options.statement_timeout_ms) {}

SqlValue* SessionVariables::find(std::string_view name) {
  const auto found =
      std::ranges::lower_bound(values_, name, {}, &std::pair<std::string, SqlValue>::first);
  return found != values_.end() && found->first == name ? &found->second : nullptr;
}

Result<bool> SessionVariables::set(std::string_view given, SqlValue value) {
  const std::string name = to_lower(given);
  if (name == "names" || name == "character set" || name == "charset") return true;
  SqlValue* const kept = find(name);
  if (kept == nullptr)
    return fail(ErrorCode::kUnknownVariable, "Unknown system variable '" + name + "'");
  if (is_fixed(name))
    return fail(ErrorCode::kInvalidArgument, "Variable '" + name + "' is a read only variable");
  ASSIGN_OR_RETURN(const bool has_effect, apply(name, value));
  *kept = std::move(value);
  return has_effect;
}

// `value` becomes what the variable shows.
Result<bool> SessionVariables::apply(const std::string& name, SqlValue& value) {
  constexpr uint32_t kMostSeconds = 1'000'000;  // fits as milliseconds
  if (name == "autocommit" || name == "transaction_read_only" || name == "tx_read_only") {
    const auto on = as_switch(value);
    if (!on) return wrong_value(name, value);
    value = SqlValue::signed_integer(*on ? 1 : 0);
    if (name == "autocommit") {
      autocommit_ = *on;
    } else {
      read_only_ = *on;
      *find("transaction_read_only") = *find("tx_read_only") = value;
    }
    return true;
  }
  if (name == "transaction_isolation" || name == "tx_isolation") {
    const std::string level = to_lower(to_text(value));
    if (level == "serializable")
      return fail(ErrorCode::kInvalidArgument,
                  "SERIALIZABLE is not supported: take REPEATABLE-READ and SELECT ... FOR SHARE");
    const bool committed = level == "read-committed" || level == "read-uncommitted";
    if (!committed && level != "repeatable-read") return wrong_value(name, value);
    read_committed_ = committed;
    value = SqlValue::text(committed ? "READ-COMMITTED" : "REPEATABLE-READ");
    *find("transaction_isolation") = *find("tx_isolation") = value;
    return true;
  }
  if (name == "innodb_lock_wait_timeout") {
    const auto seconds = as_number(value, 1, kMostSeconds);
    if (!seconds) return wrong_value(name, value);
    lock_wait_timeout_ms_ = *seconds * 1000;
    return true;
  }
  if (name == "max_execution_time") {
    const auto ms = as_number(value, 0, UINT32_MAX);
    if (!ms) return wrong_value(name, value);
    select_timeout_ms_ = *ms;
    return true;
  }
  if (name == "wherestar_access") {
    const std::string access = to_lower(to_text(value));
    if (access != "auto" && access != "scan") return wrong_value(name, value);
    scan_only_ = access == "scan";
    value = SqlValue::text(access);
    return true;
  }
  return false;
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
