#include "document/document.h"

namespace wherestar::document {

namespace {

void collect(const Json& json, std::string& canonical, std::string& place,
             std::vector<Place>& places) {
  const size_t canonical_bytes = canonical.size(), place_bytes = place.size();
  const auto visit = [&](const Json& value) {
    collect(value, canonical, place, places);
    canonical.resize(canonical_bytes);
    place.resize(place_bytes);
  };
  if (json.is_object()) {
    for (const auto& [name, value] : json.members()) {
      append_member(canonical, name);
      append_member(place, name);
      visit(value);
    }
  } else if (json.is_array()) {
    for (size_t i = 0; i < json.elements().size(); ++i) {
      canonical += "[*]";
      place.append("[").append(std::to_string(i)).append("]");
      visit(json.elements()[i]);
    }
  } else {
    places.push_back({canonical, place, &json});
  }
}

}  // namespace

std::vector<Place> scalar_places(const Json& document) {
  std::vector<Place> places;
  std::string canonical = "$", place = "$";
  collect(document, canonical, place, places);
  return places;
}

}  // namespace wherestar::document
