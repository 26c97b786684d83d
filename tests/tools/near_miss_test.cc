#include "tools/near_miss.h"

#include <doctest/doctest.h>

using namespace wherestar::tools;

TEST_CASE("distance counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("products", "products", 2) == 0);
  CHECK(edit_distance("prodcts", "products", 2) == 1);
  CHECK(edit_distance("porducts", "products", 2) == 1);
  CHECK(edit_distance("titel", "title", 2) == 1);
  CHECK(edit_distance("abc", "xyz", 2) == 3);
  CHECK(edit_distance("", "ab", 2) == 2);
  CHECK(edit_distance("short", "muchlonger", 2) == 3);
}

TEST_CASE("only what is really near is offered") {
  const std::vector<std::string> names = {"products", "product", "orders", "pragma_database_list"};
  CHECK(near_misses("prodcts", names) == std::vector<std::string>{"products", "product"});
  CHECK(near_misses("xyz", names).empty());
  CHECK(near_misses("ORDERS", names) == std::vector<std::string>{"orders"});
  CHECK(near_misses("orders", names).empty());
  const std::vector<std::string> short_names = {"ab", "cd"};
  CHECK(near_misses("xy", short_names).empty());
}

TEST_CASE("the question lists what is near") {
  const std::vector<std::string> names = {"products", "product", "orders"};
  CHECK(did_you_mean("prodcts", names) == "did you mean 'products' or 'product'?");
  CHECK(did_you_mean("nothing", names).empty());
}
