#include "server/sql_parser.h"

#include "server/sql_builder.h"
#include "sql_grammar.h"

namespace wherestar::server {
namespace {

constexpr size_t kMaxSqlBytes = 16u << 20;

Result<SqlBuilder> parse(std::string_view text, SqlText what) {
  if (text.size() > kMaxSqlBytes)
    return fail(ErrorCode::kLimitExceeded, "SQL text of more than 16 MiB");
  ASSIGN_OR_RETURN(std::vector<SqlToken> tokens, lex_sql(text, what));
  // The first token tells the grammar what it is to read.
  const int wanted = what == SqlText::kStatement ? SqlGrammar::token::T_WANTS_STATEMENT
                                                 : SqlGrammar::token::T_WANTS_CONDITION;
  tokens.insert(tokens.begin(), {wanted, {}, {0, 0}});
  SqlBuilder builder(text, std::move(tokens));
  SqlGrammar grammar(builder);
  const int failed = grammar.parse();
  if (builder.error()) return std::unexpected(*builder.error());
  if (failed != 0) return fail(ErrorCode::kLimitExceeded, "SQL text that is nested too deeply");
  return builder;
}

}  // namespace

Result<ParsedSql> parse_sql(std::string_view text) {
  ASSIGN_OR_RETURN(SqlBuilder builder, parse(text, SqlText::kStatement));
  return ParsedSql{*std::move(builder.statement), builder.placeholders};
}

Result<Expression> parse_sql_condition(std::string_view text) {
  ASSIGN_OR_RETURN(SqlBuilder builder, parse(text, SqlText::kCondition));
  return *std::move(builder.condition);
}

}  // namespace wherestar::server
