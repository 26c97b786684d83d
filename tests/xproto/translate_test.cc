#include "xproto/translate.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "server/evaluator.h"

using namespace wherestar::xproto;
using Mysqlx::Crud::Find;
using Mysqlx::Expr::DocumentPathItem;
using Mysqlx::Expr::Expr;
using wherestar::document::LegKind;
using wherestar::server::Expression;
using wherestar::server::Operator;
using wherestar::server::Select;
using wherestar::server::SqlType;
using Kind = Expression::Kind;

namespace {

Expr integer(uint64_t value) {
  Expr expr;
  expr.set_type(Expr::LITERAL);
  expr.mutable_literal()->set_type(Mysqlx::Datatypes::Scalar::V_UINT);
  expr.mutable_literal()->set_v_unsigned_int(value);
  return expr;
}

Expr octets(const char* text) {
  Expr expr;
  expr.set_type(Expr::LITERAL);
  expr.mutable_literal()->set_type(Mysqlx::Datatypes::Scalar::V_OCTETS);
  expr.mutable_literal()->mutable_v_octets()->set_value(text);
  return expr;
}

Expr null_literal() {
  Expr expr;
  expr.set_type(Expr::LITERAL);
  expr.mutable_literal()->set_type(Mysqlx::Datatypes::Scalar::V_NULL);
  return expr;
}

Expr placeholder(uint32_t position) {
  Expr expr;
  expr.set_type(Expr::PLACEHOLDER);
  expr.set_position(position);
  return expr;
}

struct Item {
  DocumentPathItem::Type type;
  const char* value = nullptr;
  int64_t index = -1;
};

void add_items(google::protobuf::RepeatedPtrField<DocumentPathItem>* items,
               const std::vector<Item>& path) {
  for (const Item& leg : path) {
    auto* item = items->Add();
    item->set_type(leg.type);
    if (leg.value != nullptr) item->set_value(leg.value);
    if (leg.index >= 0) item->set_index(static_cast<uint32_t>(leg.index));
  }
}

Expr path(const std::vector<Item>& items) {
  Expr expr;
  expr.set_type(Expr::IDENT);
  add_items(expr.mutable_identifier()->mutable_document_path(), items);
  return expr;
}

Expr member(const char* name) {
  return path({{DocumentPathItem::MEMBER, name}});
}

Expr operation(const char* name, const std::vector<Expr>& params) {
  Expr expr;
  expr.set_type(Expr::OPERATOR);
  expr.mutable_operator_()->set_name(name);
  for (const Expr& param : params) *expr.mutable_operator_()->add_param() = param;
  return expr;
}

Expr array(const std::vector<Expr>& values) {
  Expr expr;
  expr.set_type(Expr::ARRAY);
  expr.mutable_array();
  for (const Expr& value : values) *expr.mutable_array()->add_value() = value;
  return expr;
}

Expr call(const char* name, const std::vector<Expr>& params) {
  Expr expr;
  expr.set_type(Expr::FUNC_CALL);
  expr.mutable_function_call()->mutable_name()->set_name(name);
  for (const Expr& param : params) *expr.mutable_function_call()->add_param() = param;
  return expr;
}

XResult<Expression> translated(const Expr& expr) {
  return ExpressionTranslator(true).expression(expr);
}

uint32_t error_of(const Expr& expr) {
  auto result = translated(expr);
  return result ? 0 : result.error().code;
}

Find find() {
  Find message;
  message.mutable_collection()->set_name("products");
  message.mutable_collection()->set_schema("shop");
  message.set_data_model(Mysqlx::Crud::DOCUMENT);
  return message;
}

template <class Message>
uint32_t error_of_message(const Message& message) {
  auto result = translate(message);
  return result ? 0 : result.error().code;
}

}  // namespace

