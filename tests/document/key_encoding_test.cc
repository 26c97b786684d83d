#include "document/key_encoding.h"

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace wherestar;
using namespace wherestar::document;

namespace {

std::string key(const Scalar& value, size_t cut = kDefaultStringCutBytes) {
  std::string out;
  encode_scalar(out, value, cut);
  return out;
}

std::string key(const Number& value) {
  return key(Scalar(value));
}

// Numbers where rounding and types meet.
Number random_number(std::mt19937_64& random) {
  const uint64_t power = uint64_t{1} << (random() % 64);
  const uint64_t near = power + (random() % 5) - 2;
  switch (random() % 6) {
    case 0:
      return Number::from_int64(static_cast<int64_t>(near));
    case 1:
      return Number::from_uint64(near);
    case 2:
      return Number::from_double(std::ldexp(1.0, static_cast<int>(random() % 130) - 65));
    case 3: {
      double value = static_cast<double>(near);
      value = std::nextafter(value, random() % 2 ? 1e300 : -1e300);
      return Number::from_double(random() % 2 ? value : -value);
    }
    case 4:
      return Number::from_double(static_cast<double>(static_cast<int64_t>(near)) / 4);
    default: {
      const auto value = std::bit_cast<double>(random());
      return Number::from_double(std::isfinite(value) ? value : 0.5);
    }
  }
}

}  // namespace

TEST_CASE("The byte order of number keys is the order of the numbers") {
  std::mt19937_64 random(7);
  for (int i = 0; i < 100'000; ++i) {
    const Number a = random_number(random), b = random_number(random);
    const std::string x = key(a), y = key(b);
    REQUIRE((x.compare(y) <=> 0) == (a <=> b));
    Reader reader(x);
    const auto decoded = decode_scalar(reader);
    REQUIRE(decoded.has_value());
    REQUIRE(reader.done());
    REQUIRE(decoded->number == a);
    REQUIRE(decoded->number.is_integer() == a.is_integer());
  }
}

TEST_CASE("Types are ordered null, false, true, numbers, strings") {
  CHECK(key(Null{}) < key(false));
  CHECK(key(false) < key(true));
  CHECK(key(true) < key(Number::from_double(-1e308)));
  CHECK(key(Number::from_double(1e308)) < key(std::string_view("")));
}

TEST_CASE("String keys keep bytewise order within the cut, also with NUL") {
  std::mt19937_64 random(11);
  const std::string_view pieces[] = {
      std::string_view("\0", 1), "a", "b", "\x01", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
  const auto text = [&] {
    std::string out;
    for (size_t n = random() % 8; n > 0; --n) out += pieces[random() % std::size(pieces)];
    return out;
  };
  for (int i = 0; i < 50'000; ++i) {
    const std::string a = text(), b = text();
    const size_t cut = random() % 8;
    const int order = key(a, cut).compare(key(b, cut));
    if (a.substr(0, cut) != b.substr(0, cut))
      REQUIRE((order < 0) == (a < b));
    else if (!is_cut(a, cut) || !is_cut(b, cut))
      REQUIRE((order <=> 0) == (a.compare(b) <=> 0));
    REQUIRE((order == 0) == (a == b));
    REQUIRE(key(a, cut).starts_with(string_prefix_key(a.substr(0, random() % 4), cut)));
  }
}

TEST_CASE("A string is cut behind a whole character and decodes to its beginning") {
  const std::string text = "abc\xe2\x82\xac tail";
  std::string encoded = key(std::string_view(text), 4);
  encoded += key(true);
  Reader reader(encoded);
  const auto decoded = decode_scalar(reader);
  REQUIRE(decoded.has_value());
  CHECK(decoded->cut);
  CHECK(decoded->text == "abc\xe2\x82\xac");
  CHECK(decode_scalar(reader)->type == kKeyTrue);
  CHECK(reader.done());
  CHECK(is_cut(text, 4));
  CHECK_FALSE(is_cut("abc\xe2\x82\xac", 4));
}

TEST_CASE("Keys are self-delimiting and damaged ones are refused") {
  std::string all = key(Null{}) + key(Number::from_int64(5)) + key(std::string_view("a\0b", 3)) +
                    key(std::string_view("long enough to be cut"), 4);
  Reader skipper(all);
  for (int i = 0; i < 4; ++i) CHECK(skip_scalar(skipper));
  CHECK(skipper.done());
  for (const std::string& whole : {key(Number::from_int64(5)), key(std::string_view("abc")),
                                   key(std::string_view("abcdef"), 2)})
    for (size_t size = 0; size < whole.size(); ++size) {
      Reader reader(std::string_view(whole).substr(0, size));
      CHECK_FALSE(decode_scalar(reader).has_value());
      Reader again(std::string_view(whole).substr(0, size));
      CHECK_FALSE(skip_scalar(again));
    }
  for (std::string bad : {std::string("\x07"),
                          std::string("\x05"
                                      "a\0\x09",
                                      4),
                          "\x04" + std::string(10, '\xff'), key(Number::from_double(0.5))}) {
    if (bad.size() == 11) bad.back() = 1;
    Reader reader(bad);
    const auto decoded = decode_scalar(reader);
    REQUIRE_FALSE(decoded.has_value());
    CHECK(decoded.error().code == ErrorCode::kCorruption);
  }
}
