// wherestar: the command line client.
#include <exception>
#include <string>
#include <vector>

#include "tools/arguments.h"
#include "tools/commands.h"
#include "tools/console.h"

namespace {

using wherestar::tools::ExitCode;

ExitCode run(const std::vector<std::string>& words) {
  using namespace wherestar::tools;
  const ParsedCommandLine parsed = parse_command_line(words);
  Console console(stdout, stderr, {parsed.arguments.colour, parsed.arguments.quiet});
  ExitCode code = ExitCode::kDone;
  if (parsed.exit) {
    code = *parsed.exit;
    if (parsed.error.empty()) {
      console.print(parsed.out);
    } else {
      console.fail(parsed.error, parsed.hint);
    }
  } else {
    Context context{console, parsed.arguments};
    code = run_command(context);
  }
  if (const wherestar::Status written = console.finish(); !written) {
    console.fail(written.error().message);
    return ExitCode::kFile;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return static_cast<int>(run({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    // Ours throw nothing: what comes here is a library's, or memory has run out.
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(ExitCode::kBug);
  }
}
