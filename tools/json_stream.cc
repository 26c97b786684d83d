#include "tools/json_stream.h"

#include <algorithm>

namespace wherestar::tools {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

}  // namespace

void JsonStream::feed(std::string_view chunk) {
  // Consumed text goes when it is the larger half, so that each byte moves a bounded number of
  // times.
  if (begin_ > 0 && begin_ >= buffer_.size() - begin_) {
    buffer_.erase(0, begin_);
    scan_ -= std::min(scan_, begin_);
    begin_ = 0;
  }
  buffer_ += chunk;
}

std::optional<Piece> JsonStream::next() {
  Piece piece;
  while (true) {
    Step step = Step::kAgain;
    if (!started_) {
      if (!skip_byte_order_mark()) return std::nullopt;
    } else if (recovering_) {
      step = skip_to_next_line();
    } else if (inside_) {
      step = inside(piece);
    } else {
      step = between(piece);
    }
    if (step == Step::kPiece) return piece;
    if (step == Step::kNeedMore) return std::nullopt;
  }
}

bool JsonStream::skip_byte_order_mark() {
  static constexpr std::string_view kMark = "\xef\xbb\xbf";
  const std::string_view head = std::string_view(buffer_).substr(0, kMark.size());
  if (head.size() < kMark.size() && kMark.starts_with(head) && !finished_) return false;
  if (head == kMark) begin_ = kMark.size();
  started_ = true;
  return true;
}

void JsonStream::advance_to(size_t offset) {
  for (; begin_ < offset; ++begin_) {
    const char c = buffer_[begin_];
    if (c == '\n') {
      ++line_;
      column_ = 1;
    } else if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {
      ++column_;
    }
  }
}

JsonStream::Step JsonStream::emit(Piece& piece, size_t end, bool complete, std::string problem) {
  if (!complete && !in_array_ && column_ == 1) {
    // What follows the first line looks like the next document: only that line is broken.
    const size_t line_end = buffer_.find('\n', begin_);
    if (line_end < end && line_end + 1 < buffer_.size() && buffer_[line_end + 1] == '{') {
      end = line_end;
    }
  }
  piece = {std::string_view(buffer_).substr(begin_, end - begin_), line_, column_, complete,
           std::move(problem)};
  if (!complete) {
    recovering_ = true;
    recover_column_ = column_;
  }
  inside_ = false;
  in_string_ = after_backslash_ = false;
  brackets_.clear();
  advance_to(end);
  return Step::kPiece;
}

JsonStream::Step JsonStream::between(Piece& piece) {
  size_t at = begin_;
  while (at < buffer_.size() && is_blank(buffer_[at])) ++at;
  advance_to(at);
  if (at == buffer_.size()) {
    if (!finished_ || !in_array_) return Step::kNeedMore;
    in_array_ = false;
    return emit(piece, at, false,
                "the array that begins in line " + std::to_string(array_line_) + " has no end");
  }
  const char c = buffer_[at];
  if (!in_array_) {
    if (after_array_) return emit(piece, at + 1, false, "expected nothing behind the array");
    if (c != '[') return begin_value(piece, c);
    in_array_ = true;
    after_element_ = after_comma_ = false;
    array_line_ = line_;
    advance_to(at + 1);
    return Step::kAgain;
  }
  if (c == ']') {
    in_array_ = false;
    after_array_ = true;
    if (after_comma_) {
      return emit(piece, at + 1, false, "expected a document behind ',', found ']'");
    }
    advance_to(at + 1);
    return Step::kAgain;
  }
  if (c == ',') {
    if (!after_element_) return emit(piece, at + 1, false, "expected a document, found ','");
    after_element_ = false;
    after_comma_ = true;
    advance_to(at + 1);
    return Step::kAgain;
  }
  if (after_element_) {
    // Going on behind a broken element the comma was skipped with it.
    return emit(piece, at + 1, false, "expected ',' or ']' between the documents of the array");
  }
  return begin_value(piece, c);
}

JsonStream::Step JsonStream::begin_value(Piece& piece, char c) {
  after_element_ = true;
  after_comma_ = false;
  if (c == '{' || in_array_) {
    inside_ = true;
    scan_ = begin_;
    return Step::kAgain;
  }
  return stray_line(piece);
}

