#include "index/index.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <random>
#include <shared_mutex>

#include "base/posting_chunk.h"
#include "index/keys.h"
#include "index/path_dictionary.h"
#include "index/posting_keys.h"
#include "index/search.h"

namespace wherestar::index {
namespace {

using fractal_tree::DictionaryId;
using fractal_tree::Engine;
using fractal_tree::MergeKind;
using fractal_tree::ReadView;
using fractal_tree::WriteBatch;

int64_t now_unix_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// The paths of one part. `dictionary` is null until they are loaded.
struct PartPaths {
  std::shared_mutex mutex;
  std::unique_ptr<PathDictionary> dictionary;
};

class EngineIndex : public Index {
 public:
  EngineIndex(Engine& engine, const Dictionaries& dictionaries)
      : engine_(engine), dictionaries_(dictionaries) {
    std::random_device random;
    hash_seed_ = (uint64_t{random()} << 32) | random();
  }

  Result<PathIds> resolve(PartId part, const document::Shredded& shredded) override;
  Result<std::vector<PathInfo>> paths(PartId part) override;
  Result<std::optional<PathInfo>> path(PartId part, PathId id) override;
  Result<std::vector<PathInfo>> matching_paths(PartId part,
                                               const document::PathExpression& path) override;

  void add(WriteBatch& batch, PartId part, DocId doc, const document::Shredded& shredded,
           const PathIds& ids) override;
  void remove(WriteBatch& batch, PartId part, DocId doc, const document::Shredded& shredded,
              const PathIds& ids) override;
  void update(WriteBatch& batch, PartId part, DocId doc, const document::Shredded& before,
              const PathIds& before_ids, const document::Shredded& after,
              const PathIds& after_ids) override;
  void erase_part(WriteBatch& batch, PartId part) override;
  void erase_postings(WriteBatch& batch, PartId part) override;

  Result<Hits> find(PartId part, const ReadView& view, const Probe& probe,
                    std::span<const PathId> paths, uint64_t limit) override {
    return Search(engine_, dictionaries_, part, view).find(probe, paths, limit);
  }
  Result<Hits> find_type(PartId part, const ReadView& view, PathId path,
                         std::span<const document::JsonType> types) override {
    return Search(engine_, dictionaries_, part, view).find_type(path, types);
  }
  Result<Hits> find_array_length(PartId part, const ReadView& view, PathId path, uint32_t low,
                                 uint32_t high) override {
    return Search(engine_, dictionaries_, part, view).find_array_length(path, low, high);
  }
  Result<std::vector<ValueCount>> count_values(PartId part, const ReadView& view,
                                               const Probe& probe, std::span<const PathId> paths,
                                               uint64_t limit) override {
    return Search(engine_, dictionaries_, part, view).count_values(probe, paths, limit);
  }
  Result<uint64_t> estimate(PartId part, const ReadView& view, const Probe& probe,
                            std::span<const PathId> paths, uint64_t effort) override {
    return Search(engine_, dictionaries_, part, view).estimate(probe, paths, effort);
  }
  Result<std::optional<Extreme>> least(PartId part, const ReadView& view, PathId path,
                                       uint8_t key_type) override {
    return Search(engine_, dictionaries_, part, view).extreme(path, key_type, false);
  }
  Result<std::optional<Extreme>> greatest(PartId part, const ReadView& view, PathId path,
                                          uint8_t key_type) override {
    return Search(engine_, dictionaries_, part, view).extreme(path, key_type, true);
  }

  Result<uint32_t> stored_derivation_version() override;
  void store_derivation_version(WriteBatch& batch) override;

 private:
  std::shared_ptr<PartPaths> part_paths(PartId part);
  // Runs `ask` on the loaded dictionary, shared with other readers.
  template <class Answer, class Ask>
  Result<Answer> ask_paths(PartId part, const Ask& ask);
  Status load(PartId part, PartPaths& paths);

