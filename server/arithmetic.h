// + - * / DIV %, bit operators and unary minus, with SQL's result types.
#pragma once

#include "server/evaluator.h"

namespace wherestar::server {

Result<SqlValue> arithmetic(Operator op, const SqlValue& a, const SqlValue& b,
                            EvaluationContext& context);
// The 64 bits of an integer, a number rounded to one or a text that begins with one; nullopt: NULL.
Result<std::optional<uint64_t>> to_bits(const SqlValue& value, EvaluationContext& context);
Result<SqlValue> bit_operation(Operator op, const SqlValue& a, const SqlValue& b,
                               EvaluationContext& context);
Result<SqlValue> negate(const SqlValue& value, EvaluationContext& context);

}  // namespace wherestar::server
