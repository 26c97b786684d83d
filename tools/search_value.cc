#include "tools/search_value.h"

#include <cctype>

#include "tools/text.h"

namespace wherestar::tools {
namespace {

using document::Json;
using document::Number;

constexpr size_t kExcerptParts = 3;
constexpr size_t kExcerptPartWidth = 24;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Written as JSON writes numbers. kNumberOutOfRange: so, but beyond the range of doubles.
Result<bool> is_number_literal(std::string_view word) {
  if (word.empty() || (word.front() != '-' && !is_digit(word.front())) || !is_digit(word.back())) {
    return false;  // blanks around it, for one
  }
  const auto parsed = Json::parse(word);
  if (!parsed && parsed.error().code == ErrorCode::kNumberOutOfRange) {
    return fail(ErrorCode::kNumberOutOfRange,
                std::string(word) + ": numbers beyond the range of doubles cannot be stored");
  }
  return parsed && parsed->is_number();
}

}  // namespace

std::string SearchValue::text() const {
  if (cell.kind == CellKind::kNumber) return "the number " + cell.text;
  return (is_prefix ? "a string that begins with '" : "the string '") + cell.text + "'";
}

Result<SearchValue> parse_search_value(std::string_view word, bool is_prefix) {
  if (!is_prefix) {
    ASSIGN_OR_RETURN(const bool is_number, is_number_literal(word));
    if (is_number) return SearchValue{Cell::number(std::string(word)), false};
  }
  if (word.size() < 2 || word.front() != '"' || word.back() != '"') {
    return SearchValue{Cell::string(word), is_prefix};
  }
  const auto parsed = Json::parse(word);
  if (!parsed || !parsed->is_string()) {
    return fail(ErrorCode::kInvalidArgument,
                std::string(word) + ": in quotes, but not a string as JSON writes it");
  }
  return SearchValue{Cell::string(parsed->as_string()), is_prefix};
}

std::optional<SearchValue> twin_of(const SearchValue& value) {
  if (value.is_prefix) return std::nullopt;
  if (value.cell.kind == CellKind::kNumber)
    return SearchValue{Cell::string(value.cell.text), false};
  if (!is_number_literal(value.cell.text).value_or(false)) return std::nullopt;
  return SearchValue{Cell::number(value.cell.text), false};
}

bool matches(const SearchValue& value, const document::Scalar& scalar) {
  if (value.cell.kind == CellKind::kNumber) {
    const auto wanted = Number::from_text(value.cell.text);
    const auto* number = std::get_if<Number>(&scalar);
    return wanted && number != nullptr && *wanted == *number;
  }
  const auto* text = std::get_if<std::string_view>(&scalar);
  if (text == nullptr) return false;
  return value.is_prefix ? text->starts_with(value.cell.text) : *text == value.cell.text;
}

bool matches(const SearchValue& value, const Json& json) {
  if (json.is_number()) return matches(value, document::Scalar(json.as_number()));
  if (json.is_string()) return matches(value, document::Scalar(std::string_view(json.as_string())));
  return false;
}

std::vector<PlaceMatch> find_places(const SearchValue& value, const Json& document,
                                    const document::PathExpression* path) {
  std::vector<PlaceMatch> found;
  for (const document::Place& place : document::scalar_places(document)) {
    if (!matches(value, *place.value)) continue;
    if (path != nullptr) {
      const auto legs = document::PathExpression::parse(place.canonical);
      if (!legs || !path->matches_canonical(legs->legs())) continue;
    }
    found.push_back({place.canonical, place.place, place.value->to_text()});
  }
  return found;
}

std::string excerpt(const Json& document, std::string_view matched_place) {
  std::string text;
  size_t parts = 0;
  for (const document::Place& place : document::scalar_places(document)) {
    if (place.place == matched_place || place.canonical == "$._id") continue;
    if (place.value->is_null()) continue;
    const std::string part =
        place.value->is_string() ? place.value->as_string() : place.value->to_text();
    if (part.empty() || display_width(part) > kExcerptPartWidth) continue;
    text += (parts > 0 ? " · " : "") + part;
    if (++parts == kExcerptParts) break;
  }
  return text;
}

}  // namespace wherestar::tools
