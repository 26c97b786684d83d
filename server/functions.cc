#include "server/functions.h"

#include <algorithm>
#include <unordered_map>

#include "server/cast.h"
#include "server/conversion.h"

namespace wherestar::server {

bool Call::has_null() const {
  return std::ranges::any_of(arguments, [](const SqlValue& value) { return value.is_null(); });
}

std::string upper_case(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

bool takes_json(std::string_view upper_name) {
  return upper_name.starts_with("JSON_");
}

const Function* find_function(std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const Function*> functions;
    for (const auto& group :
         {text_functions(), math_functions(), json_functions(), time_functions(),
          regexp_functions(), digest_functions(), control_functions()})
      for (const Function& function : group) functions.emplace(function.name, &function);
    return functions;
  }();
  const auto found = table.find(upper_case(name));
  return found == table.end() ? nullptr : found->second;
}

namespace {

Result<SqlValue> call_nullif(const Call& call) {
  ASSIGN_OR_RETURN(const auto order, compare_values(call[0], call[1], call.context));
  return order && *order == 0 ? SqlValue::null() : call[0];
}

Result<SqlValue> call_same(const Call& call) {
  return call[0];
}

Result<SqlValue> call_isnull(const Call& call) {
  return SqlValue::boolean(call[0].is_null());
}

Result<SqlValue> extreme(const Call& call, bool greatest) {
  if (call.has_null()) return SqlValue::null();
  SqlValue best = call[0];
  for (const SqlValue& value : call.arguments) {
    ASSIGN_OR_RETURN(const auto order, compare_values(value, best, call.context));
    if (greatest ? *order > 0 : *order < 0) best = value;
  }
  return best;
}
Result<SqlValue> call_greatest(const Call& call) {
  return extreme(call, true);
}
Result<SqlValue> call_least(const Call& call) {
  return extreme(call, false);
}

Result<SqlValue> call_database(const Call& call) {
  if (call.context.database.empty()) return SqlValue::null();
  return SqlValue::text(call.context.database);
}
Result<SqlValue> call_user(const Call& call) {
  return SqlValue::text(call.context.user);
}
Result<SqlValue> call_connection_id(const Call& call) {
  return SqlValue::unsigned_integer(call.context.connection_id);
}
Result<SqlValue> call_version(const Call& call) {
  if (call.context.variables != nullptr)
    for (const auto& [name, value] : *call.context.variables)
      if (name == "version") return value;
  return SqlValue::null();
}
Result<SqlValue> call_zero(const Call&) {
  return SqlValue::unsigned_integer(0);
}

constexpr Function kControl[] = {
    {"IF", 3, 3, SqlType::kNull, nullptr},
    {"IFNULL", 2, 2, SqlType::kNull, nullptr},
    {"COALESCE", 1, 255, SqlType::kNull, nullptr},
    {"NULLIF", 2, 2, SqlType::kNull, call_nullif},
    {"ANY_VALUE", 1, 1, SqlType::kNull, call_same},
    {"ISNULL", 1, 1, SqlType::kSigned, call_isnull},
    {"GREATEST", 2, 255, SqlType::kNull, call_greatest},
    {"LEAST", 2, 255, SqlType::kNull, call_least},
    {"DATABASE", 0, 0, SqlType::kText, call_database},
    {"SCHEMA", 0, 0, SqlType::kText, call_database},
    {"USER", 0, 0, SqlType::kText, call_user},
    {"CURRENT_USER", 0, 0, SqlType::kText, call_user},
    {"SESSION_USER", 0, 0, SqlType::kText, call_user},
    {"SYSTEM_USER", 0, 0, SqlType::kText, call_user},
    {"CONNECTION_ID", 0, 0, SqlType::kUnsigned, call_connection_id},
    {"VERSION", 0, 0, SqlType::kText, call_version},
    {"LAST_INSERT_ID", 0, 0, SqlType::kUnsigned, call_zero},
};

}  // namespace

std::span<const Function> control_functions() {
  return kControl;
}

namespace {

SqlType operator_type(const Expression& expression) {
  const auto operand_type = [&](size_t i) { return static_type(expression.operands[i]); };
  switch (expression.op) {
    case Operator::kAdd:
    case Operator::kSubtract:
    case Operator::kMultiply:
    case Operator::kModulo:
    case Operator::kDivide: {
      const SqlType a = operand_type(0);
      const SqlType b = operand_type(1);
      const auto exact = [](SqlType type) {
        return type == SqlType::kSigned || type == SqlType::kUnsigned || type == SqlType::kDecimal;
      };
      if (!exact(a) || !exact(b)) return SqlType::kDouble;
      if (a == SqlType::kDecimal || b == SqlType::kDecimal || expression.op == Operator::kDivide)
        return SqlType::kDecimal;
      return a == SqlType::kUnsigned || b == SqlType::kUnsigned ? SqlType::kUnsigned
                                                                : SqlType::kSigned;
    }
    case Operator::kNegate:
    case Operator::kPlus: {
      const SqlType type = operand_type(0);
      return type == SqlType::kDecimal || type == SqlType::kSigned ? type : SqlType::kDouble;
    }
    case Operator::kBitAnd:
    case Operator::kBitOr:
    case Operator::kBitXor:
    case Operator::kBitNot:
    case Operator::kShiftLeft:
    case Operator::kShiftRight:
      return SqlType::kUnsigned;
    case Operator::kCast:
      return cast_type(expression.name);
    case Operator::kDateAdd:
    case Operator::kDateSub: {
      const SqlType type = operand_type(0);
      return type == SqlType::kDate || type == SqlType::kDateTime ? type : SqlType::kText;
    }
    default:
      return SqlType::kSigned;
  }
}

SqlType aggregate_type(const Expression& expression) {
  const std::string name = upper_case(expression.name);
  const SqlType operand =
      expression.operands.empty() ? SqlType::kNull : static_type(expression.operands[0]);
  if (name == "COUNT") return SqlType::kSigned;
  if (name.starts_with("JSON_")) return SqlType::kJson;
  if (name.starts_with("BIT_")) return SqlType::kUnsigned;
  if (name == "MIN" || name == "MAX") return operand == SqlType::kJson ? SqlType::kText : operand;
  if (name == "GROUP_CONCAT") return SqlType::kText;
  const bool exact =
      operand == SqlType::kSigned || operand == SqlType::kUnsigned || operand == SqlType::kDecimal;
  return exact && (name == "SUM" || name == "AVG") ? SqlType::kDecimal : SqlType::kDouble;
}

}  // namespace

SqlType static_type(const Expression& expression) {
  using Kind = Expression::Kind;
  switch (expression.kind) {
    case Kind::kLiteral:
      return expression.literal.type();
    case Kind::kPath:
    case Kind::kIdentifier:
      return expression.unquote ? SqlType::kText : SqlType::kJson;
    case Kind::kObject:
    case Kind::kArray:
      return SqlType::kJson;
    case Kind::kOperator:
      return operator_type(expression);
    case Kind::kCase: {
      for (size_t i = 1; i < expression.operands.size(); i += 2)
        if (const SqlType type = static_type(expression.operands[i]); type != SqlType::kNull)
          return type;
      return SqlType::kText;
    }
    case Kind::kFunction: {
      if (is_aggregate(expression)) return aggregate_type(expression);
      const Function* function = find_function(expression.name);
      if (function == nullptr) return SqlType::kText;
      if (function->type != SqlType::kNull) return function->type;
      const bool is_if = function->name == "IF";
      for (size_t i = is_if ? 1 : 0; i < expression.operands.size(); ++i) {
        SqlType type = static_type(expression.operands[i]);
        if (type == SqlType::kJson) type = SqlType::kText;  // a path arrives as text
        if (type != SqlType::kNull) return type;
      }
      return SqlType::kText;
    }
    default:
      return SqlType::kText;
  }
}

}  // namespace wherestar::server
