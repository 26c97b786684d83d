#include "tests/server/statement_text.h"

#include <cstdio>

#include "server/sql_parser.h"

namespace wherestar::server_test {

using namespace server;
using document::LegKind;

namespace {

std::string operator_text(Operator op) {
  static constexpr const char* kNames[] = {"or",        "and",
                                           "xor",       "not",
                                           "=",         "<>",
                                           "<",         "<=",
                                           ">",         ">=",
                                           "is",        "is-not",
                                           "like",      "not-like",
                                           "regexp",    "not-regexp",
                                           "between",   "not-between",
                                           "in",        "not-in",
                                           "contained", "not-contained",
                                           "overlaps",  "not-overlaps",
                                           "+",         "-",
                                           "*",         "/",
                                           "div",       "%",
                                           "neg",       "pos",
                                           "&",         "|",
                                           "^",         "~",
                                           "<<",        ">>",
                                           "cast",      "date+",
                                           "date-"};
  static_assert(std::size(kNames) == static_cast<size_t>(Operator::kDateSub) + 1);
  return kNames[static_cast<size_t>(op)];
}

std::string index_text(const document::ArrayIndex& index) {
  if (!index.from_end) return std::to_string(index.offset);
  return index.offset == 0 ? "last" : "last-" + std::to_string(index.offset);
}

// With the positions, which PathExpression::to_string folds away.
std::string path_text(const document::PathExpression& path, bool from_root) {
  std::string out = from_root ? "$" : "";
  for (const document::PathLeg& leg : path.legs()) {
    switch (leg.kind) {
      case LegKind::kMember:
        document::append_member(out, leg.name);
        break;
      case LegKind::kAnyMember:
        out += ".*";
        break;
      case LegKind::kElement:
        out += "[" + index_text(leg.first) + "]";
        break;
      case LegKind::kElementRange:
        out += "[" + index_text(leg.first) + " to " + index_text(leg.last) + "]";
        break;
      case LegKind::kAnyElement:
        out += "[*]";
        break;
      case LegKind::kDescendants:
        out += "**";
        break;
    }
  }
  return !from_root && out.starts_with('.') ? out.substr(1) : out;
}

std::string hex_text(const std::string& bytes) {
  std::string out = "x'";
  for (const char c : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<uint8_t>(c)));
    out += digits;
  }
  return out + "'";
}

std::string literal_text(const SqlValue& value) {
  switch (value.type()) {
    case SqlType::kNull:
      return "NULL";
    case SqlType::kSigned:
      if (value.is_boolean()) return value.as_signed() != 0 ? "TRUE" : "FALSE";
      return std::to_string(value.as_signed());
    case SqlType::kUnsigned:
      return std::to_string(value.as_unsigned()) + "u";
    case SqlType::kDouble: {
      char digits[40];
      std::snprintf(digits, sizeof digits, "%.15gf", value.as_double());
      return digits;
    }
    case SqlType::kDecimal:
      return value.string() + "d";
    case SqlType::kBinary:
      return hex_text(value.string());
    default:
      return "'" + value.string() + "'";
  }
}

std::string list_text(const std::vector<Expression>& list) {
  std::string out;
  for (const Expression& item : list) out += (out.empty() ? "" : " ") + text_of(item);
  return out;
}

std::string object_text(const Expression& object) {
  std::string out;
  for (size_t i = 0; i < object.keys.size(); ++i)
    out += (i == 0 ? "" : ", ") + object.keys[i] + ": " + text_of(object.operands[i]);
  return "{" + out + "}";
}

std::string function_text(const Expression& call) {
  return "fn:" + (call.qualifier.empty() ? "" : call.qualifier + ".") + call.name + "(" +
         (call.distinct ? "distinct " : "") + list_text(call.operands) + ")";
}

std::string operation_text(const Expression& expression) {
  return "(" + operator_text(expression.op) + (expression.case_insensitive ? "-ci" : "") +
         (expression.name.empty() ? "" : " " + expression.name) + " " +
         list_text(expression.operands) + ")";
}

std::string case_text(const Expression& expression) {
  std::string out = "(case";
  const size_t count = expression.operands.size();
  for (size_t i = 0; i < count; ++i)
    out +=
        (expression.has_else && i + 1 == count ? " else " : " ") + text_of(expression.operands[i]);
  return out + ")";
}

