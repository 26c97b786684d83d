// verify, reindex: on a data directory.
#include <fmt/format.h>

#include "tools/commands.h"
#include "tools/local_connection.h"
#include "tools/numbers.h"
#include "tools/progress.h"

namespace wherestar::tools {
namespace {

constexpr size_t kShownProblems = 100;

// The directory's store, or an exit code with the reason already told.
std::unique_ptr<Connection> open_directory(Context& context, const char* command, ExitCode& code) {
  if (context.arguments.data.empty()) {
    context.console.fail(fmt::format("{} works on a data directory", command),
                         fmt::format("wherestar {} -D DIR (stop the server first)", command));
    code = ExitCode::kUsage;
    return nullptr;
  }
  auto connection = connect(context);
  if (connection) return *std::move(connection);
  code = report_no_connection(context, connection.error());
  return nullptr;
}

}  // namespace

ExitCode run_verify(Context& context) {
  ExitCode code = ExitCode::kDone;
  const auto connection = open_directory(context, "verify", code);
  if (connection == nullptr) return code;
  const Progress::Clock::time_point begin = Progress::Clock::now();
  const auto found = connection->store()->verify();
  if (!found) return report(context, found.error());
  const double seconds = std::chrono::duration<double>(Progress::Clock::now() - begin).count();
  Console& console = context.console;
  const std::string checked =
      fmt::format("checked {}, {} dictionaries, {}", counted(found->documents, "document"),
                  found->dictionaries, counted(found->blocks, "block"));
  if (found->problems.empty()) {
    if (!console.quiet()) {
      console.print(fmt::format("{}, all sound ({})\n", checked, seconds_text(seconds)));
    }
    return ExitCode::kDone;
  }
  for (size_t i = 0; i < found->problems.size() && i < kShownProblems; ++i) {
    console.print(console.shown(found->problems[i]) + "\n");
  }
  console.fail(fmt::format("{}: {} found", checked, counted(found->problems.size(), "problem")),
               "damage of index or statistics alone is mended by: wherestar reindex -D " +
                   context.arguments.data);
  return ExitCode::kDamage;
}

ExitCode run_reindex(Context& context) {
  ExitCode code = ExitCode::kDone;
  const auto connection = open_directory(context, "reindex", code);
  if (connection == nullptr) return code;
  Progress progress(context.console, 0);
  ProgressState state{.label = "reindex"};
  const Status done = connection->store()->reindex([&](uint64_t documents, uint64_t total) {
    progress.set_total(total);
    state.done = state.documents = documents;
    progress.update(state);
  });
  const double seconds = progress.seconds();
  progress.clear();
  if (!done) return report(context, done.error());
  context.console.note(fmt::format("reindexed {} in {}", counted(state.documents, "document"),
                                   seconds_text(seconds)));
  return ExitCode::kDone;
}

}  // namespace wherestar::tools
