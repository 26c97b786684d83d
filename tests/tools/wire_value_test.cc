#include "tools/wire_value.h"

#include <doctest/doctest.h>

using namespace wherestar::tools;
using Mysqlx::Resultset::ColumnMetaData;

namespace {

std::string shown(const WireType& type, std::string_view bytes) {
  const auto cell = wire_to_cell(type, bytes);
  return cell ? cell->text : "unreadable";
}

}  // namespace

TEST_CASE("no bytes are NULL") {
  CHECK(wire_to_cell({ColumnMetaData::BYTES, 0, 0}, "")->is_null());
  CHECK(wire_to_cell({ColumnMetaData::SINT, 0, 0}, "")->is_null());
}

TEST_CASE("integers keep all 64 bits") {
  CHECK(shown({ColumnMetaData::UINT, 0, 0}, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") ==
        "18446744073709551615");
  CHECK(shown({ColumnMetaData::SINT, 0, 0}, "\x03") == "-2");
  CHECK(shown({ColumnMetaData::SINT, 0, 0}, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01") ==
        "-9223372036854775808");
  CHECK(shown({ColumnMetaData::UINT, 0, 0}, "\xff") == "unreadable");
  CHECK(shown({ColumnMetaData::UINT, 0, 0}, std::string_view("\x01\x01")) == "unreadable");
}

TEST_CASE("doubles are shortest texts") {
  CHECK(shown({ColumnMetaData::DOUBLE, 0, 0},
              std::string_view("\x9a\x99\x99\x99\x99\x99\xb9\x3f", 8)) == "0.1");
  CHECK(shown({ColumnMetaData::DOUBLE, 0, 0}, "short") == "unreadable");
}

TEST_CASE("decimals keep their digits") {
  CHECK(shown({ColumnMetaData::DECIMAL, 0, 0}, std::string_view("\x02\x12\x50\xd0", 4)) ==
        "-12.50");
  CHECK(shown({ColumnMetaData::DECIMAL, 0, 0}, std::string_view("\x00\x7c", 2)) == "7");
  CHECK(shown({ColumnMetaData::DECIMAL, 0, 0}, std::string_view("\x03\x5c", 2)) == "0.005");
  CHECK(shown({ColumnMetaData::DECIMAL, 0, 0}, "\x02\x12") == "unreadable");
}

TEST_CASE("text, JSON and binary lose the zero behind them") {
  CHECK(shown({ColumnMetaData::BYTES, 0, 255}, std::string_view("abc\0", 4)) == "abc");
  CHECK(wire_to_cell({ColumnMetaData::BYTES, 2, 255}, std::string_view("{}\0", 3))->kind ==
        CellKind::kJson);
  CHECK(wire_to_cell({ColumnMetaData::BYTES, 0, 63}, std::string_view("\xff\0", 2))->kind ==
        CellKind::kBinary);
  CHECK(shown({ColumnMetaData::BYTES, 0, 255}, std::string_view("\0", 1)).empty());
}

TEST_CASE("dates and times are spelled out") {
  CHECK(shown({ColumnMetaData::DATETIME, 1, 0}, "\xe8\x0f\x02\x1d") == "2024-02-29");
  CHECK(shown({ColumnMetaData::DATETIME, 2, 0}, "\xe8\x0f\x02\x1d\x0c\x1e") ==
        "2024-02-29 12:30:00");
  CHECK(shown({ColumnMetaData::TIME, 0, 0}, std::string_view("\x01\x01\x02\x03", 4)) ==
        "-01:02:03");
}
