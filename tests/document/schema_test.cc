#include <doctest/doctest.h>

#include "document/document.h"

using namespace wherestar;
using namespace wherestar::document;

namespace {

std::string compile_error(std::string_view schema) {
  const auto validator = SchemaValidator::compile(schema);
  if (validator) return "";
  CHECK(validator.error().code == ErrorCode::kInvalidArgument);
  return validator.error().message;
}

std::string violation(std::string_view schema, std::string_view text) {
  const auto validator = SchemaValidator::compile(schema);
  if (!validator) return "no schema: " + validator.error().message;
  const Status status = validator->validate(text);
  if (status) return "";
  CHECK(status.error().code == ErrorCode::kSchemaViolation);
  return status.error().message;
}

constexpr const char* kProduct = R"({
  "type": "object",
  "required": ["title"],
  "properties": {
    "title": {"type": "string", "minLength": 2},
    "year": {"type": "integer", "minimum": 1900},
    "tags": {"type": "array", "items": {"$ref": "#/definitions/tag"}}
  },
  "definitions": {"tag": {"type": "string", "pattern": "^[a-z]+$"}}
})";

}  // namespace

TEST_CASE("a document is held against its schema, and the error names place and keyword") {
  CHECK(violation(kProduct, R"({"title": "ab", "year": 1974, "tags": ["x"]})") == "");
  CHECK(violation(kProduct, R"({"year": 1974})") ==
        "the document's # fails 'required' of the schema's #");
  CHECK(violation(kProduct, R"({"title": "a"})") ==
        "the document's #/title fails 'minLength' of the schema's #/properties/title");
  CHECK(violation(kProduct, R"({"title": "ab", "year": 1.5})") ==
        "the document's #/year fails 'type' of the schema's #/properties/year");
  CHECK(violation(kProduct, R"({"title": "ab", "year": 1899})") ==
        "the document's #/year fails 'minimum' of the schema's #/properties/year");
  CHECK(violation(kProduct, R"({"title": "ab", "tags": ["x", "Y"]})") ==
        "the document's #/tags/1 fails 'pattern' of the schema's #/definitions/tag");
}

TEST_CASE("of a member that occurs twice the last one counts") {
  CHECK(violation(kProduct, R"({"title": 7, "title": "ab"})") == "");
  CHECK(violation(kProduct, R"({"title": "ab", "title": 7})") != "");
}

TEST_CASE("what is no schema is refused with the reason") {
  CHECK(compile_error("{}") == "");
  CHECK(compile_error("[]") == "JSON schema: is no object");
  CHECK(compile_error(R"({"type" "object"})") ==
        "JSON schema: line 1, column 9: expected ':', found '\"'");
  CHECK(compile_error(R"({"$ref": "#"})") == "JSON schema: a $ref at its root");
  CHECK(compile_error(R"({"properties": {"a": {"$ref": "http://example.com/s"}}})") ==
        "JSON schema: $ref 'http://example.com/s' does not stay in the schema");
  CHECK(compile_error(R"({"properties": {"a": {"$ref": "#/b"}}})") ==
        "JSON schema: $ref '#/b' leads nowhere");
  CHECK(compile_error(R"({"a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}})") ==
        "JSON schema: $ref '#/b' leads to another $ref");
}

TEST_CASE("a schema may lead back to itself where the document goes down") {
  constexpr const char* kTree = R"({
    "type": "object", "required": ["name"],
    "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}})";
  CHECK(violation(kTree, R"({"name": 1, "children": [{"name": 2, "children": []}]})") == "");
  CHECK(violation(kTree, R"({"name": 1, "children": [{"name": 2, "children": [{}]}]})") ==
        "the document's #/children/0/children/0 fails 'required' of the schema's #");
}

TEST_CASE("a hostile pattern ends") {
  constexpr const char* kHostile = R"({"properties": {"a": {"pattern": "^(a+)+$"}}})";
  const std::string text = "{\"a\": \"" + std::string(30, 'a') + "!\"}";
  CHECK(violation(kHostile, text) != "");
}
