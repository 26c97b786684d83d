#include "schema_stats/statistics_reader.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "schema_stats/distinct.h"
#include "schema_stats/statistics_keys.h"

namespace wherestar::schema_stats {
namespace {

using document::JsonType;
using fractal_tree::ReadView;
using PathMap = std::map<uint32_t, PathStatistics>;

// `visit(rest of the key, value)` for every key that begins with `prefix`.
Status scan(const Source& source, const ReadView& view, const std::string& prefix,
            const std::function<Status(std::string_view, std::string_view)>& visit) {
  const auto cursor = source.cursor(view);
  for (cursor->seek(prefix); cursor->valid() && cursor->key().starts_with(prefix); cursor->next())
    RETURN_IF_ERROR(visit(cursor->key().substr(prefix.size()), cursor->value()));
  return cursor->status();
}

std::unexpected<Error> damaged(std::string_view what, uint32_t part) {
  return fail(ErrorCode::kCorruption,
              "statistics: damaged " + std::string(what) + " of part " + std::to_string(part));
}

uint64_t count_of(const std::vector<int64_t>& counters, size_t position) {
  if (position >= counters.size() || counters[position] < 0) return 0;
  return static_cast<uint64_t>(counters[position]);
}

// Scans one kind of record of all paths or of one: `visit(path, rest of the key, value)`.
Status scan_paths(
    const Source& source, const ReadView& view, uint32_t part, Record record,
    std::optional<uint32_t> path,
    const std::function<Status(uint32_t, std::string_view, std::string_view)>& visit) {
  const std::string prefix = path ? path_key(part, record, *path) : record_prefix(part, record);
  return scan(source, view, prefix, [&](std::string_view rest, std::string_view value) -> Status {
    if (path) return visit(*path, rest, value);
    Reader reader(rest);
    const auto number = reader.big_endian<uint32_t>();
    if (!reader.ok()) return damaged("key", part);
    return visit(number, reader.rest(), value);
  });
}

struct PathScratch {
  PathStatistics statistics;
  uint64_t trues = 0;
};

void take_counters(const std::vector<int64_t>& counters, PathScratch& scratch) {
  PathStatistics& statistics = scratch.statistics;
  statistics.documents = count_of(counters, kDocumentsCounter);
  statistics.values = count_of(counters, kValuesCounter);
  statistics.total_bytes = count_of(counters, kBytesCounter);
  scratch.trues = count_of(counters, kTrueCounter);
  for (size_t type = 0; type < document::kJsonTypeCount; ++type)
    statistics.by_type[type] = count_of(counters, kTypeCounters + type);
  for (size_t format = 0; format < kFormatCount; ++format)
    statistics.by_format[format] = count_of(counters, kFormatCounters + format);
}

// Keys of one path come in ascending order, so the first counter is the least length.
void take_lengths(const std::vector<int64_t>& counters, uint32_t group,
                  std::optional<LengthRange>& range) {
  for (uint32_t i = 0; i < counters.size() && i < kLengthGroup; ++i) {
    if (counters[i] <= 0) continue;
    const uint32_t bucket = group * kLengthGroup + i;
    if (!range) range = LengthRange{.least = least_of_bucket(bucket)};
    range->greatest = greatest_of_bucket(bucket);
    range->greatest_is_exact = bucket < kExactLengths;
  }
}

void estimate(const std::vector<fractal_tree::Register>& registers, const PathScratch& scratch,
              PathStatistics& statistics) {
  const auto of_type = [&](JsonType type) { return statistics.by_type[static_cast<size_t>(type)]; };
  const uint64_t booleans = of_type(JsonType::kBoolean);
  const uint64_t estimated_values =
      of_type(JsonType::kInteger) + of_type(JsonType::kDouble) + of_type(JsonType::kString);
  double distinct = 0;
  if (of_type(JsonType::kNull) > 0) ++distinct;
  if (scratch.trues > 0) ++distinct;
  if (booleans > scratch.trues) ++distinct;
  if (estimated_values > 0) {
    const double estimate = std::round(estimate_distinct(registers));
    distinct += std::clamp(estimate, 1.0, static_cast<double>(estimated_values));
  }
  statistics.distinct_values = distinct;
  statistics.distinct_is_exact = estimated_values <= 1;
}

}  // namespace

Result<PartTotals> read_totals(const Source& source, uint32_t part, const ReadView& view) {
  PartTotals totals;
  RETURN_IF_ERROR(scan(source, view, record_prefix(part, Record::kTotals),
                       [&](std::string_view, std::string_view value) -> Status {
                         const auto counters = fractal_tree::decode_counters(value);
                         if (!counters) return damaged("totals", part);
                         totals.documents = count_of(*counters, 0);
                         totals.text_bytes = count_of(*counters, 1);
                         return {};
                       }));
  return totals;
}

Result<std::vector<PathStatistics>> read_paths(const Source& source, uint32_t part,
                                               std::optional<uint32_t> path, const ReadView& view) {
  std::map<uint32_t, PathScratch> found;
  std::map<uint32_t, std::vector<fractal_tree::Register>> sketches;
  RETURN_IF_ERROR(
      scan_paths(source, view, part, Record::kPath, path,
                 [&](uint32_t number, std::string_view, std::string_view value) -> Status {
                   const auto counters = fractal_tree::decode_counters(value);
                   if (!counters) return damaged("counters", part);
                   if (count_of(*counters, kDocumentsCounter) == 0) return {};
                   PathScratch& scratch = found[number];
                   scratch.statistics.path = number;
                   take_counters(*counters, scratch);
                   return {};
                 }));
  RETURN_IF_ERROR(
      scan_paths(source, view, part, Record::kLengths, path,
                 [&](uint32_t number, std::string_view rest, std::string_view value) -> Status {
                   const auto counters = fractal_tree::decode_counters(value);
                   if (!counters || rest.size() != 2) return damaged("lengths", part);
                   const auto at = found.find(number);
                   if (at == found.end()) return {};
                   PathStatistics& statistics = at->second.statistics;
                   take_lengths(*counters, static_cast<uint8_t>(rest[1]),
                                rest[0] == 0 ? statistics.string_length : statistics.array_length);
                   return {};
                 }));
  RETURN_IF_ERROR(
      scan_paths(source, view, part, Record::kDistinct, path,
                 [&](uint32_t number, std::string_view, std::string_view value) -> Status {
                   auto registers = fractal_tree::decode_registers(value);
                   if (!registers) return damaged("registers", part);
                   const auto at = found.find(number);
                   if (at != found.end()) estimate(*registers, at->second, at->second.statistics);
                   return {};
                 }));
  RETURN_IF_ERROR(
      scan_paths(source, view, part, Record::kPathSeen, path,
                 [&](uint32_t number, std::string_view, std::string_view value) -> Status {
                   ASSIGN_OR_RETURN(const int64_t seen, decode_time(value));
                   const auto at = found.find(number);
                   if (at != found.end()) at->second.statistics.last_seen_unix_s = seen;
                   return {};
                 }));
  std::vector<PathStatistics> paths;
  paths.reserve(found.size());
  for (auto& [number, scratch] : found) {
    // A path of nulls, booleans and containers has no registers.
    if (scratch.statistics.distinct_values == 0) estimate({}, scratch, scratch.statistics);
    paths.push_back(std::move(scratch.statistics));
  }
  return paths;
}

Result<std::vector<ShapeStatistics>> read_shapes(const Source& source, uint32_t part,
                                                 const ReadView& view) {
  std::map<uint64_t, ShapeStatistics> found;
  const auto scan_shapes = [&](Record record,
                               const std::function<Status(uint64_t, std::string_view)>& visit) {
    return scan(source, view, record_prefix(part, record),
                [&](std::string_view rest, std::string_view value) -> Status {
                  Reader reader(rest);
                  const auto shape = reader.big_endian<uint64_t>();
                  if (!reader.done()) return damaged("key of a shape", part);
                  return visit(shape, value);
                });
  };
  RETURN_IF_ERROR(
      scan_shapes(Record::kShape, [&](uint64_t shape, std::string_view value) -> Status {
        const auto counters = fractal_tree::decode_counters(value);
        if (!counters) return damaged("counter of a shape", part);
        if (count_of(*counters, 0) == 0) return {};
        found[shape].shape = shape;
        found[shape].documents = count_of(*counters, 0);
        return {};
      }));
  RETURN_IF_ERROR(
      scan_shapes(Record::kShapeDefinition, [&](uint64_t shape, std::string_view value) -> Status {
        ASSIGN_OR_RETURN(Definition definition, decode_definition(value));
        const auto at = found.find(shape);
        if (at == found.end()) return {};
        at->second.members = std::move(definition.members);
        at->second.first_seen_unix_s = definition.first_seen_unix_s;
        return {};
      }));
  RETURN_IF_ERROR(
      scan_shapes(Record::kShapeSeen, [&](uint64_t shape, std::string_view value) -> Status {
        ASSIGN_OR_RETURN(const int64_t seen, decode_time(value));
        if (const auto at = found.find(shape); at != found.end())
          at->second.last_seen_unix_s = seen;
        return {};
      }));
  for (auto& [shape, statistics] : found)
    statistics.last_seen_unix_s =
        std::max(statistics.last_seen_unix_s, statistics.first_seen_unix_s);
  std::vector<ShapeStatistics> shapes;
  for (auto& [shape, statistics] : found) shapes.push_back(std::move(statistics));
  return shapes;
}

}  // namespace wherestar::schema_stats
