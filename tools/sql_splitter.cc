#include "tools/sql_splitter.h"

#include <algorithm>

namespace wherestar::tools {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

bool is_statement(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_blank(text[i])) continue;
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("-- ") || rest == "--" || rest.starts_with("--\n") || rest[0] == '#') {
      const size_t end = text.find('\n', i);
      if (end == std::string_view::npos) return false;
      i = end;
    } else if (rest.starts_with("/*")) {
      const size_t end = text.find("*/", i + 2);
      if (end == std::string_view::npos) return false;
      i = end + 1;
    } else {
      return true;
    }
  }
  return false;
}

void SqlSplitter::step() {
  const char c = buffer_[scan_];
  const std::string_view rest = std::string_view(buffer_).substr(scan_);
  switch (state_) {
    case State::kPlain:
      if (c == '\'') state_ = State::kSingle;
      if (c == '"') state_ = State::kDouble;
      if (c == '`') state_ = State::kBacktick;
      if (c == '#' || rest.starts_with("-- ") || rest.starts_with("--\n")) {
        state_ = State::kLineComment;
      }
      if (rest.starts_with("/*")) {
        state_ = State::kBlockComment;
        ++scan_;
      }
      break;
    case State::kSingle:
    case State::kDouble:
      if (c == '\\') {
        ++scan_;
      } else if (c == (state_ == State::kSingle ? '\'' : '"')) {
        state_ = State::kPlain;  // a doubled quote begins the next part at once
      }
      break;
    case State::kBacktick:
      if (c == '`') state_ = State::kPlain;
      break;
    case State::kLineComment:
      if (c == '\n') state_ = State::kPlain;
      break;
    case State::kBlockComment:
      if (rest.starts_with("*/")) {
        state_ = State::kPlain;
        ++scan_;
      }
      break;
  }
  ++scan_;
}

std::optional<std::string> SqlSplitter::next() {
  while (scan_ < buffer_.size()) {
    if (state_ != State::kPlain || buffer_[scan_] != ';') {
      step();
      continue;
    }
    const std::string statement = trimmed(std::string_view(buffer_).substr(0, scan_));
    buffer_.erase(0, scan_ + 1);
    scan_ = 0;
    if (is_statement(statement)) return statement;
  }
  scan_ = std::min(scan_, buffer_.size());
  return std::nullopt;
}

std::optional<std::string> SqlSplitter::rest() {
  std::string statement = trimmed(buffer_);
  buffer_.clear();
  scan_ = 0;
  state_ = State::kPlain;
  if (!is_statement(statement)) return std::nullopt;
  return statement;
}

bool SqlSplitter::is_empty() const {
  return std::ranges::all_of(buffer_, is_blank);
}

}  // namespace wherestar::tools
