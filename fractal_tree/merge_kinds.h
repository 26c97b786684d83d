// What the declared merge operations do to operands and values (engine.h, MergeKind).
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "fractal_tree/engine.h"

namespace wherestar::fractal_tree {

// One operand with the effect of `older`, then `newer`.
Result<std::string> merge_operands(MergeKind kind, std::string_view older, std::string_view newer);
// The value after the operand. `base` is empty for an absent key.
Result<std::string> apply_operand(MergeKind kind, std::string_view base, std::string_view operand);
// kInvalidArgument for bytes that are no operand of the kind.
Status check_operand(MergeKind kind, std::string_view operand);
// Whether the value is the same as no entry at all.
bool means_absent(MergeKind kind, std::string_view value);

}  // namespace wherestar::fractal_tree
