// Predicates that hold if some scalar of the document satisfies them: `* = v`, and predicates on a
// path with wildcards.
#pragma once

#include <optional>
#include <vector>

#include "server/evaluator.h"

namespace wherestar::server {

// Is it such a predicate by itself (not its operands)?
bool is_existential(const Expression& expression);

// Unknown when the value it is held against is NULL. `matches`, if given, gets all scalars that
// satisfy it; else the first ends the search.
Result<std::optional<bool>> evaluate_existential(const Expression& predicate, const Row& row,
                                                 EvaluationContext& context,
                                                 std::vector<const document::Json*>* matches);

}  // namespace wherestar::server
