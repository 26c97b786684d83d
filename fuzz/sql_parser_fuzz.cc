// SQL text of a client: a statement, or a condition when the first byte is odd. What comes out is
// walked, so that a tree deeper than the limit or with a hole in it is noticed.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "server/sql_parser.h"

using namespace wherestar;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void walk(const server::Expression& expression, size_t depth) {
  require(depth <= server::kMaxExpressionDepth);
  if (expression.kind == server::Expression::Kind::kObject)
    require(expression.keys.size() == expression.operands.size());
  if (expression.kind == server::Expression::Kind::kOperator) require(!expression.operands.empty());
  for (const server::Expression& operand : expression.operands) walk(operand, depth + 1);
}

void walk(const server::Select& select) {
  require(!select.projections.empty());
  for (const auto& projection : select.projections) walk(projection.expression, 1);
  if (select.where) walk(*select.where, 1);
  if (select.having) walk(*select.having, 1);
  for (const auto& key : select.group_by) walk(key, 1);
  for (const auto& item : select.order_by) walk(item.expression, 1);
}

void check_error(const Error& error) {
  require(!error.message.empty());
  require(error.code == ErrorCode::kSqlSyntax || error.code == ErrorCode::kInvalidUtf8 ||
          error.code == ErrorCode::kLimitExceeded || error.code == ErrorCode::kInvalidPath ||
          error.code == ErrorCode::kNumberOutOfRange);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  if (data[0] % 2 != 0) {
    const auto condition = server::parse_sql_condition(text);
    if (condition)
      walk(*condition, 1);
    else
      check_error(condition.error());
    return 0;
  }
  const auto parsed = server::parse_sql(text);
  if (!parsed)
    check_error(parsed.error());
  else if (const auto* select = std::get_if<server::Select>(&parsed->statement))
    walk(*select);
  return 0;
}