// --- statements

std::string ref_text(const CollectionRef& ref) {
  if (ref.any_database) return "*";
  std::string out = ref.database.empty() ? "" : ref.database + ".";
  out += ref.any_collection ? "*" : ref.collection;
  return out + (ref.alias.empty() ? "" : " as " + ref.alias);
}

std::string order_text(const std::vector<OrderItem>& order) {
  std::string out;
  for (const OrderItem& item : order)
    out += " " + text_of(item.expression) + (item.descending ? "-" : "");
  return order.empty() ? "" : " (order" + out + ")";
}

std::string limit_text(const Limit& limit) {
  std::string out;
  if (limit.row_count) out += " (limit " + text_of(*limit.row_count) + ")";
  if (limit.offset) out += " (offset " + text_of(*limit.offset) + ")";
  return out;
}

std::string where_text(const std::optional<Expression>& where, const char* word = "where") {
  return where ? std::string(" (") + word + " " + text_of(*where) + ")" : "";
}

std::string show_kind(Show::Kind kind) {
  static constexpr const char* kNames[] = {"databases", "collections", "variables", "status",
                                           "warnings",  "indexes",     "columns",   "processlist",
                                           "create",    "grants",      "engines",   "collation"};
  return kNames[static_cast<size_t>(kind)];
}

std::string validation_text(const Validation& validation) {
  return (validation.schema_json ? " schema=" + *validation.schema_json : "") +
         (validation.level ? " level=" + *validation.level : "");
}

struct Writer {
  std::string operator()(const Select& select) const {
    std::string out = select.distinct ? "(select distinct" : "(select";
    for (const Projection& item : select.projections)
      out += " " + text_of(item.expression) + (item.alias.empty() ? "" : ":" + item.alias);
    if (select.from) out += " (from " + ref_text(*select.from) + ")";
    out += where_text(select.where);
    if (!select.group_by.empty()) out += " (group " + list_text(select.group_by) + ")";
    out += where_text(select.having, "having");
    out += order_text(select.order_by) + limit_text(select.limit);
    if (select.lock != Lock::kNone)
      out += select.lock == Lock::kShared ? " (lock shared)" : " (lock exclusive)";
    if (select.lock_wait != LockWait::kWait)
      out += select.lock_wait == LockWait::kNowait ? " nowait" : " skip-locked";
    return out + ")";
  }
  std::string operator()(const Insert& insert) const {
    return "(insert " + ref_text(insert.into) + (insert.upsert ? " upsert" : "") +
           (insert.ignore ? " ignore" : "") + " " + list_text(insert.documents) + ")";
  }
  std::string operator()(const Update& update) const {
    std::string out = "(update " + ref_text(update.target);
    for (const UpdateOperation& operation : update.operations) {
      const bool removes = operation.kind == UpdateOperation::Kind::kRemove;
      out += removes ? " (remove " : " (set ";
      out += path_text(operation.path, true);
      out += removes ? ")" : " " + text_of(operation.value) + ")";
    }
    return out + where_text(update.where) + order_text(update.order_by) + limit_text(update.limit) +
           ")";
  }
  std::string operator()(const Delete& statement) const {
    return "(delete " + ref_text(statement.target) + where_text(statement.where) +
           order_text(statement.order_by) + limit_text(statement.limit) + ")";
  }
  std::string operator()(const Explain& explain) const {
    return std::string("(explain") + (explain.analyze ? " analyze " : " ") +
           (*this)(explain.select) + ")";
  }
  std::string operator()(const CreateDatabase& create) const {
    return "(create-database " + create.name + (create.if_not_exists ? " if-not-exists" : "") + ")";
  }
  std::string operator()(const DropDatabase& drop) const {
    return "(drop-database " + drop.name + (drop.if_exists ? " if-exists" : "") + ")";
  }
  std::string operator()(const CreateCollection& create) const {
    return "(create-collection " + ref_text(create.collection) +
           (create.if_not_exists ? " if-not-exists" : "") +
           (create.validation ? validation_text(*create.validation) : "") + ")";
  }
  std::string operator()(const ModifyCollection& modify) const {
    return "(modify-collection " + ref_text(modify.collection) +
           validation_text(modify.validation) + ")";
  }
  std::string operator()(const GetCollectionOptions&) const { return "(get-collection-options)"; }
  std::string operator()(const DropCollection& drop) const {
    return "(drop-collection " + ref_text(drop.collection) + (drop.if_exists ? " if-exists" : "") +
           ")";
  }
  std::string operator()(const CreateIndex& create) const {
    std::string out = "(create-index " + create.name + " " + ref_text(create.collection) +
                      (create.unique ? " unique" : "");
    for (const IndexMember& member : create.members)
      out += " (" + path_text(member.path, true) + " " + member.type +
             (member.required ? " required" : "") + (member.array ? " array" : "") + ")";
    return out + ")";
  }
  std::string operator()(const DropIndex& drop) const {
    return "(drop-index " + drop.name + " " + ref_text(drop.collection) + ")";
  }
  std::string operator()(const ListObjects&) const { return "(list-objects)"; }
  std::string operator()(const Use& use) const { return "(use " + use.database + ")"; }
  std::string operator()(const Show& show) const {
    std::string out = std::string("(show ") + (show.full ? "full " : "") + show_kind(show.kind);
    const std::string ref = ref_text(show.collection);
    if (!ref.empty()) out += " " + ref;
    if (show.like) out += " (like " + text_of(*show.like) + ")";
    return out + where_text(show.where) + ")";
  }
  std::string operator()(const Begin& begin) const {
    return begin.read_only ? "(begin read-only)" : "(begin)";
  }
  std::string operator()(const Commit&) const { return "(commit)"; }
  std::string operator()(const Rollback& rollback) const {
    return "(rollback" + (rollback.savepoint ? " " + *rollback.savepoint : "") + ")";
  }
  std::string operator()(const Savepoint& savepoint) const {
    return "(savepoint " + savepoint.name + ")";
  }
  std::string operator()(const ReleaseSavepoint& release) const {
    return "(release " + release.name + ")";
  }
  std::string operator()(const SetVariables& set) const {
    std::string out = "(set";
    for (const auto& assignment : set.assignments)
      out += " " + assignment.name + "=" + text_of(assignment.value);
    return out + ")";
  }
  std::string operator()(const SetPassword& set) const {
    return "(set-password " + (set.user ? *set.user + " " : "") + "'" + set.password + "')";
  }
  std::string operator()(const Analyze& analyze) const {
    return "(analyze " + ref_text(analyze.collection) + ")";
  }
};

}  // namespace

