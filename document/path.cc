#include "document/path.h"

#include <algorithm>
#include <optional>

#include "document/json.h"
#include "document/path_range.h"
#include "document/string_text.h"

namespace wherestar::document {

namespace {

constexpr size_t kMaxLegs = 100;
constexpr size_t kMaxPathBytes = 64u << 10;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<uint8_t>(c) >= 0x80;
}
bool is_name_byte(char c) {
  return is_letter(c) || (c >= '0' && c <= '9');
}

class PathParser {
 public:
  explicit PathParser(std::string_view text) : text_(text) {}

  Result<std::vector<PathLeg>> parse(bool bare) {
    if (text_.size() > kMaxPathBytes)
      return fail(ErrorCode::kInvalidPath, "the path is longer than 64 KiB");
    if (!is_valid_utf8(text_)) return fail(ErrorCode::kInvalidPath, "the path is not UTF-8");
    skip_blanks();
    if (at_root_sign(bare)) {
      ++at_;
    } else if (!bare) {
      return error("expected '$'");
    } else if (at_ < text_.size()) {
      RETURN_IF_ERROR(parse_bare_start());
    }
    for (skip_blanks(); at_ < text_.size(); skip_blanks()) RETURN_IF_ERROR(parse_leg());
    if (!legs_.empty() && legs_.back().kind == LegKind::kDescendants)
      return error("expected a leg behind '**'");
    return std::move(legs_);
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || (text_[at_] >= '\t' && text_[at_] <= '\r')))
      ++at_;
  }
  std::unexpected<Error> error(std::string what) const {
    size_t column = 1;
    for (size_t i = 0; i < at_; ++i) column += (static_cast<uint8_t>(text_[i]) & 0xc0) != 0x80;
    return fail(ErrorCode::kInvalidPath, "invalid path, position " + std::to_string(column) + ": " +
                                             what + ", found " + describe_at(text_, at_));
  }

  // `$` alone is the root; in a bare text `$price` is a member name.
  bool at_root_sign(bool bare) const {
    if (peek() != '$') return false;
    return !bare || at_ + 1 == text_.size() || !is_name_byte(text_[at_ + 1]);
  }
  Status parse_bare_start() {
    if (is_name_byte(peek()) || peek() == '"') return parse_member();
    if (peek() == '*' && (at_ + 1 == text_.size() || text_[at_ + 1] != '*')) return parse_member();
    return {};
  }

  Status add(PathLeg leg) {
    if (legs_.size() == kMaxLegs)
      return fail(ErrorCode::kInvalidPath, "the path has more than 100 legs");
    legs_.push_back(std::move(leg));
    return {};
  }

  Status parse_leg() {
    if (take('.')) {
      skip_blanks();
      return parse_member();
    }
    if (take('[')) return parse_cell();
    if (peek() != '*') return error("expected '.', '[' or '**'");
    ++at_;
    if (!take('*')) return error("expected a second '*'");
    if (peek() == '*') return error("expected a leg behind '**'");
    return add({.kind = LegKind::kDescendants, .name = {}, .first = {}, .last = {}});
  }

  Status parse_member() {
    if (take('*')) return add({.kind = LegKind::kAnyMember, .name = {}, .first = {}, .last = {}});
    PathLeg leg;
    if (peek() == '"') {
      ASSIGN_OR_RETURN(leg.name, parse_quoted());
      return add(std::move(leg));
    }
    if (!is_letter(peek())) return error("expected a member name");
    const size_t start = at_;
    while (at_ < text_.size() && is_name_byte(text_[at_])) ++at_;
    leg.name = text_.substr(start, at_ - start);
    return add(std::move(leg));
  }

  Result<std::string> parse_quoted() {
    const size_t start = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) {
      at_ = start;
      return error("a quoted name without an end");
    }
    ++at_;
    std::string name;
    if (!unescape(text_.substr(start + 1, at_ - start - 2), name)) {
      at_ = start;
      return error("a quoted name with a bad escape");
    }
    return name;
  }

  Status parse_cell() {
    PathLeg leg;
    skip_blanks();
    if (take('*')) {
      leg.kind = LegKind::kAnyElement;
    } else {
      leg.kind = LegKind::kElement;
      ASSIGN_OR_RETURN(leg.first, parse_index());
      skip_blanks();
      const size_t start = at_;
      if (take_word("to")) {
        leg.kind = LegKind::kElementRange;
        skip_blanks();
        ASSIGN_OR_RETURN(leg.last, parse_index());
        const bool backwards = leg.first.from_end ? leg.first.offset < leg.last.offset
                                                  : leg.first.offset > leg.last.offset;
        if (leg.first.from_end == leg.last.from_end && backwards) {
          at_ = start;
          return error("the range ends before it begins");
        }
      }
    }
    skip_blanks();
    if (!take(']')) return error("expected ']'");
    return add(std::move(leg));
  }

  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    if (at_ + word.size() < text_.size() && is_name_byte(text_[at_ + word.size()])) return false;
    at_ += word.size();
    return true;
  }

  Result<ArrayIndex> parse_index() {
    ArrayIndex index;
    if (take_word("last")) {
      index.from_end = true;
      skip_blanks();
      if (!take('-')) return index;
      skip_blanks();
    }
    const size_t start = at_;
    uint64_t value = 0;
    for (; peek() >= '0' && peek() <= '9'; ++at_) {
      value = value * 10 + static_cast<unsigned>(peek() - '0');
      if (value > UINT32_MAX) {
        at_ = start;
        return error("the array position is over 4294967295");
      }
    }
    if (at_ == start) return error("expected an array position");
    index.offset = static_cast<uint32_t>(value);
    return index;
  }

  std::string_view text_;
  size_t at_ = 0;
  std::vector<PathLeg> legs_;
};

