#include "schema_stats/distinct.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/checksum.h"
#include "document/key_encoding.h"

namespace wherestar::schema_stats {
namespace {

constexpr unsigned kRankBits = 64 - kRegisterBits;

// Sums of Ertl's paper, section 4: series that stop when they no longer change.
double sigma(double x) {
  if (x == 1.0) return INFINITY;
  double sum = x;
  for (double weight = 1, before = -1; sum != before; weight += weight) {
    before = sum;
    x *= x;
    sum += x * weight;
  }
  return sum;
}

double tau(double x) {
  if (x == 0.0 || x == 1.0) return 0;
  double sum = 1 - x;
  for (double weight = 1, before = -1; sum != before;) {
    before = sum;
    x = std::sqrt(x);
    weight /= 2;
    sum -= (1 - x) * (1 - x) * weight;
  }
  return sum / 3;
}

}  // namespace

uint64_t scalar_hash(const document::Scalar& scalar) {
  if (const auto* text = std::get_if<std::string_view>(&scalar))
    return checksum64(*text, document::kKeyString);
  std::string bytes;
  document::encode_scalar(bytes, scalar);
  return checksum64(bytes, document::kKeyNumber);
}

fractal_tree::Register register_of(uint64_t hash) {
  const uint64_t rest = hash << kRegisterBits;
  const unsigned zeros = rest == 0 ? kRankBits : static_cast<unsigned>(std::countl_zero(rest));
  return {.index = static_cast<uint16_t>(hash >> kRankBits),
          .rank = static_cast<uint8_t>(zeros + 1)};
}

double estimate_distinct(std::span<const fractal_tree::Register> registers) {
  std::array<uint32_t, kRankBits + 2> of_rank{};
  uint32_t set = 0;
  for (const fractal_tree::Register& entry : registers) {
    if (entry.index >= kRegisterCount || entry.rank == 0) continue;
    ++of_rank[std::min<size_t>(entry.rank, kRankBits + 1)];
    ++set;
  }
  if (set == 0) return 0;
  constexpr double m = kRegisterCount;
  double z = m * tau(1 - of_rank[kRankBits + 1] / m);
  for (size_t rank = kRankBits; rank >= 1; --rank) z = 0.5 * (z + of_rank[rank]);
  z += m * sigma((m - std::min<double>(set, m)) / m);
  return m * m / (2 * std::log(2.0) * z);
}

}  // namespace wherestar::schema_stats
