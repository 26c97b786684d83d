// The order of rows and the keys of groups.
#include <algorithm>
#include <random>

#include <doctest/doctest.h>

#include "tests/random_documents.h"
#include "tests/server/evaluator_fixture.h"

namespace wherestar::server {
namespace {

SqlValue json(std::string_view text) {
  return SqlValue::json(json_of(text));
}

std::string key(const SqlValue& value) {
  return group_key(std::span(&value, 1));
}

TEST_CASE("values sort: NULL, numbers, text, JSON") {
  const std::vector<SqlValue> ordered = {
      SqlValue::null(),
      SqlValue::real(-1e300),
      SqlValue::signed_integer(INT64_MIN),
      SqlValue::decimal("-12.5"),
      SqlValue::real(0.1),
      SqlValue::decimal("0.10000000000000000001"),
      SqlValue::signed_integer(1),
      SqlValue::real(9007199254740992),
      SqlValue::signed_integer(9007199254740993),
      SqlValue::decimal("9007199254740993.5"),
      SqlValue::unsigned_integer(UINT64_MAX),
      SqlValue::decimal("18446744073709551615.5"),
      SqlValue::real(1e20),
      SqlValue::text(""),
      SqlValue::text("A"),
      SqlValue::text("a"),
      SqlValue::text("ab"),
      json("null"),
      json("-1"),
      json("1"),
      json("18446744073709551615"),
      json("\"\""),
      json("\"a\""),
      json("{}"),
      json("[]"),
      json("[\"a\"]"),
      json("[\"ab\"]"),
      json("[\"ab\",\"cd\"]"),
      json("false"),
      json("true"),
  };
  for (size_t i = 0; i < ordered.size(); ++i)
    for (size_t j = 0; j < ordered.size(); ++j) {
      CAPTURE(i);
      CAPTURE(j);
      CHECK(compare_for_sort(ordered[i], ordered[j]) == (i <=> j));
    }
}

TEST_CASE("equal numbers of any type are one group") {
  const std::vector<std::vector<SqlValue>> groups = {
      {SqlValue::signed_integer(1), SqlValue::unsigned_integer(1), SqlValue::real(1),
       SqlValue::decimal("1"), SqlValue::decimal("1.00"), SqlValue::boolean(true)},
      {SqlValue::signed_integer(0), SqlValue::real(-0.0), SqlValue::decimal("0.000"),
       SqlValue::decimal("-0.0")},
      {SqlValue::real(0.1), SqlValue::decimal("0.10")},
      {SqlValue::real(1e20), SqlValue::decimal("100000000000000000000")},
      {SqlValue::decimal("9007199254740993"), SqlValue::signed_integer(9007199254740993)},
      {SqlValue::real(9007199254740992), SqlValue::signed_integer(9007199254740992)},
      {json("1"), json("1.0"), json("1.00"), json("1e0")},
      {json("\"1\"")},
      {json("true")},
      {json("null")},
      {SqlValue::null()},
      {SqlValue::text("1")},
      {SqlValue::text("")},
      {json("{\"a\":1,\"b\":[2]}"), json("{\"b\":[2.0],\"a\":1}")},
      {json("{\"a\":1}")},
      {json("[1,[2]]"), json("[1.0,[2]]")},
      {json("[[1],2]")},
      {json("[]")},
      {json("{}")},
      {json("18446744073709551615")},
      {json("9007199254740993")},
  };
  for (size_t i = 0; i < groups.size(); ++i)
    for (size_t j = 0; j < groups.size(); ++j)
      for (const SqlValue& a : groups[i])
        for (const SqlValue& b : groups[j]) {
          CAPTURE(i);
          CAPTURE(j);
          CHECK((key(a) == key(b)) == (i == j));
        }
}

TEST_CASE("keys of several values do not run together") {
  const auto pair_key = [](std::string a, std::string b) {
    const SqlValue values[] = {SqlValue::text(std::move(a)), SqlValue::text(std::move(b))};
    return group_key(values);
  };
  CHECK(pair_key("a", "bc") != pair_key("ab", "c"));
  CHECK(pair_key("", "a") != pair_key("a", ""));
  CHECK(pair_key("S", "") != pair_key("", "S"));
  CHECK(pair_key("a", "b") == pair_key("a", "b"));
}

// Values close enough together that equality and near misses of every kind occur.
SqlValue random_value(testing::RandomDocuments& random) {
  static constexpr double kReals[] = {
      0.1,  0.5,  1,      -1,    9007199254740992,      9007199254740994,
      1e19, 1e20, 1e-300, 1e300, 18446744073709551616.0};
  static constexpr const char* kDecimals[] = {"0.1",
                                              "0.10",
                                              "0.5",
                                              "1.0",
                                              "-1.00",
                                              "9007199254740993",
                                              "9007199254740992.5",
                                              "1.5",
                                              "10000000000000000000",
                                              "100000000000000000000",
                                              "0.1000000000000000055"};
  static constexpr int64_t kWhole[] = {0, 1, -1, 2, 9007199254740992, 9007199254740993, INT64_MAX};
  switch (random.below(8)) {
    case 0:
      return SqlValue::null();
    case 1:
      return SqlValue::signed_integer(kWhole[random.below(std::size(kWhole))]);
    case 2:
      return SqlValue::unsigned_integer(UINT64_MAX - random.below(2));
    case 3:
      return SqlValue::real(kReals[random.below(std::size(kReals))]);
    case 4:
      return SqlValue::decimal(kDecimals[random.below(std::size(kDecimals))]);
    case 5:
      return SqlValue::text(std::string(random.below(3), 'a'));
    case 6:
      return SqlValue::json(random.scalar());
    default:
      return SqlValue::json(json_of(random.next(random.below(3))));
  }
}

TEST_CASE("the order is a strict weak order, and equal values are one group") {
  testing::RandomDocuments random(23);
  std::vector<SqlValue> values;
  for (int i = 0; i < 120; ++i) values.push_back(random_value(random));
  const auto order = [&](size_t i, size_t j) { return compare_for_sort(values[i], values[j]); };
  size_t equal = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    REQUIRE(order(i, i) == 0);
    for (size_t j = 0; j < values.size(); ++j) {
      CAPTURE(shown(values[i]));
      CAPTURE(shown(values[j]));
      REQUIRE((order(i, j) < 0) == (order(j, i) > 0));
      REQUIRE((order(i, j) == 0) == (key(values[i]) == key(values[j])));
      equal += i != j && order(i, j) == 0 ? 1 : 0;
      for (size_t k = 0; k < values.size(); ++k) {
        if (order(i, j) < 0 && order(j, k) < 0) REQUIRE(order(i, k) < 0);
        if (order(i, j) == 0 && order(j, k) == 0) REQUIRE(order(i, k) == 0);
      }
    }
  }
  CHECK(equal > 50);
}

}  // namespace
}  // namespace wherestar::server
