// Looking around in the text of a valid JSON document without building it.
//
//   size_t at = skip_blanks(text, 0);
//   for (const TextMember& member : members_of(text, at)) use(member.name, member.value);
//
// Every function expects text that document::Parser accepted, and offsets of values in it; they
// keep no state. Offsets count bytes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "document/path.h"

namespace wherestar::tools {

struct TextSpan {
  size_t begin = 0;
  size_t end = 0;

  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

struct TextMember {
  std::string name;  // unescaped
  TextSpan value;
};

size_t skip_blanks(std::string_view text, size_t at);
// Behind the string that begins with the quote at `at`.
size_t skip_string(std::string_view text, size_t at);
// Behind the value that begins at `at`.
size_t skip_value(std::string_view text, size_t at);
// Of the object that begins at `at`, in their order; names may occur twice.
std::vector<TextMember> members_of(std::string_view text, size_t at);
// What a string token (with its quotes) means.
std::string string_value(std::string_view token);

// The value at `path`, of equal member names the last; nullopt: there is none. Only `.name` and
// `[n]` legs select anything.
std::optional<TextSpan> find_value(std::string_view text, const document::PathExpression& path);

// A document on one line: text without line breaks stays as it is, any other loses its blanks
// outside strings. Numbers, strings and the order of members stay as they were written.
void append_one_line(std::string& out, std::string_view text);

// Valid UTF-8: each byte that belongs to no character becomes U+FFFD.
std::string valid_utf8(std::string_view text);

}  // namespace wherestar::tools
