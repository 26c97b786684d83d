#include "tools/box_table.h"

#include <algorithm>
#include <numeric>

#include "tools/console.h"
#include "tools/text.h"

namespace wherestar::tools {
namespace {

class BoxTable : public RowWriter {
 public:
  BoxTable(std::vector<ColumnInfo> columns, const TableStyle& style, TextSink sink)
      : columns_(std::move(columns)), style_(style), sink_(std::move(sink)) {}

  void row(const CellRow& cells) override {
    std::vector<Shown> shown;
    for (size_t i = 0; i < columns_.size(); ++i) {
      shown.push_back(i < cells.size() ? show(cells[i]) : Shown{});
    }
    if (begun_) {
      sink_(line(shown));
      return;
    }
    held_.push_back(std::move(shown));
    if (held_.size() == kTableSampleRows) begin();
  }

  void finish() override {
    if (!begun_) begin();
    sink_(rule("└", "┴", "┘"));
  }

  size_t cut_cells() const override { return cut_cells_; }

 private:
  struct Shown {
    std::string text;
    bool right = false;
  };

  Shown show(const Cell& cell) const {
    Shown shown{cell.is_null() ? "NULL" : cell.text, cell.kind == CellKind::kNumber};
    if (style_.escape) {
      shown.text = escape_for_terminal(shown.text);
    } else if (shown.text.find_first_of("\n\r") != std::string::npos) {
      std::string flat;
      for (const char c : shown.text) flat += c == '\n' || c == '\r' ? "⏎" : std::string(1, c);
      shown.text = std::move(flat);
    }
    return shown;
  }

  void begin() {
    begun_ = true;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (style_.escape) columns_[i].name = escape_for_terminal(columns_[i].name);
      size_t width = display_width(columns_[i].name);
      for (const auto& cells : held_) width = std::max(width, display_width(cells[i].text));
      widths_.push_back(width);
    }
    const size_t frame = 3 * columns_.size() + 1;
    if (style_.width > frame) widths_ = fit_widths(widths_, style_.width - frame, 8);
    sink_(rule("┌", "┬", "┐"));
    std::vector<Shown> names;
    for (const ColumnInfo& column : columns_) names.push_back({column.name, column.is_number});
    sink_(line(names, style_.bold_header));
    sink_(rule("├", "┼", "┤"));
    for (const auto& cells : held_) sink_(line(cells));
    held_.clear();
  }

  std::string rule(const char* left, const char* middle, const char* right) const {
    std::string text = left;
    for (size_t i = 0; i < widths_.size(); ++i) {
      if (i > 0) text += middle;
      for (size_t n = 0; n < widths_[i] + 2; ++n) text += "─";
    }
    return text + right + "\n";
  }

  std::string line(const std::vector<Shown>& cells, bool bold = false) {
    std::string text;
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string cell = cells[i].text;
      if (style_.width > 0 && display_width(cell) > widths_[i]) {
        cell = cut_to_width(cell, widths_[i]);
        ++cut_cells_;
      }
      cell = pad(cell, widths_[i], cells[i].right);
      text += "│ " + (bold ? with_style(Style::kBold, cell) : cell) + " ";
    }
    return text + "│\n";
  }

  std::vector<ColumnInfo> columns_;
  TableStyle style_;
  TextSink sink_;
  std::vector<std::vector<Shown>> held_;
  std::vector<size_t> widths_;
  bool begun_ = false;
  size_t cut_cells_ = 0;
};

}  // namespace

std::vector<size_t> fit_widths(std::vector<size_t> widths, size_t room, size_t least) {
  size_t total = std::accumulate(widths.begin(), widths.end(), size_t{0});
  while (total > room) {
    const auto widest = std::ranges::max_element(widths);
    if (*widest <= least) break;
    // Down to the next widest column, but no further than needed.
    size_t next = least;
    for (const size_t width : widths) {
      if (width < *widest) next = std::max(next, width);
    }
    const auto equals = static_cast<size_t>(std::ranges::count(widths, *widest));
    const size_t step = std::max<size_t>(1, std::min(*widest - next, (total - room) / equals));
    const size_t greatest = *widest;
    for (size_t& width : widths) {
      if (width != greatest || total <= room) continue;
      width -= step;
      total -= step;
    }
  }
  return widths;
}

std::unique_ptr<RowWriter> make_box_table(std::vector<ColumnInfo> columns, const TableStyle& style,
                                          TextSink sink) {
  return std::make_unique<BoxTable>(std::move(columns), style, std::move(sink));
}

}  // namespace wherestar::tools
