#include "tools/document_reader.h"

#include <algorithm>
#include <array>
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

// The only member of a line that says what is done with the next one: "index", "create", "update"
// or "delete" with an object whose members are Elasticsearch's own.
std::optional<TextMember> bulk_action(std::string_view text) {
  const std::vector<TextMember> members = members_of(text, skip_blanks(text, 0));
  if (members.size() != 1 || text[members[0].value.begin] != '{') return std::nullopt;
  static constexpr std::array<std::string_view, 4> kActions = {"index", "create", "update",
                                                               "delete"};
  if (std::ranges::find(kActions, members[0].name) == kActions.end()) return std::nullopt;
  static constexpr std::array<std::string_view, 14> kOwn = {"_index",        "_id",
                                                            "_type",         "_routing",
                                                            "_version",      "_version_type",
                                                            "routing",       "version",
                                                            "pipeline",      "version_type",
                                                            "if_seq_no",     "retry_on_conflict",
                                                            "require_alias", "if_primary_term"};
  for (const TextMember& member : members_of(text, members[0].value.begin)) {
    if (std::ranges::find(kOwn, member.name) == kOwn.end()) return std::nullopt;
  }
  return members[0];
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

bool DocumentReader::read_piece(const Piece& piece, Item& item) {
  const Bulk bulk = options_.elasticsearch_bulk ? bulk_ : Bulk::kDocument;
  bulk_ = bulk == Bulk::kAction ? Bulk::kSkipped : Bulk::kAction;  // unless the action is right
  if (!piece.problem.empty()) {
    item.bad = describe(piece, piece.problem);
  } else if (Status parsed = parser_.parse(piece.text); !parsed) {
    item.bad = describe(piece, parsed.error().message);
  } else if (bulk == Bulk::kSkipped) {
    return false;
  } else if (bulk == Bulk::kAction) {
    const Status taken = take_action(piece);
    if (taken) return false;
    item.bad = describe(piece, taken.error().message);
  } else {
    look_for_dialect(piece.text);
    if (Status made = make_document(piece, item.text); !made) {
      item.bad = describe(piece, made.error().message);
    }
  }
  return true;
}

// A line such as {"index": {"_index": "products", "_id": "a1"}}.
Status DocumentReader::take_action(const Piece& piece) {
  const std::string_view text = piece.text;
  const std::optional<TextMember> action = bulk_action(text);
  if (!action) {
    bulk_ = Bulk::kAction;  // a document perhaps, and the next line as good or bad as this one
    return fail(ErrorCode::kInvalidArgument,
                "expected the line of an action, such as {\"index\":{\"_id\":\"1\"}}");
  }
  if (action->name == "delete") bulk_ = Bulk::kAction;  // no document follows
  if (action->name != "index" && action->name != "create") {
    return fail(ErrorCode::kInvalidArgument,
                "the action \"" + action->name + "\" is no document to import");
  }
  bulk_ = Bulk::kDocument;
  action_ = text;
  action_line_ = piece.line;
  action_id_.clear();
  for (const TextMember& member : members_of(text, action->value.begin)) {
    if (member.name == "_id") action_id_ = member.value.of(text);
  }
  if (action_id_ == "null") action_id_.clear();
  return {};
}

std::optional<DocumentReader::Item> DocumentReader::action_without_document() {
  if (!options_.elasticsearch_bulk || bulk_ != Bulk::kDocument) return std::nullopt;
  bulk_ = Bulk::kAction;
  return Item{action_, action_line_,
              complaint(action_, action_line_, "an action without its document behind it")};
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
  RETURN_IF_ERROR(check_id(piece));
  return options_.elasticsearch_bulk && !action_id_.empty() ? take_action_id(text) : Status{};
}

Status DocumentReader::take_action_id(std::string_view& text) {
  ASSIGN_OR_RETURN(const auto own, parser_.id());
  if (own) return {};
  made_ = document::with_id(text, action_id_);
  text = made_;
  RETURN_IF_ERROR(reparse(parser_, made_));
  if (const auto id = parser_.id(); !id) return std::unexpected(id.error());
  return {};
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
  if (!options_.look_for_dialects || !dialect_.empty()) return;
  const bool first = !std::exchange(seen_a_document_, true);
  const std::optional<TextMember> action =
      first && !options_.elasticsearch_bulk ? bulk_action(text) : std::nullopt;
  if (action && (action->name == "index" || action->name == "create")) {
    dialect_ = "this looks like Elasticsearch's bulk format ({\"" + action->name +
               "\": {...}} before each document): add --elasticsearch-bulk";
  } else if (options_.extended_json) {
    return;
  } else if (const auto wrapper = find_type_wrapper(text)) {
    dialect_ = "this looks like MongoDB's extended JSON (" + *wrapper + "): add --extended-json";
  }
}

Result<std::optional<DocumentReader::Item>> DocumentReader::next() {
  while (true) {
    if (std::optional<Piece> piece = stream_.next()) {
      Item item{piece->text, piece->line, std::nullopt};
      if (read_piece(*piece, item)) return item;
      continue;
    }
    chunk_.clear();
    ASSIGN_OR_RETURN(const bool more, input_.read(chunk_));
    if (!more) {
      if (at_end_) return action_without_document();
      at_end_ = true;
      stream_.finish();
      continue;
    }
    text_bytes_ += chunk_.size();
    stream_.feed(chunk_);
  }
}

}  // namespace wherestar::tools