TEST_CASE("every operator of the protocol has its meaning") {
  struct Case {
    const char* name;
    Operator op;
    int operands;
  };
  for (const Case& c : std::vector<Case>{{"!", Operator::kNot, 1},
                                         {"not", Operator::kNot, 1},
                                         {"sign_plus", Operator::kPlus, 1},
                                         {"sign_minus", Operator::kNegate, 1},
                                         {"~", Operator::kBitNot, 1},
                                         {"&&", Operator::kAnd, 2},
                                         {"||", Operator::kOr, 2},
                                         {"xor", Operator::kXor, 2},
                                         {"==", Operator::kEqual, 2},
                                         {"!=", Operator::kNotEqual, 2},
                                         {"<", Operator::kLess, 2},
                                         {"<=", Operator::kLessEqual, 2},
                                         {">", Operator::kGreater, 2},
                                         {">=", Operator::kGreaterEqual, 2},
                                         {"+", Operator::kAdd, 2},
                                         {"-", Operator::kSubtract, 2},
                                         {"*", Operator::kMultiply, 2},
                                         {"/", Operator::kDivide, 2},
                                         {"div", Operator::kIntegerDivide, 2},
                                         {"%", Operator::kModulo, 2},
                                         {"&", Operator::kBitAnd, 2},
                                         {"|", Operator::kBitOr, 2},
                                         {"^", Operator::kBitXor, 2},
                                         {"<<", Operator::kShiftLeft, 2},
                                         {">>", Operator::kShiftRight, 2},
                                         {"regexp", Operator::kRegexp, 2},
                                         {"not_regexp", Operator::kNotRegexp, 2},
                                         {"cont_in", Operator::kContainedIn, 2},
                                         {"not_cont_in", Operator::kNotContainedIn, 2},
                                         {"overlaps", Operator::kOverlaps, 2},
                                         {"not_overlaps", Operator::kNotOverlaps, 2},
                                         {"like", Operator::kLike, 2},
                                         {"like", Operator::kLike, 3},
                                         {"not_like", Operator::kNotLike, 2},
                                         {"between", Operator::kBetween, 3},
                                         {"not_between", Operator::kNotBetween, 3},
                                         {"between_not", Operator::kNotBetween, 3},
                                         {"in", Operator::kIn, 2},
                                         {"in", Operator::kIn, 5},
                                         {"not_in", Operator::kNotIn, 3}}) {
    CAPTURE(c.name);
    std::vector<Expr> params{member("a")};
    for (int i = 1; i < c.operands; ++i) params.push_back(integer(static_cast<uint64_t>(i)));
    auto result = translated(operation(c.name, params));
    REQUIRE(result);
    CHECK(result->kind == Kind::kOperator);
    CHECK(result->op == c.op);
    REQUIRE(result->operands.size() == static_cast<size_t>(c.operands));
    CHECK(result->operands[0].kind == Kind::kPath);
    for (int i = 1; i < c.operands; ++i) {
      CHECK(result->operands[static_cast<size_t>(i)].literal.as_signed() == i);
    }
  }
}

