#include "tools/arguments.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

#include <CLI/CLI.hpp>

#include "tools/near_miss.h"

namespace wherestar::tools {
namespace {

constexpr const char* kVersion = "wherestar 0.1.0";

constexpr const char* kExamples =
    R"(Find values anywhere in JSON documents, and see what the documents look like.

  wherestar paths events.jsonl                      what is in this file?
  wherestar import shop.products products.jsonl     load it into a server
  wherestar search Jippie                           which documents hold this value, at any path?
)";

constexpr const char* kSources = R"(
Where documents come from: a file (JSON Lines, one array, .gz, .zst), '-' for standard input; with
-D a data directory, opened without a server; else the server at --uri, $WHERESTAR_URI or
mysqlx://root@127.0.0.1:33060. A target there is database.collection, 'database.*' or '*'.
'wherestar COMMAND --help' tells more; docs/cli.md tells all.)";

struct Words {
  std::string format = "table";
  std::string colour = "auto";
  std::string sort = "presence";
  std::string on_error = "stop";
  size_t limit = 0;
};

void add_common(CLI::App& app, Arguments& a, Words& words) {
  app.add_option("-D,--data", a.data, "Data directory to open, without a server")->type_name("DIR");
  app.add_option("--uri", a.uri, "Server: mysqlx://user@host:port")->envname("WHERESTAR_URI");
  app.add_option("--format", words.format, "table, json, jsonl, csv, tsv or markdown")
      ->envname("WHERESTAR_FORMAT");
  app.add_option("--color", words.colour, "auto, always or never");
  app.add_option("--limit", words.limit, "Rows to show, 0 for all")->type_name("N");
  app.add_flag("-q,--quiet", a.quiet, "No notes and no progress, errors only");
}

void add_summaries(CLI::App& app, Arguments& a, Words& words, std::map<CLI::App*, Command>& known) {
  CLI::App* paths = app.add_subcommand("paths", R"(Every path: how often, of which types and values.

  wherestar paths events.jsonl
  wherestar paths shop.products --under '$.size'
  wherestar paths shop.products --format json)");
  paths->add_option("TARGET", a.targets, "Files or collections")->required();
  paths->add_option("--under", a.under, "Only this path and what is below it")->type_name("PATH");
  paths->add_option("--sort", words.sort, "presence or name");
  paths->add_flag("--all", a.all, "Show all paths");
  known[paths] = Command::kPaths;

  CLI::App* shapes = app.add_subcommand("shapes", R"(Which sets of members and types occur together.

  wherestar shapes events.jsonl
  wherestar shapes shop.products --all
  wherestar shapes shop.products --format jsonl)");
  shapes->add_option("TARGET", a.targets, "Files or collections")->required();
  shapes->add_flag("--all", a.all, "Show all shapes");
  known[shapes] = Command::kShapes;

  CLI::App* schema = app.add_subcommand("schema", R"(The schema that the documents follow.

  wherestar schema shop.products
  wherestar schema events.jsonl --json-schema > events.schema.json
  zcat dump.gz | wherestar schema -)");
  schema->add_option("TARGET", a.targets, "Files or collections")->required();
  schema->add_flag("--json-schema", a.json_schema, "Print JSON Schema (2020-12)");
  known[schema] = Command::kSchema;
}

void add_search(CLI::App& app, Arguments& a, std::map<CLI::App*, Command>& known) {
  CLI::App* search = app.add_subcommand("search", R"(Which documents hold this value, at any path.

  wherestar search Jippie                    a string, in every collection of the server
  wherestar search 1974 'shop.*'             a number
  wherestar search '"1974"' events.jsonl     the string 1974, in a file

A number written as JSON writes it is searched as a number; anything else is a string.)");
  search->add_option("VALUE", a.value, "What to look for")->required();
  search->add_option("TARGET", a.targets, "Files or collections; without: everything");
  search->add_flag("-c,--count", a.count, "Print the number of documents only");
  search->add_flag("--by-path", a.by_path, "Count by collection and path");
  search->add_flag("--prefix", a.prefix, "Strings that begin with VALUE");
  search->add_option("--path", a.path, "Only at this path: '$.tags[*]'")->type_name("PATH");
  known[search] = Command::kSearch;
}

