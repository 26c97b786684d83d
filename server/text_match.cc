#include "server/text_match.h"

#include <algorithm>
#include <memory>

#include <unicode/normalizer2.h>
#include <unicode/regex.h>
#include <unicode/unistr.h>

#include "server/conversion.h"

namespace wherestar::server {
namespace {

constexpr size_t kMaxPatternBytes = 64u << 10;
constexpr int32_t kRegexpSteps = 4000;  // ICU's time limit, about a second
constexpr int32_t kRegexpStackBytes = 8 << 20;

// Length of the UTF-8 character at `at`; a stray byte is one.
size_t character_bytes(std::string_view text, size_t at) {
  const auto lead = static_cast<uint8_t>(text[at]);
  const size_t bytes = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return std::min(bytes, text.size() - at);
}

std::string encode(char32_t character) {
  std::string out;
  icu::UnicodeString(static_cast<UChar32>(character)).toUTF8String(out);
  return out;
}

}  // namespace

Result<char32_t> parse_escape(const SqlValue& value) {
  if (value.is_null()) return U'\\';
  const std::string text = to_text(value);
  if (text.empty()) return kNoEscape;
  const icu::UnicodeString wide = icu::UnicodeString::fromUTF8(text);
  if (wide.countChar32() != 1)
    return fail(ErrorCode::kInvalidArgument, "Incorrect arguments to ESCAPE");
  return static_cast<char32_t>(wide.char32At(0));
}

Status check_like(std::string_view text, std::string_view pattern) {
  constexpr uint64_t kMost = uint64_t{1} << 34;
  if (text.size() <= kMost / (pattern.size() + 1)) return {};
  return fail(ErrorCode::kLimitExceeded, "a pattern of " + std::to_string(pattern.size()) +
                                             " bytes for a text of " + std::to_string(text.size()) +
                                             " bytes would take too long");
}

// Greedy with one point to fall back to, the last `%`: quadratic at worst, no recursion.
bool like_matches(std::string_view text, std::string_view pattern, char32_t escape) {
  const std::string escape_bytes = escape == kNoEscape ? std::string() : encode(escape);
  size_t t = 0;
  size_t p = 0;
  size_t star = std::string_view::npos;  // behind the last `%`
  size_t star_text = 0;
  while (t < text.size()) {
    bool matched = false;
    if (p < pattern.size()) {
      const bool escaped = !escape_bytes.empty() && pattern.substr(p).starts_with(escape_bytes) &&
                           p + escape_bytes.size() < pattern.size();
      if (!escaped && pattern[p] == '%') {
        star = ++p;
        star_text = t;
        continue;
      }
      const size_t at = escaped ? p + escape_bytes.size() : p;
      const size_t bytes = character_bytes(pattern, at);
      if (!escaped && pattern[p] == '_') {
        t += character_bytes(text, t);
        ++p;
        matched = true;
      } else if (text.substr(t).starts_with(pattern.substr(at, bytes))) {
        t += bytes;
        p = at + bytes;
        matched = true;
      }
    }
    if (matched) continue;
    if (star == std::string_view::npos) return false;
    star_text += character_bytes(text, star_text);
    t = star_text;
    p = star;
  }
  while (p < pattern.size() && pattern[p] == '%') ++p;
  return p == pattern.size();
}

struct Regexp::Compiled {
  std::string text;
  bool case_insensitive = false;
  std::unique_ptr<icu::RegexPattern> pattern;
};

namespace {

std::unexpected<Error> gave_up(UErrorCode status) {
  return fail(ErrorCode::kLimitExceeded,
              std::string("the regular expression gave up: ") + u_errorName(status));
}

Result<std::unique_ptr<icu::RegexMatcher>> matcher_of(const icu::RegexPattern& pattern,
                                                      const icu::UnicodeString& subject) {
  UErrorCode status = U_ZERO_ERROR;
  std::unique_ptr<icu::RegexMatcher> matcher(pattern.matcher(subject, status));
  if (U_SUCCESS(status)) matcher->setTimeLimit(kRegexpSteps, status);
  if (U_SUCCESS(status)) matcher->setStackLimit(kRegexpStackBytes, status);
  if (U_FAILURE(status)) return gave_up(status);
  return matcher;
}

// Moves to the n-th match at or behind a character.
Result<bool> advance(icu::RegexMatcher& matcher, const icu::UnicodeString& subject, int64_t from,
                     int64_t nth) {
  UErrorCode status = U_ZERO_ERROR;
  const int64_t first = std::clamp<int64_t>(from - 1, 0, subject.length());
  bool found = matcher.find(subject.moveIndex32(0, static_cast<int32_t>(first)), status) != 0;
  for (int64_t i = 1; found && i < nth; ++i) found = matcher.find(status) != 0;
  if (U_FAILURE(status)) return gave_up(status);
  return found;
}

}  // namespace

Result<Regexp> Regexp::compile(const std::string& pattern, bool case_insensitive) {
  if (pattern.size() > kMaxPatternBytes)
    return fail(ErrorCode::kLimitExceeded, "a regular expression over 64 KiB");
  UErrorCode status = U_ZERO_ERROR;
  const uint32_t flags = case_insensitive ? uint32_t{UREGEX_CASE_INSENSITIVE} : 0u;
  auto compiled = std::make_shared<Compiled>();
  compiled->text = pattern;
  compiled->case_insensitive = case_insensitive;
  compiled->pattern.reset(
      icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(pattern), flags, status));
  if (U_FAILURE(status))
    return fail(
        ErrorCode::kInvalidExpression,
        "wrong regular expression '" + pattern.substr(0, 100) + "': " + u_errorName(status));
  Regexp out;
  out.compiled_ = std::move(compiled);
  return out;
}

