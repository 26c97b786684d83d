#include "xproto/expectations.h"

#include <doctest/doctest.h>

using namespace wherestar::xproto;
using Mysqlx::Expect::Open;

namespace {

Open condition(uint32_t key, const char* value) {
  Open open;
  auto* added = open.add_cond();
  added->set_condition_key(key);
  added->set_condition_value(value);
  return open;
}

const Open kNoError = condition(1, "1");

uint32_t code_of(const XStatus& status) {
  return status ? 0 : status.error().code;
}

}  // namespace

TEST_CASE("a statement that fails in a no_error block fails the rest of it") {
  Expectations expectations;
  CHECK(expectations.open(kNoError));
  CHECK(expectations.check());
  expectations.statement_failed();
  CHECK(code_of(expectations.check()) == 5159);
  CHECK(code_of(expectations.close()) == 5159);
  CHECK(expectations.check());
  CHECK(code_of(expectations.close()) == 5158);
}

TEST_CASE("without no_error a failing statement fails alone") {
  Expectations expectations;
  CHECK(expectations.open(Open()));
  expectations.statement_failed();
  CHECK(expectations.check());
  CHECK(expectations.close());
}

TEST_CASE("inner blocks copy the outer condition unless they say otherwise") {
  Expectations expectations;
  CHECK(expectations.open(kNoError));
  CHECK(expectations.open(Open()));
  expectations.statement_failed();
  CHECK(code_of(expectations.check()) == 5159);
  CHECK(code_of(expectations.close()) == 5159);
  CHECK(expectations.check());  // the outer block goes on
  Open empty;
  empty.set_op(Open::EXPECT_CTX_EMPTY);
  CHECK(expectations.open(empty));
  expectations.statement_failed();
  CHECK(expectations.check());
  CHECK(expectations.close());
  CHECK(expectations.close());
  CHECK(code_of(expectations.close()) == 5158);
}

TEST_CASE("a block opened within a failed one fails and is counted") {
  Expectations expectations;
  CHECK(expectations.open(kNoError));
  expectations.statement_failed();
  CHECK(code_of(expectations.open(kNoError)) == 5159);
  CHECK(code_of(expectations.close()) == 5159);
  CHECK(code_of(expectations.close()) == 5159);
  CHECK(code_of(expectations.close()) == 5158);
}

TEST_CASE("no_error takes 0, 1 and nothing") {
  Expectations expectations;
  CHECK(expectations.open(condition(1, "")));
  CHECK(expectations.open(condition(1, "0")));
  expectations.statement_failed();
  CHECK(expectations.check());
  CHECK(code_of(expectations.open(condition(1, "maybe"))) == 5161);
}

TEST_CASE("fields are looked up, and unknown ones fail the block that asks") {
  Expectations expectations;
  for (const char* chain : {"6.1", "17.12", "18.6", "40"}) {
    CHECK(expectations.open(condition(2, chain)));
    CHECK(expectations.close());
  }
  for (const char* chain : {"46", "17.99", "6.1.", "", "x", "1.2.3.4.5.6.7.8.9.99999999999"}) {
    CAPTURE(chain);
    CHECK(code_of(expectations.open(condition(2, chain))) == 5168);
    CHECK(code_of(expectations.check()) == 5168);
    CHECK(code_of(expectations.close()) == 5168);
  }
  CHECK(expectations.open(condition(3, "")));
  CHECK(code_of(expectations.open(condition(77, ""))) == 5160);
}

TEST_CASE("a million opened blocks are counted, not stored") {
  Expectations expectations;
  for (int i = 0; i < 1'000'000; ++i) REQUIRE(expectations.open(Open()));
  for (int i = 0; i < 1'000'000; ++i) REQUIRE(expectations.close());
  CHECK(code_of(expectations.close()) == 5158);
  // Blocks unlike their neighbours are stored, and bounded.
  size_t opened = 0;
  for (size_t i = 0; i < 2 * Expectations::kMaxStoredBlocks; ++i) {
    if (expectations.open(condition(1, i % 2 == 0 ? "1" : "0"))) ++opened;
  }
  // Then every second one is like the last that was stored, and counted.
  CHECK(opened == Expectations::kMaxStoredBlocks * 3 / 2);
}
