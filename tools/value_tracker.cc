#include "tools/value_tracker.h"

#include <algorithm>

#include "document/json.h"

namespace wherestar::tools {
namespace {

int rank_of(const document::Scalar& value) {
  if (const bool* boolean = std::get_if<bool>(&value)) return *boolean ? 2 : 1;
  if (std::holds_alternative<document::Number>(value)) return 3;
  return std::holds_alternative<std::string_view>(value) ? 4 : 0;
}

std::string number_json(const document::Number& number) {
  if (!number.is_integer()) return document::Json::real(number.as_double()).to_text();
  return number.fits_int64() ? std::to_string(number.as_int64())
                             : std::to_string(number.as_uint64());
}

}  // namespace

std::string scalar_json(const document::Scalar& value, std::string_view number_text) {
  if (const bool* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  if (const auto* number = std::get_if<document::Number>(&value)) {
    return number_text.empty() ? number_json(*number) : std::string(number_text);
  }
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    std::string json;
    document::append_json_string(json, *text);
    return json;
  }
  return "null";
}

ValueTracker::Kept ValueTracker::keep(const document::Scalar& value, std::string_view number_text) {
  Kept kept;
  kept.rank = rank_of(value);
  if (const auto* number = std::get_if<document::Number>(&value)) {
    kept.number = *number;
    kept.text = number_text;
  } else if (const auto* text = std::get_if<std::string_view>(&value)) {
    size_t size = std::min(text->size(), kTrackedBytes);
    kept.cut = size < text->size();
    while (kept.cut && size > 0 && (static_cast<unsigned char>((*text)[size]) & 0xc0) == 0x80) {
      --size;
    }
    kept.text = text->substr(0, size);
  }
  return kept;
}

int ValueTracker::compare(const document::Scalar& a, const Kept& b) {
  const int rank = rank_of(a);
  if (rank != b.rank) return rank < b.rank ? -1 : 1;
  if (const auto* number = std::get_if<document::Number>(&a)) {
    const auto order = *number <=> b.number;
    return order < 0 ? -1 : order > 0 ? 1 : 0;
  }
  if (const auto* text = std::get_if<std::string_view>(&a)) return text->compare(b.text);
  return 0;
}

std::string ValueTracker::to_json(const Kept& kept) {
  switch (kept.rank) {
    case 0:
      return "null";
    case 1:
      return "false";
    case 2:
      return "true";
    case 3:
      return kept.text.empty() ? number_json(kept.number) : kept.text;
    default: {
      std::string json;
      document::append_json_string(json, kept.cut ? kept.text + "…" : kept.text);
      return json;
    }
  }
}

void ValueTracker::add(const document::Scalar& value, std::string_view number_text) {
  if (!least_ || compare(value, *least_) < 0) least_ = keep(value, number_text);
  if (!greatest_ || compare(value, *greatest_) > 0) greatest_ = keep(value, number_text);
  if (overflowed_) return;
  const auto* text = std::get_if<std::string_view>(&value);
  if (text == nullptr || text->size() <= kTrackedBytes) {
    // Numbers that are equal count as one value, whatever their spelling.
    ++counts_[scalar_json(value, {})];
    overflowed_ = counts_.size() > kTrackedValues;
  } else {
    overflowed_ = true;
  }
  if (overflowed_) counts_.clear();
}

std::optional<std::string> ValueTracker::least_json() const {
  return least_ ? std::optional(to_json(*least_)) : std::nullopt;
}

std::optional<std::string> ValueTracker::greatest_json() const {
  return greatest_ ? std::optional(to_json(*greatest_)) : std::nullopt;
}

std::optional<std::vector<std::pair<std::string, uint64_t>>> ValueTracker::top() const {
  if (overflowed_) return std::nullopt;
  std::vector<std::pair<std::string, uint64_t>> values(counts_.begin(), counts_.end());
  std::ranges::stable_sort(values,
                           [](const auto& a, const auto& b) { return a.second > b.second; });
  return values;
}

}  // namespace wherestar::tools
