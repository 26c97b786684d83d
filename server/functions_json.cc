#include <algorithm>
#include <unordered_set>

#include "document/document.h"
#include "server/conversion.h"
#include "server/functions.h"
#include "server/text_match.h"

namespace wherestar::server {

using document::Json;
using document::JsonType;
using document::PathExpression;

namespace {

constexpr auto kJson = SqlType::kJson;
constexpr auto kSigned = SqlType::kSigned;

// A document argument: JSON as it is, text is parsed.
Result<Json> document_argument(const Call& call, size_t i) {
  const SqlValue& value = call[i];
  if (is_json(value)) return value.as_json();
  if (!is_texty(value))
    return fail(ErrorCode::kInvalidJson, "Invalid data type for JSON data in argument " +
                                             std::to_string(i + 1) + " to function " +
                                             call.expression.name);
  auto parsed = Json::parse(value.string());
  if (!parsed)
    return fail(ErrorCode::kInvalidJson, "Invalid JSON text in argument " + std::to_string(i + 1) +
                                             " to function " + call.expression.name + ": " +
                                             parsed.error().message);
  return parsed;
}

Result<PathExpression> path_argument(const Call& call, size_t i) {
  const SqlValue& value = call[i];
  return PathExpression::parse(is_json(value) ? unquoted(value.as_json()) : to_text(value));
}

Status no_wildcard(const PathExpression& path) {
  if (!path.has_wildcard()) return {};
  return fail(ErrorCode::kWrongPathKind,
              "In this situation, path expressions may not contain the * and ** tokens or an "
              "array range.");
}

Result<SqlValue> call_extract(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const Json json, document_argument(call, 0));
  if (call.size() == 2) {
    ASSIGN_OR_RETURN(const PathExpression path, path_argument(call, 1));
    auto found = json.extract(path);
    return found ? SqlValue::json(*std::move(found)) : SqlValue::null();
  }
  Json out = Json::array();
  for (size_t i = 1; i < call.size(); ++i) {
    ASSIGN_OR_RETURN(const PathExpression path, path_argument(call, i));
    for (const Json* found : json.select(path)) out.elements().push_back(*found);
  }
  return out.elements().empty() ? SqlValue::null() : SqlValue::json(std::move(out));
}

Result<SqlValue> call_unquote(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  if (is_json(call[0])) return SqlValue::text(unquoted(call[0].as_json()));
  const std::string text = to_text(call[0]);
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return SqlValue::text(text);
  ASSIGN_OR_RETURN(const Json json, document_argument(call, 0));
  return SqlValue::text(unquoted(json));
}

Result<SqlValue> call_value(const Call& call) {
  ASSIGN_OR_RETURN(const SqlValue found, call_extract(call));
  if (found.is_null()) return found;
  const Json& json = found.as_json();
  if (json.is_null() || json.is_object() || json.is_array()) return SqlValue::null();
  return SqlValue::text(unquoted(json));
}

Result<SqlValue> call_contains(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const Json target, document_argument(call, 0));
  ASSIGN_OR_RETURN(const Json candidate, document_argument(call, 1));
  if (call.size() == 2) return SqlValue::boolean(target.contains(candidate));
  ASSIGN_OR_RETURN(const PathExpression path, path_argument(call, 2));
  RETURN_IF_ERROR(no_wildcard(path));
  const auto found = target.extract(path);
  return found ? SqlValue::boolean(found->contains(candidate)) : SqlValue::null();
}

// 'one' or 'all'; true for all.
Result<bool> one_or_all(const Call& call, size_t i) {
  const std::string word =
      upper_case(is_json(call[i]) ? unquoted(call[i].as_json()) : to_text(call[i]));
  if (word == "ONE" || word == "ALL") return word == "ALL";
  return fail(ErrorCode::kInvalidArgument, "The oneOrAll argument to " + call.expression.name +
                                               " may take these values: 'one' or 'all'.");
}

