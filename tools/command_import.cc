// import: files into a collection, by batches.
//
// 1. The reader cuts and checks documents; a bad one is told with its place, and ends the import
//    (what was read before it is kept) or is skipped.
// 2. A batch goes in as one statement, all or nothing.
// 3. A refused batch is tried again document by document, to find the one that is refused.
#include <fmt/format.h>

#include "tools/commands.h"
#include "tools/document_reader.h"
#include "tools/json_text.h"
#include "tools/numbers.h"
#include "tools/output_file.h"
#include "tools/progress.h"

namespace wherestar::tools {
namespace {

constexpr size_t kBatchDocuments = 1000;
constexpr size_t kBatchBytes = 4u << 20;
constexpr size_t kShownComplaints = 5;

// Does the error say that one document is at fault, and not the store?
bool is_about_a_document(ErrorCode code) {
  switch (code) {
    case ErrorCode::kDuplicateId:
    case ErrorCode::kSchemaViolation:
    case ErrorCode::kInvalidJson:
    case ErrorCode::kNotAnObject:
    case ErrorCode::kTooDeep:
    case ErrorCode::kTooLarge:
    case ErrorCode::kInvalidUtf8:
    case ErrorCode::kNumberOutOfRange:
    case ErrorCode::kMissingId:
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kInvalidData:
    case ErrorCode::kLimitExceeded:
      return true;
    default:
      return false;
  }
}

class ImportCommand {
 public:
  ImportCommand(Context& context, Target target, ReaderOptions reader_options)
      : context_(context),
        target_(std::move(target)),
        reader_options_(std::move(reader_options)),
        progress_(context.console, 0) {}

  ExitCode run() {
    const Arguments& a = context_.arguments;
    if (!a.bad_file.empty()) {
      auto file = OutputFile::create(a.bad_file, false);
      if (!file) return report(context_, file.error());
      bad_file_ = *std::move(file);
    }
    if (!a.dry_run) {
      auto connection = connect(context_, true);
      if (!connection) return report_no_connection(context_, connection.error());
      connection_ = *std::move(connection);
    }
    const std::vector<std::string> files = expand_names(a.files);
    Status done;
    std::string file;
    for (size_t i = 0; i < files.size() && done && !stopped_; ++i) {
      file = files[i];
      state_.label =
          files.size() == 1 ? files[i] : fmt::format("{} [{}/{}]", files[i], i + 1, files.size());
      done = import_file(files[i]);
    }
    const double seconds = progress_.seconds();
    if (bad_file_ != nullptr) {
      const Status finished = bad_file_->finish();
      if (done) done = finished;
    }
    if (!done) {
      progress_.clear();
      const ExitCode code = report_file(context_, file, done.error());
      print_ended_early();
      return code;
    }
    if (stopped_) {
      print_ended_early();
    } else {
      print_summary(files.size(), seconds);
    }
    return bad_ > 0 ? ExitCode::kBadInput : ExitCode::kDone;
  }

 private:
  // With the first batch only: a file of which nothing is taken leaves nothing behind.
  Status make_collection() {
    if (collection_is_there_) return {};
    auto made = tools::run(*connection_, "CREATE DATABASE " + quoted_name(target_.database));
    if (made) {
      made_.push_back("database " + target_.database);
    } else if (made.error().code != ErrorCode::kDatabaseExists) {
      return std::unexpected(made.error());
    }
    made = tools::run(*connection_, "CREATE COLLECTION " + target_.from_clause());
    if (made) {
      made_.push_back("collection " + target_.text());
    } else if (made.error().code != ErrorCode::kCollectionExists) {
      return std::unexpected(made.error());
    }
    collection_is_there_ = true;
    return {};
  }

