// From statistics to a JSON Schema that every counted document is valid against.
#include <algorithm>
#include <charconv>

#include "document/json.h"
#include "document/path.h"
#include "schema_stats/schema_stats.h"

namespace wherestar::schema_stats {
namespace {

using document::Json;
using document::JsonType;

constexpr size_t kMaxEnumValues = 32;
constexpr uint64_t kEnumSupport = 4;  // occurrences per distinct value before it looks like an enum

// The paths as a tree: what JSON Schema nests.
struct Node {
  const PathSummary* summary = nullptr;
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> properties;
  std::map<std::string, size_t, std::less<>> position;  // of a name in `properties`
  std::unique_ptr<Node> items;
  std::unique_ptr<Node> additional;
  bool repeats = false;  // below an array or a map: a document may have it more than once
};

Node& child(std::unique_ptr<Node>& slot) {
  if (!slot) {
    slot = std::make_unique<Node>();
    slot->repeats = true;
  }
  return *slot;
}

Node& property(Node& node, const std::string& name) {
  const auto [at, is_new] = node.position.emplace(name, node.properties.size());
  if (is_new) {
    node.properties.emplace_back(name, std::make_unique<Node>());
    node.properties.back().second->repeats = node.repeats;
  }
  return *node.properties[at->second].second;
}

// Paths that are no canonical text are left out: less is said of the documents then, nothing wrong.
void insert(Node& root, const PathSummary& summary) {
  const auto path = document::PathExpression::parse(summary.text);
  if (!path) return;
  Node* node = &root;
  for (const document::PathLeg& leg : path->legs()) {
    switch (leg.kind) {
      case document::LegKind::kMember:
        node = &property(*node, leg.name);
        break;
      case document::LegKind::kAnyMember:
        node = &child(node->additional);
        break;
      default:
        node = &child(node->items);
        break;
    }
  }
  node->summary = &summary;
}

uint64_t count(const PathSummary& summary, JsonType type) {
  return summary.statistics.by_type[static_cast<size_t>(type)];
}

// Whether the number is an integer that JSON parsers of 64 bits keep as one.
bool is_64_bit_integer(std::string_view json) {
  int64_t as_signed = 0;
  uint64_t as_unsigned = 0;
  const char* end = json.data() + json.size();
  const auto fits = [end](const std::from_chars_result& result) {
    return result.ec == std::errc() && result.ptr == end;
  };
  return fits(std::from_chars(json.data(), end, as_signed)) ||
         fits(std::from_chars(json.data(), end, as_unsigned));
}

bool is_number_text(const std::optional<std::string>& json) {
  return json && !json->empty() &&
         (json->front() == '-' || (json->front() >= '0' && json->front() <= '9'));
}

class Inference {
 public:
  explicit Inference(const InferenceOptions& options) : options_(options) {}
  Json schema_of(const Node& node);

 private:
  Json types(const PathSummary& summary) const;
  bool integers_are_integers(const PathSummary& summary) const;
  void add_scalar_keywords(const PathSummary& summary, bool repeats, Json& schema) const;
  void add_format(const PathSummary& summary, Json& schema) const;
  std::optional<Json> enumeration(const PathSummary& summary, bool repeats) const;
  void add_object_keywords(const Node& node, Json& schema);

