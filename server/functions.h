// The scalar functions by name.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "server/evaluator.h"

namespace wherestar::server {

// A call with its arguments evaluated. Paths arrive as JSON in functions named JSON_..., as text in
// all others, as in MySQL.
struct Call {
  const Expression& expression;
  std::span<const SqlValue> arguments;
  EvaluationContext& context;

  size_t size() const { return arguments.size(); }
  const SqlValue& operator[](size_t i) const { return arguments[i]; }
  bool has_null() const;
};

struct Function {
  std::string_view name;          // upper case
  uint8_t least = 0;              // arguments
  uint8_t most = 0;               // 255: any number
  SqlType type = SqlType::kText;  // of its result; kNull: that of the first argument
  // Null: IF, IFNULL, COALESCE, which choose what to evaluate (evaluator.cc).
  Result<SqlValue> (*call)(const Call& call) = nullptr;
};

// Null: no such function. The name in any case.
const Function* find_function(std::string_view name);

std::span<const Function> text_functions();
std::span<const Function> math_functions();
std::span<const Function> json_functions();
std::span<const Function> time_functions();
std::span<const Function> regexp_functions();
std::span<const Function> digest_functions();
std::span<const Function> control_functions();

std::string upper_case(std::string_view name);  // ASCII
bool takes_json(std::string_view upper_name);   // paths arrive as JSON

}  // namespace wherestar::server
