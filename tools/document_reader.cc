#include "tools/document_reader.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "tools/extended_json.h"
#include "tools/json_text.h"
#include "tools/text.h"

namespace wherestar::tools {
namespace {

constexpr size_t kExcerptColumns = 100;
constexpr size_t kMaxKeptTextBytes = 64u << 10;

bool take_number(std::string_view& text, std::string_view word, size_t& value) {
  if (!text.starts_with(word)) return false;
  const char* begin = text.data() + word.size();
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<size_t>(rest - text.data()));
  return true;
}

// The byte offset of the n-th character (from 1), at most the size.
size_t offset_of_character(std::string_view text, size_t number) {
  size_t at = 0;
  while (at < text.size() && number > 1) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) ++at;
    --number;
  }
  return at;
}

// Of a text made here: a place in it is none of the file's.
Status reparse(document::Parser& parser, std::string_view text) {
  Status parsed = parser.parse(text);
  if (parsed) return {};
  std::string_view message = parsed.error().message;
  take_position(message);
  return fail(parsed.error().code, std::string(message));
}

// The error with the place of the value at `path`; without one when there is none.
std::unexpected<Error> fail_at(std::string_view text, const document::PathExpression& path,
                               const Error& error) {
  const std::optional<TextSpan> value = find_value(text, path);
  if (!value) return std::unexpected(error);
  const document::Position place = document::locate(text, value->begin);
  return fail(error.code,
              fmt::format("line {}, column {}: {}", place.line, place.column, error.message));
}

}  // namespace

std::optional<document::Position> take_position(std::string_view& message) {
  document::Position position;
  std::string_view rest = message;
  if (!take_number(rest, "line ", position.line)) return std::nullopt;
  if (!take_number(rest, ", column ", position.column)) return std::nullopt;
  if (rest.starts_with(": ")) rest.remove_prefix(2);
  message = rest;
  return position;
}

std::string BadDocument::place() const {
  return fmt::format("{}:{}:{}", file, line, column);
}

std::string BadDocument::picture() const {
  if (excerpt.empty()) return {};
  const std::string number = std::to_string(line);
  return fmt::format("  {} | {}\n  {} | {}^\n", number, escape_for_terminal(excerpt),
                     std::string(number.size(), ' '), std::string(caret, ' '));
}

BadDocument DocumentReader::describe(const Piece& piece, std::string_view message) const {
  BadDocument bad;
  bad.file = input_.name();
  bad.text = piece.text.substr(0, kMaxKeptTextBytes);
  document::Position position = take_position(message).value_or(document::Position{});
  bad.message = message;
  bad.line = piece.line + position.line - 1;
  bad.column = position.line == 1 ? piece.column + position.column - 1 : position.column;

  std::string_view rest = piece.text;
  for (size_t line = 1; line < position.line; ++line) {
    const size_t end = rest.find('\n');
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  rest = rest.substr(0, rest.find_first_of("\r\n"));
  // A window around the place; the dots say that there is more.
  size_t place = offset_of_character(rest, position.column);
  std::string before(rest.substr(0, place));
  std::string behind(rest.substr(place, 4 * kExcerptColumns));
  if (display_width(before) > 60) {
    size_t cut = before.size() - std::min<size_t>(before.size(), 50);
    while (cut < before.size() && (static_cast<unsigned char>(before[cut]) & 0xc0) == 0x80) ++cut;
    before = "…" + before.substr(cut);
  }
  before = escape_for_terminal(before);
  bad.caret = display_width(before);
  bad.excerpt = before + cut_to_width(behind, 30);
  return bad;
}

BadDocument DocumentReader::complaint(std::string_view text, size_t line,
                                      std::string message) const {
  BadDocument bad;
  bad.file = input_.name();
  bad.line = line;
  bad.message = std::move(message);
  bad.text = text.substr(0, kMaxKeptTextBytes);
  bad.excerpt = cut_to_width(text.substr(0, text.find_first_of("\r\n")), kExcerptColumns);
  return bad;
}

void DocumentReader::read_piece(const Piece& piece, Item& item) {
  if (!piece.problem.empty()) {
    item.bad = describe(piece, piece.problem);
  } else if (Status parsed = parser_.parse(piece.text); !parsed) {
    item.bad = describe(piece, parsed.error().message);
  } else {
    look_for_dialect(piece.text);
    if (Status made = make_document(piece, item.text); !made) {
      item.bad = describe(piece, made.error().message);
    }
  }
}

// Of a piece that is a valid document the one to store.
Status DocumentReader::make_document(const Piece& piece, std::string_view& text) {
  if (options_.extended_json) {
    ASSIGN_OR_RETURN(std::string plain, plain_json(piece.text));
    if (plain != piece.text) {
      made_ = std::move(plain);
      text = made_;
      RETURN_IF_ERROR(reparse(parser_, made_));
    }
  }
  if (options_.id_path) return take_id(piece, text);
  return check_id(piece);
}

Status DocumentReader::check_id(const Piece& piece) {
  const auto id = parser_.id();
  if (id) return {};
  static const document::PathExpression kId(
      std::vector<document::PathLeg>{{document::LegKind::kMember, "_id", {}, {}}});
  return fail_at(piece.text, kId, id.error());
}

Status DocumentReader::take_id(const Piece& piece, std::string_view& text) {
  const document::PathExpression& path = *options_.id_path;
  RETURN_IF_ERROR(check_id(piece));
  ASSIGN_OR_RETURN(const auto own, parser_.id());
  const std::optional<TextSpan> value = find_value(text, path);
  if (!value) {
    return fail(ErrorCode::kMissingId, "no " + path.to_string() + " to be the _id");
  }
  const std::string_view token = value->of(text);
  const auto json = document::Json::parse(token);
  const auto key = json ? document::document_key(*json) : std::unexpected(json.error());
  if (!key)
    return fail_at(piece.text, path,
                   {key.error().code, path.to_string() + " as _id: " + key.error().message});
  if (own) {
    if (own->key == key->key) return {};
    return fail(ErrorCode::kInvalidArgument,
                "has the _id " + own->json + " already; " + path.to_string() + " is another");
  }
  made_ = document::with_id(text, token);
  text = made_;
  return reparse(parser_, made_);
}

void DocumentReader::look_for_dialect(std::string_view text) {
  if (!options_.look_for_dialects || options_.extended_json || !dialect_.empty()) return;
  if (const auto wrapper = find_type_wrapper(text)) {
    dialect_ = "this looks like MongoDB's extended JSON (" + *wrapper + "): add --extended-json";
  }
}

Result<std::optional<DocumentReader::Item>> DocumentReader::next() {
  while (true) {
    if (std::optional<Piece> piece = stream_.next()) {
      Item item{piece->text, piece->line, std::nullopt};
      read_piece(*piece, item);
      return item;
    }
    chunk_.clear();
    ASSIGN_OR_RETURN(const bool more, input_.read(chunk_));
    if (!more) {
      if (at_end_) return std::nullopt;
      at_end_ = true;
      stream_.finish();
      continue;
    }
    text_bytes_ += chunk_.size();
    stream_.feed(chunk_);
  }
}

}  // namespace wherestar::tools
