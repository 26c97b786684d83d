#include "tools/shapes_view.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "document/json.h"
#include "tools/numbers.h"
#include "tools/text.h"

namespace wherestar::tools {
namespace {

// A, B, ..., Z, AA, AB: short names in the order of frequency.
std::string letter(size_t index) {
  std::string name(1, static_cast<char>('A' + index % 26));
  while (index >= 26) {
    index = index / 26 - 1;
    name.insert(name.begin(), static_cast<char>('A' + index % 26));
  }
  return name;
}

std::map<std::string, std::string> types_of(const ShapeRow& shape) {
  std::map<std::string, std::string> types;
  for (const auto& [path, type] : shape.members) {
    std::string& entry = types[path];
    entry += (entry.empty() ? "" : "|") + type;
  }
  return types;
}

std::string_view short_path(std::string_view path) {
  return path.starts_with("$.") ? path.substr(2) : path;
}

bool has_parent_in(const std::map<std::string, std::string>& types, const std::string& path) {
  // Below a path that is itself new or gone, children say nothing more.
  for (const auto& [other, type] : types) {
    if (other != "$" && path.size() > other.size() && path.starts_with(other) &&
        (path[other.size()] == '.' || path[other.size()] == '[')) {
      return true;
    }
  }
  return false;
}

std::string member_list(const ShapeRow& shape) {
  std::string text = "(";
  for (const auto& [path, type] : shape.members) {
    if (type == "object" || type == "array") continue;
    text += fmt::format("{}{}:{}", text.size() > 1 ? ", " : "", short_path(path), type);
  }
  return text + ")";
}

}  // namespace

std::string shape_difference(const ShapeRow& common, const ShapeRow& shape) {
  const auto before = types_of(common);
  const auto after = types_of(shape);
  std::map<std::string, std::string> added, removed;
  std::string changed;
  for (const auto& [path, type] : after) {
    const auto old = before.find(path);
    if (old == before.end()) {
      added[path] = type;
    } else if (old->second != type) {
      changed += fmt::format("  {}: {}→{}", short_path(path), old->second, type);
    }
  }
  for (const auto& [path, type] : before) {
    if (!after.contains(path)) removed[path] = type;
  }
  std::string text;
  for (const auto& [path, type] : added) {
    if (has_parent_in(added, path)) continue;
    text += fmt::format("  +{}", short_path(path));
    if (type != "object" && type != "array") text += ":" + type;
  }
  text += changed;
  for (const auto& [path, type] : removed) {
    if (!has_parent_in(removed, path)) text += fmt::format("  -{}", short_path(path));
  }
  return text.size() > 2 ? text.substr(2) : text;
}

std::string render_shapes(const Summary& summary, const ShapesViewOptions& options) {
  const size_t count = summary.shapes.size();
  const size_t shown = options.limit > 0 ? std::min(options.limit, count) : count;
  std::vector<std::array<std::string, 6>> cells;
  cells.push_back({"", "DOCS", "", "FIRST SEEN", "LAST SEEN", "DIFFERS FROM THE MOST FREQUENT BY"});
  for (size_t i = 0; i < shown; ++i) {
    const ShapeRow& shape = summary.shapes[i];
    const bool others = shape.id == "others";
    cells.push_back({others ? "…" : letter(i), grouped(shape.documents),
                     presence(shape.documents, summary.documents), shape.first_seen,
                     shape.last_seen,
                     others   ? "(all shapes beyond the limit)"
                     : i == 0 ? member_list(shape)
                              : shape_difference(summary.shapes[0], shape)});
  }
  std::array<size_t, 6> widths{};
  for (auto& row : cells) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (options.escape) row[i] = escape_for_terminal(row[i]);
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string out = fmt::format("{}   {}   {}\n",
                                options.escape ? escape_for_terminal(summary.name) : summary.name,
                                counted(summary.documents, "document"), counted(count, "shape"));
  if (count == 0) return out;
  for (const auto& row : cells) {
    std::string line = pad(row[0], widths[0]) + "  " + pad(row[1], widths[1], true) + "  " +
                       pad(row[2], widths[2], true) + "  " + pad(row[3], widths[3]) + "  " +
                       pad(row[4], widths[4]) + "  " + row[5];
    if (options.width > 0) line = cut_to_width(line, options.width);
    line.erase(line.find_last_not_of(' ') + 1);
    out += (options.colour && &row == &cells[0] ? with_style(Style::kDim, line) : line) + "\n";
  }
  if (shown < count) out += fmt::format("… {} more: --all\n", grouped(count - shown));
  return out;
}

std::vector<ColumnInfo> shape_columns() {
  return {{"collection"}, {"shape_id"},   {"documents", true},
          {"paths"},      {"first_seen"}, {"last_seen"}};
}

void write_shape_rows(const Summary& summary, RowWriter& writer) {
  for (const ShapeRow& shape : summary.shapes) {
    std::string members = "[";
    for (const auto& [path, type] : shape.members) {
      if (members.size() > 1) members += ',';
      members += "{\"path\":";
      document::append_json_string(members, path);
      members += ",\"type\":\"" + type + "\"}";
    }
    writer.row({Cell::string(summary.name), Cell::string(shape.id), Cell::number(shape.documents),
                Cell::json(members + "]"), Cell::string(shape.first_seen),
                Cell::string(shape.last_seen)});
  }
}

}  // namespace wherestar::tools
