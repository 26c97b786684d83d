#include "tools/paths_view.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "document/json.h"
#include "tools/numbers.h"
#include "tools/text.h"

namespace wherestar::tools {
namespace {

using document::JsonType;

constexpr size_t kDigestWidth = 24;
constexpr size_t kEnumShown = 8;

// Where the last leg of a canonical path begins; 0 for `$`.
size_t last_leg_offset(std::string_view path) {
  size_t begin = 0;
  bool quoted = false;
  for (size_t i = 1; i < path.size(); ++i) {
    if (quoted) {
      if (path[i] == '\\') {
        ++i;
      } else if (path[i] == '"') {
        quoted = false;
      }
    } else if (path[i] == '"') {
      quoted = true;
    } else if (path[i] == '.' || path[i] == '[') {
      begin = i;
    }
  }
  return begin;
}

uint64_t scalars(const PathRow& row) {
  return row.values - row.count(JsonType::kObject) - row.count(JsonType::kArray);
}

bool is_enum(const PathRow& row) {
  return row.count(JsonType::kString) > 0 && row.top_values_are_all &&
         row.top_values.size() <= 20 && scalars(row) >= 5 * row.top_values.size();
}

std::string share_of(uint64_t part, uint64_t whole) {
  if (part >= whole) return "100%";
  const uint64_t percent = (200 * part + whole) / (2 * whole);
  return percent == 0 ? "<1%" : percent >= 100 ? ">99%" : fmt::format("{}%", percent);
}

// A value as text without quotes, cut for a digest.
std::string digest(const std::string& json) {
  const auto parsed = document::Json::parse(json);
  return cut_to_width(parsed && parsed->is_string() ? parsed->as_string() : json, kDigestWidth);
}

struct Node {
  const PathRow* row = nullptr;
  std::vector<size_t> children;
};

class Tree {
 public:
  Tree(const Summary& summary, const PathsViewOptions& options)
      : summary_(summary), options_(options) {
    std::map<std::string_view, size_t> by_path;
    for (const PathRow& row : summary.paths) by_path[row.path] = nodes_.size(), add(row);
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const auto parent = by_path.find(parent_path(nodes_[i].row->path));
      if (parent == by_path.end()) {
        if (options.under.empty()) roots_.push_back(i);
      } else {
        nodes_[parent->second].children.push_back(i);
      }
    }
    if (!options.under.empty()) {
      const auto found = by_path.find(options.under);
      if (found != by_path.end()) roots_.push_back(found->second);
    }
    for (Node& node : nodes_) sort(node.children);
  }

  struct Line {
    const PathRow* row;
    std::string label;
    uint64_t element_values;
  };
  std::vector<Line> lines() const {
    std::vector<Line> lines;
    for (const size_t root : roots_) {
      lines.push_back({nodes_[root].row, nodes_[root].row->path, elements(root)});
      append(root, "", lines);
    }
    return lines;
  }

 private:
  void add(const PathRow& row) { nodes_.push_back({&row, {}}); }

  void sort(std::vector<size_t>& children) const {
    std::ranges::stable_sort(children, [&](size_t a, size_t b) {
      const PathRow& left = *nodes_[a].row;
      const PathRow& right = *nodes_[b].row;
      if (options_.sort_by_name) return left.path < right.path;
      return left.documents > right.documents;
    });
  }

  uint64_t elements(size_t node) const {
    for (const size_t child : nodes_[node].children) {
      if (nodes_[child].row->path.ends_with("[*]")) return nodes_[child].row->values;
    }
    return 0;
  }

  void append(size_t node, const std::string& indent, std::vector<Line>& lines) const {
    const auto& children = nodes_[node].children;
    for (size_t i = 0; i < children.size(); ++i) {
      const bool last = i + 1 == children.size();
      const PathRow& row = *nodes_[children[i]].row;
      lines.push_back(
          {&row, indent + (last ? "└─ " : "├─ ") + last_leg(row.path), elements(children[i])});
      append(children[i], indent + (last ? "   " : "│  "), lines);
    }
  }