  const InferenceOptions options_;
};

// Draft 4 tells 1.0 and integers beyond 64 bits from integers, and so do its validators.
bool Inference::integers_are_integers(const PathSummary& summary) const {
  if (!options_.draft4) return true;
  return is_number_text(summary.least_json) && is_number_text(summary.greatest_json) &&
         is_64_bit_integer(*summary.least_json) && is_64_bit_integer(*summary.greatest_json);
}

Json Inference::types(const PathSummary& summary) const {
  Json::Array names;
  const auto add = [&](const char* name) { names.push_back(Json::string(name)); };
  if (count(summary, JsonType::kNull) > 0) add("null");
  if (count(summary, JsonType::kBoolean) > 0) add("boolean");
  if (count(summary, JsonType::kDouble) > 0)
    add("number");
  else if (count(summary, JsonType::kInteger) > 0)
    add(integers_are_integers(summary) ? "integer" : "number");
  if (count(summary, JsonType::kString) > 0) add("string");
  if (count(summary, JsonType::kObject) > 0) add("object");
  if (count(summary, JsonType::kArray) > 0) add("array");
  if (names.size() == 1) return std::move(names.front());
  return Json::array(std::move(names));
}

void Inference::add_format(const PathSummary& summary, Json& schema) const {
  const uint64_t strings = count(summary, JsonType::kString);
  for (size_t i = 0; i < kFormatCount && strings > 0; ++i) {
    if (summary.statistics.by_format[i] != strings) continue;
    const auto format = static_cast<Format>(i);
    if (format == Format::kIntegerText) {
      schema.set_member("pattern", Json::string("^-?[0-9]+$"));
      return;
    }
    const bool in_draft4 = format == Format::kDateTime || format == Format::kEmail ||
                           format == Format::kUri || format == Format::kIpv4 ||
                           format == Format::kIpv6;
    if (!options_.draft4 || in_draft4)
      schema.set_member("format", Json::string(std::string(format_name(format))));
  }
}

// All values, if they are known to be few strings (and null). Numbers are left to their bounds,
// since 1 and 1.0 are one value here and two texts to some validators.
std::optional<Json> Inference::enumeration(const PathSummary& summary, bool repeats) const {
  const PathStatistics& statistics = summary.statistics;
  const uint64_t nulls = count(summary, JsonType::kNull);
  const uint64_t strings = count(summary, JsonType::kString);
  if (strings == 0 || strings + nulls != statistics.values) return std::nullopt;
  Json::Array values;
  uint64_t documents = 0;
  for (const auto& [json, holders] : summary.top_values) {
    auto value = Json::parse(json);
    if (!value) return std::nullopt;
    if (value->is_null()) continue;
    if (!value->is_string()) return std::nullopt;
    documents += holders;
    values.push_back(std::move(*value));
  }
  if (values.empty() || values.size() > kMaxEnumValues) return std::nullopt;
  if (strings < kEnumSupport * values.size()) return std::nullopt;
  // Either the number of distinct values says that none is missing, or each document holds one
  // value and together the top values have all the documents.
  const double distinct = statistics.distinct_values - (nulls > 0 ? 1 : 0);
  const bool counted =
      statistics.distinct_is_exact && distinct == static_cast<double>(values.size());
  if (!counted && (repeats || documents != strings)) return std::nullopt;
  if (nulls > 0) values.push_back(Json::null());
  return Json::array(std::move(values));
}

void Inference::add_scalar_keywords(const PathSummary& summary, bool repeats, Json& schema) const {
  add_format(summary, schema);
  if (std::optional<Json> values = enumeration(summary, repeats))
    schema.set_member("enum", std::move(*values));
  if (count(summary, JsonType::kInteger) + count(summary, JsonType::kDouble) == 0) return;
  if (is_number_text(summary.least_json))
    schema.set_member("minimum", Json::number_text(*summary.least_json));
  if (is_number_text(summary.greatest_json))
    schema.set_member("maximum", Json::number_text(*summary.greatest_json));
}

void Inference::add_object_keywords(const Node& node, Json& schema) {
  Json::Object properties;
  Json::Array required;
  const uint64_t objects = node.summary ? count(*node.summary, JsonType::kObject) : 0;
  for (const auto& [name, below] : node.properties) {
    if (below->summary) {
      // An object has a member once, so as many values as objects means that all have it.
      const uint64_t could = node.summary ? objects : below->summary->parent_objects;
      if (could > 0 && below->summary->statistics.values == could)
        required.push_back(Json::string(name));
    }
    properties.emplace_back(name, schema_of(*below));
  }
  if (!properties.empty()) schema.set_member("properties", Json::object(std::move(properties)));
  if (!required.empty()) schema.set_member("required", Json::array(std::move(required)));
  if (node.additional) schema.set_member("additionalProperties", schema_of(*node.additional));
}

Json Inference::schema_of(const Node& node) {
  Json schema = Json::object();
  if (node.summary && node.summary->statistics.values > 0) {
    schema.set_member("type", types(*node.summary));
    add_scalar_keywords(*node.summary, node.repeats, schema);
  }
  add_object_keywords(node, schema);
  if (node.items) schema.set_member("items", schema_of(*node.items));
  return schema;
}

}  // namespace

std::string infer_json_schema(std::span<const PathSummary> paths, std::string_view title,
                              const InferenceOptions& options) {
  Node root;
  for (const PathSummary& summary : paths)
    if (summary.statistics.values > 0) insert(root, summary);
  Json schema = Json::object();
  schema.set_member("$schema",
                    Json::string(options.draft4 ? "http://json-schema.org/draft-04/schema#"
                                                : "https://json-schema.org/draft/2020-12/schema"));
  schema.set_member("title", Json::string(std::string(title)));
  Json inferred = Inference(options).schema_of(root);
  for (Json::Member& member : inferred.members())
    schema.set_member(member.first, std::move(member.second));
  return schema.to_pretty_text();
}

}  // namespace wherestar::schema_stats
