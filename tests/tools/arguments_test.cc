#include "tools/arguments.h"

#include <doctest/doctest.h>

using namespace wherestar::tools;

TEST_CASE("options may stand before and behind the command") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-D", "dir", "--format", "csv", "paths", "shop.x"},
        std::vector<std::string>{"paths", "shop.x", "-D", "dir", "--format", "csv"}}) {
    const auto parsed = parse_command_line(words);
    REQUIRE_FALSE(parsed.exit.has_value());
    CHECK(parsed.arguments.command == Command::kPaths);
    CHECK(parsed.arguments.data == "dir");
    CHECK(parsed.arguments.format == Format::kCsv);
    CHECK(parsed.arguments.targets == std::vector<std::string>{"shop.x"});
  }
}

TEST_CASE("search takes negative numbers for values") {
  const auto parsed = parse_command_line({"search", "-5", "shop.x", "--limit", "3"});
  REQUIRE_FALSE(parsed.exit.has_value());
  CHECK(parsed.arguments.value == "-5");
  CHECK(parsed.arguments.limit == 3u);
  CHECK(parsed.arguments.targets == std::vector<std::string>{"shop.x"});
}

TEST_CASE("words that begin with - and a digit reach search unchanged") {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"search", "-5 apples", "-1.jsonl"},
        {"search", "--", "-5 apples", "-1.jsonl"},
        {"-D", "dir", "search", "-q", "--", "-5 apples", "-1.jsonl"}}) {
    const auto parsed = parse_command_line(words);
    REQUIRE_FALSE(parsed.exit.has_value());
    CHECK(parsed.arguments.value == "-5 apples");
    CHECK(parsed.arguments.targets == std::vector<std::string>{"-1.jsonl"});
  }
  const auto wrong = parse_command_line({"search", "x", "--limit", "-5"});
  CHECK(wrong.exit == ExitCode::kUsage);
  CHECK(wrong.error.find('\x01') == std::string::npos);
}

TEST_CASE("statements come from the argument or -e") {
  CHECK(parse_command_line({"sql", "SELECT 1"}).arguments.statements ==
        std::vector<std::string>{"SELECT 1"});
  CHECK(parse_command_line({"sql", "-e", "SELECT 1"}).arguments.statements ==
        std::vector<std::string>{"SELECT 1"});
  CHECK(parse_command_line({"sql"}).arguments.statements.empty());
  CHECK(parse_command_line({"sql", "x", "-f", "y"}).exit == ExitCode::kUsage);
}

TEST_CASE("wrong usage has code 2 and a hint") {
  const auto unknown = parse_command_line({"pathz", "x"});
  CHECK(unknown.exit == ExitCode::kUsage);
  CHECK(unknown.hint == "did you mean 'paths'?");
  CHECK(unknown.error == "unknown command 'pathz'");
  const auto far = parse_command_line({"-D", "dir", "foo", "x"});
  CHECK(far.error == "unknown command 'foo'");
  CHECK(far.hint.find("paths, shapes") != std::string::npos);
  CHECK(parse_command_line({}).exit == ExitCode::kUsage);
  CHECK(parse_command_line({"paths"}).exit == ExitCode::kUsage);
  CHECK(parse_command_line({"paths", "x", "--format", "xml"}).exit == ExitCode::kUsage);
  CHECK(parse_command_line({"paths", "x", "--limit", "many"}).exit == ExitCode::kUsage);
  CHECK(parse_command_line({"import", "a.b", "f", "--bad", "x"}).exit == ExitCode::kUsage);
  CHECK(parse_command_line({"import", "a.b", "f", "--on-error", "x"}).exit == ExitCode::kUsage);
}

TEST_CASE("help begins with three examples") {
  const auto general = parse_command_line({"--help"});
  CHECK(general.exit == ExitCode::kDone);
  CHECK(general.out.find("wherestar paths events.jsonl") < general.out.find("--format"));
  for (const char* command :
       {"paths", "shapes", "schema", "search", "sql", "import", "export", "verify", "reindex"}) {
    const auto parsed = parse_command_line({command, "--help"});
    CHECK(parsed.exit == ExitCode::kDone);
    size_t examples = 0;
    for (size_t at = 0; (at = parsed.out.find("\n  ", at)) != std::string::npos; ++at) ++examples;
    CHECK(examples >= 3);
    CHECK(parsed.out.find(std::string("wherestar ") + command) != std::string::npos);
    CHECK(parse_command_line({"help", command}).out == parsed.out);
  }
}

TEST_CASE("the version is printed") {
  const auto parsed = parse_command_line({"--version"});
  CHECK(parsed.exit == ExitCode::kDone);
  CHECK(parsed.out.starts_with("wherestar "));
}
