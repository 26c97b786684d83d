// Trees of statements as short text, so that cases of the parser fit on a line each.
//
// Expressions: (and a b), fn:count(distinct a), {a: 1}, [1 2], ?0, @@x, (cast DATE a),
// (case when then else x). Names not resolved yet stand bare, places with `$`; `*any` is the any
// path, `*` a star. 1 is signed, 1u unsigned, 1.5d a decimal, 1.5f a double, x'00' binary.
#pragma once

#include <string>
#include <string_view>

#include "server/statement.h"

namespace wherestar::server_test {

std::string text_of(const server::Expression& expression);
std::string text_of(const server::Statement& statement);
// The tree of the text, or "error: ..." with the message.
std::string parsed(std::string_view sql);
std::string parsed_condition(std::string_view sql);

}  // namespace wherestar::server_test