  Status import_file(const std::string& name) {
    ASSIGN_OR_RETURN(auto input, Input::open(name));
    DocumentReader reader(*input, reader_options_);
    progress_.set_total(input->bytes_total());
    while (!stopped_) {
      auto item = reader.next();
      if (!item) {
        RETURN_IF_ERROR(flush(reader));  // what was read before the file failed is kept
        return std::unexpected(item.error());
      }
      if (!*item) break;
      if (!(*item)->bad || context_.arguments.skip_bad) tell_dialect(reader);
      if ((*item)->bad) {
        RETURN_IF_ERROR(flush(reader));
        if (!stopped_) dialect_ = reader.dialect();
        if (!stopped_) RETURN_IF_ERROR(complain(*(*item)->bad));
        continue;
      }
      // One large document must not make the batch larger than a message may be.
      if (batch_bytes_ + (*item)->text.size() > kBatchBytes) RETURN_IF_ERROR(flush(reader));
      if (stopped_) break;
      batch_.emplace_back((*item)->text);
      lines_.push_back((*item)->line);
      batch_bytes_ += (*item)->text.size();
      if (batch_.size() >= kBatchDocuments || batch_bytes_ >= kBatchBytes) {
        RETURN_IF_ERROR(flush(reader));
        state_.done = input->bytes_read();
        progress_.update(state_);
      }
    }
    RETURN_IF_ERROR(flush(reader));
    bytes_read_ += reader.text_bytes();
    return {};
  }

  Status flush(const DocumentReader& reader) {
    if (batch_.empty()) return {};
    std::vector<std::string> batch = std::move(batch_);
    const std::vector<size_t> lines = std::move(lines_);
    batch_.clear();
    lines_.clear();
    batch_bytes_ = 0;
    if (stopped_) return {};
    if (connection_ == nullptr) {
      state_.documents += batch.size();
      return {};
    }
    RETURN_IF_ERROR(make_collection());
    Status done = connection_->insert(target_.database, target_.collection, batch);
    if (done) {
      state_.documents += batch.size();
      return {};
    }
    if (!is_about_a_document(done.error().code)) {
      // Whether the server had it all when the connection broke nobody can tell.
      if (done.error().code == ErrorCode::kIo) uncertain_ = batch.size();
      return done;
    }
    for (size_t i = 0; i < batch.size() && !stopped_; ++i) {
      done = connection_->insert(target_.database, target_.collection, {&batch[i], 1});
      if (done) {
        ++state_.documents;
      } else if (is_about_a_document(done.error().code)) {
        RETURN_IF_ERROR(complain(reader.complaint(batch[i], lines[i], done.error().message)));
      } else {
        if (done.error().code == ErrorCode::kIo) uncertain_ = 1;
        return done;
      }
    }
    return {};
  }

  // Once, and not where the complaint below has it as its hint.
  void tell_dialect(const DocumentReader& reader) {
    if (dialect_told_ || reader.dialect().empty()) return;
    dialect_told_ = true;
    progress_.clear();
    context_.console.warn(state_.label + ": " + reader.dialect());
  }

  Status complain(const BadDocument& bad) {
    ++bad_;
    state_.bad = bad_;
    Console& console = context_.console;
    progress_.clear();
    if (!context_.arguments.skip_bad) {
      stopped_ = true;
      console.fail(bad.place() + ": " + bad.message);
      console.raw_error(bad.picture());
      console.hint(dialect_.empty() || dialect_told_
                       ? fmt::format("{} read before it. To go on past bad documents: --on-error "
                                     "skip --bad FILE",
                                     counted(state_.documents, "document") +
                                         (state_.documents == 1 ? " was" : " were"))
                       : dialect_);
      return {};
    }
    if (bad_ <= kShownComplaints) {
      console.warn(bad.place() + ": " + bad.message);
      console.raw_error(bad.picture());
      if (bad_ == kShownComplaints) console.note("(further bad documents are only counted)");
    }
    if (bad_file_ == nullptr) return {};
    std::string line = "{\"file\":";
    document::append_json_string(line, valid_utf8(bad.file));
    line += fmt::format(",\"line\":{},\"column\":{},\"reason\":", bad.line, bad.column);
    document::append_json_string(line, valid_utf8(bad.message));
    line += ",\"text\":";
    document::append_json_string(line, valid_utf8(bad.text));
    return bad_file_->write(line + "}\n");
  }

