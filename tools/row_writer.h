// Rows to text, in the format asked for.
//
//   auto writer = make_row_writer(Format::kCsv, columns, {}, [&](std::string_view s) { print(s);
//   }); while (...) writer->row(cells); writer->finish();
//
// json is one array of objects, jsonl an object a line; numbers stand as they were written and JSON
// as it is, in jsonl without its line breaks. csv follows RFC 4180 and leaves NULL empty; tsv
// writes \t \n \\ and NULL as \N. The table holds back kTableSampleRows rows to find its widths and
// streams the rest. One thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tools/cell.h"

namespace wherestar::tools {

enum class Format { kTable, kJson, kJsonl, kCsv, kTsv, kMarkdown };

std::optional<Format> parse_format(std::string_view name);

inline constexpr size_t kTableSampleRows = 500;

struct TableStyle {
  size_t width = 0;     // 0: cells are never cut
  bool escape = false;  // for a terminal
  bool bold_header = false;
};

class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual void row(const CellRow& cells) = 0;
  virtual void finish() = 0;
  // Cells that were shortened to the terminal's width.
  virtual size_t cut_cells() const { return 0; }
};

using TextSink = std::function<void(std::string_view)>;

std::unique_ptr<RowWriter> make_row_writer(Format format, std::vector<ColumnInfo> columns,
                                           const TableStyle& style, TextSink sink);

// The cell as a JSON value: NULL is null.
void append_json_cell(std::string& out, const Cell& cell);

}  // namespace wherestar::tools