std::string text_of(const Expression& expression) {
  switch (expression.kind) {
    case Expression::Kind::kLiteral:
      return literal_text(expression.literal);
    case Expression::Kind::kPath: {
      const std::string path = path_text(expression.path, true);
      return expression.unquote ? "(unquote " + path + ")" : path;
    }
    case Expression::Kind::kIdentifier:
      return path_text(expression.path, false);
    case Expression::Kind::kAnyPath:
      return "*any";
    case Expression::Kind::kStar:
      return "*";
    case Expression::Kind::kOperator:
      return operation_text(expression);
    case Expression::Kind::kFunction:
      return function_text(expression);
    case Expression::Kind::kObject:
      return object_text(expression);
    case Expression::Kind::kArray:
      return "[" + list_text(expression.operands) + "]";
    case Expression::Kind::kPlaceholder:
      return "?" + std::to_string(expression.slot);
    case Expression::Kind::kDefault:
      return "DEFAULT";
    case Expression::Kind::kCase:
      return case_text(expression);
    case Expression::Kind::kVariable:
      return "@@" + expression.name;
    case Expression::Kind::kColumn:
      return "column:" + expression.name;
  }
  return "?";
}

std::string text_of(const Statement& statement) {
  return std::visit(Writer(), statement);
}

std::string parsed(std::string_view sql) {
  const auto result = parse_sql(sql);
  return result ? text_of(result->statement) : "error: " + result.error().message;
}

std::string parsed_condition(std::string_view sql) {
  const auto result = parse_sql_condition(sql);
  return result ? text_of(*result) : "error: " + result.error().message;
}

}  // namespace wherestar::server_test