Result<SqlValue> call_contains_path(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const Json json, document_argument(call, 0));
  ASSIGN_OR_RETURN(const bool all, one_or_all(call, 1));
  size_t found = 0;
  for (size_t i = 2; i < call.size(); ++i) {
    ASSIGN_OR_RETURN(const PathExpression path, path_argument(call, i));
    if (!json.select(path).empty()) ++found;
  }
  return SqlValue::boolean(all ? found == call.size() - 2 : found > 0);
}

Result<SqlValue> call_overlaps(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const Json a, document_argument(call, 0));
  ASSIGN_OR_RETURN(const Json b, document_argument(call, 1));
  return SqlValue::boolean(a.overlaps(b));
}

// The document, or what its path argument selects.
Result<std::optional<Json>> narrowed(const Call& call) {
  if (call.has_null()) return std::nullopt;
  ASSIGN_OR_RETURN(Json json, document_argument(call, 0));
  if (call.size() == 1) return std::optional<Json>(std::move(json));
  ASSIGN_OR_RETURN(const PathExpression path, path_argument(call, 1));
  RETURN_IF_ERROR(no_wildcard(path));
  return json.extract(path);
}

Result<SqlValue> call_length(const Call& call) {
  ASSIGN_OR_RETURN(const auto json, narrowed(call));
  if (!json) return SqlValue::null();
  const size_t size = json->is_array()    ? json->elements().size()
                      : json->is_object() ? json->members().size()
                                          : 1;
  return SqlValue::signed_integer(static_cast<int64_t>(size));
}

Result<SqlValue> call_keys(const Call& call) {
  ASSIGN_OR_RETURN(const auto json, narrowed(call));
  if (!json || !json->is_object()) return SqlValue::null();
  Json out = Json::array();
  for (const auto& [name, value] : json->members()) out.elements().push_back(Json::string(name));
  return SqlValue::json(std::move(out));
}

Result<SqlValue> call_depth(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const Json json, document_argument(call, 0));
  return SqlValue::signed_integer(static_cast<int64_t>(std::max<size_t>(1, json.depth())));
}

Result<SqlValue> call_type(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const Json json, document_argument(call, 0));
  switch (json.type()) {
    case JsonType::kNull:
      return SqlValue::text("NULL");
    case JsonType::kBoolean:
      return SqlValue::text("BOOLEAN");
    case JsonType::kInteger:
      return SqlValue::text(json.as_number().fits_int64() ? "INTEGER" : "UNSIGNED INTEGER");
    case JsonType::kDouble:
      return SqlValue::text("DOUBLE");
    case JsonType::kString:
      return SqlValue::text("STRING");
    case JsonType::kObject:
      return SqlValue::text("OBJECT");
    case JsonType::kArray:
      return SqlValue::text("ARRAY");
  }
  return SqlValue::null();
}

Result<SqlValue> call_valid(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  if (is_json(call[0])) return SqlValue::boolean(true);
  return SqlValue::boolean(is_texty(call[0]) && Json::parse(call[0].string()).has_value());
}

Result<SqlValue> call_quote(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  const std::string text = is_json(call[0]) ? unquoted(call[0].as_json()) : to_text(call[0]);
  RETURN_IF_ERROR(check_text_size(2 * text.size()));
  return SqlValue::text(Json::string(text).to_text());
}

// JSON_SCHEMA_VALID(schema, document).
Result<SqlValue> call_schema_valid(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const Json schema, document_argument(call, 0));
  ASSIGN_OR_RETURN(const Json json, document_argument(call, 1));
  ASSIGN_OR_RETURN(const auto validator, document::SchemaValidator::compile(schema.to_text()));
  const Status valid = validator.validate(json.to_text());
  if (!valid && valid.error().code != ErrorCode::kSchemaViolation)
    return std::unexpected(valid.error());
  return SqlValue::boolean(valid.has_value());
}

Result<SqlValue> call_pretty(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const Json json, document_argument(call, 0));
  return SqlValue::text(json.to_pretty_text());
}

Result<SqlValue> call_storage_size(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const Json json, document_argument(call, 0));
  return SqlValue::signed_integer(static_cast<int64_t>(json.to_text().size()));
}

Status check_depth(const Json& json) {
  if (json.depth() <= document::kMaxDepth) return {};
  return fail(ErrorCode::kTooDeep,
              "JSON of more than " + std::to_string(document::kMaxDepth) + " levels");
}

