#include "tools/wire_value.h"

#include <bit>
#include <charconv>
#include <optional>
#include <vector>

#include <fmt/format.h>

namespace wherestar::tools {
namespace {

using Mysqlx::Resultset::ColumnMetaData;

constexpr uint32_t kContentJson = 2;
constexpr uint32_t kContentDate = 1;
constexpr uint64_t kCollationBinary = 63;

std::unexpected<Error> unreadable() {
  return fail(ErrorCode::kIo, "a value from the server cannot be read");
}

std::optional<uint64_t> take_varint(std::string_view& bytes) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

Result<Cell> integer(std::string_view bytes, bool is_signed) {
  const auto value = take_varint(bytes);
  if (!value || !bytes.empty()) return unreadable();
  if (!is_signed) return Cell::number(*value);
  const auto number = static_cast<int64_t>((*value >> 1) ^ (0 - (*value & 1)));
  return Cell::number(std::to_string(number));
}

template <class Float, class Bits>
Result<Cell> floating(std::string_view bytes) {
  if (bytes.size() != sizeof(Bits)) return unreadable();
  Bits bits = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    bits |= static_cast<Bits>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  }
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::bit_cast<Float>(bits));
  return Cell::number(std::string(buffer, end.ptr));
}

Result<Cell> decimal(std::string_view bytes) {
  const size_t scale = static_cast<unsigned char>(bytes.front());
  std::string digits;
  for (const char c : bytes.substr(1)) {
    const auto byte = static_cast<unsigned char>(c);
    for (const int nibble : {byte >> 4, byte & 15}) {
      if (nibble < 10) {
        digits += static_cast<char>('0' + nibble);
        continue;
      }
      if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
      if (scale > 0) digits.insert(digits.size() - scale, ".");
      return Cell::number((nibble == 0xb || nibble == 0xd ? "-" : "") + digits);
    }
  }
  return unreadable();
}

Result<Cell> text(const WireType& type, std::string_view bytes) {
  bytes.remove_suffix(1);
  if (type.content_type == kContentJson) return Cell::json(std::string(bytes));
  if (type.collation == kCollationBinary) return Cell{CellKind::kBinary, std::string(bytes)};
  return Cell::string(bytes);
}

Result<Cell> moment(const WireType& type, std::string_view bytes) {
  const bool is_time = type.type == ColumnMetaData::TIME;
  bool negative = false;
  if (is_time) {
    negative = bytes.front() == '\1';
    bytes.remove_prefix(1);
  }
  std::vector<uint64_t> parts;
  while (!bytes.empty()) {
    const auto part = take_varint(bytes);
    if (!part) return unreadable();
    parts.push_back(*part);
  }
  const size_t given = parts.size();
  parts.resize(is_time ? 4 : 7);
  const size_t clock = is_time ? 0 : 3;
  std::string out = negative ? "-" : "";
  if (!is_time) out = fmt::format("{:04}-{:02}-{:02}", parts[0], parts[1], parts[2]);
  if (!is_time && type.content_type == kContentDate && given <= 3) return Cell::string(out);
  if (!is_time) out += " ";
  out += fmt::format("{:02}:{:02}:{:02}", parts[clock], parts[clock + 1], parts[clock + 2]);
  if (parts[clock + 3] > 0) out += fmt::format(".{:06}", parts[clock + 3]);
  return Cell::string(out);
}

}  // namespace

Result<Cell> wire_to_cell(const WireType& type, std::string_view bytes) {
  if (bytes.empty()) return Cell::null();
  switch (type.type) {
    case ColumnMetaData::SINT:
      return integer(bytes, true);
    case ColumnMetaData::UINT:
    case ColumnMetaData::BIT:
      return integer(bytes, false);
    case ColumnMetaData::DOUBLE:
      return floating<double, uint64_t>(bytes);
    case ColumnMetaData::FLOAT:
      return floating<float, uint32_t>(bytes);
    case ColumnMetaData::DECIMAL:
      return decimal(bytes);
    case ColumnMetaData::BYTES:
    case ColumnMetaData::ENUM:
      return text(type, bytes);
    case ColumnMetaData::TIME:
    case ColumnMetaData::DATETIME:
      return moment(type, bytes);
    default:
      return Cell{CellKind::kBinary, std::string(bytes)};
  }
}

}  // namespace wherestar::tools
