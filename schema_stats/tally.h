// What one document adds to the statistics of its part, computed without any lock or store.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "document/document.h"
#include "fractal_tree/engine.h"
#include "schema_stats/statistics_keys.h"

namespace wherestar::schema_stats {

struct PathTally {
  uint32_t path = 0;
  std::array<int64_t, kPathCounterCount> counters{};
};

struct LengthTally {
  uint32_t path = 0;
  LengthOf what = LengthOf::kString;
  uint32_t bucket = 0;
  auto operator<=>(const LengthTally&) const = default;
};

struct DistinctTally {
  uint32_t path = 0;
  fractal_tree::Register seen;
};

struct Tally {
  // Several paths of the document may have one number: map keys folded by the index.
  Tally(const document::Shredded& shredded, std::span<const uint32_t> path_numbers);

  uint64_t text_bytes = 0;
  std::vector<PathTally> paths;         // ascending by path
  std::vector<LengthTally> lengths;     // sorted, one entry per value
  std::vector<DistinctTally> distinct;  // by path and register, the greatest rank of each
  ShapeMembers shape;

 private:
  void count(const document::Shredded::Occurrence& occurrence, PathTally& tally);
  void sort_all();
};

}  // namespace wherestar::schema_stats
