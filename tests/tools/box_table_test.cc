#include "tools/box_table.h"

#include <doctest/doctest.h>

using namespace wherestar::tools;

namespace {

std::string render(std::vector<ColumnInfo> columns, const std::vector<CellRow>& rows,
                   const TableStyle& style, size_t* cut = nullptr) {
  std::string out;
  const auto writer =
      make_box_table(std::move(columns), style, [&](std::string_view text) { out += text; });
  for (const CellRow& row : rows) writer->row(row);
  writer->finish();
  if (cut != nullptr) *cut = writer->cut_cells();
  return out;
}

}  // namespace

TEST_CASE("a table is a box with numbers to the right") {
  CHECK(render({{"path"}, {"n", true}},
               {{Cell::string("$.title"), Cell::number(28)},
                {Cell::string("$.data.lines[*].title"), Cell::number(4)},
                {Cell::null(), Cell::null()}},
               {}) ==
        "┌───────────────────────┬──────┐\n"
        "│ path                  │    n │\n"
        "├───────────────────────┼──────┤\n"
        "│ $.title               │   28 │\n"
        "│ $.data.lines[*].title │    4 │\n"
        "│ NULL                  │ NULL │\n"
        "└───────────────────────┴──────┘\n");
}

TEST_CASE("wide characters keep the lines straight") {
  CHECK(render({{"a"}}, {{Cell::string("漢字")}, {Cell::string("x")}}, {}) ==
        "┌──────┐\n"
        "│ a    │\n"
        "├──────┤\n"
        "│ 漢字 │\n"
        "│ x    │\n"
        "└──────┘\n");
}

TEST_CASE("without a terminal nothing is cut") {
  const std::string wide(500, 'x');
  size_t cut = 7;
  CHECK(render({{"a"}}, {{Cell::string(wide)}}, {}, &cut).find(wide) != std::string::npos);
  CHECK(cut == 0);
}

TEST_CASE("on a terminal the widest column gives way, and it is counted") {
  size_t cut = 0;
  const std::string text =
      render({{"id", true}, {"doc"}}, {{Cell::number(1), Cell::string(std::string(100, 'x'))}},
             {.width = 40, .escape = true}, &cut);
  CHECK(cut == 1);
  CHECK(text.find("│  1 │ xxx") != std::string::npos);
  CHECK(text.find("x… │\n") != std::string::npos);
}

TEST_CASE("data cannot break out of its cell") {
  CHECK(render({{"a"}}, {{Cell::string("x\ny\x1b[2J")}}, {.width = 80, .escape = true})
            .find("│ x\\ny\\u{1b}[2J │") != std::string::npos);
  CHECK(render({{"a"}}, {{Cell::string("x\ny")}}, {}).find("│ x⏎y │") != std::string::npos);
}

TEST_CASE("an empty result still shows its columns") {
  CHECK(render({{"a"}}, {}, {}) == "┌───┐\n│ a │\n├───┤\n└───┘\n");
}

TEST_CASE("more rows than the sample stream on") {
  std::vector<CellRow> rows;
  for (size_t i = 0; i < kTableSampleRows + 10; ++i) rows.push_back({Cell::number(i)});
  const std::string text = render({{"n", true}}, rows, {});
  CHECK(std::count(text.begin(), text.end(), '\n') ==
        static_cast<std::ptrdiff_t>(kTableSampleRows + 10 + 4));
}

TEST_CASE("widths shrink from the widest down and stop at the least") {
  CHECK(fit_widths({10, 50, 30}, 100, 8) == std::vector<size_t>{10, 50, 30});
  CHECK(fit_widths({10, 50, 30}, 60, 8) == std::vector<size_t>{10, 25, 25});
  CHECK(fit_widths({10, 50}, 5, 8) == std::vector<size_t>{8, 8});
  CHECK(fit_widths({3, 50}, 5, 8) == std::vector<size_t>{3, 8});
}
