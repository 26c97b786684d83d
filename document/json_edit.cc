// Edits of a document, as MySQL's JSON functions of the same names.
#include <algorithm>

#include "document/json.h"
#include "document/json_members.h"
#include "document/path_range.h"

namespace wherestar::document {

namespace {

Status refuse_wildcard(const PathExpression& path, const char* function) {
  if (!path.has_wildcard()) return {};
  return fail(ErrorCode::kWrongPathKind, std::string(function) + ": the path " + path.to_string() +
                                             " may select several places, one is needed");
}

// Follows `count` legs to one place; null when it does not exist.
Json* follow(Json& root, const std::vector<PathLeg>& legs, size_t count, bool auto_wrap) {
  Json* place = &root;
  for (size_t i = 0; i < count; ++i) {
    const PathLeg& leg = legs[i];
    if (leg.kind == LegKind::kMember) {
      const Json* next = place->member(leg.name);
      if (!next) return nullptr;
      place = const_cast<Json*>(next);  // of `root`, which is not const
    } else if (place->is_array()) {
      const auto range = element_range(leg, place->elements().size());
      if (!range) return nullptr;
      place = &place->elements()[range->first];
    } else if (!auto_wrap || !element_range(leg, 1)) {
      return nullptr;
    }
  }
  return place;
}

// Before something goes below `levels` levels. Each leg counts as a level, also one that wraps.
Status check_depth(size_t levels, const Json& value) {
  if (levels + nesting(value) <= kMaxDepth) return {};
  return fail(ErrorCode::kTooDeep, "the result would have more than " + std::to_string(kMaxDepth) +
                                       " levels of arrays and objects");
}

bool replace(Json& place, Json value) {
  if (is_identical(place, value)) return false;
  place = std::move(value);
  return true;
}

void wrap_with(Json& place, Json value, bool in_front = false) {
  Json::Array pair;
  pair.push_back(std::move(place));
  pair.push_back(std::move(value));
  if (in_front) std::swap(pair[0], pair[1]);
  place = Json::array(std::move(pair));
}

// A cell that does not exist: behind the end it is appended, before the start put in front.
bool add_cell(Json& parent, const PathLeg& leg, Json value) {
  const bool in_front = leg.first.from_end;
  if (!parent.is_array()) {
    wrap_with(parent, std::move(value), in_front);
    return true;
  }
  Json::Array& cells = parent.elements();
  cells.insert(in_front ? cells.begin() : cells.end(), std::move(value));
  return true;
}

// RFC 7396; `target` takes over what `patch` says.
void apply_patch(Json& target, const Json& patch) {
  if (!patch.is_object()) {
    target = patch;
    return;
  }
  if (!target.is_object()) target = Json::object();
  Json::Object& members = target.members();
  const MemberFinder finder(members);
  std::vector<size_t> removed;
  for (const auto& [name, value] : patch.members()) {
    const size_t position = finder.find(name);
    if (value.is_null()) {
      if (finder.found(position)) removed.push_back(position);
    } else if (finder.found(position)) {
      apply_patch(members[position].second, value);
    } else {
      Json added;
      apply_patch(added, value);  // drops the nulls inside of it
      members.emplace_back(name, std::move(added));
    }
  }
  if (removed.empty()) return;
  std::sort(removed.begin(), removed.end());
  size_t position = 0;
  std::erase_if(members, [&](const Json::Member&) {
    return std::binary_search(removed.begin(), removed.end(), position++);
  });
}

void merge(Json& target, const Json& other) {
  if (target.is_object() && other.is_object()) {
    Json::Object& members = target.members();
    const MemberFinder finder(members);
    for (const auto& [name, value] : other.members()) {
      const size_t position = finder.find(name);
      if (finder.found(position))
        merge(members[position].second, value);
      else
        members.emplace_back(name, value);
    }
    return;
  }
  if (!target.is_array()) {
    Json::Array wrapped;
    wrapped.push_back(std::move(target));
    target = Json::array(std::move(wrapped));
  }
  if (other.is_array())
    target.elements().insert(target.elements().end(), other.elements().begin(),
                             other.elements().end());
  else
    target.elements().push_back(other);
}

}  // namespace

Result<bool> Json::set(const PathExpression& path, Json value, SetMode mode) {
  RETURN_IF_ERROR(refuse_wildcard(path, "JSON_SET"));
  const std::vector<PathLeg>& legs = path.legs();
  RETURN_IF_ERROR(check_depth(legs.size(), value));
  if (Json* place = follow(*this, legs, legs.size(), true))
    return mode != SetMode::kInsert && replace(*place, std::move(value));
  if (mode == SetMode::kReplace) return false;
  // The place is new: its parent must exist.
  Json* parent = follow(*this, legs, legs.size() - 1, true);
  if (!parent) return false;
  if (legs.back().kind != LegKind::kMember) {
    if (!parent->is_array()) RETURN_IF_ERROR(check_depth(legs.size(), *parent));
    return add_cell(*parent, legs.back(), std::move(value));
  }
  if (!parent->is_object()) return false;
  parent->members().emplace_back(legs.back().name, std::move(value));
  return true;
}

Result<bool> Json::remove(const PathExpression& path) {
  RETURN_IF_ERROR(refuse_wildcard(path, "JSON_REMOVE"));
  if (path.is_root())
    return fail(ErrorCode::kWrongPathKind, "JSON_REMOVE: the path $ would remove the document");
  // A cell of what is no array is the value itself, so the leg before it says what to remove.
  const std::vector<PathLeg>& legs = path.legs();
  for (size_t count = legs.size(); count > 0; --count) {
    Json* parent = follow(*this, legs, count - 1, true);
    if (!parent) return false;
    const PathLeg& leg = legs[count - 1];
    if (leg.kind == LegKind::kMember) return parent->remove_member(leg.name);
    if (parent->is_array()) {
      const auto range = element_range(leg, parent->elements().size());
      if (!range) return false;
      parent->elements().erase(parent->elements().begin() + static_cast<ptrdiff_t>(range->first));
      return true;
    }
    if (!element_range(leg, 1)) return false;
  }
  return false;  // it was the document itself in the end
}

Result<bool> Json::array_append(const PathExpression& path, Json value) {
  RETURN_IF_ERROR(refuse_wildcard(path, "JSON_ARRAY_APPEND"));
  RETURN_IF_ERROR(check_depth(path.legs().size() + 1, value));
  Json* place = follow(*this, path.legs(), path.legs().size(), true);
  if (!place) return false;
  if (place->is_array()) {
    place->elements().push_back(std::move(value));
    return true;
  }
  RETURN_IF_ERROR(check_depth(path.legs().size() + 1, *place));
  wrap_with(*place, std::move(value));
  return true;
}

Result<bool> Json::array_insert(const PathExpression& path, Json value) {
  RETURN_IF_ERROR(refuse_wildcard(path, "JSON_ARRAY_INSERT"));
  const std::vector<PathLeg>& legs = path.legs();
  if (legs.empty() || legs.back().kind != LegKind::kElement)
    return fail(ErrorCode::kWrongPathKind,
                "JSON_ARRAY_INSERT: the path " + path.to_string() + " does not end in a cell");
  RETURN_IF_ERROR(check_depth(legs.size(), value));
  Json* parent = follow(*this, legs, legs.size() - 1, false);
  if (!parent || !parent->is_array()) return false;
  Array& cells = parent->elements();
  const ArrayIndex& index = legs.back().first;
  size_t position = std::min<size_t>(index.offset, cells.size());
  if (index.from_end)  // [last] inserts before the last element
    position = cells.size() > index.offset ? cells.size() - 1 - index.offset : 0;
  cells.insert(cells.begin() + static_cast<ptrdiff_t>(position), std::move(value));
  return true;
}

void Json::merge_patch(const Json& patch) {
  apply_patch(*this, patch);
}

void Json::merge_preserve(const Json& other) {
  merge(*this, other);
}

}  // namespace wherestar::document
