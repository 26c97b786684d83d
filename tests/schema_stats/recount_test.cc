// Statistics against a recount of the documents, after any sequence of changes.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "schema_stats/statistics_keys.h"
#include "tests/random_documents.h"
#include "tests/schema_stats/statistics_fixture.h"

namespace wherestar::schema_stats {
namespace {

using document::Json;
using document::JsonType;

struct Recounted {
  uint64_t documents = 0, values = 0, total_bytes = 0;
  std::array<uint64_t, document::kJsonTypeCount> by_type{};
  std::array<uint64_t, kFormatCount> by_format{};
  std::set<size_t> string_lengths, array_lengths;
};

size_t characters(const std::string& text) {
  return static_cast<size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xc0) != 0x80; }));
}

std::map<std::string, Recounted> recount(const std::map<uint64_t, std::string>& documents) {
  std::map<std::string, Recounted> paths;
  for (const auto& [id, text] : documents) {
    std::set<std::string> seen;
    testing::walk(must(Json::parse(text)), [&](const std::string& path, const Json& value) {
      Recounted& counted = paths[path];
      if (seen.insert(path).second) ++counted.documents;
      ++counted.values;
      ++counted.by_type[static_cast<size_t>(value.type())];
      // The document's own text may hold a member twice.
      counted.total_bytes += path == "$" ? text.size() : value.to_text().size();
      if (value.is_array()) counted.array_lengths.insert(value.elements().size());
      if (!value.is_string()) return;
      counted.string_lengths.insert(characters(value.as_string()));
      if (const auto format = detect_format(value.as_string()))
        ++counted.by_format[static_cast<size_t>(*format)];
    });
  }
  return paths;
}

void compare_lengths(const std::optional<LengthRange>& range, const std::set<size_t>& lengths) {
  REQUIRE(range.has_value() == !lengths.empty());
  if (!range) return;
  CHECK(range->least == *lengths.begin());  // all below 256 here
  CHECK(range->greatest == *lengths.rbegin());
  CHECK(range->greatest_is_exact);
}

class RecountFixture : public StatisticsFixture {
 public:
  void change(fractal_tree::WriteBatch& batch, uint64_t id, const std::string& text) {
    if (const auto found = documents.find(id); found != documents.end()) {
      forget(batch, found->second, shapes[id]);
      documents.erase(found);
    }
    if (text.empty()) return;
    shapes[id] = observe(batch, text);
    documents[id] = text;
  }

  void compare() {
    const std::map<std::string, Recounted> expected = recount(documents);
    const std::vector<PathStatistics> found = must(stats->paths(part, {}));
    CHECK(found.size() == expected.size());
    for (const PathStatistics& path : found) {
      const std::string& text = numbers.text(path.path);
      INFO("path ", text);
      REQUIRE(expected.contains(text));
      const Recounted& counted = expected.at(text);
      CHECK(path.documents == counted.documents);
      CHECK(path.values == counted.values);
      CHECK(path.total_bytes == counted.total_bytes);
      CHECK(path.by_type == counted.by_type);
      CHECK(path.by_format == counted.by_format);
      compare_lengths(path.string_length, counted.string_lengths);
      compare_lengths(path.array_length, counted.array_lengths);
    }
    compare_shapes();
    CHECK(must(stats->totals(part, {})).documents == documents.size());
  }

  void compare_shapes() {
    std::map<std::set<std::pair<uint32_t, JsonType>>, uint64_t> expected;
    for (const auto& [id, text] : documents) {
      std::set<std::pair<uint32_t, JsonType>> shape;
      testing::walk(must(Json::parse(text)), [&](const std::string& path, const Json& value) {
        shape.emplace(numbers.of(path), value.type());
      });
      ++expected[shape];
    }
    const std::vector<ShapeStatistics> found = must(stats->shapes(part, {}));
    CHECK(found.size() == expected.size());
    for (const ShapeStatistics& shape : found)
      CHECK(expected[{shape.members.begin(), shape.members.end()}] == shape.documents);
  }

  std::map<uint64_t, std::string> documents;
  std::map<uint64_t, uint64_t> shapes;
};

void run(uint64_t seed) {
  INFO("seed ", seed);
  RecountFixture store;
  testing::RandomDocuments random(seed);
  constexpr size_t kDocuments = 200;
  for (size_t i = 0; i < kDocuments;) {
    fractal_tree::WriteBatch batch;
    for (const size_t end = std::min(kDocuments, i + 1 + random.below(40)); i < end; ++i)
      store.change(batch, i, random.next(i));
    store.commit(std::move(batch));
  }
  store.compare();
  for (int round = 0; round < 3; ++round) {
    fractal_tree::WriteBatch batch;
    for (int i = 0; i < 60; ++i) {
      const size_t id = random.below(kDocuments);
      store.change(batch, id, random.below(3) == 0 ? "" : random.next(id));
    }
    store.commit(std::move(batch));
    store.compare();
  }
  must(store.engine->checkpoint());
  store.open();
  store.compare();
  fractal_tree::WriteBatch batch;
  for (size_t i = 0; i < kDocuments; ++i) store.change(batch, i, "");
  store.commit(std::move(batch));
  store.compare();
  for (const auto& [record, keys] : store.records()) {
    const auto kind = static_cast<Record>(record);
    CHECK((kind == Record::kDistinct || kind == Record::kPathSeen ||
           kind == Record::kShapeDefinition || kind == Record::kShapeSeen));
  }
}

TEST_CASE("statistics equal a recount after any sequence of changes") {
  for (const uint64_t seed : {11, 12, 13}) run(seed);
}

}  // namespace
}  // namespace wherestar::schema_stats
