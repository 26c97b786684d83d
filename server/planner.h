// How to find the documents of one part that a condition may select.
//
// The condition becomes a tree of index questions (AND, OR and NOT are algebra on sets of DocIds).
// Each node says whether it is exact; where the whole is not, the documents found are rechecked. A
// condition of which the index knows nothing is a scan.
//
//   access      values        any-path predicates: value first, then path
//               path_values   named paths: path first, then value
//               ids           `_id` = value
//               none          provably nothing
//               scan          every document of the part
//
// What is sound for named paths follows MySQL's comparison of JSON (docs/expressions.md): `a > 5`
// holds for strings, containers and booleans too, IN, BETWEEN and LIKE see text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "fractal_tree/engine.h"
#include "index/index.h"
#include "server/catalog.h"
#include "server/statement_context.h"
#include "server/store_core.h"

namespace wherestar::server {

struct PlanNode {
  enum class Kind : uint8_t { kEverything, kNothing, kProbe, kTypes, kId, kAnd, kOr, kNot };
  Kind kind = Kind::kEverything;
  bool exact = false;  // its set is the documents for which the condition holds
  // kProbe: the value lives in `low` and `high`.
  index::Probe::Kind probe = index::Probe::Kind::kEqual;
  std::optional<SqlValue> low, high;
  bool low_inclusive = true, high_inclusive = true;
  bool any_path = false;
  std::vector<index::PathId> paths;       // kProbe, kTypes
  std::vector<document::JsonType> types;  // kTypes
  document::DocumentKey id;               // kId
  std::string text;                       // for EXPLAIN
  std::vector<PlanNode> children;
};

enum class Access : uint8_t { kNone, kIds, kValues, kPathValues, kScan };
std::string_view access_name(Access access);

struct Plan {
  Access access = Access::kScan;
  bool exact = false;  // no recheck is needed
  PlanNode root;
  uint64_t estimated_documents = 0;
  std::string keys;  // what is looked up, for EXPLAIN
};

struct PlanInput {
  StoreCore* core = nullptr;
  const CollectionInfo* collection = nullptr;
  fractal_tree::ReadView view;
  bool explain = false;  // estimate everything
  PartId part() const { return collection->part; }
};

// `where`: bound (bind.h); null is a scan.
Result<Plan> make_plan(const PlanInput& input, const Expression* where, StatementContext& context);
struct Found {
  index::DocIdSet docs;
  bool exact = false;  // these and no others satisfy the condition
};
// The documents of a plan that is no scan. `limit` 0: all; else the search may stop when it has as
// many, if the plan is exact.
Result<Found> run_plan(const PlanInput& input, const Plan& plan, uint64_t limit,
                       StatementContext& context);

// plan_predicates.cc: one predicate as a node. `negated`: the documents for which it is false.
Result<PlanNode> plan_predicate(const PlanInput& input, const Expression& predicate, bool negated,
                                StatementContext& context);
PlanNode everything();
PlanNode nothing();

}  // namespace wherestar::server
