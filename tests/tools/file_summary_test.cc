#include "tools/file_summary.h"

#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

#include "tools/document_reader.h"
#include "tools/paths_view.h"
#include "tools/schema_view.h"
#include "tools/shapes_view.h"

using namespace wherestar;
using namespace wherestar::tools;

namespace {

Summary summarize(const std::vector<std::string>& documents, size_t max_paths = 1000) {
  FileSummary files("test", max_paths);
  document::Parser parser;
  size_t line = 0;
  for (const std::string& text : documents) {
    REQUIRE(parser.parse(text));
    files.add(parser.shred(), text.size(), ++line);
  }
  auto summary = files.finish();
  REQUIRE(summary);
  return *summary;
}

Summary summarize_sample() {
  auto input = Input::open(WHERESTAR_TOOLS_TEST_DATA "/products.jsonl");
  REQUIRE(input);
  DocumentReader reader(**input);
  FileSummary files("products");
  while (true) {
    auto item = reader.next();
    REQUIRE(item);
    if (!*item) break;
    REQUIRE_FALSE((*item)->bad.has_value());
    files.add(reader.parser().shred(), (*item)->text.size(), (*item)->line);
  }
  auto summary = files.finish();
  REQUIRE(summary);
  return *summary;
}

const PathRow& row_of(const Summary& summary, std::string_view path) {
  for (const PathRow& row : summary.paths) {
    if (row.path == path) return row;
  }
  FAIL("no path " << path);
  return summary.paths.front();
}

std::string golden(const std::string& name) {
  std::ifstream file(std::string(WHERESTAR_TOOLS_TEST_DATA) + "/" + name, std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a file is counted by path and type") {
  const Summary summary = summarize(
      {R"({"a":1,"t":["x","yy"]})", R"({"a":2.5,"t":[]})", R"({"a":"s","o":{"b":null}})"});
  CHECK(summary.documents == 3);
  const PathRow& a = row_of(summary, "$.a");
  CHECK(a.documents == 3);
  CHECK(a.count(document::JsonType::kInteger) == 1);
  CHECK(a.count(document::JsonType::kDouble) == 1);
  CHECK(a.count(document::JsonType::kString) == 1);
  CHECK(a.least == "1");
  CHECK(a.greatest == "\"s\"");
  const PathRow& tags = row_of(summary, "$.t");
  CHECK(tags.min_array_length == 0u);
  CHECK(tags.max_array_length == 2u);
  const PathRow& elements = row_of(summary, "$.t[*]");
  CHECK(elements.documents == 1);
  CHECK(elements.values == 2);
  CHECK(elements.max_string_length == 2u);
  CHECK(row_of(summary, "$.o.b").count(document::JsonType::kNull) == 1);
  CHECK(summary.shapes.size() == 3);
  CHECK(summary.shapes[0].first_seen.starts_with("line "));
}

TEST_CASE("an empty file has no paths") {
  const Summary summary = summarize({});
  CHECK(summary.documents == 0);
  CHECK(summary.paths.empty());
  CHECK(render_paths(summary, {}) == "test   0 documents   0 B   0 shapes\n");
}

TEST_CASE("names that look alike are different paths") {
  const Summary summary =
      summarize({R"({"a.b":1})", R"({"a":{"b":1}})", R"({"*":1})", R"({"a[*]":1})", R"({"":1})"});
  CHECK(summary.paths.size() == 7);
  CHECK(row_of(summary, "$.\"a.b\"").documents == 1);
  CHECK(row_of(summary, "$.a.b").documents == 1);
  CHECK(row_of(summary, "$.\"*\"").documents == 1);
  CHECK(row_of(summary, "$.\"\"").documents == 1);
}

TEST_CASE("beyond the limit new names count as one path, and nothing is lost") {
  std::vector<std::string> documents;
  for (int i = 0; i < 50; ++i) documents.push_back("{\"k" + std::to_string(i) + "\":1}");
  const Summary summary = summarize(documents, 10);
  CHECK(summary.paths.size() == 11);
  CHECK(row_of(summary, "$.*").documents == 41);
  CHECK(row_of(summary, "$").documents == 50);
}

TEST_CASE("the sample is summarized as its golden files say") {
  const Summary summary = summarize_sample();
  CHECK(render_paths(summary, {}) == golden("products.paths.txt"));
  CHECK(render_paths(summary, {.under = "$.tags", .sort_by_name = true}) ==
        golden("products.tags.txt"));
  CHECK(render_shapes(summary, {}) == golden("products.shapes.txt"));
  CHECK(render_schema(summary) == golden("products.schema.txt"));
  std::string rows;
  const auto writer = make_row_writer(Format::kJsonl, path_columns(), {},
                                      [&](std::string_view text) { rows += text; });
  write_path_rows(summary, {}, *writer);
  writer->finish();
  CHECK(rows == golden("products.paths.jsonl"));
}