void add_sql(CLI::App& app, Arguments& a, std::map<CLI::App*, Command>& known) {
  CLI::App* sql = app.add_subcommand("sql", R"(Run SQL statements.

  wherestar sql "SELECT collection, place, doc FROM * WHERE * = 'Jippie'"
  wherestar sql -f report.sql --format csv > report.csv
  echo 'SHOW DATABASES' | wherestar sql

Statements end with ';'. Without TEXT, -e and -f they are read from standard input.)");
  sql->add_option("TEXT,-e", a.statements, "Statements")->type_name("TEXT");
  sql->add_option("-f,--file", a.file, "File of statements")->type_name("FILE");
  sql->add_option("--database", a.database, "Default database")->type_name("NAME");
  sql->add_flag("--force", a.force, "Go on past errors");
  known[sql] = Command::kSql;
}

void add_transfer(CLI::App& app, Arguments& a, Words& words, std::map<CLI::App*, Command>& known) {
  CLI::App* import = app.add_subcommand("import", R"(Load documents into a collection.

  wherestar import shop.products products.jsonl
  wherestar import shop.events 'dump/*.jsonl.zst' --on-error skip --bad bad.jsonl
  cat events.json | wherestar import shop.events -

Files hold JSON Lines, one array of documents, or documents one behind the other; gzip and zstd are
unpacked. Database and collection are made as needed.)");
  import->add_option("TARGET", a.target, "database.collection")->required();
  import->add_option("FILE", a.files, "Files, '-' for standard input")->required();
  import->add_option("--on-error", words.on_error, "stop at or skip bad documents")
      ->type_name("stop|skip");
  import->add_option("--bad", a.bad_file, "Write skipped documents with their reason to this file")
      ->type_name("FILE");
  import->add_flag("--dry-run", a.dry_run, "Read and check only");
  import->add_flag("--extended-json", a.extended_json,
                   "MongoDB's extended JSON: turn {\"$oid\": ...} and the like into plain values");
  import->add_flag("--elasticsearch-bulk", a.elasticsearch_bulk,
                   "Elasticsearch's bulk format: a line {\"index\": ...} before each document");
  import->add_option("--id", a.id_path, "Member to be the _id: key or '$.key'")->type_name("PATH");
  known[import] = Command::kImport;

  CLI::App* exporter = app.add_subcommand("export", R"(Write the documents of a collection.

  wherestar export shop.products > products.jsonl
  wherestar export shop.products --where "year > 2000" -o new.jsonl.zst
  wherestar export shop.products -o products.jsonl --force

Documents come out exactly as they went in, one behind the other; in a file called .jsonl or .ndjson,
and with --jsonl, each on one line.)");
  exporter->add_option("TARGET", a.target, "database.collection")->required();
  exporter->add_option("-o,--output", a.output, "File to make; .gz and .zst are packed")
      ->type_name("FILE");
  exporter->add_option("--where", a.where, "Only documents that satisfy this SQL condition")
      ->type_name("CONDITION");
  exporter->add_flag("--jsonl", a.json_lines, "Each document on one line");
  exporter->add_flag("--force", a.force, "Overwrite an existing file");
  known[exporter] = Command::kExport;

  known[app.add_subcommand("verify", R"(Check a data directory: blocks, trees, index, statistics.

  wherestar verify -D /var/lib/wherestar
  wherestar verify -D ./data --quiet && echo sound
  wherestar verify -D /mnt/backup/data)")] = Command::kVerify;
  known[app.add_subcommand("reindex", R"(Rebuild index and statistics from the documents.

  wherestar reindex -D /var/lib/wherestar
  wherestar reindex -D ./data --quiet
  wherestar reindex -D ./data && wherestar verify -D ./data)")] = Command::kReindex;
}

const std::vector<std::string> kCommands = {"paths",  "shapes", "schema", "search",  "sql",
                                            "import", "export", "verify", "reindex", "help"};

std::string check_words(const Words& words, Arguments& a) {
  const std::optional<Format> format = parse_format(words.format);
  if (!format)
    return "--format: '" + words.format + "' is not table, json, jsonl, csv, tsv or markdown";
  a.format = *format;
  if (words.colour == "always") {
    a.colour = ColourWish::kAlways;
  } else if (words.colour == "never") {
    a.colour = ColourWish::kNever;
  } else if (words.colour != "auto") {
    return "--color: '" + words.colour + "' is not auto, always or never";
  }
  if (words.sort != "presence" && words.sort != "name") {
    return "--sort: '" + words.sort + "' is not presence or name";
  }
  a.sort_by_name = words.sort == "name";
  if (words.on_error != "stop" && words.on_error != "skip") {
    return "--on-error: '" + words.on_error + "' is not stop or skip";
  }
  a.skip_bad = words.on_error == "skip";
  if (!a.bad_file.empty() && !a.skip_bad) return "--bad needs --on-error skip";
  if (a.statements.size() > 0 && !a.file.empty()) return "either statements or -f, not both";
  return {};
}

// The first word that is neither an option nor an option's value: the command.
std::string command_of(const std::vector<std::string>& words) {
  static const std::vector<std::string> kWithValue = {"-D",       "--data",  "--uri",
                                                      "--format", "--color", "--limit"};
  for (size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) return words[i];
    if (std::ranges::find(kWithValue, words[i]) != kWithValue.end()) ++i;
  }
  return {};
}

// CLI11 takes `-5` for an option: this in front makes it a value, and without_mark() drops it
// again.
constexpr char kMark = '\x01';

std::vector<std::string> prepared(std::vector<std::string> words) {
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    words.push_back("--help");
  }
  if (command_of(words) != "search") return words;
  for (std::string& word : words) {
    if (word == "--") break;  // what follows is none of the options anyway
    if (word.size() > 1 && word[0] == '-' && std::isdigit(static_cast<unsigned char>(word[1]))) {
      word.insert(0, 1, kMark);
    }
  }
  return words;
}

