// Selecting places of a document by a path.
#include <unordered_set>

#include "document/json.h"
#include "document/path_range.h"

namespace wherestar::document {

namespace {

using Pointers = std::vector<const Json*>;

// What one leg makes of the places so far. Leg by leg gives the same order as place by place, and
// lets a place that `**` reaches on several ways count once, so that time stays linear.
class LegStep {
 public:
  LegStep(const PathLeg& leg, bool auto_wrap, bool distinct)
      : leg_(leg), auto_wrap_(auto_wrap), distinct_(distinct) {}

  Pointers apply(const Pointers& places) {
    for (const Json* place : places) step(*place);
    return std::move(out_);
  }

 private:
  bool add(const Json& json) {
    if (distinct_ && !seen_.insert(&json).second) return false;
    out_.push_back(&json);
    return true;
  }
  void step(const Json& json) {
    switch (leg_.kind) {
      case LegKind::kMember:
        if (const Json* value = json.member(leg_.name)) add(*value);
        return;
      case LegKind::kAnyMember:
        if (json.is_object())
          for (const auto& [name, value] : json.members()) add(value);
        return;
      case LegKind::kElement:
      case LegKind::kElementRange:
      case LegKind::kAnyElement:
        cells(json);
        return;
      case LegKind::kDescendants:
        descend(json);
        return;
    }
  }
  void cells(const Json& json) {
    if (json.is_array()) {
      const auto range = element_range(leg_, json.elements().size());
      if (!range) return;
      for (size_t i = range->first; i <= range->second; ++i) add(json.elements()[i]);
    } else if (auto_wrap_ && leg_.kind != LegKind::kAnyElement && element_range(leg_, 1)) {
      add(json);
    }
  }
  void descend(const Json& json) {
    if (!add(json)) return;  // then all below it is there as well
    if (json.is_array()) {
      for (const Json& element : json.elements()) descend(element);
    } else if (json.is_object()) {
      for (const auto& [name, value] : json.members()) descend(value);
    }
  }

  const PathLeg& leg_;
  bool auto_wrap_;
  bool distinct_;
  Pointers out_;
  std::unordered_set<const Json*> seen_;
};

}  // namespace

std::vector<const Json*> Json::select(const PathExpression& path, bool auto_wrap) const {
  Pointers places = {this};
  bool distinct = false;
  for (const PathLeg& leg : path.legs()) {
    distinct = distinct || leg.kind == LegKind::kDescendants;
    places = LegStep(leg, auto_wrap, distinct).apply(places);
  }
  return places;
}

std::optional<Json> Json::extract(const PathExpression& path) const {
  const Pointers places = select(path);
  if (places.empty()) return std::nullopt;
  if (!path.has_wildcard()) return *places.front();
  Array hits;
  hits.reserve(places.size());
  for (const Json* place : places) hits.push_back(*place);
  return array(std::move(hits));
}

}  // namespace wherestar::document
