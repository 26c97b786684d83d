#include "xproto/result_encoder.h"

#include <string>

#include <doctest/doctest.h>
#include <mysqlx_resultset.pb.h>

#include "xproto/frame.h"

using namespace wherestar::xproto;
using wherestar::server::Column;
using wherestar::server::SqlType;
using wherestar::server::SqlValue;

namespace {

std::string bytes(SqlType type, const SqlValue& value) {
  Column column;
  column.type = type;
  std::string out;
  append_value(out, column, value);
  return out;
}

template <size_t kSize>
std::string raw(const char (&text)[kSize]) {
  return std::string(text, kSize - 1);
}

}  // namespace

TEST_CASE("NULL has no bytes in any column") {
  for (SqlType type : {SqlType::kSigned, SqlType::kText, SqlType::kJson, SqlType::kDecimal,
                       SqlType::kDateTime, SqlType::kNull}) {
    CHECK(bytes(type, SqlValue::null()).empty());
  }
}

TEST_CASE("integers are varints, signed ones folded") {
  CHECK(bytes(SqlType::kSigned, SqlValue::signed_integer(0)) == raw("\x00"));
  CHECK(bytes(SqlType::kSigned, SqlValue::signed_integer(-1)) == raw("\x01"));
  CHECK(bytes(SqlType::kSigned, SqlValue::signed_integer(300)) == raw("\xd8\x04"));
  CHECK(bytes(SqlType::kSigned, SqlValue::signed_integer(INT64_MIN)) ==
        raw("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
  CHECK(bytes(SqlType::kUnsigned, SqlValue::unsigned_integer(300)) == raw("\xac\x02"));
  CHECK(bytes(SqlType::kUnsigned, SqlValue::unsigned_integer(UINT64_MAX)) ==
        raw("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"));
}

TEST_CASE("a value takes the form of its column") {
  CHECK(bytes(SqlType::kSigned, SqlValue::text("-1")) == raw("\x01"));
  CHECK(bytes(SqlType::kSigned, SqlValue::real(2.4)) == raw("\x04"));
  CHECK(bytes(SqlType::kText, SqlValue::signed_integer(12)) == raw("12\0"));
  CHECK(bytes(SqlType::kJson, SqlValue::text("a\"b")) == raw("\"a\\\"b\"\0"));
  CHECK(bytes(SqlType::kDouble, SqlValue::signed_integer(1)) ==
        raw("\x00\x00\x00\x00\x00\x00\xf0\x3f"));
}

TEST_CASE("texts end in a zero, so that an empty one differs from NULL") {
  CHECK(bytes(SqlType::kText, SqlValue::text("")) == raw("\0"));
  CHECK(bytes(SqlType::kText, SqlValue::text("Grüße")) == raw("Grüße\0"));
  CHECK(bytes(SqlType::kBinary, SqlValue::binary(raw("\0\xff"))) == raw("\0\xff\0"));
  CHECK(bytes(SqlType::kJson, SqlValue::json_text("{\"a\": 1.0}")) == raw("{\"a\": 1.0}\0"));
}

TEST_CASE("decimals are packed digits behind their scale") {
  CHECK(bytes(SqlType::kDecimal, SqlValue::decimal("-12.3401")) == raw("\x04\x12\x34\x01\xd0"));
  CHECK(bytes(SqlType::kDecimal, SqlValue::decimal("12.3401")) == raw("\x04\x12\x34\x01\xc0"));
  CHECK(bytes(SqlType::kDecimal, SqlValue::decimal("5")) == raw("\x00\x5c"));
  CHECK(bytes(SqlType::kDecimal, SqlValue::decimal("0.5")) == raw("\x01\x05\xc0"));
}

TEST_CASE("dates and times leave out trailing zeros") {
  auto date = [](const char* text) {
    return bytes(SqlType::kDate, SqlValue::temporal(SqlType::kDate, text));
  };
  auto date_time = [](const char* text) {
    return bytes(SqlType::kDateTime, SqlValue::temporal(SqlType::kDateTime, text));
  };
  auto time = [](const char* text) {
    return bytes(SqlType::kTime, SqlValue::temporal(SqlType::kTime, text));
  };
  CHECK(date("2024-02-29") == raw("\xe8\x0f\x02\x1d"));
  CHECK(date_time("2024-02-29 00:00:00") == raw("\xe8\x0f\x02\x1d"));
  CHECK(date_time("2024-02-29 12:30:00") == raw("\xe8\x0f\x02\x1d\x0c\x1e"));
  CHECK(date_time("2024-02-29 00:00:01.5") == raw("\xe8\x0f\x02\x1d\x00\x00\x01\xa0\xc2\x1e"));
  CHECK(time("12:30:00") == raw("\x00\x0c\x1e"));
  CHECK(time("-838:59:59") == raw("\x01\xc6\x06\x3b\x3b"));
  CHECK(time("00:00:00") == raw("\x00"));
}

TEST_CASE("a row is one frame of fields that protobuf can read") {
  std::vector<Column> columns(3);
  columns[0].type = SqlType::kSigned;
  columns[1].type = SqlType::kText;
  columns[2].type = SqlType::kText;
  std::string out;
  append_row(
      out, columns,
      {SqlValue::signed_integer(-1), SqlValue::null(), SqlValue::text(std::string(200, 'x'))});
  FrameDecoder decoder(kMaxFrameBytes);
  decoder.append(out);
  auto frame = decoder.next();
  REQUIRE(frame);
  REQUIRE(*frame);
  CHECK((**frame).type == 13);
  Mysqlx::Resultset::Row row;
  REQUIRE(row.ParseFromString(std::string((**frame).payload)));
  REQUIRE(row.field_size() == 3);
  CHECK(row.field(0) == raw("\x01"));
  CHECK(row.field(1).empty());
  CHECK(row.field(2) == std::string(200, 'x') + '\0');
}

TEST_CASE("columns say their type, or only that when the client wants it compact") {
  Column column;
  column.name = "doc";
  column.table = "c";
  column.database = "s";
  column.type = SqlType::kJson;
  for (bool compact : {false, true}) {
    std::string out;
    append_columns(out, std::vector<Column>{column}, compact);
    FrameDecoder decoder(kMaxFrameBytes);
    decoder.append(out);
    auto frame = decoder.next();
    REQUIRE(frame);
    REQUIRE(*frame);
    Mysqlx::Resultset::ColumnMetaData message;
    REQUIRE(message.ParseFromString(std::string((**frame).payload)));
    CHECK(message.type() == Mysqlx::Resultset::ColumnMetaData::BYTES);
    CHECK(message.content_type() == 2);
    CHECK(message.name() == (compact ? "" : "doc"));
    CHECK(message.catalog() == (compact ? "" : "def"));
  }
}
