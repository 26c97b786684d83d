// The path dictionary of one part: ids of canonical paths, in memory, and how map-like objects
// fold.
//
// A known name keeps its id for ever. An unknown member name of an object is looked up so:
//
//   1. a folding rule of the object (or of the whole part) applies to it -> the object's `.*` path
//   2. otherwise it gets an id of its own
//   3. when that made the object reach kFoldThreshold names, or a doubling of it, and they look
//      alike (folding.h), a rule is made for names like these; at kFoldAlwaysThreshold for all
//
// Rules are only ever added and ids never taken back, so a document resolves to the same ids for
// ever: a name that it was indexed under is either known, or was unknown under a rule and still is.
// That is why a document record need not say under how many rules it was indexed.
//
// Two budgets bound the dictionary (a hostile document has five million names that look unlike):
// beyond kMaxPaths paths or kMaxPathTextBytes of their texts every unknown name of the part folds
// to `.*`, beyond twice that every unknown path is `$.*` itself, the overflow path.
//
// Threads: one at a time may call resolve_new; many the const functions while none does.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/checksum.h"
#include "fractal_tree/engine.h"
#include "index/index.h"

namespace wherestar::index {

inline constexpr size_t kMaxPaths = 65'536;
inline constexpr uint64_t kMaxPathTextBytes = 64u << 20;
inline constexpr PathId kRootPath{0};

enum class LegType : uint8_t { kRoot = 0, kMember = 1, kElement = 2, kAny = 3 };

class PathDictionary {
 public:
  struct Budget {
    size_t paths = kMaxPaths;
    uint64_t text_bytes = kMaxPathTextBytes;
  };
  PathDictionary(PartId part, uint64_t hash_seed) : PathDictionary(part, hash_seed, Budget()) {}
  PathDictionary(PartId part, uint64_t hash_seed, const Budget& budget)
      : part_(part), budget_(budget), children_(16, Hash{hash_seed}) {}

  // Reads what is stored of the part. kCorruption for records that cannot be right.
  Status load(fractal_tree::Engine& engine, fractal_tree::DictionaryId dictionary);

  // The ids when all paths are known or fold to known ones; false otherwise.
  bool resolve_known(const document::Shredded& shredded, PathIds& ids) const;
  // Gives ids to what is unknown and puts their records into `batch`. When the batch cannot be
  // committed this dictionary must be thrown away and loaded anew.
  PathIds resolve_new(const document::Shredded& shredded, int64_t now_unix_s,
                      fractal_tree::WriteBatch& batch, fractal_tree::DictionaryId dictionary);

  size_t size() const { return nodes_.size(); }
  PathInfo info(PathId path) const;
  std::vector<PathInfo> all() const;
  std::vector<PathId> matching(const document::PathExpression& expression) const;

 private:
  struct Node {
    PathId parent{};
    LegType leg = LegType::kRoot;
    bool folded = false;  // at or below a `.*`
    std::string name;
    uint64_t text_bytes = 1;  // of the canonical text
    int64_t first_seen_unix_s = 0;
    std::optional<PathId> element;  // `[*]`
    std::optional<PathId> any;      // `.*`
    std::vector<PathId> members;
    size_t next_look = 0;                 // at how many members to see whether they look alike
    std::vector<std::string> signatures;  // rules: names of these fold
    bool all_fold = false;
  };
  enum class RuleKind : uint8_t { kSignature = 1, kObject = 2, kPart = 3, kOverflow = 4 };

  struct ChildKey {
    PathId parent{};
    std::string name;
  };
  struct ChildView {
    PathId parent{};
    std::string_view name;
  };
  // Keyed, since names are chosen by clients.
  struct Hash {
    using is_transparent = void;
    uint64_t seed = 0;
    size_t operator()(const ChildView& key) const {
      return checksum64(key.name, seed + static_cast<uint32_t>(key.parent));
    }
    size_t operator()(const ChildKey& key) const {
      return (*this)(ChildView{key.parent, key.name});
    }
  };
  struct Equal {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      return a.parent == b.parent && a.name == b.name;
    }
  };
  // Where records of new paths and rules go.
  struct Sink {
    fractal_tree::WriteBatch& batch;
    fractal_tree::DictionaryId dictionary;
    int64_t now_unix_s = 0;
  };

  const Node& node(PathId path) const { return nodes_[static_cast<uint32_t>(path)]; }
  Node& node(PathId path) { return nodes_[static_cast<uint32_t>(path)]; }
  bool folds(const Node& object, std::string_view name) const;
  // The known id, or that of the `.*` it folds to if that exists; nullopt when one is to be made.
  std::optional<PathId> find(PathId parent, const document::Shredded::Path& path) const;
  PathId find_or_make(PathId parent, const document::Shredded::Path& path, Sink& sink);
  PathId make(PathId parent, LegType leg, std::string_view name, Sink& sink);
  void look_for_map(PathId object, Sink& sink);
  void check_budgets(Sink& sink);
  void make_rule(RuleKind kind, PathId object, std::string_view signature, Sink& sink);
  void apply_rule(RuleKind kind, PathId object, std::string_view signature);
  void insert_node(PathId parent, LegType leg, std::string_view name, int64_t first_seen_unix_s);
  Status load_path(std::string_view key, std::string_view value);
  Status load_rule(std::string_view value);
  void append_text(std::string& out, PathId path) const;
  void match_leg(const document::PathLeg& leg, const std::vector<PathId>& from,
                 std::vector<PathId>& to) const;

  PartId part_;
  Budget budget_;
  std::deque<Node> nodes_;                                      // by id
  std::unordered_map<ChildKey, PathId, Hash, Equal> children_;  // members by name
  uint64_t text_bytes_ = 0;
  uint32_t rule_count_ = 0;
  bool part_folds_ = false;
  bool overflows_ = false;
};

}  // namespace wherestar::index
