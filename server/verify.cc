#include "server/verify.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <mutex>
#include <utility>

#include "base/coding.h"
#include "server/collection.h"

namespace wherestar::server {

using fractal_tree::Cursor;
using fractal_tree::DictionaryId;
using fractal_tree::ReadView;
using fractal_tree::WriteBatch;
using schema_stats::PathStatistics;

namespace {

constexpr size_t kMaxProblems = 100;
constexpr uint64_t kDocumentsPerBatch = 1000;  // of a rebuild
constexpr const char* kRebuildCounter = "reindexing";

class Verifier {
 public:
  explicit Verifier(StoreCore& core) : core_(core), snapshot_(core.engine->snapshot()) {}

  Result<StoreReport> run() {
    RETURN_IF_ERROR(verify_engine());
    for (const CollectionPtr& collection : core_.catalog->collections(std::nullopt)) {
      if (Status checked = verify_collection(*collection); !checked) {
        if (checked.error().code != ErrorCode::kCorruption) return std::unexpected(checked.error());
        problem(collection->full_name() + ": " + checked.error().message);
      }
    }
    return std::move(report_);
  }

 private:
  ReadView view() const { return {.snapshot = snapshot_.get(), .own = {}}; }

  void problem(std::string text) {
    if (report_.problems.size() < kMaxProblems) report_.problems.push_back(std::move(text));
  }

  Status verify_engine() {
    ASSIGN_OR_RETURN(const fractal_tree::VerifyReport engine, core_.engine->verify());
    report_.dictionaries = engine.dictionaries;
    report_.blocks = engine.blocks;
    for (const std::string& text : engine.problems) problem(text);
    return {};
  }

  // Derives everything of the collection again, in memory, and compares.
  Status verify_collection(const CollectionInfo& info) {
    WriteBatch derived;
    const auto stats = schema_stats::SchemaStats::over_batches();
    ASSIGN_OR_RETURN(const uint64_t documents, derive(info, derived, *stats));
    report_.documents += documents;
    RETURN_IF_ERROR(compare_dictionary(info, core_.ids, "ids", derived));
    for (const char* name : {"values", "path_values"}) {
      ASSIGN_OR_RETURN(const DictionaryId id, core_.engine->dictionary(name, {}));
      RETURN_IF_ERROR(compare_dictionary(info, id, name, derived));
    }
    return compare_statistics(info, derived, *stats);
  }

  Result<uint64_t> derive(const CollectionInfo& info, WriteBatch& derived,
                          schema_stats::SchemaStats& stats) {
    const std::string prefix = part_prefix(info.part);
    const auto cursor = core_.engine->cursor(core_.documents, view());
    document::Parser parser;
    uint64_t documents = 0;
    for (cursor->seek(prefix); cursor->valid() && cursor->key().starts_with(prefix);
         cursor->next()) {
      ++documents;
      ASSIGN_OR_RETURN(const DocId doc, decode_doc_id(cursor->key()));
      ASSIGN_OR_RETURN(const StoredDocument stored, decode_record(info.part, doc, cursor->value()));
      if (Status parsed = parser.parse(stored.text); !parsed) {
        problem(place(info, doc) + ": " + parsed.error().message);
        continue;
      }
      ASSIGN_OR_RETURN(const auto id, parser.id());
      if (!id) {
        problem(place(info, doc) + ": no _id");
        continue;
      }
      std::string doc_bytes;
      put_big_endian(doc_bytes, static_cast<uint64_t>(doc));
      derived.put(core_.ids, id_key_bytes(info.part, id->key), doc_bytes);
      ASSIGN_OR_RETURN(const index::PathIds paths, core_.index->resolve(info.part, parser.shred()));
      core_.index->add(derived, info.part, doc, parser.shred(), paths);
      stats.observe(derived, static_cast<uint32_t>(info.part), parser.shred(), path_numbers(paths),
                    std::time(nullptr));
    }
    RETURN_IF_ERROR(cursor->status());
    return documents;
  }

  static std::string place(const CollectionInfo& info, DocId doc) {
    return info.full_name() + ", DocId " + std::to_string(static_cast<uint64_t>(doc));
  }

