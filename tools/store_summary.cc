#include "tools/store_summary.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>

#include "document/json.h"
#include "tools/paths_view.h"

namespace wherestar::tools {
namespace {

using document::Json;
using document::JsonType;

uint64_t to_count(const Cell& cell) {
  uint64_t value = 0;
  std::from_chars(cell.text.data(), cell.text.data() + cell.text.size(), value);
  return value;
}

std::optional<uint64_t> to_optional_count(const Cell& cell) {
  return cell.is_null() ? std::nullopt : std::optional(to_count(cell));
}

// A value cell of a view as JSON text, whatever type the view gave it.
std::optional<std::string> to_json_text(const Cell& cell) {
  if (cell.is_null()) return std::nullopt;
  std::string text;
  append_json_cell(text, cell);
  return text;
}

bool is_true(const Cell& cell) {
  return cell.text == "1" || cell.text == "true";
}

// [{"value": v, "count": n}, ...]; the number may have another name.
void read_top_values(const Cell& cell, PathRow& row) {
  const Result<Json> json = Json::parse(cell.is_null() ? "[]" : cell.text);
  if (!json || !json->is_array()) return;
  uint64_t counted = 0;
  for (const Json& entry : json->elements()) {
    const Json* value = entry.member("value");
    if (value == nullptr) continue;
    uint64_t count = 0;
    for (const auto& [name, number] : entry.members()) {
      if (name != "value" && number.is_number()) count = number.as_number().as_uint64();
    }
    row.top_values.emplace_back(value->to_text(), count);
    counted += count;
  }
  row.top_values_are_all = !row.top_values.empty() && row.distinct_is_exact &&
                           row.distinct == static_cast<double>(row.top_values.size());
}

// [{"path": p, "type": t}, ...], {"path": "type", ...} or ["path:type", ...].
void read_members(const Cell& cell, ShapeRow& row) {
  const Result<Json> json = Json::parse(cell.is_null() ? "[]" : cell.text);
  if (!json) return;
  const auto add_type = [&](const std::string& path, const Json& type) {
    if (type.is_string()) row.members.emplace_back(path, type.as_string());
    if (!type.is_array()) return;
    for (const Json& one : type.elements()) {
      if (one.is_string()) row.members.emplace_back(path, one.as_string());
    }
  };
  if (json->is_object()) {
    for (const auto& [path, type] : json->members()) add_type(path, type);
  } else if (json->is_array()) {
    for (const Json& entry : json->elements()) {
      const Json* path = entry.member("path");
      const Json* type = entry.member("type");
      if (path != nullptr && type != nullptr && path->is_string()) {
        add_type(path->as_string(), *type);
      } else if (entry.is_string()) {
        const std::string& text = entry.as_string();
        const size_t colon = text.rfind(':');
        row.members.emplace_back(text.substr(0, colon),
                                 colon == std::string::npos ? "" : text.substr(colon + 1));
      }
    }
  }
  std::ranges::sort(row.members);
}

Status read_paths(Connection& connection, std::span<const Cell> names, Summary& summary) {
  ASSIGN_OR_RETURN(
      const std::vector<CellRow> rows,
      fetch(connection,
            "SELECT path, documents, value_count, nulls, booleans, integers, doubles, strings, "
            "objects, arrays, distinct_values, distinct_is_exact, min_value, max_value, "
            "total_bytes, min_string_length, max_string_length, min_array_length, "
            "max_array_length, format, top_values FROM information_schema.collection_paths "
            "WHERE schema_name = ? AND collection_name = ?",
            names));
  for (const CellRow& cells : rows) {
    if (cells.size() < 21) return fail(ErrorCode::kInternal, "collection_paths lacks columns");
    PathRow row;
    row.path = cells[0].text;
    row.documents = to_count(cells[1]);
    row.values = to_count(cells[2]);
    for (size_t i = 0; i < row.by_type.size(); ++i) row.by_type[i] = to_count(cells[3 + i]);
    row.distinct = std::strtod(cells[10].text.c_str(), nullptr);
    row.distinct_is_exact = is_true(cells[11]);
    row.least = to_json_text(cells[12]);
    row.greatest = to_json_text(cells[13]);
    row.total_bytes = to_count(cells[14]);
    row.min_string_length = to_optional_count(cells[15]);
    row.max_string_length = to_optional_count(cells[16]);
    row.min_array_length = to_optional_count(cells[17]);
    row.max_array_length = to_optional_count(cells[18]);
    row.format = cells[19].text;
    read_top_values(cells[20], row);
    summary.paths.push_back(std::move(row));
  }
  return {};
}

Status read_shapes(Connection& connection, std::span<const Cell> names, Summary& summary) {
  ASSIGN_OR_RETURN(const std::vector<CellRow> rows,
                   fetch(connection,
                         "SELECT shape_id, documents, paths, first_seen, last_seen FROM "
                         "information_schema.collection_shapes WHERE schema_name = ? AND "
                         "collection_name = ?",
                         names));
  for (const CellRow& cells : rows) {
    if (cells.size() < 5) return fail(ErrorCode::kInternal, "collection_shapes lacks columns");
    ShapeRow row;
    row.id = cells[0].text;
    row.documents = to_count(cells[1]);
    read_members(cells[2], row);
    row.first_seen = cells[3].text;
    row.last_seen = cells[4].text;
    summary.shapes.push_back(std::move(row));
  }
  std::ranges::sort(summary.shapes, [](const ShapeRow& a, const ShapeRow& b) {
    return a.documents != b.documents ? a.documents > b.documents : a.members < b.members;
  });
  return {};
}

}  // namespace

Result<std::vector<CollectionName>> collections_of(Connection& connection, const Target& target) {
  ASSIGN_OR_RETURN(
      std::vector<CellRow> rows,
      fetch(connection, "SELECT schema_name, collection_name FROM information_schema.collections"));
  std::vector<CollectionName> names;
  bool database_seen = false;
  for (const CellRow& row : rows) {
    const bool same_database = row[0].text == target.database;
    database_seen = database_seen || same_database;
    if (target.kind == Target::Kind::kDatabase && !same_database) continue;
    if (target.kind == Target::Kind::kCollection &&
        !(same_database && row[1].text == target.collection)) {
      continue;
    }
    names.push_back({row[0].text, row[1].text});
  }
  std::ranges::sort(names, [](const auto& a, const auto& b) {
    return std::tie(a.database, a.collection) < std::tie(b.database, b.collection);
  });
  if (!names.empty() || target.kind == Target::Kind::kEverything) return names;
  if (!database_seen) {
    // A database without collections is none of the rows.
    ASSIGN_OR_RETURN(rows, fetch(connection, "SHOW DATABASES"));
    for (const CellRow& row : rows) database_seen = database_seen || row[0].text == target.database;
    if (!database_seen) {
      return fail(ErrorCode::kUnknownDatabase, "no database '" + target.database + "'");
    }
  }
  if (target.kind == Target::Kind::kDatabase) return names;
  return fail(ErrorCode::kUnknownCollection,
              "no collection '" + target.collection + "' in database '" + target.database + "'");
}

Result<Summary> read_summary(Connection& connection, const CollectionName& name) {
  const Cell names[] = {Cell::string(name.database), Cell::string(name.collection)};
  Summary summary;
  summary.name = name.database + "." + name.collection;
  ASSIGN_OR_RETURN(const std::vector<CellRow> totals,
                   fetch(connection,
                         "SELECT documents, data_bytes FROM information_schema.collections WHERE "
                         "schema_name = ? AND collection_name = ?",
                         names));
  if (!totals.empty() && totals[0].size() == 2) {
    summary.documents = to_count(totals[0][0]);
    summary.text_bytes = to_count(totals[0][1]);
  }
  RETURN_IF_ERROR(read_paths(connection, names, summary));
  RETURN_IF_ERROR(read_shapes(connection, names, summary));
  return summary;
}

std::vector<schema_stats::PathSummary> path_summaries_of(const Summary& summary) {
  std::map<std::string_view, const PathRow*> by_path;
  for (const PathRow& row : summary.paths) by_path[row.path] = &row;
  std::vector<schema_stats::PathSummary> summaries;
  for (const PathRow& row : summary.paths) {
    schema_stats::PathSummary one;
    one.text = row.path;
    schema_stats::PathStatistics& statistics = one.statistics;
    statistics.path = static_cast<uint32_t>(summaries.size());
    statistics.documents = row.documents;
    statistics.values = row.values;
    statistics.by_type = row.by_type;
    statistics.total_bytes = row.total_bytes;
    statistics.distinct_values = row.distinct;
    statistics.distinct_is_exact = row.distinct_is_exact;
    for (size_t i = 0; i < schema_stats::kFormatCount; ++i) {
      if (schema_stats::format_name(static_cast<schema_stats::Format>(i)) == row.format) {
        statistics.by_format[i] = row.count(JsonType::kString);
      }
    }
    const auto range = [](const std::optional<uint64_t>& least,
                          const std::optional<uint64_t>& greatest) {
      return !least || !greatest
                 ? std::optional<schema_stats::LengthRange>()
                 : schema_stats::LengthRange{static_cast<uint32_t>(*least),
                                             static_cast<uint32_t>(*greatest), *greatest < 256};
    };
    statistics.string_length = range(row.min_string_length, row.max_string_length);
    statistics.array_length = range(row.min_array_length, row.max_array_length);
    if (const auto parent = by_path.find(parent_path(row.path)); parent != by_path.end()) {
      one.parent_documents = parent->second->documents;
      one.parent_objects = parent->second->count(JsonType::kObject);
    }
    one.least_json = row.least;
    one.greatest_json = row.greatest;
    one.top_values = row.top_values;
    summaries.push_back(std::move(one));
  }
  return summaries;
}

}  // namespace wherestar::tools
