#include "document/string_text.h"

#include <cstdint>
#include <cstdio>
#include <optional>

#include "document/json.h"

namespace wherestar::document {

namespace {

std::optional<uint32_t> hex4(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  uint32_t value = 0;
  for (const char c : text.substr(0, 4)) {
    uint32_t digit = 0;
    if (c >= '0' && c <= '9')
      digit = static_cast<uint32_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = static_cast<uint32_t>(c - 'a') + 10;
    else if (c >= 'A' && c <= 'F')
      digit = static_cast<uint32_t>(c - 'A') + 10;
    else
      return std::nullopt;
    value = value * 16 + digit;
  }
  return value;
}

void append_utf8(std::string& out, uint32_t code) {
  const auto put = [&out](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

// The escape `\uXXXX`, with its low surrogate if it needs one; returns its bytes, 0 if bad.
size_t unescape_unicode(std::string_view escape, std::string& out) {
  const auto first = hex4(escape.substr(2));
  if (!first) return 0;
  if (*first < 0xd800 || *first > 0xdfff) {
    append_utf8(out, *first);
    return 6;
  }
  if (*first > 0xdbff || escape.substr(6, 2) != "\\u") return 0;
  const auto second = hex4(escape.substr(8));
  if (!second || *second < 0xdc00 || *second > 0xdfff) return 0;
  append_utf8(out, 0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00));
  return 12;
}

char short_escape(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return c;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return '\0';
  }
}

}  // namespace

size_t utf8_length(std::string_view text) {
  const auto byte = [text](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (text.empty()) return 0;
  const uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f)) return 0;
  if ((lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f)) return 0;
  return length;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool unescape(std::string_view inside, std::string& out, size_t* bad_offset) {
  size_t at = 0;
  while (true) {
    const size_t slash = inside.find('\\', at);
    if (slash == std::string_view::npos) break;
    out.append(inside.substr(at, slash - at));
    const std::string_view escape = inside.substr(slash);
    const char kind = escape.size() > 1 ? escape[1] : '\0';
    size_t length = 2;
    if (kind == 'u') {
      length = unescape_unicode(escape, out);
    } else if (const char meant = short_escape(kind)) {
      out.push_back(meant);
    } else {
      length = 0;
    }
    if (length == 0) {
      if (bad_offset) *bad_offset = slash;
      return false;
    }
    at = slash + length;
  }
  out.append(inside.substr(at));
  return true;
}

std::string describe_at(std::string_view text, size_t offset) {
  if (offset >= text.size()) return "the end of the text";
  const size_t length = utf8_length(text.substr(offset));
  const auto byte = static_cast<uint8_t>(text[offset]);
  if (length == 0 || byte < 0x20 || byte == 0x7f) {
    char shown[16];
    std::snprintf(shown, sizeof shown, "byte 0x%02x", byte);
    return shown;
  }
  return "'" + std::string(text.substr(offset, length)) + "'";
}

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  size_t plain = 0;  // start of what needs no escape
  for (size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out.append(text.substr(plain, i - plain));
    plain = i + 1;
    out.push_back('\\');
    switch (byte) {
      case '\b':
        out.push_back('b');
        break;
      case '\f':
        out.push_back('f');
        break;
      case '\n':
        out.push_back('n');
        break;
      case '\r':
        out.push_back('r');
        break;
      case '\t':
        out.push_back('t');
        break;
      case '"':
      case '\\':
        out.push_back(static_cast<char>(byte));
        break;
      default: {
        char code[8];
        std::snprintf(code, sizeof code, "u%04x", byte);
        out.append(code);
      }
    }
  }
  out.append(text.substr(plain));
  out.push_back('"');
}

}  // namespace wherestar::document
