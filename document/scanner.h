// A strict JSON scanner (RFC 8259), byte by byte: it knows the place of an error.
//
// Json::parse builds its tree with it; Parser, which reads by simdjson, runs it over a refused text
// to say where and why. Handler gets the values in document order:
//   null() boolean(bool) number(text) string(unescaped) begin_array() end_array() begin_object()
//   key(unescaped) end_object()
// Unescaped views live until the handler returns.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "document/number_text.h"
#include "document/string_text.h"

namespace wherestar::document {

inline constexpr size_t kMaxValues = 5'000'000;  // of one text, containers included

// "line 6, column 20: <what>".
std::unexpected<Error> error_at(std::string_view text, size_t offset, ErrorCode code,
                                std::string_view what);

template <class Handler>
class Scanner {
 public:
  Scanner(std::string_view text, Handler& handler) : text_(text), handler_(handler) {}

  // kInvalidJson, kInvalidUtf8, kTooDeep, kNumberOutOfRange, kLimitExceeded.
  Status scan(size_t max_depth) {
    max_depth_ = max_depth;
    if (text_.starts_with("\xef\xbb\xbf"))
      return error(ErrorCode::kInvalidJson, "a byte order mark; JSON text is UTF-8 without one");
    skip_blanks();
    if (at_ == text_.size()) return error(ErrorCode::kInvalidJson, "no document, only blanks");
    RETURN_IF_ERROR(scan_value());
    skip_blanks();
    if (at_ < text_.size()) return expected("the end of the text");
    return {};
  }

 private:
  std::unexpected<Error> error(ErrorCode code, std::string_view what) const {
    return error_at(text_, at_, code, what);
  }
  std::unexpected<Error> expected(std::string_view what) const {
    if (at_ < text_.size() && utf8_length(text_.substr(at_)) == 0) return invalid_utf8();
    return error(ErrorCode::kInvalidJson,
                 "expected " + std::string(what) + ", found " + describe_at(text_, at_));
  }
  std::unexpected<Error> invalid_utf8() const {
    return error(ErrorCode::kInvalidUtf8, describe_at(text_, at_) + " is not valid UTF-8");
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c != ' ' && c != '\n' && c != '\r' && c != '\t') return;
      ++at_;
    }
  }

  Status scan_value() {
    if (++values_ > kMaxValues)
      return error(ErrorCode::kLimitExceeded, "more than 5 million values");
    switch (peek()) {
      case '{':
        return scan_object();
      case '[':
        return scan_array();
      case '"': {
        ASSIGN_OR_RETURN(const std::string_view value, scan_string());
        handler_.string(value);
        return {};
      }
      case 'n':
        RETURN_IF_ERROR(scan_word("null"));
        handler_.null();
        return {};
      case 't':
      case 'f': {
        const bool value = peek() == 't';
        RETURN_IF_ERROR(scan_word(value ? "true" : "false"));
        handler_.boolean(value);
        return {};
      }
      default:
        return scan_number();
    }
  }

  Status scan_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return expected("a value");
    at_ += word.size();
    return {};
  }

  Status scan_number() {
    bool is_integer = false;
    const size_t length = number_length(text_.substr(at_), is_integer);
    if (length == 0) {
      if (!take('-')) return expected("a value");
      return expected("a digit");
    }
    const std::string_view number = text_.substr(at_, length);
    if (!is_integer || length > 300) {  // else within the range of doubles
      if (auto value = number_of_checked_text(number, is_integer); !value)
        return error(value.error().code, value.error().message);
    }
    at_ += length;
    // What a number text cannot be followed by is named here, where the reason is known.
    if (is_digit(peek())) return error(ErrorCode::kInvalidJson, "a number with a leading zero");
    if (peek() == '.') {
      ++at_;
      return expected("a digit");
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      return expected("a digit");
    }
    handler_.number(number);
    return {};
  }

  // At the opening quote; gives the unescaped text.
  Result<std::string_view> scan_string() {
    const size_t start = ++at_;
    bool escaped = false;
    for (; at_ < text_.size() && text_[at_] != '"';) {
      const auto byte = static_cast<unsigned char>(text_[at_]);
      if (byte == '\\') {
        escaped = true;
        ++at_;
        if (peek() == '"' || peek() == '\\') ++at_;
      } else if (byte < 0x20) {
        return error(ErrorCode::kInvalidJson,
                     "the control character " + describe_at(text_, at_) + " in a string");
      } else if (byte < 0x80) {
        ++at_;
      } else {
        const size_t length = utf8_length(text_.substr(at_));
        if (length == 0) return invalid_utf8();
        at_ += length;
      }
    }
    if (at_ >= text_.size()) {
      at_ = start - 1;
      return error(ErrorCode::kInvalidJson, "a string without its closing quote");
    }
    const std::string_view inside = text_.substr(start, at_ - start);
    ++at_;
    if (!escaped) return inside;
    size_t bad = 0;
    buffer_.clear();
    if (!unescape(inside, buffer_, &bad)) {
      at_ = start + bad;
      return bad_escape();
    }
    return std::string_view(buffer_);
  }

  std::unexpected<Error> bad_escape() const {
    const std::string_view escape = text_.substr(at_, 6);
    const bool surrogate = escape.size() == 6 && escape[1] == 'u' && (escape[2] | 0x20) == 'd' &&
                           escape.find_first_of("89abcdefABCDEF", 3) == 3;
    if (surrogate && escape.find_first_not_of(kHexDigits, 2) == escape.npos)
      return error(ErrorCode::kInvalidUtf8,
                   "the lone surrogate " + std::string(escape) + " is no character");
    // The escape is not named byte by byte: it may hold a control character.
    return error(ErrorCode::kInvalidJson, "an unknown or incomplete escape in a string");
  }

  Status enter() {
    if (++depth_ > max_depth_)
      return error(ErrorCode::kTooDeep,
                   "more than " + std::to_string(max_depth_) + " levels of arrays and objects");
    ++at_;
    skip_blanks();
    return {};
  }

  Status scan_array() {
    RETURN_IF_ERROR(enter());
    handler_.begin_array();
    if (!take(']')) {
      while (true) {
        RETURN_IF_ERROR(scan_value());
        skip_blanks();
        if (take(']')) break;
        if (!take(',')) return expected("',' or ']'");
        skip_blanks();
      }
    }
    --depth_;
    handler_.end_array();
    return {};
  }

  Status scan_object() {
    RETURN_IF_ERROR(enter());
    handler_.begin_object();
    if (!take('}')) {
      while (true) {
        if (peek() != '"') return expected("a member name in quotes");
        ASSIGN_OR_RETURN(const std::string_view name, scan_string());
        handler_.key(name);
        skip_blanks();
        if (!take(':')) return expected("':'");
        skip_blanks();
        RETURN_IF_ERROR(scan_value());
        skip_blanks();
        if (take('}')) break;
        if (!take(',')) return expected("',' or '}'");
        skip_blanks();
      }
    }
    --depth_;
    handler_.end_object();
    return {};
  }

  static constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
  std::string_view text_;
  Handler& handler_;
  std::string buffer_;
  size_t at_ = 0;
  size_t depth_ = 0;
  size_t max_depth_ = 0;
  size_t values_ = 0;
};

}  // namespace wherestar::document
