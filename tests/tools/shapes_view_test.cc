#include "tools/shapes_view.h"

#include <doctest/doctest.h>

using namespace wherestar::tools;

TEST_CASE("a shape is told by what differs") {
  const ShapeRow common{"1",
                        618,
                        {{"$", "object"},
                         {"$.a", "string"},
                         {"$.data", "object"},
                         {"$.data.total", "double"},
                         {"$.gift", "boolean"}},
                        "",
                        ""};
  const ShapeRow other{"2",
                       611,
                       {{"$", "object"},
                        {"$.a", "string"},
                        {"$.api_version", "string"},
                        {"$.data", "object"},
                        {"$.data.total", "string"},
                        {"$.new", "object"},
                        {"$.new.x", "integer"}},
                       "",
                       ""};
  CHECK(shape_difference(common, other) ==
        "+api_version:string  +new  data.total: double→string  -gift");
  CHECK(shape_difference(common, common).empty());
}

TEST_CASE("several types of one path in one shape are kept together") {
  const ShapeRow common{"1", 2, {{"$.a", "integer"}}, "", ""};
  const ShapeRow other{"2", 1, {{"$.a", "integer"}, {"$.a", "string"}}, "", ""};
  CHECK(shape_difference(common, other) == "a: integer→integer|string");
}

TEST_CASE("hidden shapes are counted") {
  Summary summary;
  summary.name = "x";
  summary.documents = 60;
  for (int i = 0; i < 30; ++i) {
    summary.shapes.push_back({std::to_string(i), 2, {{"$", "object"}}, "line 1", "line 9"});
  }
  const std::string all = render_shapes(summary, {});
  CHECK(all.find("\nAA ") != std::string::npos);
  CHECK(all.find("more: --all") == std::string::npos);
  CHECK(render_shapes(summary, {.limit = 2}).find("… 28 more: --all\n") != std::string::npos);
}
