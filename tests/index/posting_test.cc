#include "index/posting.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <set>

#include <doctest/doctest.h>

namespace wherestar::index {
namespace {

std::set<uint64_t> as_set(const DocIdSet& docs) {
  std::set<uint64_t> result;
  for (const DocId doc : docs.to_vector()) result.insert(static_cast<uint64_t>(doc));
  return result;
}

uint64_t random_id(std::mt19937_64& random) {
  // Three clusters: low ones, ones around 2^32, ones near the top.
  static constexpr uint64_t kBases[] = {0, (uint64_t{1} << 32) - 100, UINT64_MAX - 300};
  return kBases[random() % 3] + random() % 200;
}

TEST_CASE("set algebra on document ids agrees with std::set") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    DocIdSet a, b;
    std::set<uint64_t> model_a, model_b;
    for (uint64_t i = random() % 100; i > 0; --i) {
      const uint64_t id = random_id(random);
      a.add(DocId{id});
      model_a.insert(id);
    }
    std::vector<uint64_t> many;
    for (uint64_t i = random() % 100; i > 0; --i) many.push_back(random_id(random));
    b.add_many(many);
    model_b.insert(many.begin(), many.end());
    CHECK(as_set(a) == model_a);
    CHECK(as_set(b) == model_b);
    CHECK(a.size() == model_a.size());
    CHECK(b.empty() == model_b.empty());

    std::set<uint64_t> expected;
    DocIdSet result = a;
    result.intersect_with(b);
    std::set_intersection(model_a.begin(), model_a.end(), model_b.begin(), model_b.end(),
                          std::inserter(expected, expected.end()));
    CHECK(as_set(result) == expected);
    CHECK(result.empty() == expected.empty());

    expected.clear();
    result = a;
    result.unite_with(b);
    std::set_union(model_a.begin(), model_a.end(), model_b.begin(), model_b.end(),
                   std::inserter(expected, expected.end()));
    CHECK(as_set(result) == expected);

    expected.clear();
    result = a;
    result.subtract(b);
    std::set_difference(model_a.begin(), model_a.end(), model_b.begin(), model_b.end(),
                        std::inserter(expected, expected.end()));
    CHECK(as_set(result) == expected);
    const uint64_t probe = random_id(random);
    CHECK(result.contains(DocId{probe}) == expected.contains(probe));
  }
}

TEST_CASE("a range of document ids may cross 32 bits") {
  DocIdSet docs;
  docs.add_range(DocId{(uint64_t{1} << 32) - 2}, DocId{(uint64_t{1} << 32) + 2});
  docs.add_range(DocId{9}, DocId{9});
  CHECK(docs.size() == 4);
  CHECK(docs.contains(DocId{(uint64_t{1} << 32) - 2}));
  CHECK(docs.contains(DocId{(uint64_t{1} << 32) + 1}));
  CHECK_FALSE(docs.contains(DocId{(uint64_t{1} << 32) + 2}));
  docs.add_range(DocId{0}, DocId{uint64_t{5} << 32});
  CHECK(docs.size() == uint64_t{5} << 32);
}

TEST_CASE("a set combined with itself and a set moved from are what one expects") {
  DocIdSet docs;
  docs.add(DocId{5});
  docs.unite_with(docs);
  docs.intersect_with(docs);
  CHECK(docs.size() == 1);
  DocIdSet taken = std::move(docs);
  CHECK(taken.contains(DocId{5}));
  taken.subtract(taken);
  CHECK(taken.empty());
  docs = std::move(taken);
  docs.add(DocId{6});
  CHECK(docs.size() == 1);
}

}  // namespace
}  // namespace wherestar::index
