#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <unicode/locid.h>
#include <unicode/unistr.h>

#include "server/conversion.h"
#include "server/functions.h"

namespace wherestar::server {
namespace {

SqlValue text(std::string value) {
  return SqlValue::text(std::move(value));
}
SqlValue integer(int64_t value) {
  return SqlValue::signed_integer(value);
}

bool continues(char c) {
  return (static_cast<uint8_t>(c) & 0xc0) == 0x80;
}

int64_t characters(std::string_view bytes) {
  return std::ranges::count_if(bytes, [](char c) { return !continues(c); });
}

// Byte offset of the n-th character (0-based), or the length.
size_t offset_of(std::string_view bytes, int64_t n) {
  size_t at = 0;
  while (at < bytes.size()) {
    if (!continues(bytes[at]) && n-- == 0) return at;
    ++at;
  }
  return at;
}

// Linear in the worst case too, which std::string::find is not.
size_t find_text(std::string_view hay, std::string_view needle, size_t from) {
  if (from > hay.size()) return std::string::npos;
  const void* found = memmem(hay.data() + from, hay.size() - from, needle.data(), needle.size());
  if (found == nullptr) return std::string::npos;
  return static_cast<size_t>(static_cast<const char*>(found) - hay.data());
}

std::string slice(std::string_view bytes, int64_t first, int64_t count) {
  const size_t begin = offset_of(bytes, first);
  const std::string_view rest = bytes.substr(begin);
  return std::string(rest.substr(0, offset_of(rest, count)));
}

Result<SqlValue> call_concat(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  std::string out;
  for (const SqlValue& value : call.arguments) {
    out += to_text(value);
    RETURN_IF_ERROR(check_text_size(out.size()));
  }
  return text(std::move(out));
}

Result<SqlValue> call_concat_ws(const Call& call) {
  if (call[0].is_null()) return SqlValue::null();
  const std::string separator = to_text(call[0]);
  std::string out;
  bool first = true;
  for (const SqlValue& value : call.arguments.subspan(1)) {
    if (value.is_null()) continue;
    if (!first) out += separator;
    out += to_text(value);
    first = false;
    RETURN_IF_ERROR(check_text_size(out.size()));
  }
  return text(std::move(out));
}

template <class Change>
Result<SqlValue> change_case(const Call& call, Change change) {
  if (call.has_null()) return SqlValue::null();
  icu::UnicodeString wide = icu::UnicodeString::fromUTF8(to_text(call[0]));
  change(wide);
  std::string out;
  wide.toUTF8String(out);
  return text(std::move(out));
}
Result<SqlValue> call_lower(const Call& call) {
  return change_case(call, [](icu::UnicodeString& wide) { wide.toLower(icu::Locale::getRoot()); });
}
Result<SqlValue> call_upper(const Call& call) {
  return change_case(call, [](icu::UnicodeString& wide) { wide.toUpper(icu::Locale::getRoot()); });
}
Result<SqlValue> call_reverse(const Call& call) {
  return change_case(call, [](icu::UnicodeString& wide) { wide.reverse(); });
}

Result<SqlValue> call_length(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  return integer(static_cast<int64_t>(to_text(call[0]).size()));
}
Result<SqlValue> call_bit_length(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  return integer(static_cast<int64_t>(to_text(call[0]).size()) * 8);
}
Result<SqlValue> call_char_length(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  return integer(characters(to_text(call[0])));
}

Result<SqlValue> call_substring(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  const std::string whole = to_text(call[0]);
  ASSIGN_OR_RETURN(const auto position, to_integer(call[1], call.context));
  int64_t count = INT64_MAX;
  if (call.size() > 2) {
    ASSIGN_OR_RETURN(const auto length, to_integer(call[2], call.context));
    count = *length;
  }
  const int64_t size = characters(whole);
  const int64_t first = *position > 0 ? *position - 1 : size + *position;
  if (*position == 0 || first < 0 || first >= size || count <= 0) return text("");
  return text(slice(whole, first, count));
}

Result<SqlValue> call_left(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto count, to_integer(call[1], call.context));
  return text(*count <= 0 ? "" : slice(to_text(call[0]), 0, *count));
}
Result<SqlValue> call_right(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto count, to_integer(call[1], call.context));
  const std::string whole = to_text(call[0]);
  const int64_t size = characters(whole);
  if (*count <= 0) return text("");
  return text(slice(whole, std::max<int64_t>(0, size - *count), size));
}

