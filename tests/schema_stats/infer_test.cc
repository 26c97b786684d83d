#include <doctest/doctest.h>

#include "document/json.h"
#include "tests/random_documents.h"
#include "tests/schema_stats/statistics_fixture.h"

namespace wherestar::schema_stats {
namespace {

using document::Json;

// Documents with their statistics and extremes, as a server would join them.
class Collection {
 public:
  void add(const std::string& text) {
    must(parser_.parse(text));
    stats_->observe(batch_, 1, parser_.shred(), numbers_.of(parser_.shred()), 1000);
    documents.push_back(text);
    testing::walk(must(Json::parse(text)), [&](const std::string& path, const Json& value) {
      if (value.is_string() || value.is_null()) ++values_[path][value.to_text()];
      if (!value.is_number()) return;
      auto [least, is_first] = least_.emplace(path, value);
      if (!is_first && value.compare(least->second) < 0) least->second = value;
      auto [greatest, is_first_too] = greatest_.emplace(path, value);
      if (!is_first_too && value.compare(greatest->second) > 0) greatest->second = value;
    });
  }

  std::vector<PathSummary> summaries(bool with_extremes = true) {
    const fractal_tree::WriteBatch* own[] = {&batch_};
    std::vector<PathSummary> summaries;
    for (PathStatistics& statistics : must(stats_->paths(1, {.snapshot = nullptr, .own = own}))) {
      PathSummary summary;
      summary.text = numbers_.text(statistics.path);
      summary.statistics = std::move(statistics);
      if (with_extremes && least_.contains(summary.text)) {
        summary.least_json = least_[summary.text].to_text();
        summary.greatest_json = greatest_[summary.text].to_text();
      }
      for (const auto& [value, count] : values_[summary.text])
        summary.top_values.emplace_back(value, count);
      summaries.push_back(std::move(summary));
    }
    return summaries;
  }

  Json infer(bool draft4 = false) {
    return must(Json::parse(infer_json_schema(summaries(), "things", {.draft4 = draft4})));
  }

  void check_all_validate() {
    for (const bool with_extremes : {true, false}) {
      const std::string schema =
          infer_json_schema(summaries(with_extremes), "things", {.draft4 = true});
      const auto validator = document::SchemaValidator::compile(schema);
      if (!validator) FAIL(validator.error().message);
      for (const std::string& text : documents) {
        const Status valid = validator->validate(text);
        INFO("document ", text, " schema ", schema);
        if (!valid) FAIL_CHECK(valid.error().message);
      }
    }
  }

  std::vector<std::string> documents;

 private:
  std::unique_ptr<SchemaStats> stats_ = SchemaStats::over_batches();
  fractal_tree::WriteBatch batch_;
  document::Parser parser_;
  PathNumbers numbers_;
  std::map<std::string, Json> least_, greatest_;
  std::map<std::string, std::map<std::string, uint64_t>> values_;
};

const Json& at(const Json& json, std::initializer_list<std::string_view> names) {
  const Json* found = &json;
  for (const std::string_view name : names) {
    found = found->member(name);
    if (found == nullptr) FAIL("no member ", std::string(name), " in ", json.to_text());
  }
  return *found;
}

TEST_CASE("a schema tells types, presence, bounds, formats and enums") {
  Collection collection;
  for (int i = 0; i < 12; ++i)
    collection.add("{\"_id\":" + std::to_string(i) + ",\"size\":\"" + (i % 2 ? "XL" : "S") +
                   "\",\"since\":\"2003-02-1" + std::to_string(i % 10) + "\",\"title\":\"t" +
                   std::to_string(i) + "\",\"price\":" + std::to_string(i) + ".5" +
                   (i == 0 ? "" : ",\"tags\":[\"a\",1]") + "}");
  const Json schema = collection.infer();
  CHECK(at(schema, {"$schema"}) == Json::string("https://json-schema.org/draft/2020-12/schema"));
  CHECK(at(schema, {"title"}) == Json::string("things"));
  CHECK(at(schema, {"type"}) == Json::string("object"));
  CHECK(at(schema, {"required"}).to_text() == R"(["_id","size","since","title","price"])");
  CHECK(at(schema, {"properties", "_id", "type"}) == Json::string("integer"));
  CHECK(at(schema, {"properties", "_id", "maximum"}).to_text() == "11");
  CHECK(at(schema, {"properties", "price", "type"}) == Json::string("number"));
  CHECK(at(schema, {"properties", "price", "minimum"}).to_text() == "0.5");
  CHECK(at(schema, {"properties", "size", "enum"}).to_text() == R"(["S","XL"])");
  CHECK(at(schema, {"properties", "since", "format"}) == Json::string("date"));
  CHECK(at(schema, {"properties", "title"}).member("enum") == nullptr);
  CHECK(at(schema, {"properties", "tags", "items", "type"}).to_text() == R"(["integer","string"])");
  CHECK(at(schema, {"properties", "tags", "items"}).member("enum") == nullptr);
  collection.check_all_validate();
}

TEST_CASE("a folded map becomes additionalProperties") {
  std::vector<PathSummary> paths(3);
  paths[0].text = "$";
  paths[0].statistics.values = paths[0].statistics.documents = 5;
  paths[0].statistics.by_type[static_cast<size_t>(document::JsonType::kObject)] = 5;
  paths[1].text = "$.*";
  paths[1].statistics.values = 500;
  paths[1].statistics.documents = 5;
  paths[1].statistics.by_type[static_cast<size_t>(document::JsonType::kInteger)] = 500;
  paths[2].text = "$.known";
  paths[2].statistics.values = paths[2].statistics.documents = 5;
  paths[2].statistics.by_type[static_cast<size_t>(document::JsonType::kNull)] = 5;
  const Json schema = must(Json::parse(infer_json_schema(paths, "map", {})));
  CHECK(at(schema, {"additionalProperties", "type"}) == Json::string("integer"));
  CHECK(at(schema, {"properties", "known", "type"}) == Json::string("null"));
  CHECK(at(schema, {"required"}).to_text() == R"(["known"])");
}

TEST_CASE("a member required within objects that are themselves optional") {
  Collection collection;
  collection.add(R"({"_id":1,"owner":{"name":"a","age":1}})");
  collection.add(R"({"_id":2,"owner":{"name":"b"}})");
  collection.add(R"({"_id":3,"list":[{"x":1},{"x":2,"y":3}]})");
  const Json schema = collection.infer();
  CHECK(at(schema, {"required"}).to_text() == R"(["_id"])");
  CHECK(at(schema, {"properties", "owner", "required"}).to_text() == R"(["name"])");
  CHECK(at(schema, {"properties", "list", "items", "required"}).to_text() == R"(["x"])");
  collection.check_all_validate();
}

TEST_CASE("every document of a random collection is valid against its schema") {
  for (const uint64_t seed : {21, 22, 23, 24}) {
    testing::RandomDocuments random(seed);
    Collection collection;
    for (uint64_t i = 0; i < 60; ++i) collection.add(random.next(i));
    collection.check_all_validate();
  }
}

TEST_CASE("an empty collection has a schema that allows everything") {
  const Json schema = must(Json::parse(infer_json_schema({}, "empty", {.draft4 = true})));
  CHECK(schema.member("type") == nullptr);
  CHECK(at(schema, {"$schema"}) == Json::string("http://json-schema.org/draft-04/schema#"));
}

}  // namespace
}  // namespace wherestar::schema_stats
