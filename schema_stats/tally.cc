#include "schema_stats/tally.h"

#include <algorithm>
#include <tuple>

#include "schema_stats/distinct.h"

namespace wherestar::schema_stats {

using document::JsonType;

Tally::Tally(const document::Shredded& shredded, std::span<const uint32_t> path_numbers) {
  // Local path -> position in `paths`, which has the distinct numbers in ascending order.
  std::vector<std::pair<uint32_t, uint32_t>> by_number;
  by_number.reserve(path_numbers.size());
  for (uint32_t local = 0; local < path_numbers.size(); ++local)
    by_number.emplace_back(path_numbers[local], local);
  std::sort(by_number.begin(), by_number.end());
  std::vector<uint32_t> slots(path_numbers.size(), 0);
  for (const auto& [number, local] : by_number) {
    if (paths.empty() || paths.back().path != number) paths.push_back({.path = number});
    slots[local] = static_cast<uint32_t>(paths.size() - 1);
  }

  if (!shredded.occurrences.empty()) text_bytes = shredded.occurrences[0].text_bytes;
  lengths.reserve(shredded.occurrences.size());
  distinct.reserve(shredded.occurrences.size());
  for (const document::Shredded::Occurrence& occurrence : shredded.occurrences)
    count(occurrence, paths[slots[occurrence.path]]);
  for (PathTally& tally : paths) {
    if (tally.counters[kValuesCounter] > 0) tally.counters[kDocumentsCounter] = 1;
    for (size_t type = 0; type < document::kJsonTypeCount; ++type)
      if (tally.counters[kTypeCounters + type] > 0)
        shape.emplace_back(tally.path, static_cast<JsonType>(type));
  }
  sort_all();
}

void Tally::count(const document::Shredded::Occurrence& occurrence, PathTally& tally) {
  ++tally.counters[kValuesCounter];
  ++tally.counters[kTypeCounters + static_cast<size_t>(occurrence.type)];
  tally.counters[kBytesCounter] += occurrence.text_bytes;
  switch (occurrence.type) {
    case JsonType::kBoolean:
      if (std::get<bool>(occurrence.scalar)) ++tally.counters[kTrueCounter];
      break;
    case JsonType::kArray:
      lengths.push_back({tally.path, LengthOf::kArray, length_bucket(occurrence.length)});
      break;
    case JsonType::kString: {
      lengths.push_back({tally.path, LengthOf::kString, length_bucket(occurrence.length)});
      const auto text = std::get<std::string_view>(occurrence.scalar);
      if (const std::optional<Format> format = detect_format(text))
        ++tally.counters[kFormatCounters + static_cast<size_t>(*format)];
      distinct.push_back({tally.path, register_of(scalar_hash(occurrence.scalar))});
      break;
    }
    case JsonType::kInteger:
    case JsonType::kDouble:
      distinct.push_back({tally.path, register_of(scalar_hash(occurrence.scalar))});
      break;
    case JsonType::kNull:
    case JsonType::kObject:
      break;
  }
}

void Tally::sort_all() {
  std::sort(lengths.begin(), lengths.end());
  // The greatest rank of a register comes first and is the one that unique() keeps.
  std::sort(distinct.begin(), distinct.end(), [](const DistinctTally& a, const DistinctTally& b) {
    return std::make_tuple(a.path, a.seen.index, -int{a.seen.rank}) <
           std::make_tuple(b.path, b.seen.index, -int{b.seen.rank});
  });
  distinct.erase(std::unique(distinct.begin(), distinct.end(),
                             [](const DistinctTally& a, const DistinctTally& b) {
                               return a.path == b.path && a.seen.index == b.seen.index;
                             }),
                 distinct.end());
}

}  // namespace wherestar::schema_stats
