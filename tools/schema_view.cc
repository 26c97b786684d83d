#include "tools/schema_view.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tools/numbers.h"
#include "tools/paths_view.h"
#include "tools/text.h"

namespace wherestar::tools {
namespace {

using document::JsonType;

constexpr size_t kNamesShown = 8;

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i == kNamesShown) return text + fmt::format(", … {} more", names.size() - i);
    text += (i > 0 ? ", " : "") + escape_for_terminal(names[i]);
  }
  return text;
}

std::string short_name(const std::string& path) {
  return path.starts_with("$.") ? path.substr(2) : path;
}

}  // namespace

std::string render_schema(const Summary& summary) {
  std::map<std::string_view, const PathRow*> by_path;
  for (const PathRow& row : summary.paths) by_path[row.path] = &row;
  std::vector<std::string> required, optional, almost, mixed, enums;
  for (const PathRow& row : summary.paths) {
    if (row.path == "$" || row.path.ends_with("[*]")) continue;
    const auto parent = by_path.find(parent_path(row.path));
    const uint64_t possible =
        parent == by_path.end() ? summary.documents : parent->second->count(JsonType::kObject);
    const std::string name = short_name(row.path);
    if (row.values >= possible) {
      required.push_back(name);
    } else {
      optional.push_back(name);
      const uint64_t missing = possible - row.values;
      if (possible >= 100 && missing * 100 <= possible) {
        almost.push_back(fmt::format("{} ({} without)", name, counted(missing, "object")));
      }
    }
    const std::string type = type_text(row);
    if (type.starts_with("! ")) mixed.push_back(name);
    if (type == "string (enum)") enums.push_back(name);
  }
  std::string out = fmt::format(
      "{}: {}, {} paths, {} required{}, {} optional, {} of mixed type, "
      "{} enum-like\n",
      escape_for_terminal(summary.name), counted(summary.documents, "document"),
      required.size() + optional.size(), required.size(),
      required.empty() ? "" : " (" + listed(required) + ")", optional.size(), mixed.size(),
      enums.size());
  if (!almost.empty()) out += "almost required: " + listed(almost) + "\n";
  if (!mixed.empty()) out += "mixed type: " + listed(mixed) + "\n";
  if (!enums.empty()) out += "enum-like: " + listed(enums) + "\n";
  return out;
}

}  // namespace wherestar::tools
