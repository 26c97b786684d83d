// JSON Schema through RapidJSON. By default its own regular expressions are used: they run an
// automaton in step with the text, so a hostile pattern costs no more than its length times the
// text's.
#define RAPIDJSON_HAS_STDSTRING 1
#include <memory>
#include <string>
#include <utility>

#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/schema.h>
#include <rapidjson/stringbuffer.h>

#include "document/document.h"
#include "document/json.h"

namespace wherestar::document {
namespace {

constexpr size_t kMaxSchemaBytes = 1u << 20;
constexpr unsigned kParseFlags = rapidjson::kParseIterativeFlag;

std::string fragment(const rapidjson::Pointer& pointer) {
  rapidjson::StringBuffer buffer;
  pointer.StringifyUriFragment(buffer);
  return {buffer.GetString(), buffer.GetSize()};
}

// A reference is followed inside the schema alone, and one that leads back to itself without going
// down would be followed for ever.
Status check_references(const Json& root, const Json& schema) {
  if (schema.is_object()) {
    const Json* reference = schema.member("$ref");
    if (reference != nullptr && reference->is_string()) {
      const std::string& target = reference->as_string();
      if (target.empty() || target.front() != '#')
        return fail(ErrorCode::kInvalidArgument,
                    "JSON schema: $ref '" + target + "' does not stay in the schema");
      if (&root == &schema)
        return fail(ErrorCode::kInvalidArgument, "JSON schema: a $ref at its root");
      const rapidjson::Pointer pointer(target);
      if (!pointer.IsValid())
        return fail(ErrorCode::kInvalidArgument,
                    "JSON schema: $ref '" + target + "' is no pointer");
      const Json* at = &root;
      for (size_t i = 0; i < pointer.GetTokenCount() && at != nullptr; ++i) {
        const auto& token = pointer.GetTokens()[i];
        if (at->is_array()) {
          at = token.index < at->elements().size() ? &at->elements()[token.index] : nullptr;
        } else {
          at = at->member({token.name, token.length});
        }
      }
      if (at == nullptr)
        return fail(ErrorCode::kInvalidArgument,
                    "JSON schema: $ref '" + target + "' leads nowhere");
      if (at->member("$ref") != nullptr)
        return fail(ErrorCode::kInvalidArgument,
                    "JSON schema: $ref '" + target + "' leads to another $ref");
    }
    for (const Json::Member& member : schema.members())
      RETURN_IF_ERROR(check_references(root, member.second));
  } else if (schema.is_array()) {
    for (const Json& element : schema.elements()) RETURN_IF_ERROR(check_references(root, element));
  }
  return {};
}

}  // namespace

struct SchemaValidator::State {
  rapidjson::Document source;
  std::unique_ptr<rapidjson::SchemaDocument> schema;
};

SchemaValidator::SchemaValidator(std::unique_ptr<State> state) : state_(std::move(state)) {}
SchemaValidator::~SchemaValidator() = default;
SchemaValidator::SchemaValidator(SchemaValidator&&) noexcept = default;
SchemaValidator& SchemaValidator::operator=(SchemaValidator&&) noexcept = default;

Result<SchemaValidator> SchemaValidator::compile(std::string_view schema_text) {
  if (schema_text.size() > kMaxSchemaBytes)
    return fail(ErrorCode::kInvalidArgument, "JSON schema: over 1 MiB");
  auto parsed = Json::parse(schema_text);  // also limits the depth
  if (!parsed) return fail(ErrorCode::kInvalidArgument, "JSON schema: " + parsed.error().message);
  if (!parsed->is_object()) return fail(ErrorCode::kInvalidArgument, "JSON schema: is no object");
  RETURN_IF_ERROR(check_references(*parsed, *parsed));
  auto state = std::make_unique<State>();
  state->source.Parse<kParseFlags>(schema_text.data(), schema_text.size());
  if (state->source.HasParseError())
    return fail(
        ErrorCode::kInvalidArgument,
        std::string("JSON schema: ") + rapidjson::GetParseError_En(state->source.GetParseError()));
  state->schema = std::make_unique<rapidjson::SchemaDocument>(state->source);
  return SchemaValidator(std::move(state));
}

namespace {

// The events of RapidJSON's reader. From the value and not its text: there a member that occurs
// twice would be seen twice.
template <class Handler>
bool tell(const Json& json, Handler& handler) {
  const auto size = [](size_t n) { return static_cast<rapidjson::SizeType>(n); };
  switch (json.type()) {
    case JsonType::kNull:
      return handler.Null();
    case JsonType::kBoolean:
      return handler.Bool(json.as_bool());
    case JsonType::kInteger:
    case JsonType::kDouble: {
      const Number number = json.as_number();
      // 1.0 is a number that is no integer to a schema, as its text says.
      if (json.type() == JsonType::kDouble || !number.is_integer())
        return handler.Double(number.as_double());
      return number.fits_int64() ? handler.Int64(number.as_int64())
                                 : handler.Uint64(number.as_uint64());
    }
    case JsonType::kString:
      return handler.String(json.as_string().data(), size(json.as_string().size()), true);
    case JsonType::kArray:
      if (!handler.StartArray()) return false;
      for (const Json& element : json.elements())
        if (!tell(element, handler)) return false;
      return handler.EndArray(size(json.elements().size()));
    case JsonType::kObject:
      if (!handler.StartObject()) return false;
      for (const auto& [name, value] : json.members())
        if (!handler.Key(name.data(), size(name.size()), true) || !tell(value, handler))
          return false;
      return handler.EndObject(size(json.members().size()));
  }
  return false;
}

}  // namespace

Status SchemaValidator::validate(std::string_view text) const {
  ASSIGN_OR_RETURN(const Json json, Json::parse(text));
  rapidjson::SchemaValidator validator(*state_->schema);
  if (tell(json, validator) && validator.IsValid()) return {};
  const char* keyword = validator.GetInvalidSchemaKeyword();
  return fail(ErrorCode::kSchemaViolation,
              "the document's " + fragment(validator.GetInvalidDocumentPointer()) + " fails '" +
                  (keyword == nullptr ? "" : keyword) + "' of the schema's " +
                  fragment(validator.GetInvalidSchemaPointer()));
}

}  // namespace wherestar::document
