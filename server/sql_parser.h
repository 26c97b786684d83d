// SQL text to Statement. docs/sql.md is the grammar in words.
//
// Limits: 16 MiB of text, kMaxExpressionDepth levels, 65,536 nodes of one expression list; beyond
// them kLimitExceeded. Wrong text is kSqlSyntax: "near 'form' (line 1, column 10): expected FROM".
#pragma once

#include <string_view>

#include "base/result.h"
#include "server/statement.h"

namespace wherestar::server {

struct ParsedSql {
  Statement statement;
  size_t placeholders = 0;  // number of `?`, numbered from 0 in order
};

// One statement; a `;` at the end is allowed.
Result<ParsedSql> parse_sql(std::string_view text);
// A condition alone, as in `export --where "year > 2000"`.
Result<Expression> parse_sql_condition(std::string_view text);

}  // namespace wherestar::server
