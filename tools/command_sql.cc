// sql: statements from arguments, a file or standard input.
#include <chrono>
#include <iostream>

#include <fmt/format.h>
#include <unistd.h>

#include "tools/commands.h"
#include "tools/input.h"
#include "tools/near_miss.h"
#include "tools/numbers.h"
#include "tools/sql_splitter.h"
#include "tools/text.h"

namespace wherestar::tools {
namespace {

using Clock = std::chrono::steady_clock;

// The line of the statement an error is about, and a caret below its place.
std::string picture(std::string_view statement, std::string_view message) {
  size_t line = 0, column = 0;
  const size_t at = message.find("line ");
  if (at == std::string_view::npos) return {};
  if (std::sscanf(std::string(message.substr(at)).c_str(), "line %zu, column %zu", &line,
                  &column) != 2) {
    return {};
  }
  for (size_t n = 1; n < line; ++n) {
    const size_t end = statement.find('\n');
    if (end == std::string_view::npos) return {};
    statement.remove_prefix(end + 1);
  }
  statement = statement.substr(0, statement.find('\n'));
  if (column == 0 || column > statement.size() + 1) return {};
  size_t offset = 0;
  for (size_t n = 1; n < column && offset < statement.size(); ++n) {
    do ++offset;
    while (offset < statement.size() &&
           (static_cast<unsigned char>(statement[offset]) & 0xc0) == 0x80);
  }
  const std::string before = escape_for_terminal(statement.substr(0, offset));
  const std::string behind = escape_for_terminal(statement.substr(offset));
  if (display_width(before) > 150) return {};
  return fmt::format("  {}\n  {}^\n", before + cut_to_width(behind, 80),
                     std::string(display_width(before), ' '));
}

// The name between the first pair of single quotes.
std::string quoted_in(std::string_view message) {
  const size_t begin = message.find('\'');
  const size_t end = message.find('\'', begin + 1);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  return std::string(message.substr(begin + 1, end - begin - 1));
}

class SqlCommand {
 public:
  SqlCommand(Context& context, Connection& connection)
      : context_(context), connection_(connection) {}

  bool run_text(std::string_view text) {
    SqlSplitter splitter;
    splitter.feed(text);
    return drain(splitter, true);
  }

  bool run_input() {
    const bool terminal = isatty(STDIN_FILENO) == 1;
    SqlSplitter splitter;
    std::string line;
    if (terminal) context_.console.note("Statements end with ';'. Ctrl-D ends.");
    while (true) {
      if (terminal) context_.console.raw_error(splitter.is_empty() ? "sql> " : "  -> ");
      if (!std::getline(std::cin, line)) break;
      splitter.feed(line + "\n");
      // A person may go on after a mistake; a script stops.
      if (!drain(splitter, false) && !terminal) return false;
      if (terminal) context_.console.flush();
    }
    if (terminal) context_.console.raw_error("\n");
    return drain(splitter, true) || terminal;
  }

  ExitCode code() const { return code_; }

 private:
  bool drain(SqlSplitter& splitter, bool at_end) {
    while (auto statement = splitter.next()) {
      if (!run_one(*statement) && !context_.arguments.force) return false;
    }
    if (!at_end) return true;
    const auto rest = splitter.rest();
    return !rest || run_one(*rest) || context_.arguments.force;
  }

  bool run_one(const std::string& statement) {
    const Clock::time_point begin = Clock::now();
    auto result = connection_.execute(statement, {});
    if (!result) return failed(statement, result.error());
    if ((*result)->columns().empty()) return finish_plain(statement, **result, begin);

    const auto writer = result_writer(context_, (*result)->columns());
    const size_t limit = context_.arguments.limit.value_or(0);
    size_t rows = 0;
    while (true) {
      auto row = (*result)->next();
      if (!row) {
        if (rows > 0) writer->finish();
        return failed(statement, row.error());
      }
      if (!*row) break;
      if (limit == 0 || rows < limit) writer->row(**row);
      ++rows;
    }
    writer->finish();
    warn((*result)->end());
    Console& console = context_.console;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    std::string note = fmt::format("{}, {}", counted(rows, "row"), seconds_text(seconds));
    if (limit > 0 && rows > limit) note += fmt::format("; {} not shown: --limit 0", rows - limit);
    console.note(note);
    if (writer->cut_cells() > 0) {
      console.note("Cells were cut to the width of the terminal; whole: --format jsonl");
    }
    return true;
  }

  bool finish_plain(const std::string& statement, ResultStream& result, Clock::time_point begin) {
    if (auto row = result.next(); !row) return failed(statement, row.error());
    warn(result.end());
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    std::string note = result.end().message;
    if (note.empty()) note = counted(result.end().rows_affected, "row") + " affected";
    context_.console.note(fmt::format("{} ({})", note, seconds_text(seconds)));
    return true;
  }

  void warn(const StatementEnd& end) {
    for (const std::string& warning : end.warnings) context_.console.warn(warning);
  }

  bool failed(const std::string& statement, const Error& error) {
    std::string hint;
    if (error.code == ErrorCode::kUnknownCollection) {
      std::vector<std::string> names;
      if (auto rows =
              fetch(connection_, "SELECT collection_name FROM information_schema.collections")) {
        for (const CellRow& row : *rows) names.push_back(row[0].text);
      }
      std::string name = quoted_in(error.message);
      name = name.substr(name.rfind('.') + 1);
      hint = did_you_mean(name, names);
    } else if (error.code == ErrorCode::kNoDatabase) {
      hint = "write database.collection, or give --database NAME";
    }
    context_.console.fail(error.message);
    if (error.code == ErrorCode::kSqlSyntax) {
      context_.console.raw_error(picture(statement, error.message));
    }
    if (!hint.empty()) context_.console.hint(hint);
    code_ = exit_code_of(error.code);
    return false;
  }

  Context& context_;
  Connection& connection_;
  ExitCode code_ = ExitCode::kDone;
};

Result<std::string> read_all(const std::string& name) {
  ASSIGN_OR_RETURN(auto input, Input::open(name));
  std::string text;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, input->read(text));
    if (!more) return text;
  }
}

}  // namespace

ExitCode run_sql_command(Context& context) {
  const Arguments& a = context.arguments;
  auto connection = connect(context, true);
  if (!connection) return report_no_connection(context, connection.error());
  if (!a.database.empty()) {
    if (auto used = run(**connection, "USE " + quoted_name(a.database)); !used) {
      Target target;
      target.database = a.database;
      return report_target(context, **connection, target, used.error());
    }
  }
  SqlCommand command(context, **connection);
  if (!a.file.empty() && a.file != "-") {
    auto text = read_all(a.file);
    if (!text) return report(context, text.error());
    command.run_text(*text);
  } else if (a.statements.empty()) {
    command.run_input();
  } else {
    for (const std::string& text : a.statements) {
      if (!command.run_text(text)) break;
    }
  }
  return command.code();
}

}  // namespace wherestar::tools
