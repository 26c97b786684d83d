// Expressions of tests: SQL text against one document, and results as short text that shows the
// type: 3 (integer), 3u (unsigned), 3m (decimal), 3d (double), 'x' (text), x'00' (binary), TRUE,
// NULL, json [1], date 2024-01-31. An error is "error: " and its message.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "document/json.h"
#include "server/evaluator.h"
#include "server/sql_parser.h"

namespace wherestar::server {

inline std::string shown(const Result<SqlValue>& result) {
  if (!result) return "error: " + result.error().message;
  const SqlValue& value = *result;
  switch (value.type()) {
    case SqlType::kNull:
      return "NULL";
    case SqlType::kSigned:
      if (value.is_boolean()) return value.as_signed() != 0 ? "TRUE" : "FALSE";
      return std::to_string(value.as_signed());
    case SqlType::kUnsigned:
      return std::to_string(value.as_unsigned()) + "u";
    case SqlType::kDouble:
      return to_text(value) + "d";
    case SqlType::kDecimal:
      return value.string() + "m";
    case SqlType::kText:
      return "'" + value.string() + "'";
    case SqlType::kBinary: {
      std::string out = "x'";
      for (const char c : value.string()) out += fmt::format("{:02x}", static_cast<uint8_t>(c));
      return out + "'";
    }
    case SqlType::kJson:
      return "json " + value.json_as_text();
    case SqlType::kDate:
      return "date " + value.string();
    case SqlType::kTime:
      return "time " + value.string();
    case SqlType::kDateTime:
      return "datetime " + value.string();
  }
  return "?";
}

inline document::Json json_of(std::string_view text) {
  auto json = document::Json::parse(text);
  return json ? *std::move(json) : document::Json::string("unreadable: " + json.error().message);
}

// 2024-02-29 12:34:56.789 UTC.
inline constexpr int64_t kTestNowUs = 1'709'210'096'789'000;

// One document and the context of one statement.
struct Evaluating {
  explicit Evaluating(std::string_view text = "{}") : document(json_of(text)) {
    context.now_unix_us = kTestNowUs;
    context.database = "shop";
    context.user = "root@127.0.0.1";
    context.connection_id = 17;
  }

  Result<SqlValue> value(const Expression& expression) {
    return evaluate(expression, Row{&document, {}}, context);
  }
  Result<SqlValue> value(std::string_view sql) {
    auto parsed = parse_sql_condition(sql);
    if (!parsed) return std::unexpected(parsed.error());
    return value(*parsed);
  }
  std::string operator()(std::string_view sql) { return shown(value(sql)); }

  document::Json document;
  EvaluationContext context;
};

inline std::string evaluated(std::string_view sql, std::string_view document = "{}") {
  return Evaluating(document)(sql);
}

struct ExpressionCase {
  std::string_view sql;
  std::string_view expected;
};

// --- trees that no SQL text gives, as X DevAPI clients send them

inline Expression literal(SqlValue value) {
  Expression out;
  out.literal = std::move(value);
  return out;
}
inline Expression literal(std::string text) {
  return literal(SqlValue::text(std::move(text)));
}
inline Expression path(std::string_view text) {
  Expression out;
  out.kind = Expression::Kind::kPath;
  if (auto parsed = document::PathExpression::parse(text)) out.path = *std::move(parsed);
  return out;
}
inline Expression apply(Operator op, std::vector<Expression> operands) {
  Expression out;
  out.kind = Expression::Kind::kOperator;
  out.op = op;
  out.operands = std::move(operands);
  return out;
}
inline Expression call(std::string name, std::vector<Expression> operands = {}) {
  Expression out;
  out.kind = Expression::Kind::kFunction;
  out.name = std::move(name);
  out.operands = std::move(operands);
  return out;
}
inline Expression any_path() {
  Expression out;
  out.kind = Expression::Kind::kAnyPath;
  return out;
}
inline Expression array(std::vector<Expression> elements) {
  Expression out;
  out.kind = Expression::Kind::kArray;
  out.operands = std::move(elements);
  return out;
}

}  // namespace wherestar::server
