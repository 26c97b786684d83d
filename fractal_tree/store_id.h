// The identity of a store and the seeds of checksums that depend on it.
#pragma once

#include <cstdint>
#include <string>

#include "base/checksum.h"
#include "base/coding.h"

namespace wherestar::fractal_tree {

struct StoreId {
  uint64_t low = 0;
  uint64_t high = 0;
  friend bool operator==(const StoreId&, const StoreId&) = default;
};

// A checksum seeded with this verifies only in the store and at the place that it was made for.
// `kind` keeps the formats apart: a letter per format.
inline uint64_t checksum_seed(const StoreId& store, char kind, uint64_t first, uint64_t second) {
  std::string place;
  put_fixed(place, store.low);
  put_fixed(place, store.high);
  put_fixed(place, first);
  put_fixed(place, second);
  place.push_back(kind);
  return checksum64(place, 0);
}

}  // namespace wherestar::fractal_tree
