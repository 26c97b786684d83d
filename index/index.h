// The any-path index: from a value to the documents that hold it, at any path or at one.
//
// What it hides: the key layout of the dictionaries `paths`, `values` and `path_values`
// (docs/index.md), the path dictionary, posting chunks. Every key begins with the part, so that a
// collection is dropped by one erase_range per dictionary and nothing of another part is ever
// stepped over.
//
//   ASSIGN_OR_RETURN(auto index, Index::open(engine));
//   // insert:
//   ASSIGN_OR_RETURN(PathIds ids, index->resolve(part, parser.shred()));
//   index->add(batch, part, doc_id, parser.shred(), ids);
//   // query: * = 'Jippie'
//   ASSIGN_OR_RETURN(auto found, index->find(part, view, Probe::equal(value), {}));
//
// An update posts only the difference of old and new (update()). What is not exact (strings longer
// than the cut) says so: the documents must be rechecked.
//
// Threads: an Index may be used by many threads. Errors: those of the engine; kLimitExceeded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "document/document.h"
#include "document/key_encoding.h"
#include "fractal_tree/engine.h"
#include "index/posting.h"

namespace wherestar::index {

// Of the code that derives postings from documents. Stored; where it differs at open the index must
// be rebuilt.
inline constexpr uint32_t kDerivationVersion = 1;

struct PathInfo {
  PathId id{};
  PathId parent{};          // the root is its own parent
  bool is_element = false;  // `[*]` of the parent
  bool is_any = false;      // `.*` of the parent: all member names folded as map keys
  // At or below a `.*`: stands for many paths, so what is found at a path with names is to be
  // rechecked against the document.
  bool is_folded = false;
  std::string name;  // member name, unescaped; empty when is_element or is_any
  std::string text;  // canonical: $.tags[*].name
  int64_t first_seen_unix_s = 0;
};

// Ids of Shredded::paths, by position.
using PathIds = std::vector<PathId>;

// One condition on scalar values. Bounds are of one type; a missing bound is open within that type.
struct Probe {
  enum class Kind { kEqual, kRange, kPrefix };
  Kind kind = Kind::kEqual;
  document::Scalar low;   // kEqual: the value; kPrefix: the prefix (string)
  document::Scalar high;  // kRange
  bool has_low = true, has_high = true;
  bool low_inclusive = true, high_inclusive = true;

  static Probe equal(document::Scalar value) {
    Probe probe;
    probe.low = value;
    return probe;
  }
  static Probe prefix(std::string_view text) {
    Probe probe;
    probe.kind = Kind::kPrefix;
    probe.low = text;
    return probe;
  }
};

struct Hits {
  DocIdSet docs;
  bool exact = true;       // false: candidates, to be rechecked against the documents
  uint64_t keys_read = 0;  // of the index, for EXPLAIN ANALYZE
};

// One posting key met by a scan of values: how often a value stands where.
struct ValueCount {
  PathId path{};
  std::string encoded_value;  // document::decode_scalar reads it
  uint64_t documents = 0;
};

class Index {
 public:
  // Opens the index's dictionaries (made when missing) and loads nothing yet.
  static Result<std::unique_ptr<Index>> open(fractal_tree::Engine& engine);
  virtual ~Index() = default;

  // --- path dictionary -------------------------------------------------------------------------
  // PathIds of a document's paths; unknown ones get an id, durably, in a commit of its own (a path
  // without documents is harmless and never shown). Paths folded as map keys come back as their
  // `.*` path.
  virtual Result<PathIds> resolve(PartId part, const document::Shredded& shredded) = 0;
  virtual Result<std::vector<PathInfo>> paths(PartId part) = 0;  // all, by id
  virtual Result<std::optional<PathInfo>> path(PartId part, PathId id) = 0;
  // Known paths that a path expression (positions ignored, wildcards expanded) may select.
  virtual Result<std::vector<PathInfo>> matching_paths(PartId part,
                                                       const document::PathExpression& path) = 0;

  // --- postings --------------------------------------------------------------------------------
  virtual void add(fractal_tree::WriteBatch& batch, PartId part, DocId doc,
                   const document::Shredded& shredded, const PathIds& ids) = 0;
  virtual void remove(fractal_tree::WriteBatch& batch, PartId part, DocId doc,
                      const document::Shredded& shredded, const PathIds& ids) = 0;
  // Posts the difference only.
  virtual void update(fractal_tree::WriteBatch& batch, PartId part, DocId doc,
                      const document::Shredded& before, const PathIds& before_ids,
                      const document::Shredded& after, const PathIds& after_ids) = 0;
  // All keys of the part, in every dictionary of the index. The part must not be used between this
  // and the commit, nor afterwards unless the commit succeeded.
  virtual void erase_part(fractal_tree::WriteBatch& batch, PartId part) = 0;
  // Postings only, keeping the paths: before a rebuild.
  virtual void erase_postings(fractal_tree::WriteBatch& batch, PartId part) = 0;

  // --- queries ---------------------------------------------------------------------------------
  // Documents of the part where a scalar at one of `paths` (empty: at any path) satisfies the
  // probe; none is ever missing when `limit` is 0. Otherwise the search stops early, with at least
  // `limit` documents if there are so many; it does not as long as it is inexact.
  virtual Result<Hits> find(PartId part, const fractal_tree::ReadView& view, const Probe& probe,
                            std::span<const PathId> paths, uint64_t limit = 0) = 0;
  // Documents that have a value of one of these types at the path (a container too).
  virtual Result<Hits> find_type(PartId part, const fractal_tree::ReadView& view, PathId path,
                                 std::span<const document::JsonType> types) = 0;
  // Documents with an array at the path whose length is within [low, high].
  virtual Result<Hits> find_array_length(PartId part, const fractal_tree::ReadView& view,
                                         PathId path, uint32_t low, uint32_t high) = 0;
  // How many documents satisfy the probe per path and value, without reading a document: the first
  // `limit` (0: all), ordered by path and value, at any path by value and path. Cut strings that
  // cannot be told are counted in.
  virtual Result<std::vector<ValueCount>> count_values(PartId part,
                                                       const fractal_tree::ReadView& view,
                                                       const Probe& probe,
                                                       std::span<const PathId> paths,
                                                       uint64_t limit) = 0;
  // An upper bound on find()'s documents from at most `effort` keys, UINT64_MAX when there are
  // more; for the planner.
  virtual Result<uint64_t> estimate(PartId part, const fractal_tree::ReadView& view,
                                    const Probe& probe, std::span<const PathId> paths,
                                    uint64_t effort) = 0;
  // Least and greatest scalar of a type class at a path (numbers, strings), encoded; absent when
  // there is none. A `cut` string must be fetched from the document `doc`; among strings alike in
  // their first 93 bytes it may be any of them. kInvalidArgument for another key type.
  struct Extreme {
    document::DecodedScalar value;
    DocId doc{};
  };
  virtual Result<std::optional<Extreme>> least(PartId part, const fractal_tree::ReadView& view,
                                               PathId path, uint8_t key_type) = 0;
  virtual Result<std::optional<Extreme>> greatest(PartId part, const fractal_tree::ReadView& view,
                                                  PathId path, uint8_t key_type) = 0;

  // The derivation version of the stored postings of this engine; 0 when never written.
  virtual Result<uint32_t> stored_derivation_version() = 0;
  virtual void store_derivation_version(fractal_tree::WriteBatch& batch) = 0;
};

}  // namespace wherestar::index