  Status compare_dictionary(const CollectionInfo& info, DictionaryId dictionary,
                            const std::string& name, const WriteBatch& derived) {
    const std::string prefix = part_prefix(info.part);
    const auto stored = core_.engine->cursor(dictionary, view());
    const WriteBatch* const batch = &derived;
    const auto wanted = fractal_tree::cursor_over_batches(dictionary, std::span(&batch, 1));
    stored->seek(prefix);
    wanted->seek(prefix);
    const auto inside = [&](const Cursor& cursor) {
      return cursor.valid() && cursor.key().starts_with(prefix);
    };
    uint64_t missing = 0, surplus = 0, different = 0;
    while (inside(*stored) || inside(*wanted)) {
      if (!inside(*stored) || (inside(*wanted) && wanted->key() < stored->key())) {
        ++missing;
        wanted->next();
      } else if (!inside(*wanted) || stored->key() < wanted->key()) {
        ++surplus;
        stored->next();
      } else {
        different += stored->value() != wanted->value();
        stored->next();
        wanted->next();
      }
    }
    RETURN_IF_ERROR(stored->status());
    RETURN_IF_ERROR(wanted->status());
    if (missing + surplus + different > 0)
      problem(info.full_name() + ": dictionary " + name + " does not agree with the documents: " +
              std::to_string(missing) + " entries missing, " + std::to_string(surplus) +
              " too many, " + std::to_string(different) + " different");
    return {};
  }

  Status compare_statistics(const CollectionInfo& info, const WriteBatch& derived,
                            schema_stats::SchemaStats& wanted) {
    const auto part = static_cast<uint32_t>(info.part);
    const WriteBatch* const batch = &derived;
    const ReadView derived_view{.snapshot = nullptr, .own = std::span(&batch, 1)};
    ASSIGN_OR_RETURN(const auto totals, core_.stats->totals(part, view()));
    ASSIGN_OR_RETURN(const auto wanted_totals, wanted.totals(part, derived_view));
    if (totals.documents != wanted_totals.documents ||
        totals.text_bytes != wanted_totals.text_bytes)
      problem(info.full_name() + ": totals of the statistics do not agree with the documents");
    ASSIGN_OR_RETURN(const auto paths, core_.stats->paths(part, view()));
    ASSIGN_OR_RETURN(const auto wanted_paths, wanted.paths(part, derived_view));
    RETURN_IF_ERROR(compare_paths(info, paths, wanted_paths));
    ASSIGN_OR_RETURN(const auto shapes, core_.stats->shapes(part, view()));
    ASSIGN_OR_RETURN(const auto wanted_shapes, wanted.shapes(part, derived_view));
    std::map<uint64_t, uint64_t> counts, wanted_counts;
    for (const auto& shape : shapes)
      if (shape.documents > 0) counts[shape.shape] = shape.documents;
    for (const auto& shape : wanted_shapes)
      if (shape.documents > 0) wanted_counts[shape.shape] = shape.documents;
    // Which documents count as "others" depends on the order in which shapes came.
    if (counts != wanted_counts && !counts.contains(0) && !wanted_counts.contains(0))
      problem(info.full_name() + ": counts of shapes do not agree with the documents");
    return {};
  }

  static bool same(const PathStatistics& a, const PathStatistics& b) {
    const auto same_range = [](const auto& x, const auto& y) {
      return x.has_value() == y.has_value() &&
             (!x || (x->least == y->least && x->greatest == y->greatest));
    };
    return a.documents == b.documents && a.values == b.values && a.by_type == b.by_type &&
           a.total_bytes == b.total_bytes && a.by_format == b.by_format &&
           same_range(a.string_length, b.string_length) &&
           same_range(a.array_length, b.array_length);
  }

  Status compare_paths(const CollectionInfo& info, const std::vector<PathStatistics>& stored,
                       const std::vector<PathStatistics>& wanted) {
    std::map<uint32_t, const PathStatistics*> by_path;
    for (const PathStatistics& one : wanted)
      if (one.documents > 0) by_path[one.path] = &one;
    for (const PathStatistics& one : stored) {
      if (one.documents == 0) continue;
      const auto found = by_path.find(one.path);
      if (found == by_path.end() || !same(one, *found->second)) {
        ASSIGN_OR_RETURN(const auto path, core_.index->path(info.part, index::PathId{one.path}));
        problem(info.full_name() + ": statistics of path " +
                (path ? path->text : std::to_string(one.path)) +
                " do not agree with the documents");
      }
      if (found != by_path.end()) by_path.erase(found);
    }
    for (const auto& [number, one] : by_path)
      problem(info.full_name() + ": no statistics of path " + std::to_string(number));
    return {};
  }

