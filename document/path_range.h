// What a cell leg of a path selects of an array.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

#include "document/path.h"

namespace wherestar::document {

// First and last position that [n], [m to n] or [*] selects of `size` elements; ranges are clipped.
std::optional<std::pair<size_t, size_t>> element_range(const PathLeg& leg, size_t size);

}  // namespace wherestar::document