Result<SqlValue> call_object(const Call& call) {
  if (call.size() % 2 != 0)
    return fail(
        ErrorCode::kWrongArgumentCount,
        "Incorrect parameter count in the call to native function '" + call.expression.name + "'");
  Json out = Json::object();
  for (size_t i = 0; i < call.size(); i += 2) {
    if (call[i].is_null())
      return fail(ErrorCode::kInvalidArgument, "JSON documents may not contain NULL member names.");
    ASSIGN_OR_RETURN(Json value, to_json(call[i + 1]));
    out.set_member(is_json(call[i]) ? unquoted(call[i].as_json()) : to_text(call[i]),
                   std::move(value));
  }
  RETURN_IF_ERROR(check_depth(out));
  return SqlValue::json(std::move(out));
}

Result<SqlValue> call_array(const Call& call) {
  Json out = Json::array();
  for (const SqlValue& argument : call.arguments) {
    ASSIGN_OR_RETURN(Json value, to_json(argument));
    out.elements().push_back(std::move(value));
  }
  RETURN_IF_ERROR(check_depth(out));
  return SqlValue::json(std::move(out));
}

// Functions of (document, path, value, path, value, ...), applied from left to right.
template <class Edit>
Result<SqlValue> edit(const Call& call, Edit change) {
  if (call.size() % 2 == 0)
    return fail(
        ErrorCode::kWrongArgumentCount,
        "Incorrect parameter count in the call to native function '" + call.expression.name + "'");
  if (call[0].is_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(Json json, document_argument(call, 0));
  for (size_t i = 1; i < call.size(); i += 2) {
    if (call[i].is_null()) return SqlValue::null();
    ASSIGN_OR_RETURN(const PathExpression path, path_argument(call, i));
    ASSIGN_OR_RETURN(Json value, to_json(call[i + 1]));
    RETURN_IF_ERROR(change(json, path, std::move(value)));
  }
  return SqlValue::json(std::move(json));
}

template <Json::SetMode mode>
Result<SqlValue> call_set(const Call& call) {
  return edit(call, [](Json& json, const PathExpression& path, Json value) {
    return json.set(path, std::move(value), mode);
  });
}
Result<SqlValue> call_array_append(const Call& call) {
  return edit(call, [](Json& json, const PathExpression& path, Json value) {
    return json.array_append(path, std::move(value));
  });
}
Result<SqlValue> call_array_insert(const Call& call) {
  return edit(call, [](Json& json, const PathExpression& path, Json value) {
    return json.array_insert(path, std::move(value));
  });
}

Result<SqlValue> call_remove(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(Json json, document_argument(call, 0));
  for (size_t i = 1; i < call.size(); ++i) {
    ASSIGN_OR_RETURN(const PathExpression path, path_argument(call, i));
    RETURN_IF_ERROR(json.remove(path));
  }
  return SqlValue::json(std::move(json));
}

Result<SqlValue> call_merge_patch(const Call& call) {
  // A NULL makes all NULL unless a later patch replaces everything.
  std::optional<Json> out;
  for (size_t i = 0; i < call.size(); ++i) {
    if (call[i].is_null()) {
      out.reset();
      continue;
    }
    ASSIGN_OR_RETURN(Json patch, document_argument(call, i));
    if (i == 0 || !patch.is_object())
      out = std::move(patch);
    else if (out)
      out->merge_patch(patch);
  }
  return out ? SqlValue::json(*std::move(out)) : SqlValue::null();
}

Result<SqlValue> call_merge_preserve(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(Json out, document_argument(call, 0));
  for (size_t i = 1; i < call.size(); ++i) {
    ASSIGN_OR_RETURN(const Json other, document_argument(call, i));
    out.merge_preserve(other);
  }
  RETURN_IF_ERROR(check_depth(out));
  return SqlValue::json(std::move(out));
}

void add_scalars(const Json& json, std::unordered_set<const Json*>& out) {
  if (json.is_array()) {
    for (const Json& element : json.elements()) add_scalars(element, out);
  } else if (json.is_object()) {
    for (const auto& [name, value] : json.members()) add_scalars(value, out);
  } else {
    out.insert(&json);
  }
}

// JSON_SEARCH(document, one|all, pattern[, escape[, path...]]): paths of strings that match as LIKE
// does, at or below the given paths.
Result<SqlValue> call_search(const Call& call) {
  if (call[0].is_null() || call[1].is_null() || call[2].is_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const Json json, document_argument(call, 0));
  ASSIGN_OR_RETURN(const bool all, one_or_all(call, 1));
  const std::string pattern = is_json(call[2]) ? unquoted(call[2].as_json()) : to_text(call[2]);
  char32_t escape = U'\\';
  if (call.size() > 3) {
    ASSIGN_OR_RETURN(escape, parse_escape(call[3]));
  }
  std::unordered_set<const Json*> within;
  for (size_t i = 4; i < call.size(); ++i) {
    if (call[i].is_null()) return SqlValue::null();
    ASSIGN_OR_RETURN(const PathExpression path, path_argument(call, i));
    for (const Json* start : json.select(path, false)) add_scalars(*start, within);
  }
  Json out = Json::array();
  for (const document::Place& place : document::scalar_places(json)) {
    if (call.size() > 4 && !within.contains(place.value)) continue;
    if (place.value->is_string()) RETURN_IF_ERROR(check_like(place.value->as_string(), pattern));
    if (!place.value->is_string() || !like_matches(place.value->as_string(), pattern, escape))
      continue;
    out.elements().push_back(Json::string(place.place));
    if (!all) break;
  }
  if (out.elements().empty()) return SqlValue::null();
  if (out.elements().size() == 1) return SqlValue::json(out.elements().front());
  return SqlValue::json(std::move(out));
}

constexpr Function kFunctions[] = {
    {"JSON_EXTRACT", 2, 255, kJson, call_extract},
    {"JSON_UNQUOTE", 1, 1, SqlType::kText, call_unquote},
    {"JSON_VALUE", 2, 2, SqlType::kText, call_value},
    {"JSON_CONTAINS", 2, 3, kSigned, call_contains},
    {"JSON_CONTAINS_PATH", 3, 255, kSigned, call_contains_path},
    {"JSON_OVERLAPS", 2, 2, kSigned, call_overlaps},
    {"JSON_LENGTH", 1, 2, kSigned, call_length},
    {"JSON_KEYS", 1, 2, kJson, call_keys},
    {"JSON_DEPTH", 1, 1, kSigned, call_depth},
    {"JSON_TYPE", 1, 1, SqlType::kText, call_type},
    {"JSON_VALID", 1, 1, kSigned, call_valid},
    {"JSON_QUOTE", 1, 1, SqlType::kText, call_quote},
    {"JSON_PRETTY", 1, 1, SqlType::kText, call_pretty},
    {"JSON_STORAGE_SIZE", 1, 1, kSigned, call_storage_size},
    {"JSON_OBJECT", 0, 255, kJson, call_object},
    {"JSON_ARRAY", 0, 255, kJson, call_array},
    {"JSON_SET", 3, 255, kJson, call_set<Json::SetMode::kSet>},
    {"JSON_INSERT", 3, 255, kJson, call_set<Json::SetMode::kInsert>},
    {"JSON_REPLACE", 3, 255, kJson, call_set<Json::SetMode::kReplace>},
    {"JSON_ARRAY_APPEND", 3, 255, kJson, call_array_append},
    {"JSON_ARRAY_INSERT", 3, 255, kJson, call_array_insert},
    {"JSON_REMOVE", 2, 255, kJson, call_remove},
    {"JSON_MERGE_PATCH", 2, 255, kJson, call_merge_patch},
    {"JSON_MERGE_PRESERVE", 2, 255, kJson, call_merge_preserve},
    {"JSON_MERGE", 2, 255, kJson, call_merge_preserve},
    {"JSON_SCHEMA_VALID", 2, 2, kSigned, call_schema_valid},
    {"JSON_SEARCH", 3, 255, kJson, call_search},
};

}  // namespace

std::span<const Function> json_functions() {
  return kFunctions;
}

}  // namespace wherestar::server