  // Part of the error, so --quiet does not silence it.
  void print_ended_early() {
    const uint64_t count = state_.documents;
    std::string text = "stopped: ";
    if (connection_ == nullptr) {
      text += "nothing written";
    } else if (count == 0 && uncertain_ == 0) {
      text += "no document was added to " + target_.text();
    } else {
      text += fmt::format("{} {} added to {}", counted(count, "document"),
                          count == 1 ? "was" : "were", target_.text());
    }
    if (uncertain_ > 0) {
      text += fmt::format(", and perhaps {} more that the answer never came for", uncertain_);
    }
    context_.console.raw_error(text + "\n");
  }

  void print_summary(size_t files, double seconds) {
    progress_.clear();
    Console& console = context_.console;
    if (context_.arguments.dry_run) {
      console.note(fmt::format("{} would be added to {}, {}; nothing written",
                               counted(state_.documents, "document"), target_.text(),
                               counted(bad_, "bad document")));
      return;
    }
    const double rate = seconds > 0 ? static_cast<double>(state_.documents) / seconds : 0;
    console.note(fmt::format("imported {} into {} in {} ({}/s, {} read)",
                             counted(state_.documents, "document"), target_.text(),
                             seconds_text(seconds), grouped(static_cast<uint64_t>(rate)),
                             byte_size(bytes_read_)));
    std::string more;
    for (const std::string& what : made_) more += (more.empty() ? "" : " and ") + what;
    if (!more.empty()) more = "created " + more;
    if (files > 1) more += (more.empty() ? "" : " · ") + counted(files, "file");
    if (bad_ > 0 && context_.arguments.skip_bad) {
      more +=
          fmt::format("{}{} skipped{}", more.empty() ? "" : " · ", counted(bad_, "bad document"),
                      bad_file_ == nullptr ? "" : " → " + context_.arguments.bad_file);
    }
    if (!more.empty()) console.note("  " + more);
    if (console.err_is_terminal()) {
      console.note("  next: wherestar paths " + target_.text());
    }
  }

  Context& context_;
  Target target_;
  ReaderOptions reader_options_;
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<OutputFile> bad_file_;
  Progress progress_;
  ProgressState state_;
  std::vector<std::string> made_;
  std::vector<std::string> batch_;
  std::vector<size_t> lines_;
  size_t batch_bytes_ = 0;
  bool collection_is_there_ = false;
  std::string dialect_;  // of the file that the complaint is about
  bool dialect_told_ = false;
  size_t uncertain_ = 0;  // documents sent whose answer never came
  uint64_t bytes_read_ = 0;
  uint64_t bad_ = 0;
  bool stopped_ = false;
};

// A path that names one place from the front: `key`, `$.a.b[0]`.
Result<document::PathExpression> parse_id_path(const std::string& text) {
  ASSIGN_OR_RETURN(document::PathExpression path, document::PathExpression::parse(text, true));
  bool one_place = !path.is_root() && !path.has_wildcard();
  for (const document::PathLeg& leg : path.legs()) one_place = one_place && !leg.first.from_end;
  if (!one_place) return fail(ErrorCode::kInvalidPath, "expected a member such as $.key");
  return path;
}

}  // namespace

ExitCode run_import(Context& context) {
  auto target = parse_target(context.arguments.target, true);
  if (!target || target->kind != Target::Kind::kCollection) {
    context.console.fail("'" + context.arguments.target + "': expected database.collection",
                         "as in: wherestar import shop.products products.jsonl");
    return ExitCode::kUsage;
  }
  const Arguments& a = context.arguments;
  ReaderOptions options{.extended_json = a.extended_json,
                        .id_path = {},
                        .elasticsearch_bulk = a.elasticsearch_bulk,
                        .look_for_dialects = true};
  if (!a.id_path.empty()) {
    auto path = parse_id_path(a.id_path);
    if (!path) {
      context.console.fail("--id " + a.id_path + ": " + path.error().message);
      return ExitCode::kUsage;
    }
    options.id_path = *std::move(path);
  }
  return ImportCommand(context, *std::move(target), std::move(options)).run();
}

}  // namespace wherestar::tools