Result<std::shared_ptr<const Regexp>> Regexp::cached(const std::string& pattern,
                                                     bool case_insensitive,
                                                     EvaluationContext& context) {
  const Regexp* last = context.last_regexp.get();
  if (last == nullptr || last->compiled_->text != pattern ||
      last->compiled_->case_insensitive != case_insensitive) {
    ASSIGN_OR_RETURN(Regexp regexp, compile(pattern, case_insensitive));
    context.last_regexp = std::make_shared<const Regexp>(std::move(regexp));
  }
  return context.last_regexp;
}

Result<bool> Regexp::found_in(const std::string& text) const {
  const icu::UnicodeString subject = icu::UnicodeString::fromUTF8(text);
  ASSIGN_OR_RETURN(const auto matcher, matcher_of(*compiled_->pattern, subject));
  UErrorCode status = U_ZERO_ERROR;
  const bool found = matcher->find(status) != 0;
  if (U_FAILURE(status)) return gave_up(status);
  return found;
}

Result<std::optional<Regexp::Match>> Regexp::find(const std::string& text, int64_t from,
                                                  int64_t nth) const {
  const icu::UnicodeString subject = icu::UnicodeString::fromUTF8(text);
  ASSIGN_OR_RETURN(const auto matcher, matcher_of(*compiled_->pattern, subject));
  ASSIGN_OR_RETURN(const bool found, advance(*matcher, subject, from, nth));
  if (!found) return std::optional<Match>();
  UErrorCode status = U_ZERO_ERROR;
  const int32_t begin = matcher->start(status);
  const int32_t end = matcher->end(status);
  if (U_FAILURE(status)) return gave_up(status);
  Match match;
  subject.tempSubStringBetween(begin, end).toUTF8String(match.text);
  match.position = subject.countChar32(0, begin) + 1;
  match.end = subject.countChar32(0, end) + 1;
  return std::optional<Match>(std::move(match));
}

Result<std::string> Regexp::replace(const std::string& text, const std::string& replacement,
                                    int64_t from, int64_t nth) const {
  const icu::UnicodeString subject = icu::UnicodeString::fromUTF8(text);
  const icu::UnicodeString with = icu::UnicodeString::fromUTF8(replacement);
  ASSIGN_OR_RETURN(const auto matcher, matcher_of(*compiled_->pattern, subject));
  ASSIGN_OR_RETURN(bool found, advance(*matcher, subject, from, std::max<int64_t>(1, nth)));
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeString out;
  while (found && U_SUCCESS(status)) {
    matcher->appendReplacement(out, with, status);
    if (static_cast<size_t>(out.length()) > kMaxTextBytes)
      return fail(ErrorCode::kLimitExceeded, "a replaced text over 64 MiB");
    found = nth == 0 && matcher->find(status) != 0;
  }
  if (status == U_INDEX_OUTOFBOUNDS_ERROR || status == U_REGEX_INVALID_CAPTURE_GROUP_NAME)
    return fail(ErrorCode::kInvalidExpression, "the replacement names a group that does not exist");
  if (U_FAILURE(status)) return gave_up(status);
  matcher->appendTail(out);
  std::string bytes;
  out.toUTF8String(bytes);
  return bytes;
}

std::string fold_case(std::string_view text) {
  UErrorCode status = U_ZERO_ERROR;
  const icu::Normalizer2* folding = icu::Normalizer2::getNFKCCasefoldInstance(status);
  if (U_FAILURE(status)) return std::string(text);
  const icu::UnicodeString folded =
      folding->normalize(icu::UnicodeString::fromUTF8(std::string(text)), status);
  std::string out;
  if (U_SUCCESS(status)) folded.toUTF8String(out);
  return out;
}

}  // namespace wherestar::server