void without_mark(std::string& word) {
  if (word.starts_with(kMark)) word.erase(0, 1);
}

std::string hint_for(const std::string& command) {
  if (std::ranges::find(kCommands, command) != kCommands.end()) {
    return "wherestar " + command + " --help";
  }
  const std::string meant = did_you_mean(command, kCommands);
  if (!meant.empty() || command.empty()) return meant.empty() ? "wherestar --help" : meant;
  std::string all;
  for (const std::string& name : kCommands) all += (all.empty() ? "" : ", ") + name;
  return "there are " + all;
}

}  // namespace

ParsedCommandLine parse_command_line(const std::vector<std::string>& words) {
  ParsedCommandLine parsed;
  Arguments& a = parsed.arguments;
  Words options;
  std::map<CLI::App*, Command> known;
  try {
    CLI::App app(kExamples, "wherestar");
    app.footer(kSources);
    app.fallthrough();
    app.require_subcommand(1);
    app.set_version_flag("--version", kVersion);
    add_common(app, a, options);
    add_summaries(app, a, options, known);
    add_search(app, a, known);
    add_sql(app, a, known);
    add_transfer(app, a, options, known);
    std::vector<std::string> reversed = prepared(words);
    std::ranges::reverse(reversed);
    try {
      app.parse(reversed);
    } catch (const CLI::CallForHelp&) {
      parsed.exit = ExitCode::kDone;
      const auto chosen = app.get_subcommands();
      parsed.out = chosen.empty() ? app.help() : chosen[0]->help("wherestar");
      return parsed;
    } catch (const CLI::CallForVersion&) {
      parsed.exit = ExitCode::kDone;
      parsed.out = std::string(kVersion) + "\n";
      return parsed;
    }
    without_mark(a.value);
    without_mark(a.path);
    for (std::string& target : a.targets) without_mark(target);
    a.command = known.at(app.get_subcommands().at(0));
    if (app.get_option("--limit")->count() > 0) a.limit = options.limit;
    parsed.error = check_words(options, a);
  } catch (const CLI::ParseError& error) {
    parsed.error = error.what();
  }
  if (!parsed.error.empty()) {
    parsed.exit = ExitCode::kUsage;
    std::erase(parsed.error, kMark);
    const std::string command = command_of(words);
    if (!command.empty() && std::ranges::find(kCommands, command) == kCommands.end()) {
      parsed.error = "unknown command '" + command + "'";
    }
    parsed.hint = hint_for(command);
  }
  return parsed;
}

}  // namespace wherestar::tools
