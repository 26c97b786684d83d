// Reads the dictionary `statistics` of a part, from a store or from batches alone.
#pragma once

#include <memory>
#include <optional>

#include "fractal_tree/engine.h"
#include "schema_stats/schema_stats.h"

namespace wherestar::schema_stats {

struct Source {
  fractal_tree::Engine* engine = nullptr;  // null: batches alone
  fractal_tree::DictionaryId dictionary{};

  std::unique_ptr<fractal_tree::Cursor> cursor(const fractal_tree::ReadView& view) const {
    return engine ? engine->cursor(dictionary, view)
                  : fractal_tree::cursor_over_batches(dictionary, view.own);
  }
};

// kCorruption for records that cannot be right, as all of these.
Result<PartTotals> read_totals(const Source& source, uint32_t part,
                               const fractal_tree::ReadView& view);
// All paths that documents have, ascending, or just the one.
Result<std::vector<PathStatistics>> read_paths(const Source& source, uint32_t part,
                                               std::optional<uint32_t> path,
                                               const fractal_tree::ReadView& view);
Result<std::vector<ShapeStatistics>> read_shapes(const Source& source, uint32_t part,
                                                 const fractal_tree::ReadView& view);

}  // namespace wherestar::schema_stats
