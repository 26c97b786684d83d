#include "xproto/wire_check.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <mysqlx_crud.pb.h>

#include "xproto/messages.h"

using wherestar::ErrorCode;
using wherestar::xproto::check_wire;
using wherestar::xproto::ClientMessage;
using wherestar::xproto::knows_field;

namespace {

constexpr size_t kBudget = 1u << 20;
constexpr auto kFind = static_cast<uint8_t>(ClientMessage::kFind);
constexpr auto kInsert = static_cast<uint8_t>(ClientMessage::kInsert);

Mysqlx::Crud::Find find_in(const char* name) {
  Mysqlx::Crud::Find find;
  find.mutable_collection()->set_name(name);
  return find;
}

void set_array_nest(Mysqlx::Expr::Expr* expr, int levels) {
  for (int i = 0; i < levels; ++i) {
    expr->set_type(Mysqlx::Expr::Expr::ARRAY);
    expr = expr->mutable_array()->add_value();
  }
  expr->set_type(Mysqlx::Expr::Expr::PLACEHOLDER);
  expr->set_position(0);
}

bool knows(std::vector<uint32_t> chain) {
  return knows_field(chain);
}

}  // namespace

TEST_CASE("sub-messages and texts are counted before anything is parsed") {
  auto find = find_in("c");
  auto cost = check_wire(kFind, find.SerializeAsString(), kBudget);
  REQUIRE(cost);
  CHECK(*cost == 128 + 48 + 1);  // the collection and its name
  for (int i = 0; i < 10; ++i) find.add_args()->set_type(Mysqlx::Datatypes::Scalar::V_NULL);
  cost = check_wire(kFind, find.SerializeAsString(), kBudget);
  REQUIRE(cost);
  CHECK(*cost == 128 + 48 + 1 + 10 * (128 + 8));
}

TEST_CASE("a message of many tiny parts passes the budget and is refused") {
  auto find = find_in("c");
  auto* array = find.mutable_criteria();
  array->set_type(Mysqlx::Expr::Expr::ARRAY);
  for (int i = 0; i < 10'000; ++i) {
    array->mutable_array()->add_value()->set_type(Mysqlx::Expr::Expr::LITERAL);
  }
  std::string bytes = find.SerializeAsString();
  CHECK(bytes.size() < 64 * 1024);
  auto cost = check_wire(kFind, bytes, kBudget);
  REQUIRE_FALSE(cost);
  CHECK(cost.error().code == ErrorCode::kLimitExceeded);
}

TEST_CASE("nesting is bounded by the wire depth") {
  for (int levels : {100, 101, 150}) {
    auto find = find_in("c");
    set_array_nest(find.mutable_criteria(), levels);
    CHECK(check_wire(kFind, find.SerializeAsString(), kBudget));
  }
  // 10,000 levels, written by hand: protobuf itself would not build the bytes recursively deep.
  std::string nest;
  for (int i = 0; i < 10'000; ++i) {
    auto wrap = [](char tag, const std::string& inner) {
      std::string out(1, tag);
      size_t length = inner.size();
      while (length >= 0x80) {
        out.push_back(static_cast<char>(length | 0x80));
        length >>= 7;
      }
      out.push_back(static_cast<char>(length));
      return out + inner;
    };
    nest = wrap('\x4a', wrap('\x0a', nest));  // Expr.array, Array.value
    if (nest.size() > 100'000) break;
  }
  std::string bytes = "\x2a";  // Find.criteria
  size_t length = nest.size();
  while (length >= 0x80) {
    bytes.push_back(static_cast<char>(length | 0x80));
    length >>= 7;
  }
  bytes.push_back(static_cast<char>(length));
  bytes += nest;
  CHECK_FALSE(check_wire(kFind, bytes, size_t{1} << 30));
  Mysqlx::Crud::Find find;
  CHECK_FALSE(wherestar::xproto::parse_message(bytes, find));
}

TEST_CASE("groups are refused in every message") {
  std::string groups(100'000, '\x0b');  // start of group 1, again and again
  int refused = 0;
  for (int type = 0; type < 256; ++type) {
    // Types the server does not know are refused by number, without a look at the payload.
    if (!check_wire(static_cast<uint8_t>(type), groups, kBudget)) ++refused;
  }
  CHECK(refused == 17);
  CHECK_FALSE(check_wire(kInsert, groups, kBudget));
}

TEST_CASE("damaged bytes are refused wherever they are cut") {
  auto find = find_in("collection");
  find.mutable_criteria()->set_type(Mysqlx::Expr::Expr::LITERAL);
  find.mutable_criteria()->mutable_literal()->set_type(Mysqlx::Datatypes::Scalar::V_STRING);
  find.mutable_criteria()->mutable_literal()->mutable_v_string()->set_value("text");
  std::string bytes = find.SerializeAsString();
  size_t whole = 0;
  for (size_t cut = 0; cut < bytes.size(); ++cut) {
    Mysqlx::Crud::Find parsed;
    bool parses = wherestar::xproto::parse_partial_message(bytes.substr(0, cut), parsed);
    bool passes = check_wire(kFind, bytes.substr(0, cut), kBudget).has_value();
    CHECK(passes == parses);
    whole += passes ? 1 : 0;
  }
  CHECK(whole == 2);  // nothing at all, and up to the criteria
}

TEST_CASE("a varint or length that never ends is refused") {
  CHECK_FALSE(check_wire(kFind, std::string(20, '\xff'), kBudget));
  CHECK_FALSE(check_wire(kFind, std::string("\x12\xff\xff\xff\xff\x0f", 6), kBudget));
  CHECK_FALSE(check_wire(kFind, std::string("\x00\x01", 2), kBudget));  // field 0
}

TEST_CASE("the fields that clients ask about are known") {
  CHECK(knows({6, 1}));    // Reset.keep_open
  CHECK(knows({17, 12}));  // Find.locking
  CHECK(knows({18, 6}));   // Insert.upsert
  CHECK(knows({40}));      // prepared statements
  CHECK(knows({17, 5, 6, 2, 1}));
  CHECK_FALSE(knows({46}));  // compression
  CHECK_FALSE(knows({43}));  // cursors
  CHECK_FALSE(knows({17, 10}));
  CHECK_FALSE(knows({17, 99}));
  CHECK_FALSE(knows({999}));
  CHECK_FALSE(knows({}));
}
