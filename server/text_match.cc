#include "server/text_match.h"

#include <memory>
#include <vector>

#include <unicode/normalizer2.h>
#include <unicode/regex.h>
#include <unicode/unistr.h>

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

Result<bool> regexp_matches(const std::string& text, const std::string& pattern,
                            bool case_insensitive) {
  if (pattern.size() > kMaxPatternBytes)
    return fail(ErrorCode::kLimitExceeded, "a regular expression over 64 KiB");
  UErrorCode status = U_ZERO_ERROR;
  const uint32_t flags = case_insensitive ? uint32_t{UREGEX_CASE_INSENSITIVE} : 0u;
  const std::unique_ptr<icu::RegexPattern> compiled(
      icu::RegexPattern::compile(icu::UnicodeString::fromUTF8(pattern), flags, status));
  if (U_FAILURE(status))
    return fail(
        ErrorCode::kInvalidExpression,
        "wrong regular expression '" + pattern.substr(0, 100) + "': " + u_errorName(status));
  const icu::UnicodeString subject = icu::UnicodeString::fromUTF8(text);
  const std::unique_ptr<icu::RegexMatcher> matcher(compiled->matcher(subject, status));
  if (U_SUCCESS(status)) matcher->setTimeLimit(kRegexpSteps, status);
  if (U_SUCCESS(status)) matcher->setStackLimit(kRegexpStackBytes, status);
  const bool found = U_SUCCESS(status) && matcher->find(status) != 0;
  if (U_FAILURE(status))
    return fail(ErrorCode::kLimitExceeded,
                std::string("the regular expression gave up: ") + u_errorName(status));
  return found;
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
