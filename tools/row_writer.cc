#include "tools/row_writer.h"

#include <array>
#include <utility>

#include "document/json.h"
#include "tools/box_table.h"
#include "tools/json_text.h"

namespace wherestar::tools {
namespace {

class JsonWriter : public RowWriter {
 public:
  JsonWriter(std::vector<ColumnInfo> columns, TextSink sink, bool as_array)
      : sink_(std::move(sink)), as_array_(as_array) {
    for (const ColumnInfo& column : columns) {
      std::string name;
      document::append_json_string(name, column.name);
      names_.push_back(std::move(name));
    }
  }

  void row(const CellRow& cells) override {
    std::string line = as_array_ ? (count_++ == 0 ? "[\n{" : ",\n{") : "{";
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += ',';
      line += i < names_.size() ? names_[i] : "\"\"";
      line += ':';
      // JSON Lines: a document may hold line breaks, the line may not.
      if (!as_array_ && cells[i].kind == CellKind::kJson) {
        append_one_line(line, cells[i].text);
      } else {
        append_json_cell(line, cells[i]);
      }
    }
    line += as_array_ ? "}" : "}\n";
    sink_(line);
  }

  void finish() override {
    if (as_array_) sink_(count_ == 0 ? "[]\n" : "\n]\n");
  }

 private:
  std::vector<std::string> names_;
  TextSink sink_;
  bool as_array_;
  size_t count_ = 0;
};

void append_csv(std::string& out, std::string_view text) {
  if (text.find_first_of("\",\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_tsv(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '\t':
        out += "\\t";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        out += c;
    }
  }
}

class SeparatedWriter : public RowWriter {
 public:
  SeparatedWriter(const std::vector<ColumnInfo>& columns, TextSink sink, bool tabs)
      : sink_(std::move(sink)), tabs_(tabs) {
    CellRow names;
    for (const ColumnInfo& column : columns) names.push_back(Cell::string(column.name));
    row(names);
  }

  void row(const CellRow& cells) override {
    std::string line;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += tabs_ ? '\t' : ',';
      if (cells[i].is_null()) {
        if (tabs_) line += "\\N";
      } else if (tabs_) {
        append_tsv(line, cells[i].text);
      } else {
        append_csv(line, cells[i].text);
      }
    }
    sink_(line + "\n");
  }

  void finish() override {}

 private:
  TextSink sink_;
  bool tabs_;
};

class MarkdownWriter : public RowWriter {
 public:
  MarkdownWriter(const std::vector<ColumnInfo>& columns, TextSink sink) : sink_(std::move(sink)) {
    CellRow names;
    std::string rule = "|";
    for (const ColumnInfo& column : columns) {
      names.push_back(Cell::string(column.name));
      rule += column.is_number ? " ---: |" : " --- |";
    }
    row(names);
    sink_(rule + "\n");
  }

  void row(const CellRow& cells) override {
    std::string line = "|";
    for (const Cell& cell : cells) {
      line += ' ';
      for (const char c : cell.is_null() ? std::string_view("NULL") : cell.text) {
        if (c == '|' || c == '\\') line += '\\';
        line += c == '\n' || c == '\r' ? ' ' : c;
      }
      line += " |";
    }
    sink_(line + "\n");
  }

  void finish() override {}

 private:
  TextSink sink_;
};

}  // namespace

std::optional<Format> parse_format(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, Format>, 6> kNames = {
      {{"table", Format::kTable},
       {"json", Format::kJson},
       {"jsonl", Format::kJsonl},
       {"csv", Format::kCsv},
       {"tsv", Format::kTsv},
       {"markdown", Format::kMarkdown}}};
  for (const auto& [text, format] : kNames) {
    if (text == name) return format;
  }
  return std::nullopt;
}

void append_json_cell(std::string& out, const Cell& cell) {
  switch (cell.kind) {
    case CellKind::kNull:
      out += "null";
      break;
    case CellKind::kNumber:
    case CellKind::kJson:
      out += cell.text;
      break;
    case CellKind::kText:
      document::append_json_string(out, cell.text);
      break;
    case CellKind::kBinary: {
      static constexpr std::string_view kHex = "0123456789abcdef";
      out += '"';
      for (const char c : cell.text) {
        const auto byte = static_cast<unsigned char>(c);
        out += kHex[byte >> 4];
        out += kHex[byte & 15];
      }
      out += '"';
      break;
    }
  }
}

std::unique_ptr<RowWriter> make_row_writer(Format format, std::vector<ColumnInfo> columns,
                                           const TableStyle& style, TextSink sink) {
  switch (format) {
    case Format::kTable:
      break;
    case Format::kJson:
    case Format::kJsonl:
      return std::make_unique<JsonWriter>(std::move(columns), std::move(sink),
                                          format == Format::kJson);
    case Format::kCsv:
    case Format::kTsv:
      return std::make_unique<SeparatedWriter>(columns, std::move(sink), format == Format::kTsv);
    case Format::kMarkdown:
      return std::make_unique<MarkdownWriter>(columns, std::move(sink));
  }
  return make_box_table(std::move(columns), style, std::move(sink));
}

}  // namespace wherestar::tools
