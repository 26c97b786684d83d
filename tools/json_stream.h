// Cuts a stream of text into documents: JSON Lines, one JSON array with nothing behind it, or
// documents one behind the other, pretty-printed or not.
//
//   JsonStream stream;
//   while (more) { stream.feed(chunk);  while (auto piece = stream.next()) use(*piece); }
//   stream.finish();  while (auto piece = stream.next()) use(*piece);
//
// It finds the borders only: brackets and strings. What a piece holds is for document::Parser to
// judge; a broken piece (complete == false) is never valid JSON, or has a `problem`. After a broken
// piece reading goes on at the next line whose first character is a `{` in the column where the
// broken piece began: in JSON Lines that is the next line.
//
// Memory: one document, at most kMaxPieceBytes; a longer one comes back cut and is then skipped to
// the end of its line. One thread. A piece's text lives until the next call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "document/json.h"

namespace wherestar::tools {

struct Piece {
  std::string_view text;
  size_t line = 1;  // of its first character in the stream, from 1
  size_t column = 1;
  bool complete = true;
  std::string problem;  // set: what is wrong whatever the text says
};

class JsonStream {
 public:
  static constexpr size_t kMaxPieceBytes = document::kMaxDocumentBytes + 4096;

  explicit JsonStream(size_t max_piece_bytes = kMaxPieceBytes) : max_bytes_(max_piece_bytes) {}

  void feed(std::string_view chunk);
  void finish() { finished_ = true; }  // no more text comes
  std::optional<Piece> next();

 private:
  enum class Step { kPiece, kAgain, kNeedMore };

  Step between(Piece& piece);
  Step begin_value(Piece& piece, char c);
  Step inside(Piece& piece);
  Step stray_line(Piece& piece);
  Step skip_to_next_line();
  Step emit(Piece& piece, size_t end, bool complete, std::string problem = {});
  void advance_to(size_t offset);
  bool skip_byte_order_mark();

  size_t max_bytes_;
  std::string buffer_;
  size_t begin_ = 0;  // of what is not consumed yet; line_ and column_ are its place
  size_t scan_ = 0;   // how far inside() has looked
  size_t line_ = 1;
  size_t column_ = 1;
  bool finished_ = false;
  bool started_ = false;

  bool in_array_ = false;
  bool after_element_ = false;  // in the array: a comma or the end must follow
  bool after_comma_ = false;
  size_t array_line_ = 0;
  bool after_array_ = false;  // nothing may follow it

  bool inside_ = false;   // scanning a value that began at begin_
  std::string brackets_;  // open ones
  bool in_string_ = false;
  bool after_backslash_ = false;

  bool recovering_ = false;
  size_t recover_column_ = 1;
};

}  // namespace wherestar::tools