TEST_CASE("operators with a wrong name, count or operand have their numbers") {
  CHECK(error_of(operation("AND", {member("a"), member("b")})) == 5150);
  CHECK(error_of(operation("=", {member("a"), member("b")})) == 5150);
  CHECK(error_of(operation("==", {member("a")})) == 5151);
  CHECK(error_of(operation("not", {member("a"), member("b")})) == 5151);
  CHECK(error_of(operation("between", {member("a"), member("b")})) == 5151);
  CHECK(error_of(operation("in", {member("a")})) == 5151);
  CHECK(error_of(operation("is", {member("a"), integer(1)})) == 5154);
  CHECK(error_of(operation("cast", {member("a"), octets("VARCHAR")})) == 5154);
  CHECK(error_of(operation("cast", {member("a"), octets("signed")})) == 5154);
  CHECK(error_of(operation("cast", {member("a"), octets("CHAR(1,2)")})) == 5154);
  CHECK(error_of(operation("date_add", {member("a"), integer(1), octets("FORTNIGHT")})) == 5154);
  CHECK(error_of(operation("cont_in", {operation("+", {integer(1), integer(2)}), array({})})) ==
        5154);
  CHECK(error_of(operation("overlaps", {call("CONCAT", {integer(1)}), array({})})) == 5154);
  Expr variable;
  variable.set_type(Expr::VARIABLE);
  variable.set_variable("v");
  CHECK(error_of(variable) == 5153);
  Expr untyped;
  untyped.mutable_literal();
  CHECK(error_of(untyped) == 5153);
  Expr no_literal;
  no_literal.set_type(Expr::LITERAL);
  CHECK(error_of(no_literal) == 5154);
  CHECK(error_of(placeholder(4'000'000'000)) == 5154);
}

TEST_CASE("JSON-valued operands may be contained and overlap") {
  for (const Expr& left :
       {integer(1), member("a"), placeholder(0), array({}), call("json_array", {}),
        operation("cast", {octets("7"), octets("JSON")})}) {
    CHECK(error_of(operation("cont_in", {left, member("b")})) == 0);
    CHECK(error_of(operation("overlaps", {member("b"), left})) == 0);
  }
}

TEST_CASE("IN with one array is containment") {
  auto result = translated(operation("in", {member("a"), array({integer(1), integer(2)})}));
  REQUIRE(result);
  CHECK(result->op == Operator::kContainedIn);
  CHECK(result->operands[1].kind == Kind::kArray);
  result = translated(operation("not_in", {member("a"), array({integer(1)})}));
  REQUIRE(result);
  CHECK(result->op == Operator::kNotContainedIn);
}

TEST_CASE("casts and date arithmetic keep type and unit") {
  for (const char* type :
       {"SIGNED", "SIGNED INTEGER", "UNSIGNED", "UNSIGNED INTEGER", "CHAR", "CHAR(10)", "BINARY(3)",
        "DATE", "DATETIME", "TIME", "DECIMAL", "DECIMAL(10)", "DECIMAL(10,2)", "JSON"}) {
    CAPTURE(type);
    auto result = translated(operation("cast", {member("a"), octets(type)}));
    REQUIRE(result);
    CHECK(result->op == Operator::kCast);
    CHECK(result->name == type);
    CHECK(result->operands.size() == 1);
  }
  auto result = translated(operation("date_sub", {member("a"), integer(3), octets("DAY_HOUR")}));
  REQUIRE(result);
  CHECK(result->op == Operator::kDateSub);
  CHECK(result->name == "DAY_HOUR");
  CHECK(result->operands.size() == 2);
}

TEST_CASE("a star without operands is any path in a comparison, and a star elsewhere") {
  Expr star = operation("*", {});
  auto comparison = translated(operation("==", {star, integer(1)}));
  REQUIRE(comparison);
  CHECK(comparison->operands[0].kind == Kind::kAnyPath);
  auto like = translated(operation("like", {star, octets("Bea%")}));
  REQUIRE(like);
  CHECK(like->operands[0].kind == Kind::kAnyPath);
  auto count = translated(call("count", {star}));
  REQUIRE(count);
  CHECK(count->kind == Kind::kFunction);
  CHECK(count->operands[0].kind == Kind::kStar);
  auto sum = translated(operation("+", {star, integer(1)}));
  REQUIRE(sum);
  CHECK(sum->operands[0].kind == Kind::kStar);
}

TEST_CASE("document paths become legs") {
  using Path = DocumentPathItem;
  auto result = translated(path({{Path::MEMBER, "a b"},
                                 {Path::ARRAY_INDEX, nullptr, 4294967295},
                                 {Path::MEMBER_ASTERISK},
                                 {Path::ARRAY_INDEX_ASTERISK},
                                 {Path::DOUBLE_ASTERISK},
                                 {Path::MEMBER, "z"}}));
  REQUIRE(result);
  const auto& legs = result->path.legs();
  REQUIRE(legs.size() == 6);
  CHECK(legs[0].name == "a b");
  CHECK(legs[1].kind == LegKind::kElement);
  CHECK(legs[1].first.offset == 4294967295);
  CHECK(legs[2].kind == LegKind::kAnyMember);
  CHECK(legs[3].kind == LegKind::kAnyElement);
  CHECK(legs[4].kind == LegKind::kDescendants);
  auto root = translated(path({}));
  REQUIRE(root);
  CHECK(root->path.is_root());
  root = translated(path({{Path::MEMBER, ""}}));
  REQUIRE(root);
  CHECK(root->path.is_root());
  CHECK(error_of(path({{Path::MEMBER, "a"}, {Path::MEMBER, ""}})) == 5154);
  CHECK(error_of(path({{Path::MEMBER, "a"}, {Path::DOUBLE_ASTERISK}})) == 5154);
  CHECK(error_of(path({{Path::DOUBLE_ASTERISK}, {Path::DOUBLE_ASTERISK}, {Path::MEMBER, "a"}})) ==
        5154);
}

TEST_CASE("a value searched at any path is a containment with a wildcard path") {
  auto message = find();
  *message.mutable_criteria() =
      operation("cont_in", {placeholder(0), path({{DocumentPathItem::DOUBLE_ASTERISK},
                                                  {DocumentPathItem::MEMBER_ASTERISK}})});
  auto result = translate(message);
  REQUIRE(result);
  CHECK(result->placeholders == 1);
  const auto& select = std::get<Select>(result->statement);
  REQUIRE(select.where);
  CHECK(select.where->op == Operator::kContainedIn);
  CHECK(select.where->operands[0].kind == Kind::kPlaceholder);
  CHECK(select.where->operands[1].path.to_string() == "$**.*");
}

TEST_CASE("expressions of 100 levels pass and of 101 do not") {
  auto nest = [](int levels) {
    Expr expr = integer(1);
    for (int i = 1; i < levels; ++i) expr = operation("!", {expr});
    return expr;
  };
  CHECK(error_of(nest(100)) == 0);
  CHECK(error_of(nest(101)) == 3157);
  Expr arrays = array({});
  for (int i = 1; i < 101; ++i) arrays = array({arrays});
  CHECK(error_of(arrays) == 3157);
}

TEST_CASE("a find carries projection, order, limit and lock") {
  auto message = find();
  auto* projection = message.add_projection();
  *projection->mutable_source() = member("name");
  projection->set_alias("n");
  auto* order = message.add_order();
  *order->mutable_expr() = member("age");
  order->set_direction(Mysqlx::Crud::Order::DESC);
  message.mutable_limit()->set_row_count(10);
  message.mutable_limit()->set_offset(92898832378723);
  message.set_locking(Find::EXCLUSIVE_LOCK);
  message.set_locking_options(Find::SKIP_LOCKED);
  auto result = translate(message);
  REQUIRE(result);
  const auto& select = std::get<Select>(result->statement);
  CHECK(select.document_mode);
  CHECK(select.from->database == "shop");
  CHECK(select.from->collection == "products");
  REQUIRE(select.projections.size() == 1);
  CHECK(select.projections[0].alias == "n");
  CHECK(select.order_by.at(0).descending);
  CHECK(select.limit.row_count->literal.as_signed() == 10);
  CHECK(select.limit.offset->literal.as_signed() == 92898832378723);
  CHECK(select.lock == wherestar::server::Lock::kExclusive);
  CHECK(select.lock_wait == wherestar::server::LockWait::kSkipLocked);
}

TEST_CASE("an absent data model is a document one, and a table's find is plain SQL") {
  auto message = find();
  message.clear_data_model();
  CHECK(std::get<Select>(translate(message)->statement).document_mode);
  message.set_data_model(Mysqlx::Crud::TABLE);
  auto result = translate(message);
  REQUIRE(result);
  const auto& select = std::get<Select>(result->statement);
  CHECK_FALSE(select.document_mode);
  CHECK(select.projections.at(0).expression.kind == Kind::kStar);
  Expr column;
  column.set_type(Expr::IDENT);
  column.mutable_identifier()->set_name("documents");
  *message.add_projection()->mutable_source() = column;
  result = translate(message);
  REQUIRE(result);
  const auto& projected = std::get<Select>(result->statement).projections.at(0);
  CHECK(projected.expression.kind == Kind::kIdentifier);
  CHECK(projected.expression.path.to_string() == "$.documents");
}

TEST_CASE("having may name an alias") {
  auto message = find();
  auto* projection = message.add_projection();
  *projection->mutable_source() = call("count", {operation("*", {})});
  projection->set_alias("n");
  *message.add_grouping() = member("age");
  *message.mutable_grouping_criteria() = operation(
      "&&",
      {operation(">", {member("n"), integer(1)}), operation(">", {member("age"), integer(1)})});
  auto result = translate(message);
  REQUIRE(result);
  const auto& select = std::get<Select>(result->statement);
  CHECK(select.having->operands[0].operands[0].kind == Kind::kIdentifier);
  CHECK(select.having->operands[0].operands[0].name == "n");
  CHECK(select.having->operands[1].operands[0].kind == Kind::kPath);
}

TEST_CASE("finds that cannot be meant have their numbers") {
  auto message = find();
  message.mutable_collection()->set_name("");
  CHECK(error_of_message(message) == 5113);
  message = find();
  *message.add_projection()->mutable_source() = member("a");
  CHECK(error_of_message(message) == 5120);
  message = find();
  *message.add_grouping() = member("a");
  CHECK(error_of_message(message) == 5114);
  message = find();
  message.set_locking_options(Find::NOWAIT);
  CHECK(error_of_message(message) == 5169);
  message = find();
  message.mutable_limit()->set_row_count(1);
  *message.mutable_limit_expr()->mutable_row_count() = integer(1);
  CHECK(error_of_message(message) == 5012);
  message = find();
  *message.mutable_limit_expr()->mutable_row_count() = octets("1");
  CHECK(error_of_message(message) == 5012);
}

TEST_CASE("one object without an alias is the projection") {
  auto message = find();
  Expr object;
  object.set_type(Expr::OBJECT);
  auto* field = object.mutable_object()->add_fld();
  field->set_key("k");
  *field->mutable_value() = member("a");
  *message.add_projection()->mutable_source() = object;
  auto result = translate(message);
  REQUIRE(result);
  const auto& projection = std::get<Select>(result->statement).projections.at(0);
  CHECK(projection.expression.kind == Kind::kObject);
  CHECK(projection.expression.keys.at(0) == "k");
}

namespace {

Mysqlx::Crud::Insert insert() {
  Mysqlx::Crud::Insert message;
  message.mutable_collection()->set_name("c");
  return message;
}

Mysqlx::Crud::Update update() {
  Mysqlx::Crud::Update message;
  message.mutable_collection()->set_name("c");
  return message;
}

using Wire = Mysqlx::Crud::UpdateOperation;

uint32_t update_error(Wire::UpdateType type, const std::vector<Item>& items, bool with_value) {
  auto message = update();
  auto* operation = message.add_operation();
  operation->set_operation(type);
  add_items(operation->mutable_source()->mutable_document_path(), items);
  if (with_value) *operation->mutable_value() = integer(1);
  return error_of_message(message);
}

}  // namespace

TEST_CASE("a document of literals is inserted as text, one with expressions as a tree") {
  auto message = insert();
  Expr object;
  object.set_type(Expr::OBJECT);
  auto add_field = [&](const char* key, const Expr& value) {
    auto* field = object.mutable_object()->add_fld();
    field->set_key(key);
    *field->mutable_value() = value;
  };
  add_field("a\"b", integer(18446744073709551615u));
  add_field("list", array({null_literal(), octets("x")}));
  *message.add_row()->add_field() = object;
  auto result = translate(message);
  REQUIRE(result);
  const auto* insert_statement = std::get_if<wherestar::server::Insert>(&result->statement);
  REQUIRE(insert_statement);
  REQUIRE(insert_statement->documents.size() == 1);
  CHECK(insert_statement->documents[0].kind == Kind::kLiteral);
  CHECK(insert_statement->documents[0].literal.type() == SqlType::kJson);
  CHECK(insert_statement->documents[0].literal.json_as_text() ==
        R"({"a\"b":18446744073709551615,"list":[null,"x"]})");
  add_field("now", call("NOW", {}));
  message = insert();
  *message.add_row()->add_field() = object;
  result = translate(message);
  REQUIRE(result);
  CHECK(std::get<wherestar::server::Insert>(result->statement).documents[0].kind == Kind::kObject);
}

TEST_CASE("inserts that cannot be meant have their numbers") {
  auto message = insert();
  CHECK(error_of_message(message) == 5013);
  *message.add_row()->add_field() = integer(1);
  CHECK(error_of_message(message) == 5014);
  message = insert();
  message.add_row();
  CHECK(error_of_message(message) == 5014);
  *message.mutable_row(0)->add_field() = octets("{}");
  CHECK(error_of_message(message) == 0);
  *message.mutable_row(0)->add_field() = octets("{}");
  CHECK(error_of_message(message) == 5014);
  message = insert();
  *message.add_row()->add_field() = placeholder(0);
  message.add_projection()->set_name("doc");
  CHECK(error_of_message(message) == 5114);
  message.clear_projection();
  message.set_data_model(Mysqlx::Crud::TABLE);
  CHECK(error_of_message(message) == 1235);
}

TEST_CASE("update operations keep their kind, path and value") {
  using Path = DocumentPathItem;
  using K = wherestar::server::UpdateOperation::Kind;
  auto message = update();
  auto add = [&](Wire::UpdateType type, const std::vector<Item>& items, bool with_value) {
    auto* operation = message.add_operation();
    operation->set_operation(type);
    add_items(operation->mutable_source()->mutable_document_path(), items);
    if (with_value) *operation->mutable_value() = integer(1);
  };
  add(Wire::ITEM_SET, {{Path::MEMBER, "a"}}, true);
  add(Wire::ITEM_REPLACE, {{Path::MEMBER, "a"}}, true);
  add(Wire::ITEM_REMOVE, {{Path::MEMBER, "a"}}, false);
  add(Wire::ITEM_MERGE, {}, true);
  add(Wire::MERGE_PATCH, {{Path::MEMBER, ""}}, true);
  add(Wire::ARRAY_INSERT, {{Path::MEMBER, "a"}, {Path::ARRAY_INDEX, nullptr, 2}}, true);
  add(Wire::ARRAY_APPEND, {{Path::MEMBER, "a"}}, true);
  add(Wire::ITEM_SET, {}, true);
  auto result = translate(message);
  REQUIRE(result);
  const auto& operations = std::get<wherestar::server::Update>(result->statement).operations;
  std::vector<K> kinds;
  for (const auto& operation : operations) kinds.push_back(operation.kind);
  CHECK(kinds == std::vector<K>{K::kSet, K::kReplace, K::kRemove, K::kMergePreserve, K::kMergePatch,
                                K::kArrayInsert, K::kArrayAppend, K::kSet});
  CHECK(operations[0].path.to_string() == "$.a");
  CHECK(operations[7].path.is_root());
}

TEST_CASE("updates that cannot be meant have their numbers") {
  using Path = DocumentPathItem;
  CHECK(error_of_message(update()) == 5050);
  CHECK(update_error(Wire::SET, {{Path::MEMBER, "a"}}, true) == 5051);
  CHECK(update_error(Wire::ITEM_SET, {{Path::MEMBER, "_id"}}, true) == 5053);
  CHECK(update_error(Wire::ITEM_SET, {{Path::ARRAY_INDEX, nullptr, 0}}, true) == 5053);
  CHECK(update_error(Wire::ITEM_SET, {{Path::MEMBER, "_id"}, {Path::MEMBER, "x"}}, true) == 0);
  CHECK(update_error(Wire::ITEM_SET, {{Path::MEMBER_ASTERISK}}, true) == 3149);
  CHECK(update_error(Wire::ITEM_SET, {{Path::MEMBER, "a"}}, false) == 5050);
  CHECK(update_error(Wire::ITEM_REMOVE, {{Path::MEMBER, "a"}}, true) == 5050);
  CHECK(update_error(Wire::ITEM_REMOVE, {}, false) == 3153);
  CHECK(update_error(Wire::ARRAY_INSERT, {{Path::MEMBER, "a"}}, true) == 3165);
  CHECK(update_error(Wire::MERGE_PATCH, {{Path::MEMBER, "a"}}, true) == 5050);
  auto message = update();
  auto* operation = message.add_operation();
  operation->set_operation(Wire::ITEM_SET);
  operation->mutable_source()->set_name("doc");
  CHECK(error_of_message(message) == 5052);
  const auto kept = *operation;
  message = update();
  message.mutable_limit()->set_row_count(1);
  message.mutable_limit()->set_offset(1);
  *message.add_operation() = kept;
  CHECK(error_of_message(message) != 0);
}

TEST_CASE("a remove takes criteria and a limit without an offset") {
  Mysqlx::Crud::Delete message;
  message.mutable_collection()->set_name("c");
  *message.mutable_criteria() = operation("==", {member("_id"), placeholder(0)});
  message.mutable_limit()->set_row_count(3);
  auto result = translate(message);
  REQUIRE(result);
  CHECK(result->placeholders == 1);
  CHECK(
      std::get<wherestar::server::Delete>(result->statement).limit.row_count->literal.as_signed() ==
      3);
  message.mutable_limit()->set_offset(2);
  CHECK(error_of_message(message) == 5012);
}
