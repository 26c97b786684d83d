// Values of X Protocol's result rows to cells.
//
// Integers are varints (zigzag when signed), doubles 8 bytes, decimals packed digits behind their
// scale, text and JSON bytes with a zero behind, times and dates varints. No bytes: NULL.
// Stateless. kIo for bytes that cannot be right.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <mysqlx_resultset.pb.h>

#include "base/result.h"
#include "tools/cell.h"

namespace wherestar::tools {

struct WireType {
  Mysqlx::Resultset::ColumnMetaData::FieldType type{};
  uint32_t content_type = 0;
  uint64_t collation = 0;
};

Result<Cell> wire_to_cell(const WireType& type, std::string_view bytes);

}  // namespace wherestar::tools
