// XXH3 (https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md), 64 and 128 bits, seeded.
//
// A checksum on disk is seeded with what the bytes are supposed to be (file, block, generation), so
// that a stale or misplaced write is noticed and not only a flipped bit.
#pragma once

#include <cstdint>
#include <string_view>

namespace wherestar {

uint64_t checksum64(std::string_view bytes, uint64_t seed);

struct Hash128 {
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const Hash128&, const Hash128&) = default;
};
Hash128 hash128(std::string_view bytes, uint64_t seed = 0);

}  // namespace wherestar
