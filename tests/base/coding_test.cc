#include "base/coding.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace wherestar;

TEST_CASE("integers read back as they were put") {
  std::string bytes;
  put_fixed(bytes, uint32_t{0x01020304});
  put_big_endian(bytes, uint32_t{0x01020304});
  put_bytes(bytes, "beach");
  CHECK(bytes.substr(0, 8) == std::string("\x04\x03\x02\x01\x01\x02\x03\x04", 8));
  Reader reader(bytes);
  CHECK(reader.fixed<uint32_t>() == 0x01020304);
  CHECK(reader.big_endian<uint32_t>() == 0x01020304);
  CHECK(reader.bytes() == "beach");
  CHECK(reader.done());
}

TEST_CASE("varints of every length read back, and a cut one fails") {
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const uint64_t value :
         {uint64_t{1} << bit, (uint64_t{1} << bit) - 1, ~uint64_t{0} >> bit}) {
      std::string bytes;
      put_varint(bytes, value);
      Reader reader(bytes);
      CHECK(reader.varint() == value);
      CHECK(reader.done());
      Reader cut(std::string_view(bytes).substr(0, bytes.size() - 1));
      CHECK(cut.varint() == 0);
      CHECK_FALSE(cut.ok());
    }
  }
}

TEST_CASE("a varint above 64 bits is refused") {
  Reader reader("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02");
  CHECK(reader.varint() == 0);
  CHECK_FALSE(reader.ok());
}

TEST_CASE("zigzag keeps small magnitudes small and reverses") {
  CHECK(zigzag(0) == 0);
  CHECK(zigzag(-1) == 1);
  CHECK(zigzag(1) == 2);
  for (const int64_t value : {std::numeric_limits<int64_t>::min(), int64_t{-77}, int64_t{0},
                              std::numeric_limits<int64_t>::max()})
    CHECK(unzigzag(zigzag(value)) == value);
}

TEST_CASE("a reader stays failed and gives nothing after its end") {
  Reader reader("\x05zz");
  CHECK(reader.bytes().empty());
  CHECK_FALSE(reader.ok());
  CHECK(reader.fixed<uint8_t>() == 0);
  CHECK(reader.rest().empty());
  CHECK_FALSE(reader.done());
}
