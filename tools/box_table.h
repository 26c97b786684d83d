// The table for people: a box of lines, numbers to the right.
#pragma once

#include <memory>
#include <vector>

#include "tools/row_writer.h"

namespace wherestar::tools {

// With a width of 0 nothing is cut. Line breaks inside a cell are shown as `⏎` when not escaped.
std::unique_ptr<RowWriter> make_box_table(std::vector<ColumnInfo> columns, const TableStyle& style,
                                          TextSink sink);

// Widths that fit into `room`: the widest columns give way first, none below `least` (or its own
// width). Exposed for tests.
std::vector<size_t> fit_widths(std::vector<size_t> widths, size_t room, size_t least);

}  // namespace wherestar::tools
