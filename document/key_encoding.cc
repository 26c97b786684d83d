#include "document/key_encoding.h"

#include <bit>
#include <cmath>
#include <limits>

#include "base/checksum.h"

namespace wherestar::document {

namespace {

constexpr char kStringEnd = 1, kStringCut = 2;
constexpr char kEscapedNul = static_cast<char>(0xff);
constexpr uint64_t kSignBit = uint64_t{1} << 63;
constexpr size_t kHashBytes = 16;

bool is_continuation(char byte) {
  return (static_cast<uint8_t>(byte) & 0xc0) == 0x80;
}

// How much of a text is kept: to the first character boundary at or behind the cut. Rounding up and
// not down keeps the order right: two texts that agree within the cut are cut at the same place.
size_t kept_bytes(std::string_view text, size_t cut_bytes) {
  if (text.size() <= cut_bytes) return text.size();
  size_t kept = cut_bytes;
  for (int i = 0; i < 3 && kept < text.size() && is_continuation(text[kept]); ++i) ++kept;
  return kept;
}

void append_escaped(std::string& out, std::string_view text) {
  while (true) {
    const size_t nul = text.find('\0');
    if (nul == std::string_view::npos) break;
    out.append(text.substr(0, nul + 1));
    out.push_back(kEscapedNul);
    text.remove_prefix(nul + 1);
  }
  out.append(text);
}

uint64_t ordered_bits(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  return bits & kSignBit ? ~bits : bits | kSignBit;
}

// The greatest double not above an integer.
double double_below(const Number& integer) {
  const double nearest = integer.as_double();
  if (Number::from_double(nearest) <= integer) return nearest;
  return std::nextafter(nearest, -std::numeric_limits<double>::infinity());
}

uint64_t integer_bits(const Number& integer) {  // two's complement: differences are exact
  return integer.fits_int64() ? static_cast<uint64_t>(integer.as_int64()) : integer.as_uint64();
}

std::unexpected<Error> damaged(const char* what) {
  return fail(ErrorCode::kCorruption, std::string("damaged scalar key: ") + what);
}

Result<Number> decode_number(Reader& reader) {
  const auto ordered = reader.big_endian<uint64_t>();
  const auto above = reader.big_endian<uint16_t>();
  if (!reader.ok()) return damaged("number cut short");
  const auto real = std::bit_cast<double>(ordered & kSignBit ? ordered & ~kSignBit : ~ordered);
  if (!std::isfinite(real) || (real == 0 && std::signbit(real))) return damaged("no finite number");
  const Number base = Number::from_double(real);
  if (above == 0) return base;
  if (!base.is_integer()) return damaged("an excess over no integer");
  // It is canonical only if encoding gives these bytes again.
  const uint64_t bits = integer_bits(base) + above;
  const Number number =
      real < 0 ? Number::from_int64(static_cast<int64_t>(bits)) : Number::from_uint64(bits);
  if (number <= base || double_below(number) != real) return damaged("an excess too great");
  return number;
}

// Reads an escaped text to its end mark; returns false if damaged.
bool read_string(Reader& reader, std::string* text, bool& cut) {
  while (true) {
    const size_t nul = reader.rest().find('\0');
    if (nul == std::string_view::npos) {
      reader.take(reader.rest().size() + 1);  // fails the reader
      return false;
    }
    const std::string_view part = reader.take(nul);
    reader.take(1);
    if (text) text->append(part);
    const std::string_view mark = reader.take(1);
    if (!reader.ok()) return false;
    if (mark[0] == kEscapedNul) {
      if (text) text->push_back('\0');
      continue;
    }
    cut = mark[0] == kStringCut;
    if (cut) reader.take(kHashBytes);
    return reader.ok() && (cut || mark[0] == kStringEnd);
  }
}

}  // namespace

void encode_number(std::string& out, const Number& number) {
  uint16_t above = 0;
  double below = number.as_double();
  if (number.is_integer()) {
    below = double_below(number);
    above = static_cast<uint16_t>(integer_bits(number) - integer_bits(Number::from_double(below)));
  }
  put_big_endian(out, ordered_bits(below));
  put_big_endian(out, above);
}

void encode_string(std::string& out, std::string_view text, size_t cut_bytes) {
  const size_t kept = kept_bytes(text, cut_bytes);
  append_escaped(out, text.substr(0, kept));
  out.push_back('\0');
  if (kept == text.size()) {
    out.push_back(kStringEnd);
    return;
  }
  out.push_back(kStringCut);
  const Hash128 hash = hash128(text);
  put_big_endian(out, hash.high);
  put_big_endian(out, hash.low);
}

void encode_scalar(std::string& out, const Scalar& value, size_t cut_bytes) {
  if (std::holds_alternative<Null>(value)) {
    out.push_back(static_cast<char>(kKeyNull));
  } else if (const bool* boolean = std::get_if<bool>(&value)) {
    out.push_back(static_cast<char>(*boolean ? kKeyTrue : kKeyFalse));
  } else if (const Number* number = std::get_if<Number>(&value)) {
    out.push_back(static_cast<char>(kKeyNumber));
    encode_number(out, *number);
  } else {
    out.push_back(static_cast<char>(kKeyString));
    encode_string(out, std::get<std::string_view>(value), cut_bytes);
  }
}

std::string string_prefix_key(std::string_view prefix, size_t cut_bytes) {
  std::string out(1, static_cast<char>(kKeyString));
  append_escaped(out, prefix.substr(0, cut_bytes));
  return out;
}

bool is_cut(std::string_view text, size_t cut_bytes) {
  return kept_bytes(text, cut_bytes) < text.size();
}

Result<DecodedScalar> decode_scalar(Reader& reader) {
  DecodedScalar out;
  out.type = reader.fixed<uint8_t>();
  if (!reader.ok()) return damaged("empty");
  switch (out.type) {
    case kKeyNull:
    case kKeyFalse:
    case kKeyTrue:
      return out;
    case kKeyNumber: {
      ASSIGN_OR_RETURN(out.number, decode_number(reader));
      return out;
    }
    case kKeyString:
      if (!read_string(reader, &out.text, out.cut)) return damaged("string without an end");
      return out;
    default:
      return damaged("unknown type");
  }
}

bool skip_scalar(Reader& reader) {
  bool cut = false;
  const auto type = reader.fixed<uint8_t>();
  if (!reader.ok()) return false;
  if (type == kKeyNumber) {
    reader.take(10);
    return reader.ok();
  }
  if (type == kKeyString) return read_string(reader, nullptr, cut);
  return type >= kKeyNull && type <= kKeyTrue;
}

}  // namespace wherestar::document
