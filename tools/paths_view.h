// The tree of paths, for people, and its rows, for programs.
#pragma once

#include <cstddef>
#include <string>

#include "tools/console.h"
#include "tools/row_writer.h"
#include "tools/summary.h"

namespace wherestar::tools {

struct PathsViewOptions {
  std::string under;          // canonical path: only it and what is below
  bool sort_by_name = false;  // else the most present first
  size_t limit = 0;           // rows shown, 0: all
  size_t width = 0;           // columns; 0: nothing is cut but the digest of values
  bool escape = false;        // for a terminal
  bool colour = false;
};

std::string render_paths(const Summary& summary, const PathsViewOptions& options);

// The same as rows: collection, path, documents, value_count, nulls, booleans, ..., as
// information_schema.collection_paths names them.
std::vector<ColumnInfo> path_columns();
void write_path_rows(const Summary& summary, const PathsViewOptions& options, RowWriter& writer);

// "string (enum)", "! double 50% string 50%".
std::string type_text(const PathRow& row);
// "1950 … 2016", "L · M · S", "1–3 long, average 2.0".
std::string range_text(const PathRow& row, uint64_t element_values);
// A path's last leg as the tree shows it: `title`, `"a.b"`, `[*]`.
std::string last_leg(std::string_view canonical);
// The path without its last leg; empty for `$`.
std::string_view parent_path(std::string_view canonical);

}  // namespace wherestar::tools
