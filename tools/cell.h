// Rows as the command line sees them, wherever they come from: a store, a server or a file.
//
// A Cell is text with a kind; numbers keep the text they were written with, so that no format can
// round them. Values without threads or ownership.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wherestar::tools {

enum class CellKind : uint8_t {
  kNull,
  kNumber,  // text is a JSON number
  kText,    // UTF-8
  kJson,    // text is JSON
  kBinary,
};

struct Cell {
  CellKind kind = CellKind::kNull;
  std::string text;

  static Cell null() { return {}; }
  static Cell number(std::string text) { return {CellKind::kNumber, std::move(text)}; }
  static Cell number(uint64_t value) { return {CellKind::kNumber, std::to_string(value)}; }
  static Cell string(std::string_view text) { return {CellKind::kText, std::string(text)}; }
  static Cell json(std::string text) { return {CellKind::kJson, std::move(text)}; }
  bool is_null() const { return kind == CellKind::kNull; }
};

struct ColumnInfo {
  std::string name;
  bool is_number = false;  // aligned to the right in tables
};

using CellRow = std::vector<Cell>;

}  // namespace wherestar::tools
