// Members of objects by name, without quadratic time in large objects.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "document/json.h"

namespace wherestar::document {

// Of members with one name only the first stays, with the value of the last.
void drop_shadowed_members(Json::Object& members);

// Finds positions by name: linear in a small object, in a sorted list in a large one. Members may
// be appended and their values changed meanwhile; the appended ones are not found.
class MemberFinder {
 public:
  explicit MemberFinder(const Json::Object& members);
  // Their number when there is none.
  size_t find(std::string_view name) const;
  bool found(size_t position) const { return position < size_; }

 private:
  const Json::Object& members_;
  size_t size_;
  std::vector<uint32_t> sorted_;
};

// Positions sorted as MySQL stores names: by length, then by bytes.
std::vector<uint32_t> sorted_positions(const Json::Object& members);

// The same text, not only the same value: 1 and 1.0 differ, and so does another member order.
bool is_identical(const Json& a, const Json& b);

// Levels of arrays and objects: 0 for scalars. What kMaxDepth bounds.
size_t nesting(const Json& json);

}  // namespace wherestar::document
