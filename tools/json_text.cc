#include "tools/json_text.h"

#include <algorithm>

#include "document/json.h"

namespace wherestar::tools {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// Bytes of the character that `text` begins with, 0 if it is none (RFC 3629).
size_t character_bytes(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first < 0xc2   ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Longer than needed, surrogates, beyond U+10FFFF.
  if ((first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) > 0x9f) ||
      (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) > 0x8f)) {
    return 0;
  }
  return length;
}

// The element `number` (from 0) of the array that begins at `at`.
std::optional<TextSpan> element_of(std::string_view text, size_t at, size_t number) {
  at = skip_blanks(text, at + 1);
  while (at < text.size() && text[at] != ']') {
    const TextSpan value{at, skip_value(text, at)};
    if (number-- == 0) return value;
    at = skip_blanks(text, value.end);
    if (at < text.size() && text[at] == ',') at = skip_blanks(text, at + 1);
  }
  return std::nullopt;
}

}  // namespace

size_t skip_blanks(std::string_view text, size_t at) {
  while (at < text.size() && is_blank(text[at])) ++at;
  return at;
}

size_t skip_string(std::string_view text, size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

size_t skip_value(std::string_view text, size_t at) {
  size_t depth = 0;
  while (at < text.size()) {
    switch (text[at]) {
      case '"':
        at = skip_string(text, at);
        break;
      case '{':
      case '[':
        ++depth;
        ++at;
        continue;
      case '}':
      case ']':
        if (depth > 0) --depth;
        ++at;
        break;
      case ' ':
      case '\n':
      case '\r':
      case '\t':
      case ',':
      case ':':
        ++at;
        continue;
      default:  // a number or a word
        at = std::min(text.find_first_of(",:]} \n\r\t", at), text.size());
    }
    if (depth == 0) return at;
  }
  return at;
}

std::vector<TextMember> members_of(std::string_view text, size_t at) {
  std::vector<TextMember> members;
  at = skip_blanks(text, at + 1);
  while (at < text.size() && text[at] == '"') {
    TextMember member;
    const size_t name_end = skip_string(text, at);
    member.name = string_value(text.substr(at, name_end - at));
    at = skip_blanks(text, skip_blanks(text, name_end) + 1);  // behind the colon
    member.value = {at, skip_value(text, at)};
    at = skip_blanks(text, member.value.end);
    if (at < text.size() && text[at] == ',') at = skip_blanks(text, at + 1);
    members.push_back(std::move(member));
  }
  return members;
}

std::string string_value(std::string_view token) {
  const std::string_view inside = token.substr(1, token.size() - 2);
  if (inside.find('\\') == std::string_view::npos) return std::string(inside);
  const auto parsed = document::Json::parse(token);
  return parsed ? parsed->as_string() : std::string(inside);
}

std::optional<TextSpan> find_value(std::string_view text, const document::PathExpression& path) {
  TextSpan found{skip_blanks(text, 0), text.size()};
  for (const document::PathLeg& leg : path.legs()) {
    std::optional<TextSpan> next;
    const char first = found.begin < text.size() ? text[found.begin] : '\0';
    if (leg.kind == document::LegKind::kMember && first == '{') {
      for (const TextMember& member : members_of(text, found.begin)) {
        if (member.name == leg.name) next = member.value;
      }
    } else if (leg.kind == document::LegKind::kElement && !leg.first.from_end && first == '[') {
      next = element_of(text, found.begin, leg.first.offset);
    }
    if (!next) return std::nullopt;
    found = *next;
  }
  return found;
}

void append_one_line(std::string& out, std::string_view text) {
  if (text.find_first_of("\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      const size_t end = skip_string(text, at);
      out += text.substr(at, end - at);
      at = end;
    } else {
      if (!is_blank(text[at])) out += text[at];
      ++at;
    }
  }
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t length = character_bytes(text.substr(at));
    out += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(at, length);
    at += std::max<size_t>(length, 1);
  }
  return out;
}

}  // namespace wherestar::tools
