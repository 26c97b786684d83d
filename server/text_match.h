// LIKE and REGEXP.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/evaluator.h"

namespace wherestar::server {

inline constexpr char32_t kNoEscape = 0;

// The third operand of LIKE: one character, or nothing for no escape.
Result<char32_t> parse_escape(const SqlValue& value);
// LIKE takes at worst as long as text times pattern: kLimitExceeded beyond 16 billion.
Status check_like(std::string_view text, std::string_view pattern);

// A regular expression of ICU, compiled once. A wrong one is kInvalidExpression; a search that
// takes too long or too much memory kLimitExceeded. Threads: each its own.
class Regexp {
 public:
  static Result<Regexp> compile(const std::string& pattern, bool case_insensitive);
  // The same, kept in the context for the next row.
  static Result<std::shared_ptr<const Regexp>> cached(const std::string& pattern,
                                                      bool case_insensitive,
                                                      EvaluationContext& context);
  Result<bool> found_in(const std::string& text) const;  // anywhere in it
  // The n-th match (from 1) at or behind the from-th character (from 1); nullopt if there is none.
  struct Match {
    std::string text;
    int64_t position = 0;  // of its first character, from 1
    int64_t end = 0;       // of the character behind it
  };
  Result<std::optional<Match>> find(const std::string& text, int64_t from, int64_t nth) const;
  // All matches, or the n-th alone when `nth` is not 0, replaced; $1 in `replacement` is a group.
  Result<std::string> replace(const std::string& text, const std::string& replacement, int64_t from,
                              int64_t nth) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};
// With case and compatibility folded (ICU, NFKC_Casefold), for COLLATE ci.
std::string fold_case(std::string_view text);

}  // namespace wherestar::server
