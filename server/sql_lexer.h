// SQL text to tokens. Where a word or a `*` means different things, the token before it decides:
// behind a `.` every word is a name, and a `*` where an operand may stand is no multiplication.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wherestar::server {

struct Span {
  size_t begin = 0;
  size_t end = 0;
};

struct SqlToken {
  int kind = 0;      // of the grammar
  std::string text;  // of names, strings and numbers: without quotes and escapes
  Span span;
};

// What the text is, which decides about its first word.
enum class SqlText { kStatement, kCondition };

// All tokens, with an end token last. kSqlSyntax for what is none, kInvalidUtf8.
Result<std::vector<SqlToken>> lex_sql(std::string_view text, SqlText what);

// "near 'form' (line 1, column 10)".
std::string sql_place(std::string_view text, Span span);

}  // namespace wherestar::server