  Engine& engine_;
  const Dictionaries dictionaries_;
  uint64_t hash_seed_ = 0;
  std::mutex parts_mutex_;
  std::map<PartId, std::shared_ptr<PartPaths>> parts_;  // under parts_mutex_
};

// --- path dictionary -----------------------------------------------------------------------------

std::shared_ptr<PartPaths> EngineIndex::part_paths(PartId part) {
  const std::lock_guard lock(parts_mutex_);
  std::shared_ptr<PartPaths>& paths = parts_[part];
  if (!paths) paths = std::make_shared<PartPaths>();
  return paths;
}

Status EngineIndex::load(PartId part, PartPaths& paths) {
  if (paths.dictionary) return {};
  auto dictionary = std::make_unique<PathDictionary>(part, hash_seed_);
  RETURN_IF_ERROR(dictionary->load(engine_, dictionaries_.paths));
  paths.dictionary = std::move(dictionary);
  return {};
}

template <class Answer, class Ask>
Result<Answer> EngineIndex::ask_paths(PartId part, const Ask& ask) {
  const std::shared_ptr<PartPaths> paths = part_paths(part);
  {
    const std::shared_lock lock(paths->mutex);
    if (paths->dictionary) return ask(*paths->dictionary);
  }
  const std::unique_lock lock(paths->mutex);
  RETURN_IF_ERROR(load(part, *paths));
  return ask(*paths->dictionary);
}

Result<PathIds> EngineIndex::resolve(PartId part, const document::Shredded& shredded) {
  const std::shared_ptr<PartPaths> paths = part_paths(part);
  PathIds ids;
  {
    const std::shared_lock lock(paths->mutex);
    if (paths->dictionary && paths->dictionary->resolve_known(shredded, ids)) return ids;
  }
  const std::unique_lock lock(paths->mutex);
  RETURN_IF_ERROR(load(part, *paths));
  if (paths->dictionary->resolve_known(shredded, ids)) return ids;
  WriteBatch batch;
  ids = paths->dictionary->resolve_new(shredded, now_unix_s(), batch, dictionaries_.paths);
  // Unsynced is enough: a document that uses these ids is committed later, thus behind them in the
  // log, and its sync covers both.
  if (Status committed = engine_.commit(std::move(batch), fractal_tree::Durability::kAsync);
      !committed) {
    paths->dictionary.reset();  // it knows ids that nobody will ever find again
    return std::unexpected(std::move(committed).error());
  }
  return ids;
}

Result<std::vector<PathInfo>> EngineIndex::paths(PartId part) {
  return ask_paths<std::vector<PathInfo>>(part,
                                          [](const PathDictionary& paths) { return paths.all(); });
}

Result<std::optional<PathInfo>> EngineIndex::path(PartId part, PathId id) {
  return ask_paths<std::optional<PathInfo>>(
      part, [id](const PathDictionary& paths) -> std::optional<PathInfo> {
        if (static_cast<uint32_t>(id) >= paths.size()) return std::nullopt;
        return paths.info(id);
      });
}

Result<std::vector<PathInfo>> EngineIndex::matching_paths(PartId part,
                                                          const document::PathExpression& path) {
  return ask_paths<std::vector<PathInfo>>(part, [&path](const PathDictionary& paths) {
    std::vector<PathInfo> infos;
    for (const PathId id : paths.matching(path)) infos.push_back(paths.info(id));
    return infos;
  });
}

// --- postings ------------------------------------------------------------------------------------

// Sends one change of `doc` for each key, and nothing else.
class Poster {
 public:
  Poster(WriteBatch& batch, DocId doc) : batch_(batch) {
    put_posting_operand(add_, posting_member(doc), true);
    put_posting_operand(remove_, posting_member(doc), false);
  }
  void post(DictionaryId dictionary, const std::vector<std::string_view>& keys, bool add) {
    for (const std::string_view key : keys)
      batch_.merge(dictionary, key, MergeKind::kPostings, add ? add_ : remove_);
  }
  void post_difference(DictionaryId dictionary, const std::vector<std::string_view>& before,
                       const std::vector<std::string_view>& after) {
    std::vector<std::string_view> difference;
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(),
                        std::back_inserter(difference));
    post(dictionary, difference, false);
    difference.clear();
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                        std::back_inserter(difference));
    post(dictionary, difference, true);
  }

 private:
  WriteBatch& batch_;
  std::string add_, remove_;
};

void EngineIndex::add(WriteBatch& batch, PartId part, DocId doc, const document::Shredded& shredded,
                      const PathIds& ids) {
  const PostingKeys keys(part, doc, shredded, ids);
  Poster poster(batch, doc);
  poster.post(dictionaries_.values, keys.values(), true);
  poster.post(dictionaries_.path_values, keys.path_values(), true);
}

void EngineIndex::remove(WriteBatch& batch, PartId part, DocId doc,
                         const document::Shredded& shredded, const PathIds& ids) {
  const PostingKeys keys(part, doc, shredded, ids);
  Poster poster(batch, doc);
  poster.post(dictionaries_.values, keys.values(), false);
  poster.post(dictionaries_.path_values, keys.path_values(), false);
}

void EngineIndex::update(WriteBatch& batch, PartId part, DocId doc,
                         const document::Shredded& before, const PathIds& before_ids,
                         const document::Shredded& after, const PathIds& after_ids) {
  const PostingKeys old_keys(part, doc, before, before_ids);
  const PostingKeys new_keys(part, doc, after, after_ids);
  Poster poster(batch, doc);
  poster.post_difference(dictionaries_.values, old_keys.values(), new_keys.values());
  poster.post_difference(dictionaries_.path_values, old_keys.path_values(), new_keys.path_values());
}

void EngineIndex::erase_part(WriteBatch& batch, PartId part) {
  erase_postings(batch, part);
  const std::string begin = part_key(part);
  batch.erase_range(dictionaries_.paths, begin, prefix_end(begin));
  const std::lock_guard lock(parts_mutex_);
  parts_.erase(part);
}

void EngineIndex::erase_postings(WriteBatch& batch, PartId part) {
  const std::string begin = part_key(part);
  const std::string end = prefix_end(begin);
  batch.erase_range(dictionaries_.values, begin, end);
  batch.erase_range(dictionaries_.path_values, begin, end);
}

Result<uint32_t> EngineIndex::stored_derivation_version() {
  ASSIGN_OR_RETURN(const std::optional<std::string> stored,
                   engine_.get(dictionaries_.paths, derivation_version_key(), {}));
  if (!stored) return 0u;
  Reader reader(*stored);
  const auto version = reader.fixed<uint32_t>();
  if (!reader.done()) return fail(ErrorCode::kCorruption, "paths: damaged derivation version");
  return version;
}

void EngineIndex::store_derivation_version(WriteBatch& batch) {
  std::string value;
  put_fixed(value, kDerivationVersion);
  batch.put(dictionaries_.paths, derivation_version_key(), value);
}

}  // namespace

Result<std::unique_ptr<Index>> Index::open(Engine& engine) {
  Dictionaries dictionaries;
  ASSIGN_OR_RETURN(dictionaries.paths, engine.dictionary("paths", {}));
  ASSIGN_OR_RETURN(dictionaries.values, engine.dictionary("values", {}));
  ASSIGN_OR_RETURN(dictionaries.path_values, engine.dictionary("path_values", {}));
  return std::make_unique<EngineIndex>(engine, dictionaries);
}

}  // namespace wherestar::index
