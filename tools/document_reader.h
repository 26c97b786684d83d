// Documents of an Input one by one, checked, with their place; bad ones with what is wrong.
//
//   DocumentReader reader(*input);
//   while (true) {
//     ASSIGN_OR_RETURN(auto item, reader.next());
//     if (!item) break;
//     if (item->bad) report(*item->bad); else use(item->text, reader.parser().shred());
//   }
//
// ReaderOptions say how a file of another program becomes documents; places are always those of the
// file. One thread. Errors of next() are those of the input; bad documents are no errors here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "document/document.h"
#include "document/path.h"
#include "tools/input.h"
#include "tools/json_stream.h"

namespace wherestar::tools {

// Where and why; `excerpt` is the line it happened in and `caret` the column to point at in it.
struct BadDocument {
  std::string file;
  size_t line = 1;
  size_t column = 1;
  std::string message;
  std::string excerpt;
  size_t caret = 0;
  std::string text;  // of the document, at most 64 KiB

  std::string place() const;    // "file:6:20"
  std::string picture() const;  // the excerpt with line number, and the caret below
};

struct ReaderOptions {
  bool extended_json = false;  // MongoDB's: see extended_json.h
  // The value here becomes `_id`; the member stays. A document that has another `_id` is bad.
  std::optional<document::PathExpression> id_path;
  // Elasticsearch's: before each document a line that says {"index": {"_id": ...}} or "create". Its
  // `_id` becomes the document's unless that has one; updates and deletions are bad documents.
  bool elasticsearch_bulk = false;
  bool look_for_dialects = false;  // see dialect()
};

class DocumentReader {
 public:
  struct Item {
    std::string_view text;  // until the next call; as it shall be stored
    size_t line = 1;
    std::optional<BadDocument> bad;
  };

  explicit DocumentReader(Input& input, ReaderOptions options = {})
      : input_(input), options_(std::move(options)) {}

  Result<std::optional<Item>> next();
  document::Parser& parser() { return parser_; }  // has parsed the last good item
  uint64_t text_bytes() const { return text_bytes_; }
  // Of which program's making the file looks, and the option for it; empty: nothing to say.
  const std::string& dialect() const { return dialect_; }
  // A complaint about the last item that came from elsewhere (a duplicate _id).
  BadDocument complaint(std::string_view text, size_t line, std::string message) const;

 private:
  BadDocument describe(const Piece& piece, std::string_view message) const;
  // False: the piece is no document but belongs to one.
  bool read_piece(const Piece& piece, Item& item);
  Status take_action(const Piece& piece);
  std::optional<Item> action_without_document();
  Status make_document(const Piece& piece, std::string_view& text);
  Status check_id(const Piece& piece);
  Status take_id(const Piece& piece, std::string_view& text);
  Status take_action_id(std::string_view& text);
  void look_for_dialect(std::string_view text);

  Input& input_;
  ReaderOptions options_;
  JsonStream stream_;
  document::Parser parser_;
  std::string chunk_;
  std::string made_;  // a document's text where it is not that of the file
  std::string dialect_;
  bool seen_a_document_ = false;

  enum class Bulk { kAction, kDocument, kSkipped };
  Bulk bulk_ = Bulk::kAction;  // what comes next; kSkipped: the document of a refused action
  std::string action_;         // its text
  size_t action_line_ = 0;
  std::string action_id_;  // its _id as JSON; empty: none
  uint64_t text_bytes_ = 0;
  bool at_end_ = false;
};

// Takes "line 2, column 7: " off the front of a parser's message.
std::optional<document::Position> take_position(std::string_view& message);

}  // namespace wherestar::tools
