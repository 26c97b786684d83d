// CRUD messages to statements: the same tree that the SQL parser makes.
//
//   auto translated = translate(find);          // Mysqlx.Crud.Find
//   auto arguments = to_arguments(find.args());
//   session->execute(translated->statement, *arguments);
//
// Stateless. Errors carry the X plugin's numbers (5050-5053, 5113, 5114, 5120, 5150-5154, ...).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <google/protobuf/repeated_field.h>
#include <mysqlx_crud.pb.h>

#include "server/statement.h"
#include "xproto/error_map.h"
#include "xproto/x_error.h"

namespace wherestar::xproto {

struct Translated {
  server::Statement statement;
  uint32_t placeholders = 0;  // arguments that executing needs at least
  ErrorContext context = ErrorContext::kFind;
};

XResult<Translated> translate(const Mysqlx::Crud::Find& message);
XResult<Translated> translate(const Mysqlx::Crud::Insert& message);
XResult<Translated> translate(const Mysqlx::Crud::Update& message);
XResult<Translated> translate(const Mysqlx::Crud::Delete& message);

XResult<std::vector<server::SqlValue>> to_arguments(
    const google::protobuf::RepeatedPtrField<Mysqlx::Datatypes::Scalar>& args);

// Expressions of one message. Counts the placeholders it meets.
class ExpressionTranslator {
 public:
  explicit ExpressionTranslator(bool document_mode) : document_mode_(document_mode) {}

  XResult<server::Expression> expression(const Mysqlx::Expr::Expr& expr);
  // In HAVING a path whose first member is an alias of the projection means that.
  XResult<server::Expression> having(const Mysqlx::Expr::Expr& expr,
                                     std::span<const std::string> aliases);
  // A value that is put into a document: constants become JSON text, parsed once where needed.
  XResult<server::Expression> document_value(const Mysqlx::Expr::Expr& expr);

  uint32_t placeholders() const { return placeholders_; }

 private:
  XResult<server::Expression> translate(const Mysqlx::Expr::Expr& expr, size_t depth);
  XResult<server::Expression> identifier(const Mysqlx::Expr::ColumnIdentifier& identifier);
  XResult<server::Expression> function(const Mysqlx::Expr::FunctionCall& call, size_t depth);
  XResult<server::Expression> object(const Mysqlx::Expr::Object& object, size_t depth);
  XResult<server::Expression> array(const Mysqlx::Expr::Array& array, size_t depth);
  XResult<server::Expression> operation(const Mysqlx::Expr::Operator& operation, size_t depth);
  XResult<server::Expression> nullary(const Mysqlx::Expr::Operator& operation);
  XResult<server::Expression> cast(const Mysqlx::Expr::Operator& operation, size_t depth);
  XResult<server::Expression> date_arithmetic(const Mysqlx::Expr::Operator& operation,
                                              server::Operator op, size_t depth);
  XStatus operands(const google::protobuf::RepeatedPtrField<Mysqlx::Expr::Expr>& params,
                   size_t depth, bool star_is_any_path, server::Expression& parent);

  bool document_mode_;
  bool in_having_ = false;
  std::span<const std::string> aliases_;
  uint32_t placeholders_ = 0;
};

// document_path items to legs. 5154 for an empty member that is not alone, or `**` at the end.
XResult<document::PathExpression> to_path(
    const google::protobuf::RepeatedPtrField<Mysqlx::Expr::DocumentPathItem>& items);

}  // namespace wherestar::xproto
