// The index against a scan over all documents, while they come, change and go.
#include <optional>
#include <set>

#include <doctest/doctest.h>

#include "tests/index/index_fixture.h"
#include "tests/random_documents.h"

namespace wherestar::index {
namespace {

using document::Json;
using document::JsonType;
using testing::RandomDocuments;
using Predicate = std::function<bool(const Json&)>;
using DocSet = std::set<uint64_t>;

bool is_scalar(const Json& value) {
  return !value.is_array() && !value.is_object();
}

// Does the scalar satisfy the probe? Written anew, from what index.h says.
bool satisfies(const Json& value, const Probe& probe) {
  const auto order = [&value](const document::Scalar& bound) -> std::optional<int> {
    if (const auto* text = std::get_if<std::string_view>(&bound)) {
      if (!value.is_string()) return std::nullopt;
      const int compared = std::string_view(value.as_string()).compare(*text);
      return compared < 0 ? -1 : compared > 0 ? 1 : 0;
    }
    if (const auto* number = std::get_if<document::Number>(&bound)) {
      if (!value.is_number()) return std::nullopt;
      const document::Number own = value.as_number();
      return own < *number ? -1 : own == *number ? 0 : 1;
    }
    if (const auto* boolean = std::get_if<bool>(&bound)) {
      if (value.type() != JsonType::kBoolean) return std::nullopt;
      return int{value.as_bool()} - int{*boolean};
    }
    if (!value.is_null()) return std::nullopt;
    return 0;
  };
  if (!is_scalar(value)) return false;
  if (probe.kind == Probe::Kind::kEqual) return order(probe.low) == 0;
  if (probe.kind == Probe::Kind::kPrefix)
    return value.is_string() &&
           value.as_string().starts_with(std::get<std::string_view>(probe.low));
  const document::Scalar& typed = probe.has_low || !probe.has_high ? probe.low : probe.high;
  if (!order(typed)) return false;
  if (probe.has_low) {
    const int low = *order(probe.low);
    if (low < 0 || (low == 0 && !probe.low_inclusive)) return false;
  }
  if (probe.has_high) {
    const int high = *order(probe.high);
    if (high > 0 || (high == 0 && !probe.high_inclusive)) return false;
  }
  return true;
}

// Keeps the strings of scalars alive.
struct RandomProbe {
  Json low, high;
  Probe probe;
};

document::Scalar scalar_of(const Json& json) {
  if (json.is_string()) return std::string_view(json.as_string());
  if (json.is_number()) return json.as_number();
  if (json.type() == JsonType::kBoolean) return json.as_bool();
  return document::Null{};
}

std::unique_ptr<RandomProbe> random_probe(RandomDocuments& random) {
  auto made = std::make_unique<RandomProbe>();
  made->low = random.scalar();
  Probe& probe = made->probe;
  switch (random.below(3)) {
    case 0:
      break;
    case 1: {
      std::string text = random.string();
      made->low = Json::string(text.substr(0, random.below(text.size() + 1)));
      probe.kind = Probe::Kind::kPrefix;
      break;
    }
    default: {
      probe.kind = Probe::Kind::kRange;
      do {
        made->high = random.scalar();
      } while (scalar_of(made->high).index() != scalar_of(made->low).index());
      if (made->high.compare(made->low) < 0) std::swap(made->low, made->high);
      probe.has_low = random.below(5) != 0;
      probe.has_high = random.below(5) != 0;
      probe.low_inclusive = random.below(2) == 0;
      probe.high_inclusive = random.below(2) == 0;
    }
  }
  probe.low = scalar_of(made->low);
  if (probe.kind == Probe::Kind::kRange) probe.high = scalar_of(made->high);
  return made;
}

class DifferentialFixture : public IndexFixture {
 public:
  explicit DifferentialFixture(uint64_t seed) : random(seed) {}

  DocSet scan(const Predicate& predicate, const document::PathExpression* path) {
    DocSet found;
    for (const auto& [doc, json] : parsed) {
      bool holds = false;
      if (path != nullptr) {
        for (const Json* value : json.select(*path)) holds = holds || predicate(*value);
      } else {
        testing::walk(json, [&](const std::string&, const Json& value) {
          holds = holds || predicate(value);
        });
      }
      if (holds) found.insert(doc);
    }
    return found;
  }

