#include "tools/value_tracker.h"

#include <doctest/doctest.h>

using namespace wherestar;
using namespace wherestar::tools;

namespace {

document::Scalar number(std::string_view text) {
  return *document::Number::from_text(text);
}

}  // namespace

TEST_CASE("extremes follow the order of the index") {
  ValueTracker tracker;
  CHECK_FALSE(tracker.least_json().has_value());
  tracker.add(number("10"), {});
  tracker.add(number("9"), {});
  CHECK(tracker.least_json() == "9");
  CHECK(tracker.greatest_json() == "10");
  tracker.add(std::string_view("a"), {});
  tracker.add(true, {});
  tracker.add(document::Null{}, {});
  CHECK(tracker.least_json() == "null");
  CHECK(tracker.greatest_json() == "\"a\"");
}

TEST_CASE("integers stay exact") {
  ValueTracker tracker;
  tracker.add(number("9007199254740993"), {});
  tracker.add(number("9007199254740992"), {});
  tracker.add(number("18446744073709551615"), {});
  CHECK(tracker.least_json() == "9007199254740992");
  CHECK(tracker.greatest_json() == "18446744073709551615");
  CHECK(tracker.top()->size() == 3);
}

TEST_CASE("equal numbers are one value") {
  ValueTracker tracker;
  tracker.add(number("1.0"), {});
  tracker.add(number("1"), {});
  REQUIRE(tracker.top()->size() == 1);
  CHECK(tracker.top()->front().second == 2);
}

TEST_CASE("the most frequent come first, and too many are none") {
  ValueTracker tracker;
  for (int i = 0; i < 3; ++i) tracker.add(std::string_view("often"), {});
  tracker.add(std::string_view("once"), {});
  REQUIRE(tracker.top().has_value());
  CHECK(tracker.top()->front() == std::pair<std::string, uint64_t>("\"often\"", 3));
  for (size_t i = 0; i < ValueTracker::kTrackedValues; ++i) {
    tracker.add(document::Scalar(document::Number::from_uint64(i)), {});
  }
  CHECK_FALSE(tracker.top().has_value());
}

TEST_CASE("long strings are kept cut, at a character") {
  ValueTracker tracker;
  std::string text(ValueTracker::kTrackedBytes - 1, 'x');
  text += "é and more";
  tracker.add(std::string_view(text), {});
  CHECK(tracker.least_json() == "\"" + std::string(ValueTracker::kTrackedBytes - 1, 'x') + "…\"");
  CHECK_FALSE(tracker.top().has_value());
}