  const Summary& summary_;
  const PathsViewOptions& options_;
  std::vector<Node> nodes_;
  std::vector<size_t> roots_;
};

std::string distinct_text(const PathRow& row) {
  return scalars(row) == 0 ? std::string() : estimate(row.distinct, row.distinct_is_exact);
}

bool all_different(const PathRow& row) {
  return row.distinct_is_exact && row.values > 1 && scalars(row) == row.values &&
         row.distinct == static_cast<double>(row.values);
}

std::string heading(const Summary& summary, const PathsViewOptions& options) {
  std::string name = options.escape ? escape_for_terminal(summary.name) : summary.name;
  std::string text =
      fmt::format("{}   {}   {}   {}", options.colour ? with_style(Style::kBold, name) : name,
                  counted(summary.documents, "document"), byte_size(summary.text_bytes),
                  counted(summary.shapes.size(), "shape"));
  if (summary.bad_documents > 0) text += "   " + counted(summary.bad_documents, "bad document");
  return text + "\n";
}

}  // namespace

std::string last_leg(std::string_view canonical) {
  const size_t at = last_leg_offset(canonical);
  return std::string(canonical.substr(at > 0 && canonical[at] == '.' ? at + 1 : at));
}

std::string_view parent_path(std::string_view canonical) {
  return canonical.substr(0, last_leg_offset(canonical));
}

std::string type_text(const PathRow& row) {
  std::vector<std::pair<uint64_t, JsonType>> types;
  for (size_t i = 0; i < row.by_type.size(); ++i) {
    if (row.by_type[i] > 0) types.emplace_back(row.by_type[i], static_cast<JsonType>(i));
  }
  std::ranges::stable_sort(types, [](auto& a, auto& b) { return a.first > b.first; });
  if (types.size() == 1) {
    std::string text(document::json_type_name(types[0].second));
    if (types[0].second != JsonType::kString) return text;
    if (!row.format.empty()) return text + " (" + row.format + ")";
    return is_enum(row) ? text + " (enum)" : text;
  }
  const bool number = row.count(JsonType::kInteger) + row.count(JsonType::kDouble) > 0;
  const int kinds = (row.count(JsonType::kBoolean) > 0) + (row.count(JsonType::kString) > 0) +
                    (row.count(JsonType::kObject) > 0) + (row.count(JsonType::kArray) > 0) + number;
  std::string text = kinds > 1 ? "! " : "";
  for (size_t i = 0; i < types.size(); ++i) {
    text += fmt::format("{}{} {}", i > 0 ? " " : "", document::json_type_name(types[i].second),
                        share_of(types[i].first, row.values));
  }
  return text;
}

std::string range_text(const PathRow& row, uint64_t element_values) {
  std::string text;
  if (scalars(row) > 0 && row.least && row.greatest) {
    const bool few = row.top_values_are_all && row.top_values.size() <= 20 &&
                     (is_enum(row) || row.count(JsonType::kBoolean) > 0);
    if (few && row.format.empty()) {
      const size_t shown =
          row.top_values.size() <= kEnumShown + 1 ? row.top_values.size() : kEnumShown;
      for (size_t i = 0; i < shown; ++i) {
        text += (i > 0 ? " · " : "") + digest(row.top_values[i].first);
      }
      if (shown < row.top_values.size()) {
        text += fmt::format(" · … {} more", row.top_values.size() - shown);
      }
    } else if (*row.least == *row.greatest) {
      text = digest(*row.least);
    } else {
      text = digest(*row.least) + " … " + digest(*row.greatest);
      if (all_different(row)) text += "  (all different)";
    }
  }
  if (row.min_array_length && row.max_array_length) {
    const uint64_t arrays = std::max<uint64_t>(row.count(JsonType::kArray), 1);
    if (!text.empty()) text += "; ";
    text += *row.min_array_length == *row.max_array_length
                ? fmt::format("{} long", *row.min_array_length)
                : fmt::format("{}–{} long, average {:.1f}", *row.min_array_length,
                              *row.max_array_length,
                              static_cast<double>(element_values) / static_cast<double>(arrays));
  }
  return text;
}