  static DocSet as_set(const Hits& hits) {
    DocSet docs;
    for (const DocId doc : hits.docs.to_vector()) docs.insert(static_cast<uint64_t>(doc));
    return docs;
  }

  void check(const Hits& hits, const DocSet& expected, bool must_be_exact) {
    const DocSet found = as_set(hits);
    if (hits.exact && must_be_exact) {
      CHECK(found == expected);
    } else {
      CHECK(std::includes(found.begin(), found.end(), expected.begin(), expected.end()));
    }
  }

  void check_probes(int count) {
    for (int i = 0; i < count; ++i) {
      const auto made = random_probe(random);
      const Probe& probe = made->probe;
      INFO("kind ", static_cast<int>(probe.kind), " low ", made->low.to_text(), " high ",
           made->high.to_text(), " has ", probe.has_low, probe.has_high, " inclusive ",
           probe.low_inclusive, probe.high_inclusive);
      const Predicate predicate = [&](const Json& value) { return satisfies(value, probe); };
      const Hits anywhere = must(index->find(part, {}, probe, {}));
      check(anywhere, scan(predicate, nullptr), true);
      const uint64_t bound = must(index->estimate(part, {}, probe, {}, UINT64_MAX - 1));
      CHECK(bound >= anywhere.docs.size());

      static constexpr const char* kPaths[] = {"$.a",
                                               "$.b",
                                               "$.tags[*]",
                                               "$.n",
                                               "$.\"a.b\"",
                                               "$.users.u5.name",
                                               "$.users.*.name",
                                               "$**.a",
                                               "$.tags[0]",
                                               "$.*",
                                               "$.\"*\"",
                                               "$.\"\""};
      const std::string_view text = kPaths[random.below(std::size(kPaths))];
      INFO("path ", text);
      const document::PathExpression path = must(document::PathExpression::parse(text));
      bool exact_path = text.find("[0]") == text.npos;
      std::vector<PathId> ids;
      for (const PathInfo& info : must(index->matching_paths(part, path))) {
        ids.push_back(info.id);
        exact_path = exact_path && !info.is_folded;
      }
      if (ids.empty()) {
        CHECK(scan(predicate, &path).empty());
        continue;
      }
      check(must(index->find(part, {}, probe, ids)), scan(predicate, &path), exact_path);
      check_counts(probe, predicate, path, ids, exact_path);
    }
  }

  // The sum over values of their documents, for exact probes: pairs of value and document.
  void check_counts(const Probe& probe, const Predicate& predicate,
                    const document::PathExpression& path, const std::vector<PathId>& ids,
                    bool exact_path) {
    if (ids.size() != 1 || !exact_path || path.has_wildcard()) return;
    if (!must(index->find(part, {}, probe, ids)).exact) return;
    uint64_t expected = 0;
    for (const auto& [doc, json] : parsed)
      for (const Json* value : json.select(path)) expected += predicate(*value) ? 1 : 0;
    uint64_t counted = 0;
    for (const ValueCount& count : must(index->count_values(part, {}, probe, ids, 0)))
      counted += count.documents;
    CHECK(counted == expected);
  }

  void check_types_and_lengths() {
    for (const PathInfo& info : must(index->paths(part))) {
      if (info.is_folded || info.text.find("users") != info.text.npos) continue;
      INFO("path ", info.text);
      std::map<JsonType, DocSet> by_type;
      std::map<size_t, DocSet> by_length;
      for (const auto& [doc, json] : parsed)
        testing::walk(json, [&, doc = doc](const std::string& at, const Json& value) {
          if (at != info.text) return;
          by_type[value.type()].insert(doc);
          if (value.is_array()) by_length[value.elements().size()].insert(doc);
        });
      for (size_t i = 0; i < document::kJsonTypeCount; ++i) {
        const JsonType type[] = {static_cast<JsonType>(i)};
        CHECK(as_set(must(index->find_type(part, {}, info.id, type))) == by_type[type[0]]);
      }
      for (uint32_t length = 0; length < 6; ++length)
        CHECK(as_set(must(index->find_array_length(part, {}, info.id, length, length))) ==
              by_length[length]);
      check_extremes(info);
    }
  }

