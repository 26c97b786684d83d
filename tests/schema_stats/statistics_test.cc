#include <doctest/doctest.h>

#include "schema_stats/statistics_keys.h"
#include "tests/schema_stats/statistics_fixture.h"

namespace wherestar::schema_stats {
namespace {

using document::JsonType;

uint64_t typed(const PathStatistics& statistics, JsonType type) {
  return statistics.by_type[static_cast<size_t>(type)];
}

TEST_CASE_FIXTURE(StatisticsFixture, "a path counts documents once and values each time") {
  add(R"({"tags":["a","bb","a",7,1.0,null,true,[]]})");
  add(R"({"tags":[]})");
  const PathStatistics tags = at("$.tags");
  CHECK(tags.documents == 2);
  CHECK(tags.values == 2);
  CHECK(typed(tags, JsonType::kArray) == 2);
  CHECK(tags.array_length->least == 0);
  CHECK(tags.array_length->greatest == 8);
  const PathStatistics element = at("$.tags[*]");
  CHECK(element.documents == 1);
  CHECK(element.values == 8);
  CHECK(typed(element, JsonType::kString) == 3);
  CHECK(typed(element, JsonType::kInteger) == 1);
  CHECK(typed(element, JsonType::kDouble) == 1);
  CHECK(typed(element, JsonType::kNull) == 1);
  CHECK(typed(element, JsonType::kBoolean) == 1);
  CHECK(typed(element, JsonType::kArray) == 1);
  CHECK(element.string_length->least == 1);
  CHECK(element.string_length->greatest == 2);
  CHECK(element.total_bytes == 3 + 4 + 3 + 1 + 3 + 4 + 4 + 2);
  CHECK(element.distinct_values == 6);  // "a", "bb", 7, 1.0, null, true
  CHECK_FALSE(element.distinct_is_exact);
  const PartTotals totals = must(stats->totals(part, {}));
  CHECK(totals.documents == 2);
}

TEST_CASE_FIXTURE(StatisticsFixture, "several paths of a document may be one folded path") {
  must(parser.parse(R"({"u1":{"n":1},"u2":{"n":2}})"));
  std::vector<uint32_t> folded;
  for (const document::Shredded::Path& path : parser.shred().paths)
    folded.push_back(&path == &parser.shred().paths[0] ? 0u : path.name == "n" ? 2u : 1u);
  fractal_tree::WriteBatch batch;
  stats->observe(batch, part, parser.shred(), folded, 1000);
  commit(std::move(batch));
  const auto names = must(stats->path(part, 2, {}));
  REQUIRE(names.has_value());
  CHECK(names->documents == 1);
  CHECK(names->values == 2);
}

TEST_CASE_FIXTURE(StatisticsFixture,
                  "distinct values of nulls and booleans are exact and taken back") {
  add(R"({"a":true})");
  const std::string text = R"({"a":false})";
  const uint64_t shape = add(text);
  add(R"({"a":null})");
  CHECK(at("$.a").distinct_values == 3);
  CHECK(at("$.a").distinct_is_exact);
  remove(text, shape);
  CHECK(at("$.a").distinct_values == 2);
  add(R"({"a":"s"})");
  CHECK(at("$.a").distinct_values == 3);
  CHECK(at("$.a").distinct_is_exact);
  add(R"({"a":"t"})");
  CHECK(at("$.a").distinct_values == 4);
  CHECK_FALSE(at("$.a").distinct_is_exact);
}

TEST_CASE_FIXTURE(StatisticsFixture, "many distinct values are estimated across many commits") {
  for (int i = 0; i < 40; ++i) {
    fractal_tree::WriteBatch batch;
    for (int j = 0; j < 100; ++j)
      observe(batch,
              "{\"n\":" + std::to_string(i * 100 + j) + ",\"s\":\"v" + std::to_string(j) + "\"}");
    commit(std::move(batch));
  }
  CHECK(at("$.n").distinct_values > 4000 * 0.93);
  CHECK(at("$.n").distinct_values < 4000 * 1.07);
  CHECK(at("$.s").distinct_values > 97);
  CHECK(at("$.s").distinct_values < 103);
}

TEST_CASE_FIXTURE(StatisticsFixture, "shapes are counted with their members") {
  const uint64_t first = add(R"({"a":1,"b":"x"})", 100);
  CHECK(add(R"({"b":"y","a":2})", 200) == first);
  const uint64_t second = add(R"({"a":1.5,"b":"x"})", 300);
  CHECK(second != first);
  const std::vector<ShapeStatistics> shapes = must(stats->shapes(part, {}));
  REQUIRE(shapes.size() == 2);
  const ShapeStatistics& shape = shapes[0].shape == first ? shapes[0] : shapes[1];
  CHECK(shape.documents == 2);
  CHECK(shape.members == ShapeMembers{{numbers.of("$"), JsonType::kObject},
                                      {numbers.of("$.a"), JsonType::kInteger},
                                      {numbers.of("$.b"), JsonType::kString}});
  CHECK(shape.first_seen_unix_s == 100);
  CHECK(shape.last_seen_unix_s == 200);
}

TEST_CASE_FIXTURE(StatisticsFixture,
                  "a shape whose first document was rolled back is defined by the next") {
  {
    fractal_tree::WriteBatch rolled_back;
    observe(rolled_back, R"({"a":1})", 100);
  }
  add(R"({"a":2})", 200);
  add(R"({"a":3})", 300);
  const std::vector<ShapeStatistics> shapes = must(stats->shapes(part, {}));
  REQUIRE(shapes.size() == 1);
  CHECK(shapes[0].documents == 2);
  CHECK(shapes[0].members.size() == 2);
}

TEST_CASE_FIXTURE(StatisticsFixture, "last seen is written at most once a minute") {
  add(R"({"a":1})", 1000);
  fractal_tree::WriteBatch soon, later;
  observe(soon, R"({"a":2})", 1059);
  commit(std::move(soon));
  CHECK(at("$.a").last_seen_unix_s == 1000);
  observe(later, R"({"a":3})", 1060);
  commit(std::move(later));
  CHECK(at("$.a").last_seen_unix_s == 1060);
  CHECK(must(stats->shapes(part, {})).at(0).last_seen_unix_s == 1060);
  CHECK(must(stats->shapes(part, {})).at(0).first_seen_unix_s == 1000);
}

TEST_CASE_FIXTURE(StatisticsFixture, "shapes and history are known again after a restart") {
  const uint64_t shape = add(R"({"a":1})", 1000);
  open();
  CHECK(add(R"({"a":2})", 5000) == shape);
  const std::vector<ShapeStatistics> shapes = must(stats->shapes(part, {}));
  REQUIRE(shapes.size() == 1);
  CHECK(shapes[0].documents == 2);
  CHECK(shapes[0].first_seen_unix_s == 1000);
  CHECK(shapes[0].last_seen_unix_s == 5000);
}

TEST_CASE_FIXTURE(StatisticsFixture, "what is removed leaves history alone behind") {
  const std::string text = R"({"a":[1,"x",{"b":null}],"s":"long enough"})";
  const uint64_t shape = add(text);
  remove(text, shape);
  for (const auto& [record, keys] : records()) {
    const auto kind = static_cast<Record>(record);
    CHECK((kind == Record::kDistinct || kind == Record::kPathSeen ||
           kind == Record::kShapeDefinition || kind == Record::kShapeSeen));
  }
  CHECK(must(stats->paths(part, {})).empty());
  CHECK(must(stats->shapes(part, {})).empty());
  CHECK(must(stats->totals(part, {})).documents == 0);
}

TEST_CASE_FIXTURE(StatisticsFixture, "an erased part leaves nothing and others stay") {
  add(R"({"a":1})");
  part = 6;
  add(R"({"a":1})");
  fractal_tree::WriteBatch erase;
  stats->erase_part(erase, 5);
  commit(std::move(erase));
  CHECK(must(stats->paths(5, {})).empty());
  CHECK(must(stats->shapes(5, {})).empty());
  CHECK(must(stats->paths(6, {})).size() == 2);
  // And the part can be filled again.
  part = 5;
  add(R"({"a":"again"})");
  CHECK(must(stats->shapes(5, {})).at(0).members.size() == 2);
}

TEST_CASE_FIXTURE(StatisticsFixture, "a path costs little at its first sight") {
  fractal_tree::WriteBatch batch;
  observe(batch, "{\"k\":\"" + std::string(40, 'v') + "\"}");
  commit(std::move(batch));
  const auto id = must(engine->dictionary("statistics", {}));
  const auto cursor = engine->cursor(id, {});
  const uint32_t number = numbers.of("$.k");
  size_t bytes = 0;
  for (cursor->seek_to_first(); cursor->valid(); cursor->next()) {
    Reader reader(cursor->key());
    reader.big_endian<uint32_t>();
    const auto record = static_cast<Record>(reader.fixed<uint8_t>());
    if (record < Record::kPath || record > Record::kPathSeen) continue;
    if (reader.big_endian<uint32_t>() == number)
      bytes += cursor->key().size() + cursor->value().size();
  }
  CHECK(bytes > 0);
  CHECK(bytes <= 200);
}

TEST_CASE("beyond ten thousand shapes a document counts among the others") {
  const auto stats = SchemaStats::over_batches();
  document::Parser parser;
  fractal_tree::WriteBatch batch;
  must(parser.parse(R"({"k":1})"));
  uint64_t shape = 1;
  for (uint32_t i = 0; i <= kMaxShapes; ++i) {
    CHECK(shape != 0);
    const uint32_t path_numbers[] = {0, 1 + i};
    shape = stats->observe(batch, 1, parser.shred(), path_numbers, 1000);
  }
  CHECK(shape == 0);
  const fractal_tree::WriteBatch* own[] = {&batch};
  const auto shapes = must(stats->shapes(1, {.snapshot = nullptr, .own = own}));
  REQUIRE(shapes.size() == kMaxShapes + 1);
  CHECK(shapes[0].shape == 0);
  CHECK(shapes[0].documents == 1);
  CHECK(shapes[0].members.empty());
  // Known shapes go on being counted as themselves.
  const uint32_t known[] = {0, 1};
  CHECK(stats->observe(batch, 1, parser.shred(), known, 1000) != 0);
}

TEST_CASE("a tool reads statistics from batches alone") {
  const auto stats = SchemaStats::over_batches();
  document::Parser parser;
  fractal_tree::WriteBatch first, second;
  PathNumbers numbers;
  for (int i = 0; i < 2000; ++i) {
    const std::string text = "{\"n\":" + std::to_string(i) + "}";
    must(parser.parse(text));
    stats->observe(i % 2 == 0 ? first : second, 9, parser.shred(), numbers.of(parser.shred()),
                   i);
  }
  const fractal_tree::WriteBatch* own[] = {&first, &second};
  const fractal_tree::ReadView view{.snapshot = nullptr, .own = own};
  CHECK(must(stats->totals(9, view)).documents == 2000);
  const auto n = must(stats->path(9, numbers.of("$.n"), view));
  REQUIRE(n.has_value());
  CHECK(n->documents == 2000);
  CHECK(n->last_seen_unix_s == 1999);
  CHECK(n->distinct_values > 1860);
  CHECK(n->distinct_values < 2140);
  CHECK(must(stats->shapes(9, view)).at(0).members.size() == 2);
}

}  // namespace
}  // namespace wherestar::schema_stats
