// paths, shapes, schema: of a file or of collections.
#include <fmt/format.h>

#include "tools/commands.h"
#include "tools/document_reader.h"
#include "tools/file_summary.h"
#include "tools/numbers.h"
#include "tools/paths_view.h"
#include "tools/progress.h"
#include "tools/schema_view.h"
#include "tools/shapes_view.h"
#include "tools/store_summary.h"

namespace wherestar::tools {
namespace {

constexpr size_t kShownOnTerminal = 60;

struct Shown {
  Summary summary;
  std::vector<schema_stats::PathSummary> for_schema;
};

class SummaryCommand {
 public:
  explicit SummaryCommand(Context& context) : context_(context) {}

  ExitCode run() {
    const Arguments& a = context_.arguments;
    std::vector<Shown> all;
    bool bad = false;
    for (const std::string& name : expand_names(a.targets)) {
      auto target = parse_target(name, !a.data.empty());
      if (!target) {
        context_.console.fail(target.error().message, near_file(name));
        return ExitCode::kUsage;
      }
      if (target->kind == Target::Kind::kFile) {
        auto shown = of_file(target->file);
        if (!shown) return report_file(context_, target->file, shown.error());
        bad = bad || shown->summary.bad_documents > 0;
        all.push_back(*std::move(shown));
      } else if (const ExitCode code = of_store(*target, all); code != ExitCode::kDone) {
        return code;
      }
    }
    print(all);
    return bad ? ExitCode::kBadInput : ExitCode::kDone;
  }

 private:
  Result<Shown> of_file(const std::string& name) {
    Console& console = context_.console;
    ASSIGN_OR_RETURN(auto input, Input::open(name));
    DocumentReader reader(*input);
    FileSummary files(collection_name_of(name));
    Progress progress(console, input->bytes_total());
    ProgressState state{.label = input->name()};
    while (true) {
      ASSIGN_OR_RETURN(auto item, reader.next());
      if (!item) break;
      if (item->bad) {
        if (state.bad++ < 3) {
          progress.clear();
          console.warn(item->bad->place() + ": " + item->bad->message);
          console.raw_error(item->bad->picture());
        }
        continue;
      }
      files.add(reader.parser().shred(), item->text.size(), item->line);
      ++state.documents;
      state.done = input->bytes_read();
      if (state.documents % 256 == 0) progress.update(state);
    }
    const double seconds = progress.seconds();
    progress.clear();
    Shown shown;
    ASSIGN_OR_RETURN(shown.summary, files.finish());
    shown.summary.bad_documents = state.bad;
    shown.summary.seconds = seconds;
    shown.for_schema = files.path_summaries();
    if (state.bad > 0) {
      console.warn(
          fmt::format("{} of {} skipped", counted(state.bad, "bad document"), input->name()));
    }
    return shown;
  }

  ExitCode of_store(const Target& target, std::vector<Shown>& all) {
    if (connection_ == nullptr) {
      auto connection = connect(context_);
      if (!connection) return report_no_connection(context_, connection.error());
      connection_ = *std::move(connection);
    }
    const auto names = collections_of(*connection_, target);
    if (!names) return report_target(context_, *connection_, target, names.error());
    for (const CollectionName& name : *names) {
      auto summary = read_summary(*connection_, name);
      if (!summary) return report_target(context_, *connection_, target, summary.error());
      Shown shown;
      shown.summary = *std::move(summary);
      shown.for_schema = path_summaries_of(shown.summary);
      all.push_back(std::move(shown));
    }
    return ExitCode::kDone;
  }

  size_t limit() const {
    const Arguments& a = context_.arguments;
    if (a.all) return 0;
    return a.limit.value_or(context_.console.out_is_terminal() ? kShownOnTerminal : 0);
  }

  void print(const std::vector<Shown>& all) {
    switch (context_.arguments.command) {
      case Command::kShapes:
        print_shapes(all);
        break;
      case Command::kSchema:
        print_schemas(all);
        break;
      default:
        print_paths(all);
    }
  }

  void print_paths(const std::vector<Shown>& all) {
    const Arguments& a = context_.arguments;
    Console& console = context_.console;
    PathsViewOptions options;
    options.under = a.under;
    options.sort_by_name = a.sort_by_name;
    if (a.format == Format::kTable) {
      options.limit = limit();
      options.width = console.width();
      options.escape = console.out_is_terminal();
      options.colour = console.colour();
      for (size_t i = 0; i < all.size(); ++i) {
        console.print((i > 0 ? "\n" : "") + render_paths(all[i].summary, options));
      }
      return;
    }
    const auto writer = result_writer(context_, path_columns());
    for (const Shown& shown : all) write_path_rows(shown.summary, options, *writer);
    writer->finish();
  }

  void print_shapes(const std::vector<Shown>& all) {
    Console& console = context_.console;
    if (context_.arguments.format == Format::kTable) {
      const ShapesViewOptions options{limit(), console.width(), console.out_is_terminal(),
                                      console.colour()};
      for (size_t i = 0; i < all.size(); ++i) {
        console.print((i > 0 ? "\n" : "") + render_shapes(all[i].summary, options));
      }
      return;
    }
    const auto writer = result_writer(context_, shape_columns());
    for (const Shown& shown : all) write_shape_rows(shown.summary, *writer);
    writer->finish();
  }

  void print_schemas(const std::vector<Shown>& all) {
    const Arguments& a = context_.arguments;
    for (const Shown& shown : all) {
      if (a.json_schema || a.format != Format::kTable) {
        context_.console.print(
            schema_stats::infer_json_schema(shown.for_schema, shown.summary.name, {}) + "\n");
      } else {
        context_.console.print(render_schema(shown.summary));
      }
    }
  }

  Context& context_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace

ExitCode run_summary_command(Context& context) {
  return SummaryCommand(context).run();
}

}  // namespace wherestar::tools
