#include "document/document.h"
#include "document/key_encoding.h"
#include "document/scanner.h"
#include "document/shredder.h"
#include "document/structural_index.h"

namespace wherestar::document {

namespace {

// Takes the scanner's values to nowhere: it is run for its errors.
struct Ignore {
  void null() {}
  void boolean(bool) {}
  void number(std::string_view) {}
  void string(std::string_view) {}
  void key(std::string_view) {}
  void begin_array() {}
  void end_array() {}
  void begin_object() {}
  void end_object() {}
};

std::unexpected<Error> reason(std::string_view text) {
  Ignore ignore;
  if (Status status = Scanner(text, ignore).scan(kMaxDepth); !status)
    return std::unexpected(std::move(status).error());
  return fail(ErrorCode::kInternal, "simdjson refuses a text that is valid JSON");
}

Result<DocumentKey> make_key(const Scalar& scalar, std::string_view json) {
  size_t bytes = json.size();
  if (const auto* text = std::get_if<std::string_view>(&scalar))
    bytes = text->size();
  else if (!std::holds_alternative<Number>(scalar))
    return fail(ErrorCode::kInvalidArgument, "_id must be a string or a number");
  if (bytes > kMaxIdBytes)
    return fail(ErrorCode::kInvalidArgument, "_id has " + std::to_string(bytes) +
                                                 " bytes, over the limit of " +
                                                 std::to_string(kMaxIdBytes));
  DocumentKey key;
  encode_scalar(key.key, scalar, kMaxIdBytes);  // never cut
  key.json = json;
  return key;
}

}  // namespace

struct Parser::State {
  StructuralIndex index;
  Shredder shredder;
  std::string_view text;
};

Parser::Parser() : state_(std::make_unique<State>()) {}
Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

Status Parser::parse(std::string_view text) {
  state_->text = text;
  if (text.size() > kMaxDocumentBytes)
    return fail(ErrorCode::kTooLarge, "the document has " + std::to_string(text.size()) +
                                          " bytes, over the limit of " +
                                          std::to_string(kMaxDocumentBytes));
  if (text.empty() || !state_->index.build(text) ||
      !state_->shredder.shred(text, state_->index.tokens()))
    return reason(text);
  const JsonType type = shred().occurrences[0].type;
  if (type != JsonType::kObject)
    return fail(ErrorCode::kNotAnObject, "a document must be an object, this is of type " +
                                             std::string(json_type_name(type)));
  return {};
}

const Shredded& Parser::shred() const {
  return state_->shredder.result();
}

Result<std::optional<DocumentKey>> Parser::id() const {
  const int64_t occurrence = state_->shredder.id_occurrence();
  if (occurrence < 0) return std::optional<DocumentKey>();
  const auto index = static_cast<size_t>(occurrence);
  const Shredded::Occurrence& value = shred().occurrences[index];
  if (value.type == JsonType::kObject || value.type == JsonType::kArray)
    return fail(ErrorCode::kInvalidArgument, "_id must be a string or a number");
  ASSIGN_OR_RETURN(
      DocumentKey key,
      make_key(value.scalar, state_->text.substr(state_->shredder.start(index), value.text_bytes)));
  return std::optional<DocumentKey>(std::move(key));
}

std::string with_id(std::string_view text, std::string_view id_json) {
  const size_t open = text.find('{');
  CHECK(open != std::string_view::npos);
  const size_t next = text.find_first_not_of(" \t\r\n", open + 1);
  CHECK(next != std::string_view::npos);
  std::string out(text.substr(0, open + 1));
  out.append("\"_id\": ").append(id_json);
  if (text[next] != '}') out.append(", ");
  out.append(text.substr(next));
  return out;
}

Result<DocumentKey> document_key(const Json& id) {
  if (id.is_string()) return make_key(std::string_view(id.as_string()), id.to_text());
  if (id.is_number()) return make_key(id.as_number(), id.number_text());
  return fail(ErrorCode::kInvalidArgument, "_id must be a string or a number");
}

Position locate(std::string_view text, size_t offset) {
  text = text.substr(0, offset);
  Position position;
  const size_t newline = text.rfind('\n');
  if (newline != std::string_view::npos) {
    for (const char c : text) position.line += c == '\n';
    text.remove_prefix(newline + 1);
  }
  position.column += count_characters(text);
  return position;
}

std::unexpected<Error> error_at(std::string_view text, size_t offset, ErrorCode code,
                                std::string_view what) {
  const Position position = locate(text, offset);
  return fail(code, "line " + std::to_string(position.line) + ", column " +
                        std::to_string(position.column) + ": " + std::string(what));
}

}  // namespace wherestar::document
