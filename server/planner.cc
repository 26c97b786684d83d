#include "server/planner.h"

#include <algorithm>
#include <utility>

#include "server/bind.h"
#include "server/collection.h"
#include "server/plan_values.h"

namespace wherestar::server {

using index::DocId;
using index::DocIdSet;
using index::PathId;
using NodeKind = PlanNode::Kind;

namespace {

constexpr uint64_t kEstimateEffort = 256;      // index keys read for one estimate
constexpr uint64_t kWorthIntersecting = 4096;  // a set this small is always intersected
constexpr uint64_t kAlwaysIndexed = 1000;      // documents below which a scan is never preferred

Result<PlanNode> build(const PlanInput& input, const Expression& condition, bool negated,
                       StatementContext& context);

Result<PlanNode> build_all(const PlanInput& input, const Expression& condition, bool negated,
                           NodeKind kind, StatementContext& context) {
  PlanNode node;
  node.kind = kind;
  node.exact = true;
  for (const Expression& operand : condition.operands) {
    ASSIGN_OR_RETURN(PlanNode child, build(input, operand, negated, context));
    if (kind == NodeKind::kAnd) {
      if (child.kind == NodeKind::kNothing) return nothing();
      node.exact &= child.exact;
      if (child.kind == NodeKind::kEverything) continue;
    } else {
      if (child.kind == NodeKind::kEverything) return everything();
      if (child.kind == NodeKind::kNothing) continue;
      node.exact &= child.exact;
    }
    node.children.push_back(std::move(child));
  }
  if (node.children.empty()) return kind == NodeKind::kAnd ? everything() : nothing();
  if (node.children.size() == 1) {
    PlanNode only = std::move(node.children.front());
    only.exact = node.exact;
    return only;
  }
  return node;
}

// Is it about the name of the collection alone, the same for each of its documents?
bool is_about_collection(const Expression& condition) {
  if (condition.kind == Expression::Kind::kColumn) return condition.slot == kCollectionSlot;
  if (condition.kind != Expression::Kind::kOperator) return is_constant(condition);
  return std::ranges::all_of(condition.operands, is_about_collection);
}

Result<PlanNode> build_for_collection(const PlanInput& input, const Expression& condition,
                                      bool negated, StatementContext& context) {
  const SqlValue name = SqlValue::text(input.collection->full_name());
  const Row row{nullptr, std::span(&name, 1)};
  static_assert(kCollectionSlot == 0);
  ASSIGN_OR_RETURN(const auto holds, evaluate_condition(condition, row, context.evaluation));
  if (!holds || *holds == negated) return nothing();
  PlanNode all = everything();
  all.exact = true;
  return all;
}

Result<PlanNode> build(const PlanInput& input, const Expression& condition, bool negated,
                       StatementContext& context) {
  if (!is_constant(condition) && is_about_collection(condition))
    return build_for_collection(input, condition, negated, context);
  if (condition.kind == Expression::Kind::kOperator) {
    // NOT is pushed down, so that a leaf can tell its "false" from its "unknown".
    switch (condition.op) {
      case Operator::kAnd:
        return build_all(input, condition, negated, negated ? NodeKind::kOr : NodeKind::kAnd,
                         context);
      case Operator::kOr:
        return build_all(input, condition, negated, negated ? NodeKind::kAnd : NodeKind::kOr,
                         context);
      case Operator::kNot:
        return build(input, condition.operands[0], !negated, context);
      default:
        break;
    }
  }
  return plan_predicate(input, condition, negated, context);
}

// Upper bound; UINT64_MAX when it is not known.
Result<uint64_t> estimate(const PlanInput& input, const PlanNode& node) {
  switch (node.kind) {
    case NodeKind::kNothing:
      return 0;
    case NodeKind::kId:
      return 1;
    case NodeKind::kProbe: {
      const auto probe = probe_of(node);
      if (!probe) return UINT64_MAX;
      return input.core->index->estimate(input.part(), input.view, *probe, node.paths,
                                         kEstimateEffort);
    }
    case NodeKind::kTypes: {
      uint64_t sum = 0;
      for (const PathId path : node.paths) {
        ASSIGN_OR_RETURN(const auto statistics,
                         input.core->stats->path(static_cast<uint32_t>(input.part()),
                                                 static_cast<uint32_t>(path), input.view));
        if (!statistics) continue;
        uint64_t values = 0;
        for (const document::JsonType type : node.types)
          values += statistics->by_type[static_cast<size_t>(type)];
        sum += std::min(values, statistics->documents);
      }
      return sum;
    }
    case NodeKind::kAnd: {
      uint64_t least = UINT64_MAX;
      for (const PlanNode& child : node.children) {
        ASSIGN_OR_RETURN(const uint64_t of_child, estimate(input, child));
        least = std::min(least, of_child);
      }
      return least;
    }
    case NodeKind::kOr: {
      uint64_t sum = 0;
      for (const PlanNode& child : node.children) {
        ASSIGN_OR_RETURN(const uint64_t of_child, estimate(input, child));
        sum = of_child > UINT64_MAX - sum ? UINT64_MAX : sum + of_child;
      }
      return sum;
    }
    case NodeKind::kNot:
    case NodeKind::kEverything:
      return UINT64_MAX;
  }
  return UINT64_MAX;
}

// In each AND, cheap questions first; those that would read much more than they can spare are left
// to the recheck.
Status order_by_cost(const PlanInput& input, PlanNode& node) {
  for (PlanNode& child : node.children) {
    RETURN_IF_ERROR(order_by_cost(input, child));
    node.exact &= child.exact;
  }
  if (node.kind != NodeKind::kAnd) return {};
  std::vector<std::pair<uint64_t, PlanNode>> costed;
  for (PlanNode& child : node.children) {
    ASSIGN_OR_RETURN(const uint64_t cost, estimate(input, child));
    costed.emplace_back(cost, std::move(child));
  }
  std::ranges::stable_sort(costed, {}, [](const auto& entry) { return entry.first; });
  node.children.clear();
  const uint64_t least = costed.front().first;
  for (auto& [cost, child] : costed) {
    // A NOT is subtracted from what is there already, so it costs only what it takes away.
    const bool worth = node.children.empty() || cost <= kWorthIntersecting || cost / 8 <= least ||
                       child.kind == NodeKind::kNot;
    if (worth)
      node.children.push_back(std::move(child));
    else
      node.exact = false;
  }
  return {};
}

// The access path that drives the plan: of the first question asked.
Access access_of(const PlanNode& node) {
  switch (node.kind) {
    case NodeKind::kEverything:
      return Access::kScan;
    case NodeKind::kNothing:
      return Access::kNone;
    case NodeKind::kId:
      return Access::kIds;
    case NodeKind::kProbe:
      return node.any_path ? Access::kValues : Access::kPathValues;
    case NodeKind::kTypes:
      return Access::kPathValues;
    default:
      return access_of(node.children.front());
  }
}

void describe(const PlanNode& node, std::string& out) {
  const auto list = [&](std::string_view separator) {
    for (size_t i = 0; i < node.children.size(); ++i) {
      if (i > 0) out += separator;
      const NodeKind kind = node.children[i].kind;
      const bool grouped = kind == NodeKind::kAnd || kind == NodeKind::kOr;
      if (grouped) out += "(";
      describe(node.children[i], out);
      if (grouped) out += ")";
    }
  };
  switch (node.kind) {
    case NodeKind::kAnd:
      return list(" AND ");
    case NodeKind::kOr:
      return list(" OR ");
    case NodeKind::kNot:
      out += "NOT (";
      list("");
      out += ")";
      return;
    default:
      out += node.text;
  }
}

class Runner {
 public:
  Runner(const PlanInput& input, StatementContext& context) : input_(input), context_(context) {}

