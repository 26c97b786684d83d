// Cuts SQL text into statements at `;`, outside of quotes and comments.
//
//   SqlSplitter splitter;
//   splitter.feed(line);
//   while (auto statement = splitter.next()) run(*statement);
//   if (auto rest = splitter.rest()) run(*rest);   // at the end of the text
//
// One thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace wherestar::tools {

class SqlSplitter {
 public:
  void feed(std::string_view text) { buffer_ += text; }
  // The next complete statement without its `;`; blank ones are left out.
  std::optional<std::string> next();
  // What stands behind the last `;`, if it is a statement.
  std::optional<std::string> rest();
  bool is_empty() const;  // nothing but blanks is waiting

 private:
  enum class State { kPlain, kSingle, kDouble, kBacktick, kLineComment, kBlockComment };
  void step();

  std::string buffer_;
  size_t scan_ = 0;
  State state_ = State::kPlain;
};

// Does the text hold anything but blanks and comments?
bool is_statement(std::string_view text);

}  // namespace wherestar::tools