Result<SqlValue> call_substring_index(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  const std::string whole = to_text(call[0]);
  const std::string delimiter = to_text(call[1]);
  ASSIGN_OR_RETURN(const auto count, to_integer(call[2], call.context));
  if (delimiter.empty() || *count == 0) return text("");
  // From the right is from the left of everything reversed.
  std::string hay = whole;
  std::string needle = delimiter;
  if (*count < 0) {
    std::ranges::reverse(hay);
    std::ranges::reverse(needle);
  }
  const uint64_t wanted =
      *count < 0 ? 0 - static_cast<uint64_t>(*count) : static_cast<uint64_t>(*count);
  size_t at = 0;
  for (uint64_t i = 0; i < wanted; ++i) {
    const size_t found = find_text(hay, needle, i == 0 ? 0 : at + needle.size());
    if (found == std::string::npos) return text(whole);
    at = found;
  }
  return text(*count < 0 ? whole.substr(whole.size() - at) : whole.substr(0, at));
}

Result<SqlValue> trim(const Call& call, bool left, bool right) {
  if (call.has_null()) return SqlValue::null();
  std::string whole = to_text(call[0]);
  const std::string what = call.size() > 1 ? to_text(call[1]) : " ";
  if (what.empty()) return text(std::move(whole));
  size_t begin = 0;
  size_t end = whole.size();
  while (left && end - begin >= what.size() && whole.compare(begin, what.size(), what) == 0)
    begin += what.size();
  while (right && end - begin >= what.size() &&
         whole.compare(end - what.size(), what.size(), what) == 0)
    end -= what.size();
  return text(whole.substr(begin, end - begin));
}
Result<SqlValue> call_trim(const Call& call) {
  return trim(call, true, true);
}
Result<SqlValue> call_ltrim(const Call& call) {
  return trim(call, true, false);
}
Result<SqlValue> call_rtrim(const Call& call) {
  return trim(call, false, true);
}

Result<SqlValue> call_replace(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  const std::string whole = to_text(call[0]);
  const std::string from = to_text(call[1]);
  const std::string to = to_text(call[2]);
  if (from.empty()) return text(whole);
  std::string out;
  size_t at = 0;
  for (;;) {
    const size_t found = find_text(whole, from, at);
    out.append(whole, at, found - at);
    if (found == std::string::npos) return text(std::move(out));
    out += to;
    RETURN_IF_ERROR(check_text_size(out.size()));
    at = found + from.size();
  }
}

Result<SqlValue> pad(const Call& call, bool left) {
  if (call.has_null()) return SqlValue::null();
  const std::string whole = to_text(call[0]);
  ASSIGN_OR_RETURN(const auto wanted, to_integer(call[1], call.context));
  const std::string filler = call.size() > 2 ? to_text(call[2]) : " ";
  const int64_t size = characters(whole);
  if (*wanted < 0) return SqlValue::null();
  if (*wanted <= size) return text(slice(whole, 0, *wanted));
  if (filler.empty()) return text("");
  if (static_cast<uint64_t>(*wanted) > kMaxTextBytes / 4)  // characters have up to four bytes
    return fail(ErrorCode::kLimitExceeded, "a padded text over 64 MiB");
  std::string padding;
  const int64_t filler_size = characters(filler);
  for (int64_t missing = *wanted - size; missing > 0; missing -= filler_size)
    padding += missing >= filler_size ? filler : slice(filler, 0, missing);
  return text(left ? padding + whole : whole + padding);
}
Result<SqlValue> call_lpad(const Call& call) {
  return pad(call, true);
}
Result<SqlValue> call_rpad(const Call& call) {
  return pad(call, false);
}

Result<SqlValue> repeated(const std::string& unit, int64_t count) {
  if (count <= 0 || unit.empty()) return text("");
  if (static_cast<uint64_t>(count) > kMaxTextBytes / unit.size())
    return fail(ErrorCode::kLimitExceeded, "a repeated text over 64 MiB");
  std::string out;
  out.reserve(unit.size() * static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) out += unit;
  return text(std::move(out));
}
Result<SqlValue> call_repeat(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto count, to_integer(call[1], call.context));
  return repeated(to_text(call[0]), *count);
}
Result<SqlValue> call_space(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto count, to_integer(call[0], call.context));
  return repeated(" ", *count);
}

Result<SqlValue> locate(const Call& call, size_t needle, size_t hay) {
  if (call.has_null()) return SqlValue::null();
  const std::string whole = to_text(call[hay]);
  int64_t from = 1;
  if (call.size() > 2) {
    ASSIGN_OR_RETURN(const auto position, to_integer(call[2], call.context));
    from = *position;
  }
  if (from < 1 || from > characters(whole) + 1) return integer(0);
  const size_t found = find_text(whole, to_text(call[needle]), offset_of(whole, from - 1));
  if (found == std::string::npos) return integer(0);
  return integer(characters(std::string_view(whole).substr(0, found)) + 1);
}
Result<SqlValue> call_locate(const Call& call) {
  return locate(call, 0, 1);
}
Result<SqlValue> call_instr(const Call& call) {
  return locate(call, 1, 0);
}

