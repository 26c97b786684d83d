#include "tools/match_printer.h"

#include <algorithm>

#include "tools/search_value.h"
#include "tools/text.h"

namespace wherestar::tools {
namespace {

std::string bare(const std::string& json) {
  const auto parsed = document::Json::parse(json);
  return parsed && parsed->is_string() ? parsed->as_string() : json;
}

std::string name_of(const Match& match) {
  return match.collection + ":" +
         (match.id.kind == CellKind::kJson ? bare(match.id.text) : match.id.text);
}

// A table is read by people, wherever it goes: one line a match.
std::string one_line(const std::string& text) {
  return escape_for_terminal(text);
}

}  // namespace

MatchPrinter::MatchPrinter(Context& context) : context_(context) {
  if (context.arguments.format == Format::kTable) return;
  writer_ = result_writer(context, {{"collection"}, {"_id"}, {"place"}, {"value"}, {"doc"}});
}

void MatchPrinter::print(const Match& match) {
  ++printed_;
  if (writer_ != nullptr) {
    writer_->row({Cell::string(match.collection), as_column(match.id), Cell::string(match.place),
                  as_column(Cell::json(match.value)), Cell::json(match.document)});
    return;
  }
  if (printed_ > kHeldRows) {
    print_line(match);
    return;
  }
  held_.push_back(match);
  if (printed_ < kHeldRows) return;
  finish();
}

// A string as JSON for formats that are JSON, as the text itself for the others.
Cell MatchPrinter::as_column(const Cell& cell) const {
  const Format format = context_.arguments.format;
  const bool json = format == Format::kJson || format == Format::kJsonl;
  return json || cell.kind != CellKind::kJson ? cell : Cell::string(bare(cell.text));
}

void MatchPrinter::print_line(const Match& match) {
  Console& console = context_.console;
  const auto parsed = document::Json::parse(match.document);
  const std::string value = cut_to_width(one_line(bare(match.value)), 40);
  std::string line = pad(one_line(name_of(match)), widths_[0]) + "  " +
                     pad(one_line(match.place), widths_[1]) + "  ";
  const std::string marked = pad("«" + value + "»", widths_[2]);
  const std::string rest = parsed ? one_line(excerpt(*parsed, match.place)) : std::string();
  const size_t used = display_width(line) + display_width(marked) + 2;
  line += console.styled(Style::kBold, marked);
  if (console.width() == 0) {
    line += "  " + rest;
  } else if (used + 4 < console.width()) {
    line += "  " + cut_to_width(rest, console.width() - used);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  console.print(line + "\n");
}

void MatchPrinter::finish() {
  if (writer_ != nullptr) {
    writer_->finish();
    return;
  }
  for (const Match& match : held_) {
    const std::string texts[] = {one_line(name_of(match)), one_line(match.place),
                                 "«" + cut_to_width(one_line(bare(match.value)), 40) + "»"};
    for (size_t i = 0; i < 3; ++i) widths_[i] = std::max(widths_[i], display_width(texts[i]));
  }
  for (const Match& match : held_) print_line(match);
  held_.clear();
  context_.console.flush();
}

}  // namespace wherestar::tools
