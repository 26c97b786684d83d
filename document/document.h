// One JSON document: checking its text, its `_id`, and walking its (path, value) pairs.
//
// simdjson decides what is valid; a small locator finds line and column of an error. A document is
// an object of at most kMaxDocumentBytes and kMaxDepth levels; the text is kept as it was given.
// Where a member name occurs twice in one object the last one counts, everywhere.
//
//   Parser parser;                                        // reuses its buffers; one thread at a
//   time ASSIGN_OR_RETURN(Document doc, parser.parse(text));   // kInvalidJson, kNotAnObject, ...
//   const Shredded& shredded = parser.shred();            // of the last parsed text
//
// Limits that end in kLimitExceeded: 5 million values a document.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "document/json.h"
#include "document/path.h"
#include "document/value.h"

namespace wherestar::document {

inline constexpr size_t kMaxIdBytes = 255;

// `_id`: a string or a number, unique in its collection by type and value. `key` is its
// order-preserving encoding (equal for 1 and 1.0, different for "1").
struct DocumentKey {
  std::string key;
  std::string json;  // as written: "\"a\"", "17"
};

// A document taken apart. Paths are local to it: numbered from 0, the root `$`; parents come first.
struct Shredded {
  struct Path {
    uint32_t parent = 0;      // the root is its own parent
    bool is_element = false;  // `[*]` of the parent, else the member `name` of it
    std::string_view name;    // unescaped
  };
  // One value, containers included, in document order (pre-order).
  struct Occurrence {
    uint32_t path = 0;
    JsonType type = JsonType::kNull;
    Scalar scalar;            // of scalars
    uint32_t length = 0;      // characters (code points) of a string, elements of an array, members
                              // of an object
    uint32_t text_bytes = 0;  // of its text, without surrounding blanks
  };
  std::vector<Path> paths;
  std::vector<Occurrence> occurrences;  // [0] is the document itself
};

class Parser {
 public:
  Parser();
  ~Parser();
  Parser(Parser&&) noexcept;
  Parser& operator=(Parser&&) noexcept;

  // Checks a whole document. kInvalidJson with line and column, kNotAnObject, kTooDeep, kTooLarge,
  // kInvalidUtf8, kNumberOutOfRange, kLimitExceeded.
  Status parse(std::string_view text);
  // The views point into the parser and `text`; valid until the next parse.
  const Shredded& shred() const;
  // Absent: nullopt. kInvalidArgument when it is neither string nor number, or over kMaxIdBytes.
  Result<std::optional<DocumentKey>> id() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Puts `"_id": id` in front of the members of an object's text that has none.
std::string with_id(std::string_view text, std::string_view id_json);
// The key of an `_id` given as a value: what find by id looks up.
Result<DocumentKey> document_key(const Json& id);

// One match of an any-path predicate: the place with positions, and its value.
struct Place {
  std::string canonical;  // $.tags[*]
  std::string place;      // $.tags[1]
  const Json* value = nullptr;
};
// All scalars of a document with their places, in document order; for recheck and `matches`.
std::vector<Place> scalar_places(const Json& document);

// Line and column (1-based, in characters) of a byte offset.
struct Position {
  size_t line = 1;
  size_t column = 1;
};
Position locate(std::string_view text, size_t offset);

// JSON Schema (draft 4, as RapidJSON's validator takes it). kInvalidArgument for a schema that is
// none; kSchemaViolation names path and keyword.
class SchemaValidator {
 public:
  static Result<SchemaValidator> compile(std::string_view schema_text);
  ~SchemaValidator();
  SchemaValidator(SchemaValidator&&) noexcept;
  SchemaValidator& operator=(SchemaValidator&&) noexcept;
  Status validate(std::string_view text) const;

 private:
  struct State;
  explicit SchemaValidator(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wherestar::document
