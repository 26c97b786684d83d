// JSON paths: the canonical text that names a path, and path expressions that select places.
//
// A canonical path has array positions folded: `$.tags[*].name`. A member name that is an
// identifier (letter or `_` or `$`, then also digits; any character above U+007F counts as letter)
// stands bare, every other one quoted with JSON escapes: `$."a.b"`, `$."*"`, `$.""`,
// `$."a\u0000b"`. So different member names never give one text.
//
// A path expression is what SQL and X DevAPI write: legs `.name` `."quoted"` `.*` `[n]` `[last]`
// `[last-n]` `[m to n]` `[*]` `**`, blanks allowed between legs. `**` needs a leg behind it.
// Errors: kInvalidPath with the position. Limits: 100 legs, 64 KiB of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wherestar::document {

enum class LegKind : uint8_t {
  kMember,        // .name
  kAnyMember,     // .*
  kElement,       // [n], [last-n]
  kElementRange,  // [m to n]
  kAnyElement,    // [*]
  kDescendants,   // **
};

struct ArrayIndex {
  uint32_t offset = 0;
  bool from_end = false;  // last - offset
};

struct PathLeg {
  LegKind kind = LegKind::kMember;
  std::string name;  // kMember
  ArrayIndex first;  // kElement, kElementRange
  ArrayIndex last;   // kElementRange
};

class PathExpression {
 public:
  PathExpression() = default;  // `$`
  explicit PathExpression(std::vector<PathLeg> legs) : legs_(std::move(legs)) {}
  // "$", "$.a.b[0]", also without the `$.` in front when `bare` ("a.b").
  static Result<PathExpression> parse(std::string_view text, bool bare = false);

  const std::vector<PathLeg>& legs() const { return legs_; }
  bool is_root() const { return legs_.empty(); }
  bool has_wildcard() const;  // .* [*] ** or a range: may select several places
  // `$.tags[0]` of the canonical path `$.tags[*]`: positions folded. Wildcard members stay.
  std::string to_string() const;
  // Does it select (some place of) the canonical path? Positions are ignored.
  bool matches_canonical(const std::vector<PathLeg>& canonical) const;

 private:
  std::vector<PathLeg> legs_;
};

// Appends `.name` or `."na me"`; the canonical spelling.
void append_member(std::string& path, std::string_view name);
bool is_identifier(std::string_view name);

}  // namespace wherestar::document
