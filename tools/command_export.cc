// export: the documents of a collection, exactly as they were given or each on one line.
#include <fmt/format.h>

#include "tools/commands.h"
#include "tools/json_text.h"
#include "tools/numbers.h"
#include "tools/output_file.h"
#include "tools/progress.h"

namespace wherestar::tools {
namespace {

// Files of these names promise a document a line.
bool is_named_json_lines(std::string_view name) {
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  return name.ends_with(".jsonl") || name.ends_with(".ndjson");
}

Result<uint64_t> export_documents(Context& context, Connection& connection, const Target& target,
                                  OutputFile* file) {
  const Arguments& a = context.arguments;
  std::string sql = "SELECT doc FROM " + target.from_clause();
  if (!a.where.empty()) sql += " WHERE " + a.where;
  if (a.limit.value_or(0) > 0) sql += fmt::format(" LIMIT {}", *a.limit);
  ASSIGN_OR_RETURN(auto result, connection.execute(sql, {}));
  const bool json_lines =
      a.json_lines || a.format == Format::kJsonl || is_named_json_lines(a.output);
  std::string text;
  Progress progress(context.console, 0);
  ProgressState state{.label = target.text()};
  while (true) {
    ASSIGN_OR_RETURN(auto row, result->next());
    if (!row) break;
    if (row->empty()) return fail(ErrorCode::kInternal, "a row without a document");
    text.clear();
    if (json_lines) {
      append_one_line(text, row->front().text);
    } else {
      text += row->front().text;
    }
    text += '\n';
    if (file == nullptr) {
      context.console.print(text);
    } else {
      RETURN_IF_ERROR(file->write(text));
    }
    ++state.documents;
    if (file != nullptr && state.documents % 1000 == 0) progress.update(state);
  }
  return state.documents;
}

}  // namespace

ExitCode run_export(Context& context) {
  const Arguments& a = context.arguments;
  auto target = parse_target(a.target, true);
  if (!target || target->kind != Target::Kind::kCollection) {
    context.console.fail("'" + a.target + "': expected database.collection");
    return ExitCode::kUsage;
  }
  auto connection = connect(context);
  if (!connection) return report_no_connection(context, connection.error());
  // The collection is looked for first: a wrong name must not leave a file behind.
  auto count = run(**connection, "SELECT doc FROM " + target->from_clause() + " LIMIT 1");
  if (!count) return report_target(context, **connection, *target, count.error());
  std::unique_ptr<OutputFile> file;
  if (!a.output.empty() && a.output != "-") {
    auto made = OutputFile::create(a.output, a.force);
    if (!made) {
      context.console.fail(made.error().message, made.error().code == ErrorCode::kAlreadyExists
                                                     ? "--force overwrites it"
                                                     : "");
      return ExitCode::kFile;
    }
    file = *std::move(made);
  }
  const Progress::Clock::time_point begin = Progress::Clock::now();
  auto documents = export_documents(context, **connection, *target, file.get());
  if (!documents) return report(context, documents.error());
  if (file != nullptr) {
    if (const Status done = file->finish(); !done) return report(context, done.error());
  }
  const double seconds = std::chrono::duration<double>(Progress::Clock::now() - begin).count();
  context.console.note(fmt::format("exported {}{} ({})", counted(*documents, "document"),
                                   file == nullptr ? "" : " to " + a.output,
                                   seconds_text(seconds)));
  return ExitCode::kDone;
}

}  // namespace wherestar::tools
