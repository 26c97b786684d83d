// Result columns and rows, as frames. Values take the form that their column's type asks for
// (docs/xprotocol.md, "Result values"), whatever type the value itself has.
#pragma once

#include <span>
#include <string>

#include "server/result_set.h"

namespace wherestar::xproto {

// `compact`: types only, as the client asked.
void append_columns(std::string& out, std::span<const server::Column> columns, bool compact);
void append_row(std::string& out, std::span<const server::Column> columns,
                const server::ResultRow& row);
void append_fetch_done(std::string& out);
void append_statement_ok(std::string& out);

// One value's bytes; empty is NULL. Exposed for tests.
void append_value(std::string& out, const server::Column& column, const server::SqlValue& value);

}  // namespace wherestar::xproto
