// search: in files by reading them, in stores by the any-path index.
#include <chrono>
#include <map>
#include <set>

#include <fmt/format.h>

#include "tools/commands.h"
#include "tools/document_reader.h"
#include "tools/match_printer.h"
#include "tools/numbers.h"
#include "tools/search_value.h"

namespace wherestar::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kShownByDefault = 20;

struct Totals {
  uint64_t documents = 0;
  uint64_t matches = 0;
  std::map<std::string, uint64_t> by_collection;                    // documents
  std::map<std::pair<std::string, std::string>, uint64_t> by_path;  // matches
};

std::string like_pattern(std::string_view prefix) {
  std::string pattern;
  for (const char c : prefix) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern + "%";
}

uint64_t to_count(const std::string& text) {
  return std::strtoull(text.c_str(), nullptr, 10);
}

class SearchCommand {
 public:
  SearchCommand(Context& context, SearchValue value) : context_(context), value_(std::move(value)) {
    const Arguments& a = context.arguments;
    listing_ = !a.count && !a.by_path;
    limit_ = a.limit.value_or(a.format == Format::kTable ? kShownByDefault : 0);
    if (listing_) printer_.emplace(context);
  }

  ExitCode run() {
    const Clock::time_point begin = Clock::now();
    const Arguments& a = context_.arguments;
    if (!a.path.empty()) {
      auto path = document::PathExpression::parse(a.path);
      if (!path) {
        context_.console.fail("--path " + a.path + ": " + path.error().message);
        return ExitCode::kUsage;
      }
      path_ = *std::move(path);
    }
    std::vector<Target> targets;
    for (const std::string& name : expand_names(a.targets)) {
      auto target = parse_target(name, !a.data.empty());
      if (!target) {
        context_.console.fail(target.error().message, near_file(name));
        return ExitCode::kUsage;
      }
      targets.push_back(*std::move(target));
    }
    if (targets.empty()) targets.emplace_back();
    for (const Target& target : targets) {
      if (const ExitCode code = search(target); code != ExitCode::kDone) return code;
    }
    if (printer_) printer_->finish();
    print_totals(std::chrono::duration<double>(Clock::now() - begin).count());
    if (totals_.matches > 0) return bad_ > 0 ? ExitCode::kBadInput : ExitCode::kDone;
    hint_at_twin(targets);
    return ExitCode::kNo;
  }

 private:
  bool may_print() const { return printer_ && (limit_ == 0 || printer_->printed() < limit_); }

  ExitCode search(const Target& target) {
    if (target.kind == Target::Kind::kFile) {
      const Status done = search_file(target.file);
      return done ? ExitCode::kDone : report_file(context_, target.file, done.error());
    }
    if (connection_ == nullptr) {
      auto connection = connect(context_);
      if (!connection) return report_no_connection(context_, connection.error());
      connection_ = *std::move(connection);
    }
    const Status done = search_store(target);
    return done ? ExitCode::kDone : report_target(context_, *connection_, target, done.error());
  }

  Status search_file(const std::string& name) {
    ASSIGN_OR_RETURN(auto input, Input::open(name));
    DocumentReader reader(*input);
    const std::string collection = collection_name_of(name);
    while (true) {
      ASSIGN_OR_RETURN(auto item, reader.next());
      if (!item) return {};
      if (item->bad) {
        if (bad_++ < 3) context_.console.warn(item->bad->place() + ": " + item->bad->message);
        continue;
      }
      if (is_candidate(reader.parser().shred())) {
        RETURN_IF_ERROR(add_document(collection, item->line, item->text));
      }
    }
  }

  bool is_candidate(const document::Shredded& shredded) {
    bool found = false;
    for (const auto& occurrence : shredded.occurrences) {
      if (matches(value_, occurrence.scalar)) found = true;
      if (twin_ && matches(*twin_, occurrence.scalar)) ++twin_seen_;
    }
    return found;
  }

  Status add_document(const std::string& collection, size_t line, std::string_view text) {
    ASSIGN_OR_RETURN(const document::Json json, document::Json::parse(text));
    const auto places = find_places(value_, json, path_ ? &*path_ : nullptr);
    if (places.empty()) return {};
    ++totals_.documents;
    ++totals_.by_collection[collection];
    for (const PlaceMatch& place : places) {
      ++totals_.matches;
      ++totals_.by_path[{collection, place.path}];
      if (may_print()) {
        printer_->print(
            {collection, Cell::number(line), place.place, place.value, std::string(text)});
      }
    }
    return {};
  }

  std::string condition(const SearchValue& value) const {
    return value.is_prefix ? "* LIKE ?" : "* = ?";
  }
  static Cell argument(const SearchValue& value) {
    return value.is_prefix ? Cell::string(like_pattern(value.cell.text)) : value.cell;
  }

  // With --path every match is fetched and its path looked at here: a path expression in the
  // condition has no places unless it holds a wildcard.
  Status search_store(const Target& target) {
    const std::string from = " FROM " + target.from_clause() + " WHERE " + condition(value_);
    const Cell wanted = argument(value_);
    if (path_) return fetch_matches(from, wanted, 0);
    if (may_print()) {
      RETURN_IF_ERROR(fetch_matches(from, wanted, limit_ == 0 ? 0 : limit_ - printer_->printed()));
      if (limit_ == 0) return {};
    }
    return count_matches(from, wanted);
  }

