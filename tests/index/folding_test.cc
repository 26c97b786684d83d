#include "index/folding.h"

#include <vector>

#include <doctest/doctest.h>

namespace wherestar::index {
namespace {

TEST_CASE("names of one kind have one signature") {
  CHECK(name_signature("u42") == name_signature("u100007"));
  CHECK(name_signature("2024-01-31") == name_signature("1999-12-01"));
  CHECK(name_signature("17") == name_signature("123456789"));
  CHECK(name_signature("6ba7b810-9dad-11d1-80b4-00c04fd430c8") ==
        name_signature("00000000-0000-0000-0000-000000000000"));
  CHECK(name_signature("5f0c1a2b3c4d5e6f70819203") == name_signature("000000000000000000000001"));
  CHECK(name_signature("en_US") == name_signature("nl_NL"));
  CHECK(name_signature("user:7/x") == name_signature("user:88/x"));
}

TEST_CASE("names of different kinds have different signatures") {
  CHECK(name_signature("title") != name_signature("description"));
  CHECK(name_signature("u42") != name_signature("42"));
  CHECK(name_signature("2024-01-31") != name_signature("2024/01/31"));
  CHECK(name_signature("en_US") != name_signature("eng_US"));
  CHECK(name_signature("") != name_signature("a"));
}

TEST_CASE("nine of ten names must look alike") {
  std::vector<std::string> names;
  for (int i = 0; i < 90; ++i) names.push_back("u" + std::to_string(i));
  for (const char* other : {"title", "size", "usage", "gender", "year", "b", "cc", "ddd", "eeeeee"})
    names.push_back(other);
  std::vector<std::string_view> views(names.begin(), names.end());
  CHECK(common_signature(views) == name_signature("u1"));
  names.push_back("one");
  names.push_back("too many");
  views.assign(names.begin(), names.end());
  CHECK(common_signature(views) == std::nullopt);
}

TEST_CASE("a name of a mebibyte has a small signature") {
  CHECK(name_signature(std::string(1 << 20, 'x')).size() < 100);
  std::string marks;
  for (int i = 0; i < 1000; ++i) marks += "a1-";
  CHECK(name_signature(marks).size() < 500);
}

}  // namespace
}  // namespace wherestar::index
