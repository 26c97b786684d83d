#include "tools/numbers.h"

#include <doctest/doctest.h>

using namespace wherestar::tools;

TEST_CASE("thousands are grouped") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(18446744073709551615u) == "18,446,744,073,709,551,615");
}

TEST_CASE("a percentage never rounds to all or nothing") {
  CHECK(percentage(20'000, 20'000) == "100%");
  CHECK(percentage(19'999, 20'000) == ">99.9%");
  CHECK(percentage(19'990, 20'000) == ">99.9%");
  CHECK(percentage(19'989, 20'000) == "99.9%");
  CHECK(percentage(17'960, 20'000) == "89.8%");
  CHECK(percentage(1, 20'000) == "<0.1%");
  CHECK(percentage(10, 20'000) == "0.1%");
  CHECK(percentage(9, 20'000) == "<0.1%");
  CHECK(percentage(0, 20'000) == "0%");
  CHECK(percentage(0, 0) == "0%");
}

TEST_CASE("presence in one document of many is said so") {
  CHECK(presence(1, 20'000) == "1 doc");
  CHECK(presence(1, 1) == "100%");
  CHECK(presence(2, 4) == "50.0%");
}

TEST_CASE("the bar is full only for all and empty only for none") {
  CHECK(presence_bar(4, 4) == "██████████");
  CHECK(presence_bar(19'999, 20'000) == "█████████▉");
  CHECK(presence_bar(1, 20'000) == "▏");
  CHECK(presence_bar(0, 20'000).empty());
  CHECK(presence_bar(1, 2) == "█████");
  CHECK(presence_bar(677, 1000) == "██████▊");
}

TEST_CASE("an estimate wears a tilde and no false digits") {
  CHECK(estimate(17'667, true) == "17,667");
  CHECK(estimate(17'667.4, false) == "~17,700");
  CHECK(estimate(999, false) == "~999");
  CHECK(estimate(1'234'567, false) == "~1,230,000");
  CHECK(estimate(0, true) == "0");
}

TEST_CASE("sizes and times fit a line") {
  CHECK(byte_size(0) == "0 B");
  CHECK(byte_size(999) == "999 B");
  CHECK(byte_size(1000) == "1.0 kB");
  CHECK(byte_size(5'230'000) == "5.2 MB");
  CHECK(byte_size(258'000'000) == "258 MB");
  CHECK(byte_size(999'900) == "1.0 MB");
  CHECK(seconds_text(0.0013) == "1.3 ms");
  CHECK(seconds_text(0.04) == "0.04 s");
  CHECK(seconds_text(6.83) == "6.8 s");
  CHECK(seconds_text(187) == "3:07 min");
}

TEST_CASE("one is singular") {
  CHECK(counted(1, "row") == "1 row");
  CHECK(counted(0, "row") == "0 rows");
  CHECK(counted(1234, "row") == "1,234 rows");
}
