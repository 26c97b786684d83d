// CAST.
#pragma once

#include <string_view>

#include "server/evaluator.h"

namespace wherestar::server {

// `type` as the parser leaves it: "SIGNED", "CHAR(10)", "DECIMAL(10,2)", "JSON", ...
Result<SqlValue> cast_value(const SqlValue& value, std::string_view type,
                            EvaluationContext& context);
SqlType cast_type(std::string_view type);

}  // namespace wherestar::server
