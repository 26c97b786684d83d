// What the grammar's actions use to make trees.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/sql_keywords.h"
#include "server/sql_lexer.h"
#include "server/statement.h"

namespace wherestar::server {

// An expression with its place, and its depth so far.
struct SqlNode {
  Expression expression;
  size_t depth = 1;
};
using SqlNodes = std::vector<SqlNode>;

class SqlBuilder {
 public:
  SqlBuilder(std::string_view text, std::vector<SqlToken> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  // --- for the parser
  const SqlToken& take() { return tokens_[next_ < tokens_.size() - 1 ? next_++ : next_]; }
  std::string_view text() const { return text_; }
  void fail(Span span, std::string_view what, ErrorCode code = ErrorCode::kSqlSyntax);
  const std::optional<Error>& error() const { return error_; }
  std::string slice(Span span) const;

  std::optional<Statement> statement;
  std::optional<Expression> condition;
  size_t placeholders = 0;
  bool wants_condition = false;

  // --- expressions
  SqlNode literal(SqlValue value);
  SqlNode number(const std::string& text, Span span);
  SqlNode placeholder();
  SqlNode any_path();
  SqlNode variable(const std::string& name);
  SqlNode combine(Operator op, SqlNodes operands, Span span);
  SqlNode connect(Operator op, SqlNode left, SqlNode right, Span span);  // AND and OR, n-ary
  SqlNode not_of(SqlNode operand, Span span);
  SqlNode negate(SqlNode operand, Span span);
  SqlNode null_safe_equal(SqlNode left, SqlNode right, Span span);
  SqlNode is(SqlNode operand, bool negated, SqlValue value, Span span);
  SqlNode call(SqlNode name, SqlNodes arguments, bool distinct, Span span);
  SqlNode date_arithmetic(SqlNode value, SqlNode amount, const std::string& unit, bool subtract,
                          Span span);
  SqlNode cast(SqlNode value, std::string type, Span span);
  SqlNode case_of(std::optional<SqlNode> subject, SqlNodes branches, std::optional<SqlNode> other,
                  Span span);
  SqlNode array(SqlNodes elements, Span span);
  SqlNode object(std::vector<std::pair<std::string, SqlNode>> members, Span span);

  // --- paths
  SqlNode path(std::vector<document::PathLeg> legs, bool from_root, Span span);
  void add_leg(SqlNode& path, document::PathLeg leg, Span span);
  SqlNode arrow(SqlNode base, const std::string& text, bool unquote, Span span);
  document::PathLeg cell(const std::string& number, Span span);
  document::PathExpression target(const SqlNode& node, Span span);  // of SET and REMOVE

  // --- parts of statements
  Expression finish(SqlNode node) { return std::move(node.expression); }
  std::vector<Expression> finish(SqlNodes nodes);
  Expression setting(SqlNode node);  // a bare word is its text: SET x = ON
  Projection projection(SqlNode node, std::string alias, Span span);
  uint64_t unsigned_number(const std::string& text, Span span);

 private:
  std::string_view text_;
  std::vector<SqlToken> tokens_;
  size_t next_ = 0;
  std::optional<Error> error_;
};

}  // namespace wherestar::server
