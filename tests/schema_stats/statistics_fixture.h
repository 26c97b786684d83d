// Statistics over a store in memory, with path numbers given by canonical text.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/memory_file_system.h"
#include "document/document.h"
#include "document/path.h"
#include "fractal_tree/engine.h"
#include "schema_stats/schema_stats.h"

namespace wherestar::schema_stats {

template <class T>
T must(Result<T> result) {
  if (!result) FAIL(result.error().message);
  return *std::move(result);
}
inline void must(Status status) {
  if (!status) FAIL(status.error().message);
}

class PathNumbers {
 public:
  std::vector<uint32_t> of(const document::Shredded& shredded) {
    std::vector<std::string> texts{"$"};
    for (size_t i = 1; i < shredded.paths.size(); ++i) {
      std::string text = texts[shredded.paths[i].parent];
      if (shredded.paths[i].is_element)
        text += "[*]";
      else
        document::append_member(text, shredded.paths[i].name);
      texts.push_back(std::move(text));
    }
    std::vector<uint32_t> numbers;
    for (const std::string& text : texts) numbers.push_back(of(text));
    return numbers;
  }
  uint32_t of(const std::string& text) {
    const auto [at, is_new] = numbers_.emplace(text, static_cast<uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(text);
    return at->second;
  }
  const std::string& text(uint32_t number) const { return texts_.at(number); }

 private:
  std::map<std::string, uint32_t> numbers_;
  std::vector<std::string> texts_;
};

class StatisticsFixture {
 public:
  StatisticsFixture() { open(); }

  void open() {
    stats.reset();
    engine.reset();
    fractal_tree::EngineOptions options;
    options.file_system = &file_system;
    options.background_threads = false;
    options.memory_front_bytes = 64u << 10;
    engine = must(fractal_tree::Engine::open("/store", options));
    stats = must(SchemaStats::open(*engine));
  }
  void commit(fractal_tree::WriteBatch batch) {
    must(engine->commit(std::move(batch), fractal_tree::Durability::kSync));
  }
  uint64_t observe(fractal_tree::WriteBatch& batch, const std::string& text,
                   int64_t now_unix_s = 1000) {
    must(parser.parse(text));
    return stats->observe(batch, part, parser.shred(), numbers.of(parser.shred()), now_unix_s);
  }
  uint64_t add(const std::string& text, int64_t now_unix_s = 1000) {
    fractal_tree::WriteBatch batch;
    const uint64_t shape = observe(batch, text, now_unix_s);
    commit(std::move(batch));
    return shape;
  }
  void forget(fractal_tree::WriteBatch& batch, const std::string& text, uint64_t shape) {
    must(parser.parse(text));
    stats->forget(batch, part, parser.shred(), numbers.of(parser.shred()), shape);
  }
  void remove(const std::string& text, uint64_t shape) {
    fractal_tree::WriteBatch batch;
    forget(batch, text, shape);
    commit(std::move(batch));
  }
  PathStatistics at(const std::string& path) {
    auto found = must(stats->path(part, numbers.of(path), {}));
    REQUIRE(found.has_value());
    return *found;
  }
  // Keys of each kind of record (docs/statistics.md).
  std::map<int, int> records() {
    const auto id = must(engine->dictionary("statistics", {}));
    const auto cursor = engine->cursor(id, {});
    std::map<int, int> counts;
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) ++counts[cursor->key()[4]];
    must(cursor->status());
    return counts;
  }

  MemoryFileSystem file_system;
  std::unique_ptr<fractal_tree::Engine> engine;
  std::unique_ptr<SchemaStats> stats;
  document::Parser parser;
  PathNumbers numbers;
  uint32_t part = 5;
};

}  // namespace wherestar::schema_stats