  StoreCore& core_;
  std::unique_ptr<fractal_tree::Snapshot> snapshot_;
  StoreReport report_;
};

class Reindexer {
 public:
  Reindexer(StoreCore& core, const std::function<void(uint64_t, uint64_t)>& progress)
      : core_(core), progress_(progress) {}

  Status run() {
    RETURN_IF_ERROR(core_.catalog->set_number(kRebuildCounter, 1));
    const auto collections = core_.catalog->collections(std::nullopt);
    for (const CollectionPtr& collection : collections) {
      ASSIGN_OR_RETURN(const auto totals,
                       core_.stats->totals(static_cast<uint32_t>(collection->part), {}));
      total_ += totals.documents;
    }
    for (const CollectionPtr& collection : collections) RETURN_IF_ERROR(rebuild(*collection));
    WriteBatch last;
    core_.index->store_derivation_version(last);
    RETURN_IF_ERROR(core_.engine->commit(std::move(last), fractal_tree::Durability::kSync));
    return core_.catalog->set_number(kRebuildCounter, 0);
  }

 private:
  Status commit(WriteBatch& batch) {
    WriteBatch full = std::move(batch);
    batch = WriteBatch();
    return core_.engine->commit(std::move(full), fractal_tree::Durability::kAsync);
  }

  Status rebuild(const CollectionInfo& info) {
    const auto part = static_cast<uint32_t>(info.part);
    const auto snapshot = core_.engine->snapshot();
    WriteBatch batch;
    core_.index->erase_postings(batch, info.part);
    core_.stats->erase_part(batch, part);
    RETURN_IF_ERROR(commit(batch));
    const std::string prefix = part_prefix(info.part);
    const auto cursor =
        core_.engine->cursor(core_.documents, {.snapshot = snapshot.get(), .own = {}});
    document::Parser parser;
    uint64_t in_batch = 0;
    for (cursor->seek(prefix); cursor->valid() && cursor->key().starts_with(prefix);
         cursor->next()) {
      ASSIGN_OR_RETURN(const DocId doc, decode_doc_id(cursor->key()));
      ASSIGN_OR_RETURN(StoredDocument stored, decode_record(info.part, doc, cursor->value()));
      RETURN_IF_ERROR(parser.parse(stored.text));
      ASSIGN_OR_RETURN(const index::PathIds paths, core_.index->resolve(info.part, parser.shred()));
      core_.index->add(batch, info.part, doc, parser.shred(), paths);
      const uint64_t shape = core_.stats->observe(batch, part, parser.shred(), path_numbers(paths),
                                                  std::time(nullptr));
      if (shape != stored.shape) {
        stored.shape = shape;
        batch.put(core_.documents, document_key_bytes(info.part, doc), encode_record(stored));
      }
      ++done_;
      if (++in_batch == kDocumentsPerBatch) {
        in_batch = 0;
        RETURN_IF_ERROR(commit(batch));
        if (progress_) progress_(done_, std::max(done_, total_));
      }
    }
    RETURN_IF_ERROR(cursor->status());
    RETURN_IF_ERROR(commit(batch));
    if (progress_) progress_(done_, std::max(done_, total_));
    return {};
  }

  StoreCore& core_;
  const std::function<void(uint64_t, uint64_t)>& progress_;
  uint64_t done_ = 0;
  uint64_t total_ = 0;
};

}  // namespace

Result<StoreReport> verify_store(StoreCore& core) {
  return Verifier(core).run();
}

Status reindex_store(StoreCore& core, const std::function<void(uint64_t, uint64_t)>& progress) {
  std::unique_lock gate(core.commit_gate);
  return Reindexer(core, progress).run();
}

Result<bool> needs_reindex(StoreCore& core) {
  if (core.catalog->number(kRebuildCounter).value_or(0) != 0) return true;
  ASSIGN_OR_RETURN(const uint32_t version, core.index->stored_derivation_version());
  if (version == index::kDerivationVersion) return false;
  if (version != 0 || !core.catalog->collections(std::nullopt).empty()) return true;
  WriteBatch batch;  // a fresh store
  core.index->store_derivation_version(batch);
  RETURN_IF_ERROR(core.engine->commit(std::move(batch), fractal_tree::Durability::kSync));
  return false;
}

}  // namespace wherestar::server
