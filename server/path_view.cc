// information_schema.collection_paths: statistics of each path joined with what the index knows.
#include <algorithm>
#include <iterator>
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

// Columns that cost more than a look at the counters.
enum PathColumn : uint32_t {
  kDistinctColumn = 12,
  kDistinctIsExactColumn = 13,
  kLeastColumn = 14,
  kGreatestColumn = 15,
  kTopValuesColumn = 22,
};

// A cell whose string the index holds in part: the document has the whole of it.
struct CutCell {
  index::DocId doc{};
  size_t row = 0;
  uint32_t column = 0;
};

struct Reading {
  const ExecutionInput& input;
  ViewFilter& filter;
  PartId part;
  fractal_tree::ReadView view;
  std::vector<ResultRow> rows;  // of this collection
  std::vector<CutCell> cut;
};

// Puts the whole strings into the cells. Each document is parsed once, however many cells are cut
// from it.
Status complete_cut_cells(Reading& reading) {
  std::ranges::stable_sort(reading.cut, {}, &CutCell::doc);
  std::optional<index::DocId> parsed;
  Json json;
  for (const CutCell& cell : reading.cut) {
    RETURN_IF_ERROR(reading.input.context->check());
    if (parsed != cell.doc) {
      ASSIGN_OR_RETURN(const auto stored,
                       read_document(*reading.input.core, reading.part, cell.doc, reading.view));
      json = Json();
      if (stored) {
        ASSIGN_OR_RETURN(json, Json::parse(stored->text));
      }
      parsed = cell.doc;
    }
    ResultRow& row = reading.rows[cell.row];
    ASSIGN_OR_RETURN(const auto path, document::PathExpression::parse(row[2].string()));
    SqlValue& value = row[cell.column];
    const std::string& beginning = value.as_json().as_string();
    for (const Json* place : json.select(path, false)) {
      if (!place->is_string() || !place->as_string().starts_with(beginning)) continue;
      value = SqlValue::json(*place);
      break;
    }
  }
  return {};
}

// Numbers come before strings, as JSON values are ordered.
Status put_bound(Reading& reading, const PathInfo& path, const PathStatistics& statistics,
                 bool greatest, ResultRow& row) {
  const uint32_t column = greatest ? kGreatestColumn : kLeastColumn;
  row.push_back(SqlValue::null());
  const bool numbers =
      of_type(statistics, JsonType::kInteger) > 0 || of_type(statistics, JsonType::kDouble) > 0;
  const bool strings = of_type(statistics, JsonType::kString) > 0;
  if (!reading.filter.uses(column) || (!numbers && !strings)) return {};
  const uint8_t key_type =
      strings && (greatest || !numbers) ? document::kKeyString : document::kKeyNumber;
  index::Index& index = *reading.input.core->index;
  ASSIGN_OR_RETURN(const auto found,
                   greatest ? index.greatest(reading.part, reading.view, path.id, key_type)
                            : index.least(reading.part, reading.view, path.id, key_type));
  if (!found) return {};
  row.back() = SqlValue::json(json_of(found->value));
  if (found->value.cut) reading.cut.push_back({found->doc, reading.rows.size(), column});
  return {};
}

struct TopValues {
  SqlValue list;                     // NULL: there are too many, or a long text is among them
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
  bool any_cut = false;
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
      any_cut |= scalar.cut;  // long texts are no categories, but they can be counted
      found.emplace_back(value.documents, json_of(scalar));
    }
    if (found.size() > kMaxTopKeys) return top;
  }
  top.distinct = found.size();
  if (any_cut) return top;
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

Status add_path(Reading& reading, ResultRow row, const PathInfo& path,
                const PathStatistics& statistics) {
  row.push_back(count(statistics.documents));
  row.push_back(count(statistics.values));
  for (const JsonType type :
       {JsonType::kNull, JsonType::kBoolean, JsonType::kInteger, JsonType::kDouble,
        JsonType::kString, JsonType::kObject, JsonType::kArray})
    row.push_back(count(of_type(statistics, type)));
  TopValues top;
  if (reading.filter.uses(kDistinctColumn) || reading.filter.uses(kDistinctIsExactColumn) ||
      reading.filter.uses(kTopValuesColumn)) {
    ASSIGN_OR_RETURN(top, top_values(reading, path, statistics));
  }
  row.push_back(count(top.distinct ? *top.distinct
                                   : static_cast<uint64_t>(statistics.distinct_values + 0.5)));
  row.push_back(SqlValue::boolean(top.distinct.has_value() || statistics.distinct_is_exact));
  for (const bool greatest : {false, true})
    RETURN_IF_ERROR(put_bound(reading, path, statistics, greatest, row));
  row.push_back(count(statistics.total_bytes));
  put_lengths(row, statistics.string_length);
  put_lengths(row, statistics.array_length);
  row.push_back(format_of(statistics));
  row.push_back(std::move(top.list));
  row.push_back(date_time(path.first_seen_unix_s));
  row.push_back(date_time(std::max(path.first_seen_unix_s, statistics.last_seen_unix_s)));
  reading.rows.push_back(std::move(row));
  return {};
}

}  // namespace

Result<std::vector<ResultRow>> collection_path_rows(const ExecutionInput& input,
                                                    ViewFilter& filter) {
  std::vector<ResultRow> rows;
  for (const CollectionPtr& collection : input.core->catalog->collections(std::nullopt)) {
    ResultRow first = {SqlValue::text(collection->database), SqlValue::text(collection->name)};
    if (!filter.may_hold(first)) continue;
    Reading reading{input, filter, collection->part, input.transaction->snapshot_view(), {}, {}};
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
      ResultRow row = first;
      row.push_back(SqlValue::text(path.text));
      if (filter.may_hold(row)) RETURN_IF_ERROR(add_path(reading, std::move(row), path, *one));
    }
    RETURN_IF_ERROR(complete_cut_cells(reading));
    std::ranges::move(reading.rows, std::back_inserter(rows));
  }
  return rows;
}

}  // namespace wherestar::server
