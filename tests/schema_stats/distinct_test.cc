#include "schema_stats/distinct.h"

#include <cmath>
#include <map>
#include <string>

#include <doctest/doctest.h>

namespace wherestar::schema_stats {
namespace {

double estimate_of(uint64_t values, const std::string& prefix) {
  std::map<uint16_t, uint8_t> greatest;
  for (uint64_t i = 0; i < values; ++i) {
    const std::string text = prefix + std::to_string(i);
    const fractal_tree::Register seen = register_of(scalar_hash(std::string_view(text)));
    uint8_t& rank = greatest[seen.index];
    rank = std::max(rank, seen.rank);
  }
  std::vector<fractal_tree::Register> registers;
  for (const auto& [index, rank] : greatest) registers.push_back({index, rank});
  return estimate_distinct(registers);
}

TEST_CASE("the estimate is within four standard errors at every size") {
  for (const uint64_t values : {1, 10, 100, 1000, 5000, 10'000, 20'000, 100'000, 300'000}) {
    INFO("values ", values);
    const double exact = static_cast<double>(values);
    CHECK(std::abs(estimate_of(values, "v") - exact) <= std::max(1.0, 0.065 * exact));
    CHECK(std::abs(estimate_of(values, "other ") - exact) <= std::max(1.0, 0.065 * exact));
  }
  CHECK(estimate_distinct({}) == 0);
}

TEST_CASE("equal numbers have one hash and a string is not a number") {
  using document::Number;
  const auto one = Number::from_text("1");
  const auto one_as_double = Number::from_text("1.0");
  REQUIRE(one.has_value());
  REQUIRE(one_as_double.has_value());
  CHECK(scalar_hash(*one) == scalar_hash(*one_as_double));
  CHECK(scalar_hash(*one) != scalar_hash(std::string_view("1")));
  CHECK(scalar_hash(Number::from_uint64(9007199254740993)) !=
        scalar_hash(Number::from_uint64(9007199254740992)));
}

TEST_CASE("registers out of range are not counted and cannot do harm") {
  const std::vector<fractal_tree::Register> registers = {{5, 1}, {4096, 3}, {65535, 255}};
  CHECK(std::round(estimate_distinct(registers)) == 1);
  std::vector<fractal_tree::Register> full;
  for (uint16_t i = 0; i < kRegisterCount; ++i) full.push_back({i, 255});
  CHECK(estimate_distinct(full) > 1e18);
}

}  // namespace
}  // namespace wherestar::schema_stats
