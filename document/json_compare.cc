// Order, containment and overlap of JSON values.
#include <algorithm>

#include "document/json.h"
#include "document/json_members.h"

namespace wherestar::document {

namespace {

int rank(const Json& json) {
  switch (json.type()) {
    case JsonType::kNull:
      return 0;
    case JsonType::kInteger:
    case JsonType::kDouble:
      return 1;
    case JsonType::kString:
      return 2;
    case JsonType::kObject:
      return 3;
    case JsonType::kArray:
      return 4;
    case JsonType::kBoolean:
      return 5;
  }
  return 6;
}

// Fewer members first, then the (name, value) pairs by length and bytes of the name.
std::weak_ordering compare_objects(const Json::Object& a, const Json::Object& b) {
  if (a.size() != b.size()) return a.size() <=> b.size();
  const std::vector<uint32_t> left = sorted_positions(a), right = sorted_positions(b);
  for (size_t i = 0; i < left.size(); ++i) {
    const auto& [name, value] = a[left[i]];
    const auto& [other_name, other_value] = b[right[i]];
    if (name.size() != other_name.size()) return name.size() <=> other_name.size();
    if (const auto order = name <=> other_name; order != 0) return order;
    if (const auto order = value.compare(other_value); order != 0) return order;
  }
  return std::weak_ordering::equivalent;
}

std::weak_ordering compare_arrays(const Json::Array& a, const Json::Array& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (const auto order = a[i].compare(b[i]); order != 0) return order;
  return a.size() <=> b.size();
}

using Pointers = std::vector<const Json*>;

bool value_less(const Json* a, const Json* b) {
  return a->compare(*b) < 0;
}

bool has(const Pointers& sorted, const Json& wanted) {
  return std::binary_search(sorted.begin(), sorted.end(), &wanted, value_less);
}

bool is_scalar(const Json& json) {
  return !json.is_array() && !json.is_object();
}

// An array as a target of JSON_CONTAINS: scalars and objects count at every level of nested arrays,
// arrays are looked for among the direct elements.
struct Target {
  explicit Target(const Json::Array& array) {
    for (const Json& element : array) {
      if (element.is_array()) arrays.push_back(&element);
      collect(element);
    }
    std::sort(scalars.begin(), scalars.end(), value_less);
  }
  void collect(const Json& json) {
    if (json.is_array()) {
      for (const Json& element : json.elements()) collect(element);
    } else {
      (json.is_object() ? objects : scalars).push_back(&json);
    }
  }
  bool contains(const Json& candidate) const {
    if (is_scalar(candidate)) return has(scalars, candidate);
    const Pointers& targets = candidate.is_array() ? arrays : objects;
    return std::any_of(targets.begin(), targets.end(),
                       [&candidate](const Json* target) { return target->contains(candidate); });
  }
  Pointers scalars, objects, arrays;
};

bool object_contains(const Json::Object& target, const Json::Object& candidate) {
  const MemberFinder finder(target);
  return std::all_of(candidate.begin(), candidate.end(), [&](const Json::Member& entry) {
    const size_t position = finder.find(entry.first);
    return finder.found(position) && target[position].second.contains(entry.second);
  });
}

bool any_common_member(const Json::Object& a, const Json::Object& b) {
  const MemberFinder finder(a);
  return std::any_of(b.begin(), b.end(), [&](const Json::Member& entry) {
    const size_t position = finder.find(entry.first);
    return finder.found(position) && a[position].second == entry.second;
  });
}

Pointers elements_or_self(const Json& json) {
  if (!json.is_array()) return {&json};
  Pointers out;
  for (const Json& element : json.elements()) out.push_back(&element);
  return out;
}

}  // namespace

std::weak_ordering Json::compare(const Json& other) const {
  const int type = rank(*this);
  if (const int other_type = rank(other); type != other_type) return type <=> other_type;
  switch (type) {
    case 1:
      return as_number() <=> other.as_number();
    case 2:
      return as_string().compare(other.as_string()) <=> 0;
    case 3:
      return compare_objects(members(), other.members());
    case 4:
      return compare_arrays(elements(), other.elements());
    case 5:
      return as_bool() <=> other.as_bool();
    default:
      return std::weak_ordering::equivalent;
  }
}

bool Json::contains(const Json& candidate) const {
  if (is_array()) {
    const Target target(elements());
    if (!candidate.is_array()) return target.contains(candidate);
    return std::all_of(candidate.elements().begin(), candidate.elements().end(),
                       [&target](const Json& element) { return target.contains(element); });
  }
  if (is_object()) return candidate.is_object() && object_contains(members(), candidate.members());
  return is_scalar(candidate) && *this == candidate;
}

bool Json::overlaps(const Json& other) const {
  if (is_object() && other.is_object()) return any_common_member(members(), other.members());
  if (!is_array() && !other.is_array()) return *this == other;
  Pointers left = elements_or_self(*this), right = elements_or_self(other);
  if (left.size() < right.size()) std::swap(left, right);
  std::sort(right.begin(), right.end(), value_less);
  return std::any_of(left.begin(), left.end(),
                     [&right](const Json* value) { return has(right, *value); });
}

}  // namespace wherestar::document