  Result<DocIdSet> run(const PlanNode& node, uint64_t limit) {
    RETURN_IF_ERROR(context_.check());
    switch (node.kind) {
      case NodeKind::kNothing:
        return DocIdSet();
      case NodeKind::kId:
        return run_id(node);
      case NodeKind::kProbe:
        return run_probe(node, limit);
      case NodeKind::kTypes:
        return run_types(node);
      case NodeKind::kAnd:
        return run_and(node);
      case NodeKind::kOr:
        return run_or(node, limit);
      case NodeKind::kNot: {
        ASSIGN_OR_RETURN(DocIdSet all, universe());
        RETURN_IF_ERROR(subtract(all, node.children[0]));
        return all;
      }
      case NodeKind::kEverything:
        return universe();
    }
    return fail(ErrorCode::kInternal, "a plan node of no kind");
  }

  bool exact() const { return exact_; }

 private:
  // Only what certainly satisfies the node may be taken away.
  Status subtract(DocIdSet& from, const PlanNode& node) {
    const bool exact_before = std::exchange(exact_, true);
    ASSIGN_OR_RETURN(const DocIdSet without, run(node, 0));
    if (exact_) from.subtract(without);
    exact_ &= exact_before;
    return {};
  }

  Result<DocIdSet> run_id(const PlanNode& node) {
    DocIdSet out;
    ++context_.keys_read;
    ASSIGN_OR_RETURN(const auto doc,
                     find_id(*input_.core, input_.part(), node.id.key, input_.view));
    if (doc) out.add(*doc);
    return out;
  }