Result<SqlValue> call_strcmp(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  const int order = to_text(call[0]).compare(to_text(call[1]));
  return integer(order < 0 ? -1 : order > 0 ? 1 : 0);
}

Result<SqlValue> call_ascii(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  const std::string whole = to_text(call[0]);
  return integer(whole.empty() ? 0 : static_cast<uint8_t>(whole[0]));
}

Result<SqlValue> call_hex(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  if (is_number(call[0])) {
    ASSIGN_OR_RETURN(const auto number, to_integer(call[0], call.context));
    return text(fmt::format("{:X}", call[0].type() == SqlType::kUnsigned
                                        ? call[0].as_unsigned()
                                        : static_cast<uint64_t>(*number)));
  }
  const std::string whole = to_text(call[0]);
  RETURN_IF_ERROR(check_text_size(whole.size() * 2));
  std::string out;
  for (const char c : whole) out += fmt::format("{:02X}", static_cast<uint8_t>(c));
  return text(std::move(out));
}

Result<SqlValue> call_unhex(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  std::string digits = to_text(call[0]);
  if (digits.size() % 2 != 0) digits.insert(0, 1, '0');
  std::string out;
  for (size_t i = 0; i < digits.size(); i += 2) {
    int byte = 0;
    for (const char c : digits.substr(i, 2)) {
      const int value = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (value < 0) return SqlValue::null();
      byte = byte * 16 + value;
    }
    out.push_back(static_cast<char>(byte));
  }
  return SqlValue::binary(std::move(out));
}

Result<SqlValue> call_to_base64(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  const std::string bytes = to_text(call[0]);
  RETURN_IF_ERROR(check_text_size(bytes.size() * 2));
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(bytes.data()),
                                   static_cast<int>(bytes.size()));
  out.resize(static_cast<size_t>(size));
  return text(std::move(out));
}

Result<SqlValue> call_from_base64(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  const std::string encoded = to_text(call[0]);
  std::string out(encoded.size() / 4 * 3 + 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(encoded.data()),
                                   static_cast<int>(encoded.size()));
  if (size < 0) return SqlValue::null();
  const auto padding = static_cast<size_t>(encoded.ends_with("==")  ? 2
                                           : encoded.ends_with("=") ? 1
                                                                    : 0);
  out.resize(static_cast<size_t>(size) - std::min(padding, static_cast<size_t>(size)));
  return SqlValue::binary(std::move(out));
}

Result<SqlValue> call_field(const Call& call) {
  for (size_t i = 1; i < call.size(); ++i) {
    ASSIGN_OR_RETURN(const auto order, compare_values(call[0], call[i], call.context));
    if (order && *order == 0) return integer(static_cast<int64_t>(i));
  }
  return integer(0);
}

Result<SqlValue> call_elt(const Call& call) {
  if (call[0].is_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto n, to_integer(call[0], call.context));
  if (*n < 1 || *n >= static_cast<int64_t>(call.size())) return SqlValue::null();
  return call[static_cast<size_t>(*n)];
}

// INSERT(text, position, length, new text).
Result<SqlValue> call_insert(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  const std::string whole = to_text(call[0]);
  ASSIGN_OR_RETURN(const auto position, to_integer(call[1], call.context));
  ASSIGN_OR_RETURN(const auto count, to_integer(call[2], call.context));
  const int64_t size = characters(whole);
  if (*position < 1 || *position > size) return text(whole);
  const bool to_end = *count < 0 || *count > size - *position;
  std::string out = slice(whole, 0, *position - 1) + to_text(call[3]);
  if (!to_end) out += slice(whole, *position - 1 + *count, size);
  RETURN_IF_ERROR(check_text_size(out.size()));
  return text(std::move(out));
}

Result<SqlValue> in_base(const Call& call, int base) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto number, to_integer(call[0], call.context));
  const uint64_t bits =
      call[0].type() == SqlType::kUnsigned ? call[0].as_unsigned() : static_cast<uint64_t>(*number);
  return text(base == 2 ? fmt::format("{:b}", bits) : fmt::format("{:o}", bits));
}
Result<SqlValue> call_bin(const Call& call) {
  return in_base(call, 2);
}
Result<SqlValue> call_oct(const Call& call) {
  return in_base(call, 8);
}

