// The shapes of a collection: which distinct sets of (path, type) its documents have.
#pragma once

#include "tools/console.h"
#include "tools/row_writer.h"
#include "tools/summary.h"

namespace wherestar::tools {

struct ShapesViewOptions {
  size_t limit = 0;  // shapes shown, 0: all
  size_t width = 0;
  bool escape = false;
  bool colour = false;
};

std::string render_shapes(const Summary& summary, const ShapesViewOptions& options);

// collection, shape_id, documents, paths, first_seen, last_seen.
std::vector<ColumnInfo> shape_columns();
void write_shape_rows(const Summary& summary, RowWriter& writer);

// "+api_version  data.total: double→string  -gift", what `shape` has that `common` has not and the
// other way round; "(the most frequent)" of itself.
std::string shape_difference(const ShapeRow& common, const ShapeRow& shape);

}  // namespace wherestar::tools