std::string render_paths(const Summary& summary, const PathsViewOptions& options) {
  std::string out = heading(summary, options);
  if (summary.documents == 0) return out;
  std::vector<Tree::Line> lines = Tree(summary, options).lines();
  const size_t hidden =
      options.limit > 0 && lines.size() > options.limit ? lines.size() - options.limit : 0;
  lines.resize(lines.size() - hidden);

  std::vector<std::array<std::string, 5>> cells;
  cells.push_back({"PATH", "PRESENT", "TYPE", "DISTINCT", "RANGE OR MOST FREQUENT"});
  for (const Tree::Line& line : lines) {
    const PathRow& row = *line.row;
    const std::string share = row.path == "$" ? "" : presence(row.documents, summary.documents);
    const std::string bar = row.path == "$" ? "" : presence_bar(row.documents, summary.documents);
    cells.push_back({line.label, pad(bar, 10) + "  " + pad(share, 6), type_text(row),
                     distinct_text(row), range_text(row, line.element_values)});
  }
  std::array<size_t, 5> widths{};
  for (auto& row : cells) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (options.escape) row[i] = escape_for_terminal(row[i]);
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  for (size_t n = 0; n < cells.size(); ++n) {
    const auto& row = cells[n];
    std::string line = pad(row[0], widths[0]) + "  " + pad(row[1], widths[1]) + "  " +
                       pad(row[2], widths[2]) + "  " + pad(row[3], widths[3], true);
    if (options.width > 0) line = cut_to_width(line, options.width);
    const size_t used = display_width(line) + 2;
    if (options.width == 0) {
      line += "  " + row[4];
    } else if (used + 4 < options.width) {
      line += "  " + cut_to_width(row[4], options.width - used);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    if (options.colour && n == 0) line = with_style(Style::kDim, line);
    if (options.colour && row[2].starts_with("! ")) line = with_style(Style::kYellow, line);
    out += line + "\n";
  }
  if (hidden > 0) out += fmt::format("… {} more paths: --all\n", grouped(hidden));
  return out;
}

std::vector<ColumnInfo> path_columns() {
  return {{"collection"},
          {"path"},
          {"documents", true},
          {"value_count", true},
          {"nulls", true},
          {"booleans", true},
          {"integers", true},
          {"doubles", true},
          {"strings", true},
          {"objects", true},
          {"arrays", true},
          {"distinct_values", true},
          {"distinct_is_exact"},
          {"min_value"},
          {"max_value"},
          {"total_bytes", true},
          {"min_string_length", true},
          {"max_string_length", true},
          {"min_array_length", true},
          {"max_array_length", true},
          {"format"},
          {"top_values"}};
}

void write_path_rows(const Summary& summary, const PathsViewOptions& options, RowWriter& writer) {
  const auto optional_number = [](const std::optional<uint64_t>& value) {
    return value ? Cell::number(*value) : Cell::null();
  };
  const auto optional_json = [](const std::optional<std::string>& value) {
    return value ? Cell::json(*value) : Cell::null();
  };
  for (const Tree::Line& line : Tree(summary, options).lines()) {
    const PathRow& row = *line.row;
    CellRow cells = {Cell::string(summary.name), Cell::string(row.path),
                     Cell::number(row.documents), Cell::number(row.values)};
    for (const uint64_t count : row.by_type) cells.push_back(Cell::number(count));
    cells.push_back(Cell::number(static_cast<uint64_t>(row.distinct + 0.5)));
    cells.push_back(Cell::json(row.distinct_is_exact ? "true" : "false"));
    cells.push_back(optional_json(row.least));
    cells.push_back(optional_json(row.greatest));
    cells.push_back(Cell::number(row.total_bytes));
    cells.push_back(optional_number(row.min_string_length));
    cells.push_back(optional_number(row.max_string_length));
    cells.push_back(optional_number(row.min_array_length));
    cells.push_back(optional_number(row.max_array_length));
    cells.push_back(row.format.empty() ? Cell::null() : Cell::string(row.format));
    std::string top = "[";
    for (const auto& [value, count] : row.top_values) {
      top +=
          fmt::format("{}{{\"value\":{},\"count\":{}}}", top.size() > 1 ? "," : "", value, count);
    }
    cells.push_back(Cell::json(top + "]"));
    writer.row(cells);
  }
}

}  // namespace wherestar::tools
