#include "tools/paths_view.h"

#include <doctest/doctest.h>

#include "tools/text.h"

using namespace wherestar::tools;
using wherestar::document::JsonType;

namespace {

PathRow row_with(std::initializer_list<std::pair<JsonType, uint64_t>> counts) {
  PathRow row;
  for (const auto& [type, count] : counts) {
    row.by_type[static_cast<size_t>(type)] = count;
    row.values += count;
  }
  row.documents = row.values;
  return row;
}

}  // namespace

TEST_CASE("the last leg and the parent of a path mind quotes") {
  CHECK(last_leg("$.a.b") == "b");
  CHECK(last_leg("$.a[*]") == "[*]");
  CHECK(last_leg("$.\"a.b[\"") == "\"a.b[\"");
  CHECK(last_leg("$.\"a\\\".b\"") == "\"a\\\".b\"");
  CHECK(parent_path("$.a.\"x.y\"") == "$.a");
  CHECK(parent_path("$.a[*]") == "$.a");
  CHECK(parent_path("$.a") == "$");
  CHECK(parent_path("$").empty());
}

TEST_CASE("types are named, mixed ones marked") {
  CHECK(type_text(row_with({{JsonType::kInteger, 5}})) == "integer");
  CHECK(type_text(row_with({{JsonType::kDouble, 618}, {JsonType::kString, 611}})) ==
        "! double 50% string 50%");
  CHECK(type_text(row_with({{JsonType::kInteger, 1}, {JsonType::kDouble, 999}})) ==
        "double >99% integer <1%");
  CHECK(type_text(row_with({{JsonType::kString, 9}, {JsonType::kNull, 1}})) ==
        "string 90% null 10%");
  PathRow date = row_with({{JsonType::kString, 3}});
  date.format = "date";
  CHECK(type_text(date) == "string (date)");
}

TEST_CASE("ranges show numbers as written") {
  PathRow row = row_with({{JsonType::kInteger, 2}});
  row.least = "9007199254740993";
  row.greatest = "18446744073709551615";
  row.distinct = 2;
  CHECK(range_text(row, 0) == "9007199254740993 … 18446744073709551615");
  row.distinct_is_exact = true;
  CHECK(range_text(row, 0).ends_with("(all different)"));
}

TEST_CASE("arrays show their lengths") {
  PathRow row = row_with({{JsonType::kArray, 4}});
  row.min_array_length = 1;
  row.max_array_length = 3;
  CHECK(range_text(row, 8) == "1–3 long, average 2.0");
  row.max_array_length = 1;
  CHECK(range_text(row, 4) == "1 long");
}

TEST_CASE("enumerations list their values, and say how many more") {
  PathRow row = row_with({{JsonType::kString, 600}});
  row.least = "\"a\"";
  row.greatest = "\"l\"";
  row.top_values_are_all = true;
  row.distinct = 12;
  row.distinct_is_exact = true;
  for (char c = 'a'; c <= 'l'; ++c) row.top_values.emplace_back(std::string("\"") + c + "\"", 50);
  CHECK(type_text(row) == "string (enum)");
  CHECK(range_text(row, 0) == "a · b · c · d · e · f · g · h · … 4 more");
}

TEST_CASE("a limit says what it hides, and the terminal's width is kept") {
  Summary summary;
  summary.name = "x";
  summary.documents = 3;
  PathRow root = row_with({{JsonType::kObject, 3}});
  root.path = "$";
  summary.paths.push_back(root);
  for (int i = 0; i < 10; ++i) {
    PathRow row = row_with({{JsonType::kString, 3}});
    row.path = "$.member_with_a_rather_long_name_" + std::to_string(i);
    row.least = "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"";
    row.greatest = "\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"";
    summary.paths.push_back(row);
  }
  PathsViewOptions options;
  options.limit = 4;
  options.width = 60;
  const std::string text = render_paths(summary, options);
  CHECK(text.find("… 7 more paths: --all\n") != std::string::npos);
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = text.find('\n', begin);
    CHECK(display_width(text.substr(begin, end - begin)) <= 60);
    begin = end + 1;
  }
}