// Something that is no document and has no brackets to go by: all of its line.
JsonStream::Step JsonStream::stray_line(Piece& piece) {
  size_t end = buffer_.find('\n', begin_);
  if (end == std::string::npos) {
    if (!finished_ && buffer_.size() - begin_ <= max_bytes_) return Step::kNeedMore;
    end = std::min(buffer_.size(), begin_ + max_bytes_);
    if (end < buffer_.size()) return emit(piece, end, false, "the line is too long");
  }
  while (end > begin_ + 1 && is_blank(buffer_[end - 1])) --end;
  // A lone valid value is refused by the parser for what it is; it needs no recovery.
  const Step step = emit(piece, end, true);
  piece.complete = false;
  return step;
}

JsonStream::Step JsonStream::inside(Piece& piece) {
  for (; scan_ < buffer_.size(); ++scan_) {
    if (scan_ - begin_ >= max_bytes_) {
      return emit(piece, scan_, false,
                  "the document is longer than the limit of " +
                      std::to_string(document::kMaxDocumentBytes) + " bytes");
    }
    const char c = buffer_[scan_];
    if (in_string_) {
      if (after_backslash_) {
        after_backslash_ = false;
      } else if (c == '\\') {
        after_backslash_ = true;
      } else if (c == '"') {
        in_string_ = false;
      } else if (c == '\n') {
        return emit(piece, scan_, false);  // a raw line break is never allowed in a string
      }
      continue;
    }
    switch (c) {
      case '"':
        in_string_ = true;
        break;
      case '{':
      case '[':
        brackets_ += c;
        break;
      case '}':
      case ']':
        if (brackets_.empty()) {  // the end of a bare element of the array, or no element at all
          return scan_ > begin_ ? emit(piece, scan_, true) : emit(piece, scan_ + 1, false);
        }
        if (brackets_.back() != (c == '}' ? '{' : '[')) return emit(piece, scan_ + 1, false);
        brackets_.pop_back();
        if (brackets_.empty()) return emit(piece, scan_ + 1, true);
        break;
      case ',':
        if (brackets_.empty()) return emit(piece, scan_, true);
        break;
      case '\n': {
        if (brackets_.empty()) break;
        // `}` or a scalar, a line break and `{`: no JSON goes on like that. It is a cut line.
        size_t last = scan_;
        while (last > begin_ && is_blank(buffer_[last - 1])) --last;
        const char before = last > begin_ ? buffer_[last - 1] : ',';
        size_t next = scan_ + 1;
        if (next == buffer_.size() && !finished_) return Step::kNeedMore;
        const bool value_due = before == ',' || before == ':' || before == '[' || before == '{';
        if (!value_due && next < buffer_.size() && buffer_[next] == '{') {
          return emit(piece, last, false);
        }
        break;
      }
      default:
        break;
    }
  }
  if (!finished_) return Step::kNeedMore;
  size_t end = buffer_.size();
  while (end > begin_ + 1 && is_blank(buffer_[end - 1])) --end;
  return emit(piece, end, false);
}

JsonStream::Step JsonStream::skip_to_next_line() {
  while (true) {
    const size_t line_end = buffer_.find('\n', begin_);
    if (line_end == std::string::npos) {
      advance_to(buffer_.size());
      if (finished_) recovering_ = in_array_ = false;
      return Step::kNeedMore;
    }
    // The blanks of the next line must be there before it can be judged.
    size_t at = line_end + 1;
    while (at < buffer_.size() && (buffer_[at] == ' ' || buffer_[at] == '\t')) ++at;
    if (at == buffer_.size() && !finished_) {
      advance_to(line_end);
      return Step::kNeedMore;
    }
    advance_to(line_end + 1);
    if (at == buffer_.size()) continue;
    const char c = buffer_[at];
    if (!in_array_ && at == begin_ && !is_blank(c) && c != '}' && c != ']') {
      recovering_ = false;  // JSON Lines: every line is judged by itself
    } else if (buffer_[at] == '{' && at - begin_ + 1 == recover_column_) {
      recovering_ = false;
    }
    if (!recovering_) {
      after_element_ = false;
      return Step::kAgain;
    }
  }
}

}  // namespace wherestar::tools
