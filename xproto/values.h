// Values of messages: scalars and their trees, to SqlValue and JSON text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <google/protobuf/repeated_field.h>
#include <mysqlx_datatypes.pb.h>
#include <mysqlx_expr.pb.h>

#include "server/sql_value.h"
#include "xproto/x_error.h"

namespace wherestar::xproto {

// 5012 for a scalar whose type and value disagree, or octets of JSON that are none; 1300 for a
// string that is not UTF-8. A double becomes a decimal (or an integer, when it is one), as MySQL's
// clients expect: 1.0 is stored as 1.
XResult<server::SqlValue> to_sql_value(const Mysqlx::Datatypes::Scalar& scalar);
// Arguments of a statement: scalars only, else 5012 (or `non_scalar_code`).
XResult<server::SqlValue> to_sql_value(const Mysqlx::Datatypes::Any& any, uint32_t non_scalar_code);

// Appends an Any as JSON text (administrative options). 5012, 3157.
XStatus append_json(std::string& out, const Mysqlx::Datatypes::Any& any);

// An expression that consists of literals, objects and arrays alone, as JSON text: documents are
// sent like that, and need no expression tree. False: it needs one (the text is then unfinished).
XResult<bool> append_constant_json(std::string& out, const Mysqlx::Expr::Expr& expr,
                                   size_t depth = 0);

bool is_utf8(std::string_view text);

}  // namespace wherestar::xproto