// Whether a value that is no array is its own only cell for this leg.
bool wraps(const PathLeg& leg) {
  const auto range = element_range(leg, 1);
  return leg.kind != LegKind::kAnyElement && range && range->first == 0;
}

}  // namespace

std::optional<std::pair<size_t, size_t>> element_range(const PathLeg& leg, size_t size) {
  if (size == 0) return std::nullopt;
  if (leg.kind == LegKind::kAnyElement) return std::pair<size_t, size_t>{0, size - 1};
  const bool is_range = leg.kind == LegKind::kElementRange;
  const auto resolve = [size](const ArrayIndex& index) {
    const auto offset = static_cast<int64_t>(index.offset);
    return index.from_end ? static_cast<int64_t>(size) - 1 - offset : offset;
  };
  const int64_t end = static_cast<int64_t>(size) - 1;
  int64_t first = resolve(leg.first);
  int64_t last = is_range ? resolve(leg.last) : first;
  if (is_range) {
    first = std::max<int64_t>(first, 0);
    last = std::min(last, end);
  }
  if (first < 0 || first > last || last > end) return std::nullopt;
  return std::pair<size_t, size_t>{static_cast<size_t>(first), static_cast<size_t>(last)};
}

Result<PathExpression> PathExpression::parse(std::string_view text, bool bare) {
  ASSIGN_OR_RETURN(std::vector<PathLeg> legs, PathParser(text).parse(bare));
  return PathExpression(std::move(legs));
}

bool PathExpression::has_wildcard() const {
  return std::any_of(legs_.begin(), legs_.end(), [](const PathLeg& leg) {
    return leg.kind != LegKind::kMember && leg.kind != LegKind::kElement;
  });
}

std::string PathExpression::to_string() const {
  std::string out = "$";
  for (const PathLeg& leg : legs_) {
    switch (leg.kind) {
      case LegKind::kMember:
        append_member(out, leg.name);
        break;
      case LegKind::kAnyMember:
        out += ".*";
        break;
      case LegKind::kElement:
      case LegKind::kElementRange:
      case LegKind::kAnyElement:
        out += "[*]";
        break;
      case LegKind::kDescendants:
        out += "**";
        break;
    }
  }
  return out;
}

bool PathExpression::matches_canonical(const std::vector<PathLeg>& canonical) const {
  // reached[j]: the legs so far can have consumed the first j canonical legs.
  std::vector<char> reached(canonical.size() + 1, 0);
  reached[0] = 1;
  for (const PathLeg& leg : legs_) {
    std::vector<char> next(reached.size(), 0);
    for (size_t j = 0; j < reached.size(); ++j) {
      if (leg.kind == LegKind::kDescendants) {
        next[j] = reached[j] || (j > 0 && next[j - 1]);
        continue;
      }
      const bool is_member = leg.kind == LegKind::kMember || leg.kind == LegKind::kAnyMember;
      if (reached[j] && !is_member && wraps(leg)) next[j] = 1;
      if (j == 0 || !reached[j - 1]) continue;
      const PathLeg& step = canonical[j - 1];
      const bool step_is_member = step.kind == LegKind::kMember;
      const bool named = leg.kind != LegKind::kMember || leg.name == step.name;
      if (is_member == step_is_member && named) next[j] = 1;
    }
    reached = std::move(next);
  }
  return reached.back() != 0;
}

void append_member(std::string& path, std::string_view name) {
  path.push_back('.');
  if (is_identifier(name))
    path.append(name);
  else
    append_json_string(path, name);
}

bool is_identifier(std::string_view name) {
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), is_name_byte);
}

}  // namespace wherestar::document
