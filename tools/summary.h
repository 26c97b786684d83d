// What `paths`, `shapes` and `schema` show of one collection or one file.
//
// A summary is a value. It is made from a file (file_summary.h) or from the information views of a
// store (store_summary.h); the views below see no difference.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "document/value.h"

namespace wherestar::tools {

struct PathRow {
  std::string path;  // canonical
  uint64_t documents = 0;
  uint64_t values = 0;
  std::array<uint64_t, document::kJsonTypeCount> by_type{};
  double distinct = 0;
  bool distinct_is_exact = false;
  std::optional<std::string> least;  // JSON text
  std::optional<std::string> greatest;
  uint64_t total_bytes = 0;
  std::optional<uint64_t> min_string_length, max_string_length;
  std::optional<uint64_t> min_array_length, max_array_length;
  std::string format;                                        // "date", ..., or empty
  std::vector<std::pair<std::string, uint64_t>> top_values;  // JSON text, count; most first
  bool top_values_are_all = false;                           // no other value occurs

  uint64_t count(document::JsonType type) const { return by_type[static_cast<size_t>(type)]; }
};

struct ShapeRow {
  std::string id;
  uint64_t documents = 0;
  std::vector<std::pair<std::string, std::string>> members;  // path, type name
  std::string first_seen;                                    // "line 1", or a time
  std::string last_seen;
};

struct Summary {
  std::string name;  // as people call it: products, shop.products
  uint64_t documents = 0;
  uint64_t text_bytes = 0;
  std::vector<PathRow> paths;    // parents before children
  std::vector<ShapeRow> shapes;  // most documents first
  uint64_t bad_documents = 0;
  double seconds = 0;
};

}  // namespace wherestar::tools