Result<SqlValue> call_quote(const Call& call) {
  if (call.has_null()) return text("NULL");
  RETURN_IF_ERROR(check_text_size(2 * to_text(call[0]).size()));
  std::string out = "'";
  for (const char c : to_text(call[0])) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return text(out + "'");
}

Result<SqlValue> call_format(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto number, to_numeric(call[0], call.context));
  ASSIGN_OR_RETURN(const auto places, to_integer(call[1], call.context));
  auto decimal = to_decimal(*number);
  if (!decimal) decimal = Decimal::parse(fmt::format("{:.30f}", to_double(*number)));
  if (!decimal) return SqlValue::null();
  const int scale = static_cast<int>(std::clamp<int64_t>(*places, 0, Decimal::kMaxScale));
  std::string out = (decimal->rounded(scale) + Decimal(0, scale)).to_text();
  const size_t point = std::min(out.find('.'), out.size());
  const size_t first = out.starts_with('-') ? 1 : 0;
  for (size_t at = point; at > first + 3;) out.insert(at -= 3, 1, ',');
  return text(std::move(out));
}

Result<SqlValue> call_char(const Call& call) {
  std::string out;
  for (const SqlValue& value : call.arguments) {
    if (value.is_null()) continue;
    ASSIGN_OR_RETURN(const auto code, to_integer(value, call.context));
    for (int shift = 24; shift >= 0; shift -= 8)
      if (const auto byte = static_cast<char>(*code >> shift); shift == 0 || (*code >> shift) != 0)
        out.push_back(byte);
  }
  return SqlValue::binary(std::move(out));
}

constexpr auto kSigned = SqlType::kSigned;
constexpr auto kText = SqlType::kText;

constexpr Function kFunctions[] = {
    {"CONCAT", 1, 255, kText, call_concat},
    {"CONCAT_WS", 2, 255, kText, call_concat_ws},
    {"LOWER", 1, 1, kText, call_lower},
    {"LCASE", 1, 1, kText, call_lower},
    {"UPPER", 1, 1, kText, call_upper},
    {"UCASE", 1, 1, kText, call_upper},
    {"REVERSE", 1, 1, kText, call_reverse},
    {"LENGTH", 1, 1, kSigned, call_length},
    {"OCTET_LENGTH", 1, 1, kSigned, call_length},
    {"BIT_LENGTH", 1, 1, kSigned, call_bit_length},
    {"CHAR_LENGTH", 1, 1, kSigned, call_char_length},
    {"CHARACTER_LENGTH", 1, 1, kSigned, call_char_length},
    {"SUBSTRING", 2, 3, kText, call_substring},
    {"SUBSTR", 2, 3, kText, call_substring},
    {"MID", 2, 3, kText, call_substring},
    {"LEFT", 2, 2, kText, call_left},
    {"RIGHT", 2, 2, kText, call_right},
    {"SUBSTRING_INDEX", 3, 3, kText, call_substring_index},
    {"TRIM", 1, 2, kText, call_trim},
    {"LTRIM", 1, 2, kText, call_ltrim},
    {"RTRIM", 1, 2, kText, call_rtrim},
    {"REPLACE", 3, 3, kText, call_replace},
    {"LPAD", 2, 3, kText, call_lpad},
    {"RPAD", 2, 3, kText, call_rpad},
    {"REPEAT", 2, 2, kText, call_repeat},
    {"SPACE", 1, 1, kText, call_space},
    {"LOCATE", 2, 3, kSigned, call_locate},
    {"POSITION", 2, 2, kSigned, call_locate},
    {"INSTR", 2, 2, kSigned, call_instr},
    {"STRCMP", 2, 2, kSigned, call_strcmp},
    {"ASCII", 1, 1, kSigned, call_ascii},
    {"ORD", 1, 1, kSigned, call_ascii},
    {"HEX", 1, 1, kText, call_hex},
    {"UNHEX", 1, 1, SqlType::kBinary, call_unhex},
    {"TO_BASE64", 1, 1, kText, call_to_base64},
    {"FROM_BASE64", 1, 1, SqlType::kBinary, call_from_base64},
    {"FIELD", 2, 255, kSigned, call_field},
    {"ELT", 2, 255, kText, call_elt},
    {"INSERT", 4, 4, kText, call_insert},
    {"BIN", 1, 1, kText, call_bin},
    {"OCT", 1, 1, kText, call_oct},
    {"QUOTE", 1, 1, kText, call_quote},
    {"FORMAT", 2, 3, kText, call_format},
    {"CHAR", 1, 255, SqlType::kBinary, call_char},
};

}  // namespace

std::span<const Function> text_functions() {
  return kFunctions;
}

}  // namespace wherestar::server
