#include "base/checksum.h"

#include <string>

#include <doctest/doctest.h>

using namespace wherestar;

TEST_CASE("the checksum is XXH3 with the published values of the empty input") {
  CHECK(checksum64("", 0) == 0x2d06800538d394c2);
  CHECK(hash128("", 0) == Hash128{0x6001c324468d497f, 0x99aa06d3014798d8});
}

TEST_CASE("the checksum changes with each bit and with the seed") {
  const std::string bytes = "the quick brown fox jumps over the lazy dog, twice";
  const uint64_t sound = checksum64(bytes, 7);
  CHECK(sound != checksum64(bytes, 8));
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    CHECK(checksum64(damaged, 7) != sound);
    CHECK_FALSE(hash128(damaged, 7) == hash128(bytes, 7));
  }
}
