#include "xproto/result_encoder.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>

#include <mysqlx_resultset.pb.h>

#include "server/evaluator.h"
#include "xproto/frame.h"

namespace wherestar::xproto {
namespace {

using Mysqlx::Resultset::ColumnMetaData;
using server::SqlType;
using server::SqlValue;

constexpr uint32_t kContentJson = 2;
constexpr uint32_t kContentDate = 1;
constexpr uint32_t kContentDateTime = 2;
constexpr uint64_t kCollationText = 255;  // utf8mb4_0900_ai_ci
constexpr uint64_t kCollationBinary = 63;
constexpr uint32_t kJsonLength = UINT32_MAX;

void append_varint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void append_zigzag(std::string& out, int64_t value) {
  auto bits = static_cast<uint64_t>(value);
  append_varint(out, bits << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

double to_double(const SqlValue& value) {
  switch (value.type()) {
    case SqlType::kSigned:
      return static_cast<double>(value.as_signed());
    case SqlType::kUnsigned:
      return static_cast<double>(value.as_unsigned());
    case SqlType::kDouble:
      return value.as_double();
    default:
      break;
  }
  std::string text = server::to_text(value);
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// As 64 bits, signed or not: what does not fit is cut at the end of the range.
uint64_t to_integer_bits(const SqlValue& value, bool is_signed) {
  if (value.type() == SqlType::kSigned || value.type() == SqlType::kUnsigned) {
    return value.as_unsigned();
  }
  std::string text = server::to_text(value);
  const char* end = text.data() + text.size();
  if (is_signed) {
    int64_t number = 0;
    auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && stop == end) return static_cast<uint64_t>(number);
  } else {
    uint64_t number = 0;
    auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc() && stop == end) return number;
  }
  double number = std::nearbyint(to_double(value));
  if (std::isnan(number)) return 0;
  if (is_signed) {
    if (number >= 0x1p63) return static_cast<uint64_t>(INT64_MAX);
    if (number < -0x1p63) return static_cast<uint64_t>(INT64_MIN);
    return static_cast<uint64_t>(static_cast<int64_t>(number));
  }
  if (number >= 0x1p64) return UINT64_MAX;
  return number <= 0 ? 0 : static_cast<uint64_t>(number);
}

void append_double(std::string& out, double value) {
  auto bits = std::bit_cast<uint64_t>(value);
  for (int shift = 0; shift < 64; shift += 8) out.push_back(static_cast<char>(bits >> shift));
}

// u8 scale, packed decimal digits, sign nibble c or d, a zero nibble to fill the last byte.
bool append_decimal(std::string& out, std::string_view text) {
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  size_t point = text.find('.');
  size_t scale = point == std::string_view::npos ? 0 : text.size() - point - 1;
  std::string digits(text);
  if (point != std::string_view::npos) digits.erase(point, 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos ||
      scale > UINT8_MAX) {
    return false;
  }
  out.push_back(static_cast<char>(scale));
  std::string nibbles;
  for (char digit : digits) nibbles.push_back(static_cast<char>(digit - '0'));
  nibbles.push_back(negative ? '\x0d' : '\x0c');
  if (nibbles.size() % 2 != 0) nibbles.push_back('\0');
  for (size_t i = 0; i < nibbles.size(); i += 2) {
    out.push_back(static_cast<char>(nibbles[i] << 4 | nibbles[i + 1]));
  }
  return true;
}

// Numbers of "2024-02-29 12:30:00.5" or "-838:59:59"; the fraction as microseconds, last.
struct Parts {
  std::array<uint64_t, 7> values{};
  size_t count = 0;
  bool negative = false;
};

bool parse_parts(std::string_view text, size_t count_before_fraction, Parts& parts) {
  parts.negative = text.starts_with('-');
  if (parts.negative) text.remove_prefix(1);
  while (!text.empty()) {
    if (parts.count > count_before_fraction) return false;
    bool is_fraction = parts.count == count_before_fraction;
    size_t length = std::min(text.find_first_not_of("0123456789"), text.size());
    if (length == 0 || length > 9) return false;
    uint64_t value = 0;
    std::from_chars(text.data(), text.data() + length, value);
    if (is_fraction) {
      for (size_t i = length; i < 6; ++i) value *= 10;
      for (size_t i = 6; i < length; ++i) value /= 10;
    }
    parts.values[parts.count++] = value;
    text.remove_prefix(length);
    if (!text.empty()) text.remove_prefix(1);
  }
  return parts.count > 0;
}

// Trailing zero parts are left out, down to `least`.
void append_parts(std::string& out, const Parts& parts, size_t least) {
  size_t count = parts.count;
  while (count > least && parts.values[count - 1] == 0) --count;
  for (size_t i = 0; i < count; ++i) append_varint(out, parts.values[i]);
}

void append_date_time(std::string& out, const SqlValue& value) {
  Parts parts;
  if (parse_parts(server::to_text(value), 6, parts) && parts.count >= 3) {
    append_parts(out, parts, 3);
  }
}

void append_time(std::string& out, const SqlValue& value) {
  Parts parts;
  if (!parse_parts(server::to_text(value), 3, parts)) return;
  out.push_back(parts.negative ? '\1' : '\0');
  append_parts(out, parts, 0);
}

void append_json_value(std::string& out, const SqlValue& value) {
  if (value.type() == SqlType::kJson) {
    out.append(value.json_as_text());
    return;
  }
  if (auto json = server::to_json(value)) {
    json->append_text(out);
  } else {
    document::append_json_string(out, server::to_text(value));
  }
}

}  // namespace

void append_value(std::string& out, const server::Column& column, const SqlValue& value) {
  if (value.is_null()) return;
  switch (column.type) {
    case SqlType::kSigned:
      append_zigzag(out, static_cast<int64_t>(to_integer_bits(value, true)));
      return;
    case SqlType::kUnsigned:
      append_varint(out, to_integer_bits(value, false));
      return;
    case SqlType::kDouble:
      append_double(out, to_double(value));
      return;
    case SqlType::kDecimal: {
      std::string text = server::to_text(value);
      if (!append_decimal(out, text)) {
        append_decimal(out, std::to_string(static_cast<int64_t>(to_integer_bits(value, true))));
      }
      return;
    }
    case SqlType::kDate:
    case SqlType::kDateTime:
      append_date_time(out, value);
      return;
    case SqlType::kTime:
      append_time(out, value);
      return;
    case SqlType::kJson:
      append_json_value(out, value);
      out.push_back('\0');
      return;
    case SqlType::kNull:
    case SqlType::kText:
    case SqlType::kBinary:
      if (value.type() == SqlType::kText || value.type() == SqlType::kBinary) {
        out.append(value.string());
      } else {
        out.append(server::to_text(value));
      }
      out.push_back('\0');
      return;
  }
}

namespace {

void set_type(ColumnMetaData& message, const server::Column& column) {
  auto text_like = [&](uint64_t collation, uint32_t content_type) {
    message.set_type(ColumnMetaData::BYTES);
    message.set_collation(collation);
    if (content_type != 0) message.set_content_type(content_type);
  };
  switch (column.type) {
    case SqlType::kSigned:
      message.set_type(ColumnMetaData::SINT);
      message.set_length(column.length != 0 ? column.length : 20);
      return;
    case SqlType::kUnsigned:
      message.set_type(ColumnMetaData::UINT);
      message.set_length(column.length != 0 ? column.length : 20);
      return;
    case SqlType::kDouble:
      // No fractional_digits: a client that rounds to them (Node) would damage values by any.
      message.set_type(ColumnMetaData::DOUBLE);
      message.set_length(column.length != 0 ? column.length : 23);
      return;
    case SqlType::kDecimal:
      message.set_type(ColumnMetaData::DECIMAL);
      message.set_fractional_digits(column.decimals);
      message.set_length(column.length != 0 ? column.length : 65);
      return;
    case SqlType::kDate:
      message.set_type(ColumnMetaData::DATETIME);
      message.set_content_type(kContentDate);
      message.set_length(10);
      return;
    case SqlType::kDateTime:
      message.set_type(ColumnMetaData::DATETIME);
      message.set_content_type(kContentDateTime);
      message.set_length(26);
      return;
    case SqlType::kTime:
      message.set_type(ColumnMetaData::TIME);
      message.set_length(17);
      return;
    case SqlType::kJson:
      text_like(kCollationText, kContentJson);
      message.set_length(kJsonLength);
      return;
    case SqlType::kBinary:
      text_like(kCollationBinary, 0);
      message.set_length(column.length);
      return;
    case SqlType::kNull:
    case SqlType::kText:
      text_like(kCollationText, 0);
      message.set_length(column.length);
      return;
  }
}

}  // namespace

void append_columns(std::string& out, std::span<const server::Column> columns, bool compact) {
  for (const server::Column& column : columns) {
    ColumnMetaData message;
    set_type(message, column);
    if (!compact) {
      message.set_name(column.name);
      message.set_original_name(column.original_name);
      message.set_table(column.table);
      message.set_original_table(column.original_table);
      message.set_schema(column.database);
      message.set_catalog("def");
    }
    append_frame(out, ServerMessage::kColumnMetaData, message);
  }
}

void append_row(std::string& out, std::span<const server::Column> columns,
                const server::ResultRow& row) {
  constexpr char kFieldTag = 0x0a;  // field 1, length-delimited
  static const SqlValue null;
  size_t token = begin_frame(out, ServerMessage::kRow);
  std::string value;
  for (size_t i = 0; i < columns.size(); ++i) {
    value.clear();
    append_value(value, columns[i], i < row.size() ? row[i] : null);
    out.push_back(kFieldTag);
    append_varint(out, value.size());
    out.append(value);
  }
  end_frame(out, token);
}

void append_fetch_done(std::string& out) {
  append_frame(out, ServerMessage::kFetchDone, std::string_view());
}

void append_statement_ok(std::string& out) {
  append_frame(out, ServerMessage::kStatementExecuteOk, std::string_view());
}

}  // namespace wherestar::xproto
