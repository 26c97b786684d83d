// An index over a store in memory, with the documents beside it.
#pragma once

#include <map>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "base/memory_file_system.h"
#include "document/document.h"
#include "fractal_tree/engine.h"
#include "index/index.h"

namespace wherestar::index {

template <class T>
T must(Result<T> result) {
  if (!result) FAIL(result.error().message);
  return *std::move(result);
}
inline void must(Status status) {
  if (!status) FAIL(status.error().message);
}

class IndexFixture {
 public:
  IndexFixture() { open(); }

  void open() {
    index.reset();
    engine.reset();
    fractal_tree::EngineOptions options;
    options.file_system = &file_system;
    options.background_threads = false;
    options.memory_front_bytes = 64u << 10;  // so that the trees get something
    engine = must(fractal_tree::Engine::open("/store", options));
    index = must(Index::open(*engine));
  }

  void commit(fractal_tree::WriteBatch batch) {
    must(engine->commit(std::move(batch), fractal_tree::Durability::kSync));
  }

  // Adds, replaces or (empty text) removes a document, in `batch` and in the model.
  void set(fractal_tree::WriteBatch& batch, uint64_t doc, const std::string& text) {
    document::Parser old_parser, new_parser;
    const auto found = documents.find(doc);
    PathIds old_ids, new_ids;
    if (found != documents.end()) {
      must(old_parser.parse(found->second));
      old_ids = must(index->resolve(part, old_parser.shred()));
    }
    if (!text.empty()) {
      must(new_parser.parse(text));
      new_ids = must(index->resolve(part, new_parser.shred()));
    }
    if (found == documents.end()) {
      if (!text.empty()) index->add(batch, part, DocId{doc}, new_parser.shred(), new_ids);
    } else if (text.empty()) {
      index->remove(batch, part, DocId{doc}, old_parser.shred(), old_ids);
    } else {
      index->update(batch, part, DocId{doc}, old_parser.shred(), old_ids, new_parser.shred(),
                    new_ids);
    }
    if (text.empty())
      documents.erase(doc);
    else
      documents[doc] = text;
  }
  void set(uint64_t doc, const std::string& text) {
    fractal_tree::WriteBatch batch;
    set(batch, doc, text);
    commit(std::move(batch));
  }

  uint64_t keys_in(std::string_view dictionary) {
    const auto id = must(engine->dictionary(dictionary, {}));
    const auto cursor = engine->cursor(id, {});
    uint64_t count = 0;
    for (cursor->seek_to_first(); cursor->valid(); cursor->next()) ++count;
    must(cursor->status());
    return count;
  }

  std::vector<PathId> path_ids(std::string_view expression) {
    std::vector<PathId> ids;
    const auto parsed = must(document::PathExpression::parse(expression));
    for (const PathInfo& info : must(index->matching_paths(part, parsed))) ids.push_back(info.id);
    return ids;
  }

  MemoryFileSystem file_system;
  std::unique_ptr<fractal_tree::Engine> engine;
  std::unique_ptr<Index> index;
  PartId part{3};
  std::map<uint64_t, std::string> documents;
};

inline Probe equal(document::Scalar value) { return Probe::equal(value); }
inline Probe with_prefix(std::string_view text) { return Probe::prefix(text); }
inline Probe between(document::Scalar low, document::Scalar high) {
  Probe probe;
  probe.kind = Probe::Kind::kRange;
  probe.low = low;
  probe.high = high;
  return probe;
}
inline document::Number number(int64_t value) {
  return document::Number::from_int64(value);
}

}  // namespace wherestar::index
