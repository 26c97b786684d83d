// LIKE and REGEXP.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "server/evaluator.h"

namespace wherestar::server {

inline constexpr char32_t kNoEscape = 0;

// The third operand of LIKE: one character, or nothing for no escape.
Result<char32_t> parse_escape(const SqlValue& value);
// Finds the pattern anywhere in the text. A wrong pattern is kInvalidExpression, one that takes too
// long kLimitExceeded.
Result<bool> regexp_matches(const std::string& text, const std::string& pattern,
                            bool case_insensitive);
// With case and compatibility folded (ICU, NFKC_Casefold), for COLLATE ci.
std::string fold_case(std::string_view text);

}  // namespace wherestar::server