  Status fetch_matches(const std::string& from, const Cell& wanted, size_t limit) {
    const bool counting = path_ || limit == 0;
    std::string sql = "SELECT collection, _id, place, value, doc, path" + from;
    if (limit > 0) sql += fmt::format(" LIMIT {}", limit);
    ASSIGN_OR_RETURN(auto result, connection_->execute(sql, {&wanted, 1}));
    std::set<std::pair<std::string, std::string>> documents;
    while (true) {
      ASSIGN_OR_RETURN(const auto row, result->next());
      if (!row) break;
      const CellRow& cells = *row;
      if (cells.size() < 6) return fail(ErrorCode::kInternal, "a match lacks columns");
      if (path_) {
        const auto legs = document::PathExpression::parse(cells[5].text);
        if (!legs || !path_->matches_canonical(legs->legs())) continue;
      }
      if (counting) {
        ++totals_.matches;
        ++totals_.by_path[{cells[0].text, cells[5].text}];
        if (documents.emplace(cells[0].text, cells[1].text).second) {
          ++totals_.documents;
          ++totals_.by_collection[cells[0].text];
        }
      }
      if (!may_print()) continue;
      Match match{cells[0].text, cells[1], cells[2].text, {}, cells[4].text};
      append_json_cell(match.value, cells[3]);
      printer_->print(match);
    }
    return {};
  }

  Status count_matches(const std::string& from, const Cell& wanted) {
    ASSIGN_OR_RETURN(
        const auto documents,
        fetch(*connection_, "SELECT collection, COUNT(*)" + from + " GROUP BY collection",
              {&wanted, 1}));
    for (const CellRow& row : documents) {
      const uint64_t count = to_count(row.at(1).text);
      totals_.documents += count;
      totals_.matches += count;  // at least; exact with the paths below
      totals_.by_collection[row[0].text] += count;
    }
    if (context_.arguments.count) return {};
    ASSIGN_OR_RETURN(const auto paths, fetch(*connection_,
                                             "SELECT collection, path, COUNT(*)" + from +
                                                 " GROUP BY collection, path",
                                             {&wanted, 1}));
    uint64_t matches = 0;
    for (const CellRow& row : paths) {
      const uint64_t count = to_count(row.at(2).text);
      matches += count;
      totals_.by_path[{row[0].text, row[1].text}] += count;
    }
    for (const CellRow& row : documents) totals_.matches -= to_count(row[1].text);
    totals_.matches += matches;
    return {};
  }

  void print_totals(double seconds) {
    const Arguments& a = context_.arguments;
    if (a.count) {
      context_.console.print(std::to_string(totals_.documents) + "\n");
      return;
    }
    if (a.by_path) {
      const auto writer = result_writer(context_, {{"collection"}, {"path"}, {"matches", true}});
      for (const auto& [where, count] : totals_.by_path) {
        writer->row({Cell::string(where.first), Cell::string(where.second), Cell::number(count)});
      }
      writer->finish();
      return;
    }
    if (totals_.matches == 0) return;
    std::string text = counted(totals_.documents, "document");
    if (totals_.by_collection.size() > 1 && totals_.by_collection.size() <= 8) {
      std::string parts;
      for (const auto& [name, count] : totals_.by_collection) {
        parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", name, grouped(count));
      }
      text += " (" + parts + ")";
    }
    text +=
        fmt::format(" in {}, {}", counted(totals_.by_path.size(), "path"), seconds_text(seconds));
    if (totals_.matches > printer_->printed()) {
      const uint64_t more = totals_.matches - printer_->printed();
      text +=
          fmt::format("; {} more {}: --limit 0", grouped(more), more == 1 ? "match" : "matches");
    }
    context_.console.note(text);
  }

  void hint_at_twin(const std::vector<Target>& targets) {
    if (connection_ != nullptr && twin_) {
      const Cell wanted = argument(*twin_);
      for (const Target& target : targets) {
        if (target.kind == Target::Kind::kFile) continue;
        const auto rows =
            fetch(*connection_, "SELECT COUNT(*) FROM " + target.from_clause() + " WHERE * = ?",
                  {&wanted, 1});
        if (rows && !rows->empty()) twin_seen_ += to_count(rows->at(0).at(0).text);
      }
    }
    std::string hint;
    if (twin_ && twin_seen_ > 0) {
      const bool number = twin_->cell.kind == CellKind::kNumber;
      hint =
          fmt::format("{} occurs {} times: wherestar search {}", twin_->text(), grouped(twin_seen_),
                      number ? twin_->cell.text : "'\"" + twin_->cell.text + "\"'");
    }
    if (context_.console.quiet()) return;
    context_.console.note("not found: " + value_.text());
    if (!hint.empty()) context_.console.hint(hint);
  }

  Context& context_;
  SearchValue value_;
  std::optional<SearchValue> twin_ = twin_of(value_);
  std::optional<document::PathExpression> path_;
  bool listing_ = true;
  size_t limit_ = 0;
  std::optional<MatchPrinter> printer_;
  std::unique_ptr<Connection> connection_;
  Totals totals_;
  uint64_t twin_seen_ = 0;
  uint64_t bad_ = 0;
};

}  // namespace

ExitCode run_search(Context& context) {
  auto value = parse_search_value(context.arguments.value, context.arguments.prefix);
  if (!value) {
    const std::string& word = context.arguments.value;
    context.console.fail(value.error().message, value.error().code == ErrorCode::kNumberOutOfRange
                                                    ? "the string: '\"" + word + "\"'"
                                                    : "");
    return ExitCode::kUsage;
  }
  return SearchCommand(context, *std::move(value)).run();
}

}  // namespace wherestar::tools
