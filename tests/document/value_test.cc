#include "document/value.h"

#include <cmath>
#include <string>

#include <doctest/doctest.h>

using namespace wherestar;
using namespace wherestar::document;

namespace {

Number number(std::string_view text) {
  const auto result = Number::from_text(text);
  REQUIRE_MESSAGE(result.has_value(), std::string(text));
  return *result;
}

}  // namespace

TEST_CASE("Integers of 64 bits are exact whatever their spelling") {
  CHECK(number("9007199254740993") != number("9007199254740992"));
  CHECK(number("9007199254740993") > Number::from_double(9007199254740992.0));
  CHECK(number("9007199254740993.0") == Number::from_int64(9007199254740993));
  CHECK(number("900719925474099.3e1") == Number::from_int64(9007199254740993));
  CHECK(number("18446744073709551615").as_uint64() == UINT64_MAX);
  CHECK_FALSE(number("18446744073709551615").fits_int64());
  CHECK(number("18446744073709551615.0") == Number::from_uint64(UINT64_MAX));
  CHECK(number("-9223372036854775808").as_int64() == INT64_MIN);
  CHECK(number("-9223372036854775808.00").fits_int64());
  CHECK(number("1974") == number("1974.0"));
  CHECK(number("1e3") == number("1000"));
  CHECK(number("100000e-2").fits_int64());
  CHECK(number("-0") == number("0"));
  CHECK(number("-0.0e7") == number("0"));
}

TEST_CASE("Other numbers are the nearest double") {
  CHECK_FALSE(number("0.1").is_integer());
  CHECK(number("0.1").as_double() == 0.1);
  CHECK(number("1e308").as_double() == 1e308);
  CHECK(number("18446744073709551616").as_double() == 18446744073709551616.0);
  CHECK_FALSE(number("18446744073709551616").is_integer());
  CHECK(number("-9223372036854775809").as_double() == -9223372036854775808.0);
  CHECK(number("5e-324").as_double() == 5e-324);
}

TEST_CASE("A number beyond the doubles is refused, one next to zero is zero") {
  CHECK(Number::from_text("1e400").error().code == ErrorCode::kNumberOutOfRange);
  CHECK(Number::from_text("-1e99999999999999999999").error().code == ErrorCode::kNumberOutOfRange);
  CHECK(Number::from_text("0.0001e400").error().code == ErrorCode::kNumberOutOfRange);
  CHECK(number("1e-400") == number("0"));
  CHECK(number("0e400") == number("0"));
  CHECK(number("1e-99999999999999999999") == number("0"));
  CHECK(number("1" + std::string(400, '0') + "e-400") == number("1"));
  CHECK(number("0." + std::string(400, '0') + "1e401") == number("1"));
  CHECK(Number::from_text(std::string(1'000'000, '9')).error().code ==
        ErrorCode::kNumberOutOfRange);
  CHECK(number("0." + std::string(1'000'000, '9')) == number("1"));
}

TEST_CASE("What is no JSON number is refused") {
  for (const char* text : {"", "-", "01", "1.", ".5", "1e", "1e+", "+1", "0x10", "NaN", "1 "})
    CHECK_MESSAGE(!Number::from_text(text).has_value(), text);
}

TEST_CASE("Integers and doubles have one order") {
  const char* ascending[] = {"-1e308",
                             "-9223372036854775808",
                             "-9223372036854775807",
                             "-1.5",
                             "-1",
                             "-0.5",
                             "0",
                             "5e-324",
                             "0.1",
                             "1",
                             "1.5",
                             "9007199254740992",
                             "9007199254740993",
                             "9223372036854775807",
                             "9223372036854775808",
                             "18446744073709551615",
                             "18446744073709551616",
                             "1e308"};
  for (size_t i = 0; i < std::size(ascending); ++i)
    for (size_t j = 0; j < std::size(ascending); ++j)
      CHECK((number(ascending[i]) <=> number(ascending[j])) == (i <=> j));
}
