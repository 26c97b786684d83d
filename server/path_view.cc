// information_schema.collection_paths: statistics of each path joined with what the index knows.
#include <algorithm>
#include <utility>

#include "base/coding.h"
#include "server/collection.h"
#include "server/views.h"

namespace wherestar::server {

using document::Json;
using document::JsonType;
using document::Scalar;
using index::PathInfo;
using schema_stats::PathStatistics;

namespace {

constexpr uint64_t kMaxTopKeys = 64;  // distinct values beyond which top values are not counted
constexpr size_t kTopValues = 10;

SqlValue count(uint64_t value) {
  return SqlValue::signed_integer(static_cast<int64_t>(value));
}

uint64_t of_type(const PathStatistics& statistics, JsonType type) {
  return statistics.by_type[static_cast<size_t>(type)];
}

Json json_of(const document::DecodedScalar& value) {
  switch (value.type) {
    case document::kKeyFalse:
    case document::kKeyTrue:
      return Json::boolean(value.type == document::kKeyTrue);
    case document::kKeyNumber:
      if (!value.number.is_integer()) return Json::real(value.number.as_double());
      return value.number.fits_int64() ? Json::integer(value.number.as_int64())
                                       : Json::unsigned_integer(value.number.as_uint64());
    case document::kKeyString:
      return Json::string(value.text);
    default:
      return Json::null();
  }
}

struct Reading {
  const ExecutionInput& input;
  PartId part;
  fractal_tree::ReadView view;
};

// The whole of a string of which the index keeps the first bytes.
Result<Json> whole_string(const Reading& reading, const PathInfo& path,
                          const index::Index::Extreme& extreme) {
  ASSIGN_OR_RETURN(const auto stored,
                   read_document(*reading.input.core, reading.part, extreme.doc, reading.view));
  if (!stored) return json_of(extreme.value);
  ASSIGN_OR_RETURN(const Json json, Json::parse(stored->text));
  for (const document::Place& place : document::scalar_places(json))
    if (place.canonical == path.text && place.value->is_string() &&
        place.value->as_string().starts_with(extreme.value.text))
      return *place.value;
  return json_of(extreme.value);
}

Result<std::optional<Json>> extreme(const Reading& reading, const PathInfo& path, uint8_t key_type,
                                    bool greatest) {
  index::Index& index = *reading.input.core->index;
  ASSIGN_OR_RETURN(const auto found,
                   greatest ? index.greatest(reading.part, reading.view, path.id, key_type)
                            : index.least(reading.part, reading.view, path.id, key_type));
  if (!found) return std::optional<Json>();
  if (!found->value.cut) return std::optional(json_of(found->value));
  ASSIGN_OR_RETURN(Json whole, whole_string(reading, path, *found));
  return std::optional(std::move(whole));
}

// Numbers come before strings, as JSON values are ordered.
Result<SqlValue> bound(const Reading& reading, const PathInfo& path,
                       const PathStatistics& statistics, bool greatest) {
  const bool numbers =
      of_type(statistics, JsonType::kInteger) > 0 || of_type(statistics, JsonType::kDouble) > 0;
  const bool strings = of_type(statistics, JsonType::kString) > 0;
  if (!numbers && !strings) return SqlValue::null();
  const bool take_string = strings && (greatest || !numbers);
  ASSIGN_OR_RETURN(
      auto found,
      extreme(reading, path, take_string ? document::kKeyString : document::kKeyNumber, greatest));
  return found ? SqlValue::json(std::move(*found)) : SqlValue::null();
}

struct TopValues {
  SqlValue list;                     // NULL: there are too many
  std::optional<uint64_t> distinct;  // exact
};

// All values of the path with their documents, while they are few.
Result<TopValues> top_values(const Reading& reading, const PathInfo& path,
                             const PathStatistics& statistics) {
  TopValues top;
  if (statistics.distinct_values > 2.0 * static_cast<double>(kMaxTopKeys)) return top;
  std::vector<Scalar> kinds;
  if (of_type(statistics, JsonType::kNull) > 0) kinds.emplace_back(document::Null{});
  if (of_type(statistics, JsonType::kBoolean) > 0) {
    kinds.emplace_back(false);
    kinds.emplace_back(true);
  }
  if (of_type(statistics, JsonType::kInteger) + of_type(statistics, JsonType::kDouble) > 0)
    kinds.emplace_back(document::Number::from_int64(0));
  if (of_type(statistics, JsonType::kString) > 0) kinds.emplace_back(std::string_view());
  std::vector<std::pair<uint64_t, Json>> found;
  for (const Scalar& kind : kinds) {
    index::Probe probe;
    probe.low = probe.high = kind;
    const bool ordered = std::holds_alternative<document::Number>(kind) ||
                         std::holds_alternative<std::string_view>(kind);
    probe.kind = ordered ? index::Probe::Kind::kRange : index::Probe::Kind::kEqual;
    probe.has_low = probe.has_high = !ordered;
    ASSIGN_OR_RETURN(const auto counts, reading.input.core->index->count_values(
                                            reading.part, reading.view, probe,
                                            std::span(&path.id, 1), kMaxTopKeys + 1));
    for (const index::ValueCount& value : counts) {
      Reader reader(value.encoded_value);
      ASSIGN_OR_RETURN(const document::DecodedScalar scalar, document::decode_scalar(reader));
      if (scalar.cut) return top;  // long texts are no categories
      found.emplace_back(value.documents, json_of(scalar));
    }
    if (found.size() > kMaxTopKeys) return top;
  }
  top.distinct = found.size();
  std::ranges::stable_sort(found, std::greater(), [](const auto& entry) { return entry.first; });
  Json::Array list;
  for (auto& [documents, value] : found) {
    if (list.size() == kTopValues) break;
    Json::Object entry;
    entry.emplace_back("value", std::move(value));
    entry.emplace_back("documents", Json::unsigned_integer(documents));
    list.push_back(Json::object(std::move(entry)));
  }
  if (!list.empty()) top.list = SqlValue::json(Json::array(std::move(list)));
  return top;
}

SqlValue format_of(const PathStatistics& statistics) {
  const uint64_t strings = of_type(statistics, JsonType::kString);
  for (size_t i = 0; strings > 0 && i < statistics.by_format.size(); ++i)
    if (statistics.by_format[i] == strings)
      return SqlValue::text(
          std::string(schema_stats::format_name(static_cast<schema_stats::Format>(i))));
  return SqlValue::null();
}

void put_lengths(ResultRow& row, const std::optional<schema_stats::LengthRange>& lengths) {
  row.push_back(lengths ? count(lengths->least) : SqlValue::null());
  row.push_back(lengths ? count(lengths->greatest) : SqlValue::null());
}

Status add_path(const Reading& reading, const CollectionInfo& collection, const PathInfo& path,
                const PathStatistics& statistics, View& view) {
  ResultRow row = {SqlValue::text(collection.database), SqlValue::text(collection.name),
                   SqlValue::text(path.text), count(statistics.documents),
                   count(statistics.values)};
  for (const JsonType type :
       {JsonType::kNull, JsonType::kBoolean, JsonType::kInteger, JsonType::kDouble,
        JsonType::kString, JsonType::kObject, JsonType::kArray})
    row.push_back(count(of_type(statistics, type)));
  ASSIGN_OR_RETURN(TopValues top, top_values(reading, path, statistics));
  row.push_back(count(top.distinct ? *top.distinct
                                   : static_cast<uint64_t>(statistics.distinct_values + 0.5)));
  row.push_back(SqlValue::boolean(top.distinct.has_value() || statistics.distinct_is_exact));
  for (const bool greatest : {false, true}) {
    ASSIGN_OR_RETURN(SqlValue value, bound(reading, path, statistics, greatest));
    row.push_back(std::move(value));
  }
  row.push_back(count(statistics.total_bytes));
  put_lengths(row, statistics.string_length);
  put_lengths(row, statistics.array_length);
  row.push_back(format_of(statistics));
  row.push_back(std::move(top.list));
  row.push_back(date_time(path.first_seen_unix_s));
  row.push_back(date_time(statistics.last_seen_unix_s));
  view.rows.push_back(std::move(row));
  return {};
}

}  // namespace

Status fill_collection_paths(const ExecutionInput& input, View& view) {
  for (const CollectionPtr& collection : input.core->catalog->collections(std::nullopt)) {
    const Reading reading{input, collection->part, input.transaction->snapshot_view()};
    ASSIGN_OR_RETURN(
        const auto statistics,
        input.core->stats->paths(static_cast<uint32_t>(collection->part), reading.view));
    std::vector<std::pair<PathInfo, const PathStatistics*>> known;
    for (const PathStatistics& one : statistics) {
      if (one.documents == 0) continue;
      ASSIGN_OR_RETURN(auto path,
                       input.core->index->path(collection->part, index::PathId{one.path}));
      if (path) known.emplace_back(std::move(*path), &one);
    }
    std::ranges::sort(known, {},
                      [](const auto& entry) -> const std::string& { return entry.first.text; });
    for (const auto& [path, one] : known) {
      RETURN_IF_ERROR(input.context->check());
      RETURN_IF_ERROR(add_path(reading, *collection, path, *one, view));
    }
  }
  return {};
}

}  // namespace wherestar::server
