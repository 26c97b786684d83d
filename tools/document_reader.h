// Documents of an Input one by one, checked, with their place; bad ones with what is wrong.
//
//   DocumentReader reader(*input);
//   while (true) {
//     ASSIGN_OR_RETURN(auto item, reader.next());
//     if (!item) break;
//     if (item->bad) report(*item->bad); else use(item->text, reader.parser().shred());
//   }
//
// One thread. Errors of next() are those of the input; bad documents are no errors here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "document/document.h"
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

class DocumentReader {
 public:
  struct Item {
    std::string_view text;  // until the next call
    size_t line = 1;
    std::optional<BadDocument> bad;
  };

  explicit DocumentReader(Input& input) : input_(input) {}

  Result<std::optional<Item>> next();
  document::Parser& parser() { return parser_; }  // has parsed the last good item
  uint64_t text_bytes() const { return text_bytes_; }
  // A complaint about the last item that came from elsewhere (a duplicate _id).
  BadDocument complaint(std::string_view text, size_t line, std::string message) const;

 private:
  BadDocument describe(const Piece& piece, std::string_view message) const;

  Input& input_;
  JsonStream stream_;
  document::Parser parser_;
  std::string chunk_;
  uint64_t text_bytes_ = 0;
  bool at_end_ = false;
};

// Takes "line 2, column 7: " off the front of a parser's message.
std::optional<document::Position> take_position(std::string_view& message);

}  // namespace wherestar::tools
