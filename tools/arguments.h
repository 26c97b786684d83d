// The command line, taken apart. CLI11 is known to arguments.cc only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/console.h"
#include "tools/exit_code.h"
#include "tools/row_writer.h"

namespace wherestar::tools {

enum class Command { kPaths, kShapes, kSchema, kSearch, kSql, kImport, kExport, kVerify, kReindex };

struct Arguments {
  Command command = Command::kPaths;
  // Of every command.
  std::string data;  // data directory
  std::string uri;
  Format format = Format::kTable;
  ColourWish colour = ColourWish::kAuto;
  bool quiet = false;
  std::optional<size_t> limit;  // 0: no limit
  // paths, shapes, schema, search.
  std::vector<std::string> targets;
  bool all = false;
  std::string under;
  bool sort_by_name = false;
  bool json_schema = false;
  std::string value;
  bool count = false;
  bool by_path = false;
  bool prefix = false;
  std::string path;
  // sql.
  std::vector<std::string> statements;
  std::string file;  // -f; "-" or none of both: standard input
  std::string database;
  bool force = false;  // sql: go on past errors; export: overwrite
  // import, export.
  std::string target;
  std::vector<std::string> files;
  bool skip_bad = false;
  std::string bad_file;
  bool dry_run = false;
  bool extended_json = false;
  bool elasticsearch_bulk = false;
  std::string id_path;
  std::string output;
  bool json_lines = false;
  std::string where;
};

struct ParsedCommandLine {
  std::optional<ExitCode> exit;  // set: print `out` and `err`, and end so
  std::string out;               // help, version
  std::string error;             // without "error: "
  std::string hint;
  Arguments arguments;
};

// `words` without the program's name; environment variables are read here (WHERESTAR_URI,
// WHERESTAR_FORMAT).
ParsedCommandLine parse_command_line(const std::vector<std::string>& words);

}  // namespace wherestar::tools