  Result<DocIdSet> run_probe(const PlanNode& node, uint64_t limit) {
    const auto probe = probe_of(node);
    if (!probe) return universe();
    ASSIGN_OR_RETURN(index::Hits hits, input_.core->index->find(input_.part(), input_.view, *probe,
                                                                node.paths, limit));
    context_.keys_read += hits.keys_read;
    exact_ &= hits.exact;
    return std::move(hits.docs);
  }

  Result<DocIdSet> run_types(const PlanNode& node) {
    DocIdSet out;
    for (const PathId path : node.paths) {
      ASSIGN_OR_RETURN(index::Hits hits,
                       input_.core->index->find_type(input_.part(), input_.view, path, node.types));
      context_.keys_read += hits.keys_read;
      exact_ &= hits.exact;
      out.unite_with(hits.docs);
    }
    return out;
  }

  Result<DocIdSet> run_and(const PlanNode& node) {
    std::optional<DocIdSet> out;
    for (const PlanNode& child : node.children) {
      if (out && out->empty()) break;
      if (out && child.kind == NodeKind::kNot) {
        RETURN_IF_ERROR(subtract(*out, child.children[0]));
        continue;
      }
      ASSIGN_OR_RETURN(DocIdSet found, run(child, 0));
      if (out)
        out->intersect_with(found);
      else
        out = std::move(found);
    }
    return std::move(*out);
  }

  Result<DocIdSet> run_or(const PlanNode& node, uint64_t limit) {
    DocIdSet out;
    for (const PlanNode& child : node.children) {
      ASSIGN_OR_RETURN(const DocIdSet found, run(child, limit));
      out.unite_with(found);
    }
    return out;
  }

  // Every document is an object at `$`.
  Result<DocIdSet> universe() {
    if (universe_) return *universe_;
    DocIdSet all;
    ASSIGN_OR_RETURN(const auto roots,
                     input_.core->index->matching_paths(input_.part(), document::PathExpression()));
    const document::JsonType object = document::JsonType::kObject;
    for (const index::PathInfo& root : roots) {
      ASSIGN_OR_RETURN(const index::Hits hits,
                       input_.core->index->find_type(input_.part(), input_.view, root.id,
                                                     std::span(&object, 1)));
      context_.keys_read += hits.keys_read;
      all.unite_with(hits.docs);
    }
    universe_ = all;
    return all;
  }

  const PlanInput& input_;
  StatementContext& context_;
  std::optional<DocIdSet> universe_;
  bool exact_ = true;
};

}  // namespace

PlanNode everything() {
  return {};
}

PlanNode nothing() {
  PlanNode node;
  node.kind = NodeKind::kNothing;
  node.exact = true;
  return node;
}

std::string_view access_name(Access access) {
  switch (access) {
    case Access::kNone:
      return "none";
    case Access::kIds:
      return "ids";
    case Access::kValues:
      return "values";
    case Access::kPathValues:
      return "path_values";
    case Access::kScan:
      return "scan";
  }
  return "scan";
}

Result<Plan> make_plan(const PlanInput& input, const Expression* where, StatementContext& context) {
  Plan plan;
  plan.exact = where == nullptr;
  if (where && !context.scan_only) {
    ASSIGN_OR_RETURN(plan.root, build(input, *where, false, context));
    RETURN_IF_ERROR(order_by_cost(input, plan.root));
    plan.access = access_of(plan.root);
    plan.exact = plan.root.exact;
  }
  const bool simple = plan.root.kind == NodeKind::kProbe || plan.root.kind == NodeKind::kId;
  if (!input.explain && (simple || plan.access == Access::kScan)) return plan;
  ASSIGN_OR_RETURN(const schema_stats::PartTotals totals,
                   input.core->stats->totals(static_cast<uint32_t>(input.part()), input.view));
  plan.estimated_documents = totals.documents;
  if (plan.access == Access::kScan) return plan;
  ASSIGN_OR_RETURN(const uint64_t estimated, estimate(input, plan.root));
  if (!plan.exact && totals.documents > kAlwaysIndexed && estimated > totals.documents / 2) {
    plan.access = Access::kScan;
    return plan;
  }
  plan.estimated_documents = std::min(totals.documents, estimated);
  describe(plan.root, plan.keys);
  return plan;
}

Result<Found> run_plan(const PlanInput& input, const Plan& plan, uint64_t limit,
                       StatementContext& context) {
  Runner runner(input, context);
  Found found;
  ASSIGN_OR_RETURN(found.docs, runner.run(plan.root, plan.exact ? limit : 0));
  found.exact = plan.exact && runner.exact();
  return found;
}

}  // namespace wherestar::server