  void check_extremes(const PathInfo& info) {
    std::optional<document::Number> least, greatest;
    std::optional<std::string> first, last;
    for (const auto& [doc, json] : parsed)
      testing::walk(json, [&](const std::string& at, const Json& value) {
        if (at != info.text) return;
        if (value.is_number()) {
          const document::Number number = value.as_number();
          if (!least || number < *least) least = number;
          if (!greatest || *greatest < number) greatest = number;
        } else if (value.is_string()) {
          if (!first || value.as_string() < *first) first = value.as_string();
          if (!last || value.as_string() > *last) last = value.as_string();
        }
      });
    const auto low = must(index->least(part, {}, info.id, document::kKeyNumber));
    const auto high = must(index->greatest(part, {}, info.id, document::kKeyNumber));
    REQUIRE(low.has_value() == least.has_value());
    REQUIRE(high.has_value() == greatest.has_value());
    if (low) CHECK(low->value.number == *least);
    if (high) CHECK(high->value.number == *greatest);
    check_text(must(index->least(part, {}, info.id, document::kKeyString)), first);
    check_text(must(index->greatest(part, {}, info.id, document::kKeyString)), last);
  }

  void check_text(const std::optional<Index::Extreme>& extreme,
                  const std::optional<std::string>& expected) {
    REQUIRE(extreme.has_value() == expected.has_value());
    if (!extreme) return;
    if (extreme->value.cut || expected->size() > kSureBytes) {
      CHECK(expected->substr(0, kSureBytes) == extreme->value.text.substr(0, kSureBytes));
      CHECK(documents.contains(static_cast<uint64_t>(extreme->doc)));
    } else {
      CHECK(extreme->value.text == *expected);
    }
  }

  void change(fractal_tree::WriteBatch& batch, uint64_t doc, const std::string& text) {
    set(batch, doc, text);
    if (text.empty())
      parsed.erase(doc);
    else
      parsed[doc] = must(Json::parse(text));
  }

  static constexpr size_t kSureBytes = document::kDefaultStringCutBytes - 3;
  RandomDocuments random;
  std::map<uint64_t, Json> parsed;
};

uint64_t doc_id(size_t i) {
  return i * 997;
}  // over several chunks

void run(uint64_t seed) {
  DifferentialFixture store(seed);
  constexpr size_t kDocuments = 300;
  INFO("seed ", seed);
  for (size_t i = 0; i < kDocuments;) {
    fractal_tree::WriteBatch batch;
    for (const size_t end = std::min(kDocuments, i + 1 + store.random.below(60)); i < end; ++i)
      store.change(batch, doc_id(i), store.random.next(i));
    store.commit(std::move(batch));
  }
  store.check_probes(150);
  store.check_types_and_lengths();

  for (int round = 0; round < 3; ++round) {
    fractal_tree::WriteBatch batch;
    for (int i = 0; i < 80; ++i) {
      const size_t which = store.random.below(kDocuments);
      const bool removes = store.random.below(3) == 0;
      store.change(batch, doc_id(which), removes ? "" : store.random.next(which));
    }
    store.commit(std::move(batch));
    store.check_probes(60);
  }
  store.check_types_and_lengths();
  must(store.engine->checkpoint());
  store.open();
  store.check_probes(60);

  fractal_tree::WriteBatch batch;
  for (size_t i = 0; i < kDocuments; ++i) store.change(batch, doc_id(i), "");
  store.commit(std::move(batch));
  CHECK(store.keys_in("values") == 0);
  CHECK(store.keys_in("path_values") == 0);
}

TEST_CASE("every probe agrees with a scan while documents come, change and go") {
  for (const uint64_t seed : {1, 2, 3}) run(seed);
}

}  // namespace
}  // namespace wherestar::index
