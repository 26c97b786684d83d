#include "tools/row_writer.h"

#include <doctest/doctest.h>

using namespace wherestar::tools;

namespace {

const std::vector<ColumnInfo> kColumns = {{"name"}, {"n", true}, {"doc"}};
const std::vector<CellRow> kRows = {
    {Cell::string("a \"b\", c\nd\te\\"), Cell::number("18446744073709551615"),
     Cell::json(R"({"x":0.10})")},
    {Cell::null(), Cell::number("1e3"), Cell::null()}};

std::string render(Format format, const std::vector<CellRow>& rows) {
  std::string out;
  const auto writer =
      make_row_writer(format, kColumns, {}, [&](std::string_view text) { out += text; });
  for (const CellRow& row : rows) writer->row(row);
  writer->finish();
  return out;
}

}  // namespace

TEST_CASE("json is one array and keeps numbers as written") {
  CHECK(render(Format::kJson, kRows) ==
        "[\n{\"name\":\"a \\\"b\\\", "
        "c\\nd\\te\\\\\",\"n\":18446744073709551615,\"doc\":{\"x\":0.10}},\n"
        "{\"name\":null,\"n\":1e3,\"doc\":null}\n]\n");
  CHECK(render(Format::kJson, {}) == "[]\n");
}

TEST_CASE("jsonl is one object a line") {
  CHECK(render(Format::kJsonl, {kRows[1]}) == "{\"name\":null,\"n\":1e3,\"doc\":null}\n");
  CHECK(render(Format::kJsonl, {}).empty());
  CHECK(render(Format::kJsonl,
               {{Cell::null(), Cell::null(), Cell::json("{\n  \"x y\": [0.10,\r\n 2]\n}")}}) ==
        "{\"name\":null,\"n\":null,\"doc\":{\"x y\":[0.10,2]}}\n");
}

TEST_CASE("csv quotes what needs it and leaves NULL empty") {
  CHECK(
      render(Format::kCsv, kRows) ==
      "name,n,doc\n\"a \"\"b\"\", c\nd\te\\\",18446744073709551615,\"{\"\"x\"\":0.10}\"\n,1e3,\n");
}

TEST_CASE("tsv escapes and writes NULL as \\N") {
  CHECK(
      render(Format::kTsv, kRows) ==
      "name\tn\tdoc\na \"b\", c\\nd\\te\\\\\t18446744073709551615\t{\"x\":0.10}\n\\N\t1e3\t\\N\n");
}

TEST_CASE("markdown escapes its bars") {
  CHECK(render(Format::kMarkdown, {{Cell::string("a|b"), Cell::number(1), Cell::null()}}) ==
        "| name | n | doc |\n| --- | ---: | --- |\n| a\\|b | 1 | NULL |\n");
}

TEST_CASE("formats are known by their names") {
  CHECK(parse_format("jsonl") == Format::kJsonl);
  CHECK(parse_format("table") == Format::kTable);
  CHECK_FALSE(parse_format("xml").has_value());
  CHECK_FALSE(parse_format("JSON").has_value());
}

TEST_CASE("binary becomes hexadecimal in json") {
  std::string out;
  append_json_cell(out, {CellKind::kBinary, std::string("\x00\xff", 2)});
  CHECK(out == "\"00ff\"");
}
