// import: files into a collection, by batches.
//
// 1. The reader cuts and checks documents; a bad one is told with its place, and ends the import
//    (what was read before it is kept) or is skipped.
// 2. A batch goes in as one statement, all or nothing.
// 3. A refused batch is tried again document by document, to find the one that is refused.
#include <fmt/format.h>

#include "tools/commands.h"
#include "tools/document_reader.h"
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
  ImportCommand(Context& context, Target target)
      : context_(context), target_(std::move(target)), progress_(context.console, 0) {}

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
      if (const Status made = make_collection(); !made) return report(context_, made.error());
    }
    const std::vector<std::string> files = expand_names(a.files);
    Status done;
    for (size_t i = 0; i < files.size() && done && !stopped_; ++i) {
      state_.label =
          files.size() == 1 ? files[i] : fmt::format("{} [{}/{}]", files[i], i + 1, files.size());
      done = import_file(files[i]);
    }
    const double seconds = progress_.seconds();
    if (bad_file_ != nullptr && done) done = bad_file_->finish();
    if (!done) return report(context_, done.error());
    print_summary(files.size(), seconds);
    return bad_ > 0 ? ExitCode::kBadInput : ExitCode::kDone;
  }

 private:
  Status make_collection() {
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
    return {};
  }

  Status import_file(const std::string& name) {
    ASSIGN_OR_RETURN(auto input, Input::open(name));
    DocumentReader reader(*input);
    progress_.set_total(input->bytes_total());
    while (!stopped_) {
      auto item = reader.next();
      if (!item) {
        RETURN_IF_ERROR(flush(reader));  // what was read before the file failed is kept
        return std::unexpected(item.error());
      }
      if (!*item) break;
      if ((*item)->bad) {
        RETURN_IF_ERROR(flush(reader));
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
    Status done = connection_->insert(target_.database, target_.collection, batch);
    if (done) {
      state_.documents += batch.size();
      return {};
    }
    if (!is_about_a_document(done.error().code)) return done;
    for (size_t i = 0; i < batch.size() && !stopped_; ++i) {
      done = connection_->insert(target_.database, target_.collection, {&batch[i], 1});
      if (done) {
        ++state_.documents;
      } else if (is_about_a_document(done.error().code)) {
        RETURN_IF_ERROR(complain(reader.complaint(batch[i], lines[i], done.error().message)));
      } else {
        return done;
      }
    }
    return {};
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
      console.hint(fmt::format(
          "{} read before it. To go on past bad documents: --on-error skip "
          "--bad FILE",
          counted(state_.documents, "document") + (state_.documents == 1 ? " was" : " were")));
      return {};
    }
    if (bad_ <= kShownComplaints) {
      console.warn(bad.place() + ": " + bad.message);
      console.raw_error(bad.picture());
      if (bad_ == kShownComplaints) console.note("(further bad documents are only counted)");
    }
    if (bad_file_ == nullptr) return {};
    std::string line = "{\"file\":";
    document::append_json_string(line, bad.file);
    line += fmt::format(",\"line\":{},\"column\":{},\"reason\":", bad.line, bad.column);
    document::append_json_string(line, bad.message);
    line += ",\"text\":";
    document::append_json_string(line, bad.text);
    return bad_file_->write(line + "}\n");
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
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<OutputFile> bad_file_;
  Progress progress_;
  ProgressState state_;
  std::vector<std::string> made_;
  std::vector<std::string> batch_;
  std::vector<size_t> lines_;
  size_t batch_bytes_ = 0;
  uint64_t bytes_read_ = 0;
  uint64_t bad_ = 0;
  bool stopped_ = false;
};

}  // namespace

ExitCode run_import(Context& context) {
  auto target = parse_target(context.arguments.target, true);
  if (!target || target->kind != Target::Kind::kCollection) {
    context.console.fail("'" + context.arguments.target + "': expected database.collection",
                         "as in: wherestar import shop.products products.jsonl");
    return ExitCode::kUsage;
  }
  return ImportCommand(context, *std::move(target)).run();
}

}  // namespace wherestar::tools
