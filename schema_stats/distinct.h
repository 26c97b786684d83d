// Estimating how many distinct values were seen: HyperLogLog with 4,096 registers.
//
// A value's 64-bit hash names a register (12 bits) and a rank (leading zeros of the rest, plus 1);
// the register keeps its greatest rank. Standard error 1.04 / sqrt(4096) = 1.6 %. The estimator is
// Ertl's ("New cardinality estimation algorithms for HyperLogLog sketches", 2017, algorithm 6),
// which needs neither bias tables nor thresholds.
#pragma once

#include <cstdint>
#include <span>

#include "document/value.h"
#include "fractal_tree/engine.h"

namespace wherestar::schema_stats {

inline constexpr unsigned kRegisterBits = 12;
inline constexpr size_t kRegisterCount = size_t{1} << kRegisterBits;

// Equal for equal values: 1 and 1.0, but not "1". Of numbers and strings.
uint64_t scalar_hash(const document::Scalar& scalar);
fractal_tree::Register register_of(uint64_t hash);
// Registers with an index of kRegisterCount or more are not counted.
double estimate_distinct(std::span<const fractal_tree::Register> registers);

}  // namespace wherestar::schema_stats
