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

inline constexpr size_t kMaxExpressionNodes = 65536;

// An expression with its place, and its depth and number of nodes so far.
struct SqlNode {
  Expression expression;
  size_t depth = 1;
  size_t count = 1;
  Span span;  // of operators and the any path
};
using SqlNodes = std::vector<SqlNode>;

// What the grammar could have gone on with.
struct SqlExpected {
  std::vector<std::string> choices;  // fit for a message when they are few
  std::vector<std::string> words;    // all keywords, to find a misspelled one
};

class SqlBuilder {
 public:
  SqlBuilder(std::string_view text, std::vector<SqlToken> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  // --- for the parser
  // The next token; the end for ever after the last one or an error.
  const SqlToken& take();
  std::string_view text() const { return text_; }
  void fail(Span span, std::string_view what, ErrorCode code = ErrorCode::kSqlSyntax);
  void fail_unexpected(Span span, const SqlExpected& expected);
  const std::optional<Error>& error() const { return error_; }
  std::string slice(Span span) const;

  std::optional<Statement> statement;
  std::optional<Expression> condition;
  size_t placeholders = 0;
  std::string update_target;  // the collection of UPDATE, while its paths are read

  // --- expressions
  SqlNode literal(SqlValue value);
  SqlNode number(const std::string& text, Span span);
  SqlNode placeholder();
  SqlNode any_path(Span span);
  SqlNode variable(const std::string& name);
  template <class... Nodes>
  SqlNode combine(Operator op, Span span, Nodes... operands) {
    SqlNode node = operation(op, span);
    (adopt(node, std::move(operands)), ...);
    return checked(std::move(node));
  }
  SqlNode connect(Operator op, SqlNode left, SqlNode right, Span span);  // AND and OR, n-ary
  SqlNode not_of(SqlNode operand, Span span);
  SqlNode negate(SqlNode operand, Span span);
  SqlNode null_safe_equal(SqlNode left, SqlNode right, Span span);
  SqlNode is(SqlNode operand, bool negated, SqlValue value, Span span);
  SqlNode call(SqlNode name, SqlNodes arguments, bool distinct, Span span);
  // `interval`: a kDateAdd with the amount alone.
  SqlNode date_arithmetic(SqlNode value, SqlNode interval, bool subtract, Span span);
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
  document::PathExpression target(const SqlNode& node);  // of SET and REMOVE

  // --- parts of statements
  Expression finish(SqlNode node);
  std::vector<Expression> finish(SqlNodes nodes);
  Expression setting(SqlNode node);  // a bare word is its text: SET x = ON
  Projection projection(SqlNode node, std::string alias, Span span);
  std::vector<Projection> projections(std::vector<Projection> list, const CollectionRef& from);
  std::optional<CollectionRef> source(CollectionRef from);
  Expression row_count(const std::string& number, Span span);
  IndexMember index_member(const SqlNode& path, std::string type, bool required);
  void check_upsert(const SqlNode& path, const SqlNode& value, Span span);
  void check_document_column(const std::string& name, Span span);
  uint64_t unsigned_number(const std::string& text, Span span);

 private:
  SqlNode operation(Operator op, Span span) const;
  void adopt(SqlNode& parent, SqlNode child);
  void adopt(SqlNode& parent, SqlNodes children);
  SqlNode checked(SqlNode node);
  void fail_too_many_nodes(Span span);
  void count_nesting(const SqlToken& token);

  std::string_view text_;
  std::vector<SqlToken> tokens_;
  size_t next_ = 0;
  size_t nesting_ = 0;   // open brackets and CASEs
  size_t prefixes_ = 0;  // signs and NOTs in a row
  std::optional<Error> error_;
};

}  // namespace wherestar::server
