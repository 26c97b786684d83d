// What `search` looks for, and how it looks into one document of a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "document/document.h"
#include "document/json.h"
#include "tools/cell.h"

namespace wherestar::tools {

struct SearchValue {
  Cell cell;  // a number or a text
  bool is_prefix = false;

  std::string text() const;  // "the string 'Beach'", "the number 1974"
};

// `Beach` and `"1974"` are strings, `1974` and `-1.5e3` numbers. kInvalidArgument: a quoted string
// that is none. kNumberOutOfRange: 1e400.
Result<SearchValue> parse_search_value(std::string_view word, bool is_prefix);

// The string 1974 of the number 1974, and the other way round; nullopt when there is none.
std::optional<SearchValue> twin_of(const SearchValue& value);

bool matches(const SearchValue& value, const document::Scalar& scalar);
bool matches(const SearchValue& value, const document::Json& json);

struct PlaceMatch {
  std::string path;   // canonical
  std::string place;  // with positions
  std::string value;  // JSON text
};
// `path`: only places of this canonical path or path expression; null: any.
std::vector<PlaceMatch> find_places(const SearchValue& value, const document::Json& document,
                                    const document::PathExpression* path);

// A few short scalars of a document, without `_id` and the matched place: "linen · XL · 1163.33".
std::string excerpt(const document::Json& document, std::string_view matched_place);

}  // namespace wherestar::tools
