// information_schema.collections and collection_shapes.
#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "server/views.h"

namespace wherestar::server {

using document::Json;

namespace {

constexpr uint32_t kPathsColumn = 5;
constexpr uint32_t kShapesColumn = 6;

SqlValue count(uint64_t value) {
  return SqlValue::signed_integer(static_cast<int64_t>(value));
}

uint64_t used_index_bytes(const StoreCore& core) {
  uint64_t bytes = 0;
  for (const auto& dictionary : core.engine->counters().dictionaries)
    if (dictionary.name != "documents" && dictionary.name != "catalog")
      bytes += dictionary.used_bytes;
  return bytes;
}

std::string hex(uint64_t value) {
  char buffer[17];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, 16).ptr;
  std::string digits(buffer, end);
  return std::string(16 - digits.size(), '0') + digits;
}

std::string_view type_name(document::JsonType type) {
  return document::json_type_name(type);
}

}  // namespace

Result<std::vector<ResultRow>> collection_rows(const ExecutionInput& input, ViewFilter& filter) {
  const auto read_view = input.transaction->snapshot_view();
  schema_stats::SchemaStats& stats = *input.core->stats;
  const auto collections = input.core->catalog->collections(std::nullopt);
  std::vector<schema_stats::PartTotals> totals;
  uint64_t all_bytes = 0;
  for (const CollectionPtr& collection : collections) {
    ASSIGN_OR_RETURN(const auto of_part,
                     stats.totals(static_cast<uint32_t>(collection->part), read_view));
    all_bytes += of_part.text_bytes;
    totals.push_back(of_part);
  }
  // The index's dictionaries are shared by all collections: their bytes, as of the last checkpoint,
  // are laid to each by its share of the documents' text.
  const auto index_bytes = static_cast<double>(used_index_bytes(*input.core));
  std::vector<ResultRow> rows;
  for (size_t i = 0; i < collections.size(); ++i) {
    const CollectionInfo& info = *collections[i];
    const SqlValue names[] = {SqlValue::text(info.database), SqlValue::text(info.name)};
    if (!filter.may_hold(names)) continue;
    const auto part = static_cast<uint32_t>(info.part);
    SqlValue paths, shapes;  // dear, so only for who looks at them
    if (filter.uses(kPathsColumn)) {
      ASSIGN_OR_RETURN(const auto found, stats.paths(part, read_view));
      paths = count(found.size());
    }
    if (filter.uses(kShapesColumn)) {
      ASSIGN_OR_RETURN(const auto found, stats.shapes(part, read_view));
      shapes = count(found.size());
    }
    const double share =
        all_bytes == 0 ? 0
                       : static_cast<double>(totals[i].text_bytes) / static_cast<double>(all_bytes);
    rows.push_back({names[0], names[1], count(totals[i].documents), count(totals[i].text_bytes),
                    count(static_cast<uint64_t>(index_bytes * share)), paths, shapes,
                    date_time(info.created_unix_s)});
  }
  return rows;
}

Result<std::vector<ResultRow>> collection_shape_rows(const ExecutionInput& input,
                                                     ViewFilter& filter) {
  std::vector<ResultRow> rows;
  const auto read_view = input.transaction->snapshot_view();
  for (const CollectionPtr& collection : input.core->catalog->collections(std::nullopt)) {
    RETURN_IF_ERROR(input.context->check());
    const SqlValue first[] = {SqlValue::text(collection->database),
                              SqlValue::text(collection->name)};
    if (!filter.may_hold(first)) continue;
    const PartId part = collection->part;
    ASSIGN_OR_RETURN(const auto shapes,
                     input.core->stats->shapes(static_cast<uint32_t>(part), read_view));
    if (shapes.empty()) continue;
    ASSIGN_OR_RETURN(const auto paths, input.core->index->paths(part));
    std::map<uint32_t, const std::string*> names;
    for (const index::PathInfo& info : paths) names[static_cast<uint32_t>(info.id)] = &info.text;
    for (const auto& shape : shapes) {
      Json::Array members;
      for (const auto& [path, type] : shape.members) {
        const auto name = names.find(path);
        Json::Object member;
        member.emplace_back("path", Json::string(name == names.end() ? "?" : *name->second));
        member.emplace_back("type", Json::string(std::string(type_name(type))));
        members.push_back(Json::object(std::move(member)));
      }
      rows.push_back({first[0], first[1],
                      SqlValue::text(shape.shape == 0 ? "others" : hex(shape.shape)),
                      count(shape.documents), SqlValue::json(Json::array(std::move(members))),
                      date_time(shape.first_seen_unix_s), date_time(shape.last_seen_unix_s)});
    }
  }
  return rows;
}

}  // namespace wherestar::server
