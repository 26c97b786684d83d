// Integers as bytes, for formats on disk and for keys.
//
// put_* append to a string; a Reader takes them off the front of a view and never reads past its
// end: after any failure ok() is false and every later value is 0 or empty, so a parser may read a
// whole record and check once. Fixed-width little-endian integers are for formats, big-endian ones
// for keys (their byte order is their numeric order), varints (LEB128, at most 10 bytes) for both.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace wherestar {

template <class Integer>
void put_fixed(std::string& out, Integer value) {  // little-endian
  static_assert(std::endian::native == std::endian::little);
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  out.append(bytes, sizeof value);
}

template <class Integer>
void put_big_endian(std::string& out, Integer value) {
  char bytes[sizeof value];
  for (size_t i = 0; i < sizeof value; ++i)
    bytes[i] = static_cast<char>(value >> (8 * (sizeof value - 1 - i)));
  out.append(bytes, sizeof value);
}

inline void put_varint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

inline uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
inline int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}

inline void put_bytes(std::string& out, std::string_view bytes) {  // varint length, then bytes
  put_varint(out, bytes.size());
  out.append(bytes);
}

class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool ok() const { return ok_; }
  bool done() const { return ok_ && rest_.empty(); }  // everything read, nothing missing
  std::string_view rest() const { return rest_; }

  template <class Integer>
  Integer fixed() {
    Integer value{};
    std::string_view bytes = take(sizeof value);
    if (ok_) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  template <class Integer>
  Integer big_endian() {
    std::string_view bytes = take(sizeof(Integer));
    uint64_t value = 0;
    for (char byte : bytes) value = (value << 8) | static_cast<uint8_t>(byte);
    return static_cast<Integer>(value);
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      if (shift == 63 && byte > 1) break;  // over 64 bits
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view bytes() { return take(varint()); }  // as put_bytes wrote it

  std::string_view take(uint64_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace wherestar
