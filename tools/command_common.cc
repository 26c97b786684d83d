#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "tools/commands.h"
#include "tools/input.h"
#include "tools/local_connection.h"
#include "tools/near_miss.h"
#include "tools/remote_connection.h"

namespace wherestar::tools {
namespace {

constexpr const char* kDefaultUri = "mysqlx://root@127.0.0.1:33060";

std::vector<std::string> first_column(const Result<std::vector<CellRow>>& rows) {
  std::vector<std::string> names;
  if (!rows) return names;
  for (const CellRow& row : *rows) {
    if (!row.empty()) names.push_back(row[0].text);
  }
  return names;
}

}  // namespace

Result<std::unique_ptr<Connection>> connect(Context& context, bool creates) {
  const Arguments& a = context.arguments;
  if (!a.data.empty()) {
    LocalOptions options;
    std::error_code ignored;
    if (!creates && !std::filesystem::exists(a.data, ignored)) {
      return fail(ErrorCode::kIo, a.data + ": no such directory");
    }
    return open_local(a.data, options);
  }
  ASSIGN_OR_RETURN(ServerUri uri, parse_uri(a.uri.empty() ? kDefaultUri : a.uri));
  if (const char* password = std::getenv("WHERESTAR_PASSWORD"); password != nullptr) {
    uri.password = password;
  }
  return open_remote(uri);
}

ExitCode report(Context& context, const Error& error) {
  std::string hint;
  switch (error.code) {
    case ErrorCode::kLocked:
      hint = "a server has it open? Drop -D, or name the server: --uri mysqlx://127.0.0.1:33060";
      break;
    case ErrorCode::kNoSpace:
      hint = "what was acknowledged is safe; make room and try again";
      break;
    case ErrorCode::kCorruption:
      if (!context.arguments.data.empty()) {
        hint = "wherestar verify -D " + context.arguments.data;
      }
      break;
    default:
      break;
  }
  context.console.fail(error.message, hint);
  return exit_code_of(error.code);
}

ExitCode report_file(Context& context, const std::string& file, const Error& error) {
  const std::string hint = error.code == ErrorCode::kIo ? near_file(file) : std::string();
  if (hint.empty()) return report(context, error);
  context.console.fail(error.message, hint);
  return exit_code_of(error.code);
}

ExitCode report_no_connection(Context& context, const Error& error) {
  if (!context.arguments.data.empty() || error.code != ErrorCode::kIo) {
    if (error.code == ErrorCode::kInvalidArgument && context.arguments.data.empty()) {
      context.console.fail("--uri: " + error.message);
      return ExitCode::kUsage;
    }
    return report(context, error);
  }
  context.console.fail(error.message,
                       "is wherestard running? Start it, name another with --uri, or open a data "
                       "directory without server: -D DIR");
  return ExitCode::kNoConnection;
}

ExitCode report_target(Context& context, Connection& connection, const Target& target,
                       const Error& error) {
  if (error.code != ErrorCode::kUnknownCollection && error.code != ErrorCode::kUnknownDatabase) {
    return report(context, error);
  }
  std::string meant;
  if (error.code == ErrorCode::kUnknownCollection) {
    const Cell database = Cell::string(target.database);
    meant = did_you_mean(
        target.collection,
        first_column(fetch(connection,
                           "SELECT collection_name FROM information_schema.collections WHERE "
                           "schema_name = ?",
                           {&database, 1})));
  } else {
    meant = did_you_mean(target.database, first_column(fetch(connection, "SHOW DATABASES")));
  }
  const std::string list =
      error.code == ErrorCode::kUnknownDatabase
          ? "wherestar sql \"SHOW DATABASES\" lists all"
          : fmt::format("wherestar sql \"SHOW COLLECTIONS FROM {}\" lists all", target.database);
  context.console.fail(error.message, meant.empty() ? list : meant + " (" + list + ")");
  return exit_code_of(error.code);
}

std::unique_ptr<RowWriter> result_writer(Context& context, std::vector<ColumnInfo> columns) {
  Console& console = context.console;
  TableStyle style;
  style.width = console.width();
  style.escape = console.out_is_terminal();
  style.bold_header = console.colour();
  return make_row_writer(context.arguments.format, std::move(columns), style,
                         [&console](std::string_view text) { console.print(text); });
}

ExitCode run_command(Context& context) {
  switch (context.arguments.command) {
    case Command::kPaths:
    case Command::kShapes:
    case Command::kSchema:
      return run_summary_command(context);
    case Command::kSearch:
      return run_search(context);
    case Command::kSql:
      return run_sql_command(context);
    case Command::kImport:
      return run_import(context);
    case Command::kExport:
      return run_export(context);
    case Command::kVerify:
      return run_verify(context);
    case Command::kReindex:
      return run_reindex(context);
  }
  return ExitCode::kUsage;
}

}  // namespace wherestar::tools
