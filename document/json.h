// A JSON value in memory that keeps what its text said: member order and number text.
//
// For expressions, updates and results; documents at rest are text (document.h). Numbers hold their
// source text, so 18446744073709551615 and 0.10 survive any edit elsewhere.
//
//   ASSIGN_OR_RETURN(Json json, Json::parse(text));
//   const Json* title = json.member("title");
//   json.set(path, Json::string("Beach"));
//   std::string text = json.to_text();
//
// Comparison, containment and the other relations follow MySQL's JSON rules (docs: expression
// semantics); strings compare bytewise. Depth is at most kMaxDepth everywhere.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "document/path.h"
#include "document/value.h"

namespace wherestar::document {

inline constexpr size_t kMaxDepth = 100;                // nesting of arrays and objects
inline constexpr size_t kMaxDocumentBytes = 63u << 20;  // of text

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;  // in source order, names distinct (the last one won)

  Json() = default;  // null
  static Json null() { return {}; }
  static Json boolean(bool value);
  static Json integer(int64_t value);
  static Json unsigned_integer(uint64_t value);
  static Json real(double value);             // shortest text; 46 is written 46.0
  static Json number_text(std::string text);  // trusted JSON number
  static Json string(std::string value);
  static Json array(Array elements = {});
  static Json object(Object members = {});
  // kInvalidJson ("line 1, column 20: expected a value"), kTooDeep, kNumberOutOfRange,
  // kInvalidUtf8, kTooLarge.
  static Result<Json> parse(std::string_view text);

  JsonType type() const;
  bool is_null() const { return type() == JsonType::kNull; }
  bool is_number() const;
  bool is_string() const { return type() == JsonType::kString; }
  bool is_object() const { return type() == JsonType::kObject; }
  bool is_array() const { return type() == JsonType::kArray; }
  bool as_bool() const;                    // booleans only
  Number as_number() const;                // numbers only
  const std::string& number_text() const;  // numbers only
  const std::string& as_string() const;    // strings only
  const Array& elements() const;
  Array& elements();
  const Object& members() const;
  Object& members();
  const Json* member(std::string_view name) const;  // null when absent or not an object
  void set_member(std::string_view name, Json value);
  bool remove_member(std::string_view name);
  size_t depth() const;

  // Compact: no blanks. `spaced`: a blank behind ':' and ',' as MySQL prints.
  std::string to_text(bool spaced = false) const;
  void append_text(std::string& out, bool spaced = false) const;
  std::string to_pretty_text() const;

  // MySQL's order of JSON values: null < number < string < object < array < boolean; within a type
  // by value (arrays elementwise, then shorter first; objects equal iff same members).
  std::weak_ordering compare(const Json& other) const;
  friend bool operator==(const Json& a, const Json& b) { return a.compare(b) == 0; }

  // All places the path selects, in MySQL's order (`**` pre-order, the node itself first), with
  // auto-wrapping of non-arrays for [0] and [last]. Pointers live as long as this value.
  std::vector<const Json*> select(const PathExpression& path, bool auto_wrap = true) const;
  // What JSON_EXTRACT gives: the one place, or an array of all when the path has a wildcard.
  std::optional<Json> extract(const PathExpression& path) const;
  bool contains(const Json& candidate) const;  // JSON_CONTAINS
  bool overlaps(const Json& other) const;      // JSON_OVERLAPS

  // Edits, as MySQL's functions of these names. Return whether anything changed. kWrongPathKind for
  // wildcards, or `$` in remove; kTooDeep.
  enum class SetMode { kSet, kInsert, kReplace };
  Result<bool> set(const PathExpression& path, Json value, SetMode mode = SetMode::kSet);
  Result<bool> remove(const PathExpression& path);
  Result<bool> array_append(const PathExpression& path, Json value);
  Result<bool> array_insert(const PathExpression& path, Json value);  // path ends in a cell
  void merge_patch(const Json& patch);                                // RFC 7396
  void merge_preserve(const Json& other);                             // JSON_MERGE_PRESERVE

 private:
  struct NumberText {
    std::string text;
  };
  std::variant<std::monostate, bool, NumberText, std::string, Array, Object> value_;
};

void append_json_string(std::string& out, std::string_view text);  // quoted and escaped

}  // namespace wherestar::document
