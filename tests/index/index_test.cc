#include "index/index.h"

#include <doctest/doctest.h>

#include "tests/index/index_fixture.h"

namespace wherestar::index {
namespace {

using Docs = std::vector<DocId>;
using document::JsonType;

TEST_CASE_FIXTURE(IndexFixture, "a value is found at any path and at one, in arrays too") {
  set(1, R"({"_id":1,"title":"Jippie","tags":["red","beach"]})");
  set(2, R"({"_id":2,"note":{"deep":[["Jippie"]]}})");
  set(3, R"({"_id":3,"title":"Other","n":1974.0})");
  set(uint64_t{1} << 40, R"({"title":"Jippie","n":1974})");
  const auto find = [&](const Probe& probe, const char* path = nullptr) {
    std::vector<PathId> paths;
    if (path != nullptr) paths = path_ids(path);
    Hits hits = must(index->find(part, {}, probe, paths));
    CHECK(hits.exact);
    return hits.docs.to_vector();
  };
  const DocId far{uint64_t{1} << 40};
  CHECK(find(equal("Jippie")) == Docs{DocId{1}, DocId{2}, far});
  CHECK(find(equal("Jippie"), "$.title") == Docs{DocId{1}, far});
  CHECK(find(equal("beach"), "$.tags[*]") == Docs{DocId{1}});
  CHECK(find(equal("beach"), "$.title").empty());
  CHECK(find(equal(number(1974))) == Docs{DocId{3}, far});
  CHECK(find(equal("1974")).empty());
  CHECK(find(with_prefix("J")) == Docs{DocId{1}, DocId{2}, far});
  CHECK(find(with_prefix("")) == Docs{DocId{1}, DocId{2}, DocId{3}, far});
  CHECK(find(between(number(2), number(3)), "$._id") == Docs{DocId{2}, DocId{3}});
  CHECK(find(between("Jippie", "Other"), "$.title") == Docs{DocId{1}, DocId{3}, far});
}

TEST_CASE_FIXTURE(IndexFixture, "types and lengths of arrays are found") {
  set(1, R"({"a":[1,2,3]})");
  set(2, R"({"a":{"b":null}})");
  set(3, R"({"a":"text"})");
  set(4, R"({"a":[]})");
  const PathId a = path_ids("$.a").at(0);
  const auto of_type = [&](std::initializer_list<JsonType> types) {
    const std::vector<JsonType> list(types);
    return must(index->find_type(part, {}, a, list)).docs.to_vector();
  };
  CHECK(of_type({JsonType::kArray}) == Docs{DocId{1}, DocId{4}});
  CHECK(of_type({JsonType::kObject, JsonType::kString}) == Docs{DocId{2}, DocId{3}});
  CHECK(of_type({JsonType::kNull}).empty());
  const auto of_length = [&](uint32_t low, uint32_t high) {
    return must(index->find_array_length(part, {}, a, low, high)).docs.to_vector();
  };
  CHECK(of_length(1, UINT32_MAX) == Docs{DocId{1}});
  CHECK(of_length(0, 2) == Docs{DocId{4}});
  CHECK(of_length(3, 3) == Docs{DocId{1}});
  CHECK(of_length(5, 4).empty());
}

TEST_CASE_FIXTURE(IndexFixture, "an update posts the difference and nothing else") {
  set(1, R"({"a":"one","b":"two","c":[1,2,3],"d":17})");
  document::Parser before, after;
  must(before.parse(documents[1]));
  must(after.parse(R"({"a":"uno","b":"two","c":[1,2,3],"d":17})"));
  const PathIds ids = must(index->resolve(part, before.shred()));
  fractal_tree::WriteBatch batch;
  index->update(batch, part, DocId{1}, before.shred(), ids, after.shred(), ids);
  CHECK(batch.change_count() == 4);  // one value less and one more, in two dictionaries
  fractal_tree::WriteBatch nothing;
  index->update(nothing, part, DocId{1}, before.shred(), ids, before.shred(), ids);
  CHECK(nothing.empty());
}

TEST_CASE_FIXTURE(IndexFixture,
                  "a long string is found inexactly and told from its likes by hash") {
  const std::string stem(120, 's');
  set(1, "{\"a\":\"" + stem + "1\"}");
  set(2, "{\"a\":\"" + stem + "2\"}");
  const std::string wanted = stem + "2";
  const Hits hits = must(index->find(part, {}, equal(std::string_view(wanted)), {}));
  CHECK_FALSE(hits.exact);
  CHECK(hits.docs.to_vector() == Docs{DocId{2}});
  const Hits by_prefix = must(index->find(part, {}, with_prefix(wanted), {}));
  CHECK_FALSE(by_prefix.exact);
  CHECK(by_prefix.docs.size() == 2);
  const std::string_view half = std::string_view(stem).substr(0, 50);
  CHECK(must(index->find(part, {}, with_prefix(half), {})).exact);
  CHECK(must(index->find(part, {}, with_prefix(half), path_ids("$.a"))).docs.size() == 2);
}

TEST_CASE_FIXTURE(IndexFixture, "parts do not see each other and are erased alone") {
  set(1, R"({"a":"x"})");
  const PartId other{4};
  document::Parser parser;
  must(parser.parse(R"({"b":"x"})"));
  const PathIds ids = must(index->resolve(other, parser.shred()));
  fractal_tree::WriteBatch batch;
  index->add(batch, other, DocId{9}, parser.shred(), ids);
  commit(std::move(batch));
  CHECK(must(index->find(part, {}, equal("x"), {})).docs.to_vector() == Docs{DocId{1}});
  CHECK(must(index->find(other, {}, equal("x"), {})).docs.to_vector() == Docs{DocId{9}});

  fractal_tree::WriteBatch erase;
  index->erase_part(erase, part);
  commit(std::move(erase));
  CHECK(must(index->find(part, {}, equal("x"), {})).docs.empty());
  CHECK(must(index->paths(part)).empty());
  CHECK(must(index->find(other, {}, equal("x"), {})).docs.to_vector() == Docs{DocId{9}});
  CHECK(must(index->paths(other)).size() == 2);
}

TEST_CASE_FIXTURE(IndexFixture, "erased postings leave the paths for a rebuild") {
  set(1, R"({"a":"x"})");
  fractal_tree::WriteBatch erase;
  index->erase_postings(erase, part);
  commit(std::move(erase));
  CHECK(keys_in("values") == 0);
  CHECK(keys_in("path_values") == 0);
  CHECK(must(index->paths(part)).size() == 2);
}

TEST_CASE_FIXTURE(IndexFixture, "a transaction sees its own postings and a snapshot only its own") {
  set(1, R"({"a":"x"})");
  const auto snapshot = engine->snapshot();
  fractal_tree::WriteBatch batch;
  set(batch, 2, R"({"a":"x"})");
  const fractal_tree::WriteBatch* own[] = {&batch};
  CHECK(must(index->find(part, {.snapshot = nullptr, .own = own}, equal("x"), {})).docs.size() ==
        2);
  CHECK(must(index->find(part, {}, equal("x"), {})).docs.size() == 1);
  commit(std::move(batch));
  CHECK(must(index->find(part, {}, equal("x"), {})).docs.size() == 2);
  CHECK(must(index->find(part, {.snapshot = snapshot.get(), .own = {}}, equal("x"), {}))
            .docs.size() == 1);
}

TEST_CASE_FIXTURE(IndexFixture, "paths keep their ids and folding rules over a restart") {
  const auto text = [](int i) {
    return "{\"users\":{\"u" + std::to_string(i) + "\":{\"name\":\"n" + std::to_string(i) + "\"}}}";
  };
  std::vector<PathIds> given;
  document::Parser parser;
  for (int i = 0; i < 300; ++i) {
    const std::string document = text(i);
    must(parser.parse(document));
    given.push_back(must(index->resolve(part, parser.shred())));
  }
  set(7, text(299));
  const std::vector<PathInfo> before = must(index->paths(part));
  open();
  const std::vector<PathInfo> after = must(index->paths(part));
  REQUIRE(after.size() == before.size());
  for (size_t i = 0; i < before.size(); ++i) {
    CHECK(after[i].text == before[i].text);
    CHECK(after[i].first_seen_unix_s == before[i].first_seen_unix_s);
    CHECK(after[i].is_folded == before[i].is_folded);
  }
  for (int i = 0; i < 300; ++i) {
    const std::string document = text(i);
    must(parser.parse(document));
    CHECK(must(index->resolve(part, parser.shred())) == given[static_cast<size_t>(i)]);
  }
  CHECK(must(index->find(part, {}, equal("n299"), path_ids("$.users.u299.name"))).docs.size() == 1);
  CHECK_FALSE(must(index->path(part, PathId{100'000})).has_value());
  CHECK(must(index->path(part, PathId{1}))->text == "$.users");
}

TEST_CASE_FIXTURE(IndexFixture, "values are counted per path without their documents") {
  for (uint64_t i = 0; i < 40; ++i)
    set(i, "{\"size\":\"" + std::string(i % 4 == 0 ? "XL" : "S") + "\",\"long\":\"" +
               std::string(30, 'l') + std::to_string(i % 3) + "\",\"n\":" + std::to_string(i % 2) +
               "}");
  Probe all;
  all.kind = Probe::Kind::kRange;
  all.low = std::string_view();
  all.has_low = all.has_high = false;
  const auto counted = [&](const Probe& probe, const char* path, uint64_t limit = 0) {
    std::vector<std::pair<std::string, uint64_t>> result;
    for (const ValueCount& count :
         must(index->count_values(part, {}, probe, path_ids(path), limit))) {
      Reader reader(count.encoded_value);
      const document::DecodedScalar value = must(document::decode_scalar(reader));
      CHECK(reader.done());
      result.emplace_back(
          value.type == document::kKeyString ? value.text : std::to_string(value.number.as_int64()),
          count.documents);
    }
    return result;
  };
  using Counts = std::vector<std::pair<std::string, uint64_t>>;
  CHECK(counted(all, "$.size") == Counts{{"S", 30}, {"XL", 10}});
  CHECK(counted(all, "$.size", 1) == Counts{{"S", 30}});
  const std::string stem(30, 'l');
  CHECK(counted(all, "$.long") == Counts{{stem + "0", 14}, {stem + "1", 13}, {stem + "2", 13}});
  CHECK(counted(all, "$.long", 2).size() == 2);
  all.low = number(0);
  CHECK(counted(all, "$.n") == Counts{{"0", 20}, {"1", 20}});
  CHECK(must(index->estimate(part, {}, equal("S"), {}, 10)) == 30);
  CHECK(must(index->estimate(part, {}, with_prefix(""), {}, 2)) == UINT64_MAX);
}

TEST_CASE_FIXTURE(IndexFixture, "a limit stops the search when so many documents are found") {
  for (uint64_t i = 0; i < 100; ++i) set(i, "{\"n\":" + std::to_string(i) + "}");
  const Hits some = must(index->find(part, {}, between(number(0), number(99)), {}, 10));
  CHECK(some.docs.size() >= 10);
  CHECK(some.keys_read < 100);
  const Hits all = must(index->find(part, {}, between(number(0), number(99)), {}, 1000));
  CHECK(all.docs.size() == 100);
}

TEST_CASE_FIXTURE(IndexFixture, "the derivation version is stored when told to") {
  CHECK(must(index->stored_derivation_version()) == 0);
  fractal_tree::WriteBatch batch;
  index->store_derivation_version(batch);
  commit(std::move(batch));
  open();
  CHECK(must(index->stored_derivation_version()) == kDerivationVersion);
}

TEST_CASE_FIXTURE(IndexFixture, "extremes exist for numbers and strings only") {
  set(1, R"({"a":5,"s":"only"})");
  const PathId a = path_ids("$.a").at(0);
  CHECK(must(index->least(part, {}, a, document::kKeyNumber))->value.number == number(5));
  CHECK_FALSE(must(index->least(part, {}, a, document::kKeyString)).has_value());
  CHECK(index->least(part, {}, a, document::kKeyTrue).error().code == ErrorCode::kInvalidArgument);
  CHECK(must(index->greatest(part, {}, path_ids("$.s").at(0), document::kKeyString))->value.text ==
        "only");
}

}  // namespace
}  // namespace wherestar::index
