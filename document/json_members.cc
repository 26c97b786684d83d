#include "document/json_members.h"

#include <algorithm>
#include <numeric>

namespace wherestar::document {

namespace {

constexpr size_t kLinearMembers = 16;

bool name_less(std::string_view a, std::string_view b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace

std::vector<uint32_t> sorted_positions(const Json::Object& members) {
  std::vector<uint32_t> positions(members.size());
  std::iota(positions.begin(), positions.end(), 0U);
  std::stable_sort(positions.begin(), positions.end(), [&members](uint32_t a, uint32_t b) {
    return name_less(members[a].first, members[b].first);
  });
  return positions;
}

void drop_shadowed_members(Json::Object& members) {
  std::vector<uint32_t> shadowed;  // later ones whose value moved to the first
  if (members.size() <= kLinearMembers) {
    for (uint32_t i = 1; i < members.size(); ++i) {
      for (uint32_t j = 0; j < i; ++j) {
        if (members[i].first != members[j].first) continue;
        members[j].second = std::move(members[i].second);
        shadowed.push_back(i);
        break;
      }
    }
  } else {
    const std::vector<uint32_t> sorted = sorted_positions(members);
    for (size_t i = 0; i < sorted.size();) {
      const uint32_t first = sorted[i];
      size_t next = i + 1;
      for (; next < sorted.size() && members[sorted[next]].first == members[first].first; ++next) {
        members[first].second = std::move(members[sorted[next]].second);
        shadowed.push_back(sorted[next]);
      }
      i = next;
    }
    std::sort(shadowed.begin(), shadowed.end());
  }
  if (shadowed.empty()) return;
  size_t kept = 0, next_shadowed = 0;
  for (size_t i = 0; i < members.size(); ++i) {
    if (next_shadowed < shadowed.size() && shadowed[next_shadowed] == i) {
      ++next_shadowed;
      continue;
    }
    if (kept != i) members[kept] = std::move(members[i]);
    ++kept;
  }
  members.resize(kept);
}

MemberFinder::MemberFinder(const Json::Object& members) : members_(members), size_(members.size()) {
  if (size_ > kLinearMembers) sorted_ = sorted_positions(members);
}

size_t MemberFinder::find(std::string_view name) const {
  if (sorted_.empty()) {
    size_t i = 0;
    while (i < size_ && members_[i].first != name) ++i;
    return i;
  }
  const auto found = std::lower_bound(
      sorted_.begin(), sorted_.end(), name,
      [this](uint32_t i, std::string_view wanted) { return name_less(members_[i].first, wanted); });
  return found != sorted_.end() && members_[*found].first == name ? *found : size_;
}

bool is_identical(const Json& a, const Json& b) {
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case JsonType::kNull:
      return true;
    case JsonType::kBoolean:
      return a.as_bool() == b.as_bool();
    case JsonType::kInteger:
    case JsonType::kDouble:
      return a.number_text() == b.number_text();
    case JsonType::kString:
      return a.as_string() == b.as_string();
    case JsonType::kArray:
      return std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(),
                        b.elements().end(), is_identical);
    case JsonType::kObject:
      return std::equal(a.members().begin(), a.members().end(), b.members().begin(),
                        b.members().end(), [](const Json::Member& x, const Json::Member& y) {
                          return x.first == y.first && is_identical(x.second, y.second);
                        });
  }
  return false;
}

size_t nesting(const Json& json) {
  size_t deepest = 0;
  if (json.is_array()) {
    for (const Json& element : json.elements()) deepest = std::max(deepest, nesting(element));
  } else if (json.is_object()) {
    for (const Json::Member& entry : json.members())
      deepest = std::max(deepest, nesting(entry.second));
  } else {
    return 0;
  }
  return deepest + 1;
}

}  // namespace wherestar::document
