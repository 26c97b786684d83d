#include "index/posting_keys.h"

#include <algorithm>

#include "index/keys.h"

namespace wherestar::index {
namespace {

void sort_distinct(std::vector<std::string_view>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

}  // namespace

PostingKeys::PostingKeys(PartId part, DocId doc, const document::Shredded& shredded,
                         const PathIds& ids) {
  buffer_.reserve(shredded.occurrences.size() * 96);
  pieces_.reserve(shredded.occurrences.size() * 3);
  derive(part, doc, shredded, ids);
  values_.reserve(pieces_.size() / 2);
  path_values_.reserve(pieces_.size());
  size_t begin = 0;
  for (const Piece& piece : pieces_) {  // only now: the buffer does not move any more
    const std::string_view key(buffer_.data() + begin, piece.end - begin);
    (piece.in_values ? values_ : path_values_).push_back(key);
    begin = piece.end;
  }
  sort_distinct(values_);
  sort_distinct(path_values_);
}

void PostingKeys::derive(PartId part, DocId doc, const document::Shredded& shredded,
                         const PathIds& ids) {
  using document::JsonType;
  // One presence per (path, type) is enough; an array of a million numbers would make a million.
  std::vector<uint8_t> types_seen(shredded.paths.size(), 0);
  for (const document::Shredded::Occurrence& occurrence : shredded.occurrences) {
    const PathId path = ids[occurrence.path];
    const auto type_bit = static_cast<uint8_t>(1u << static_cast<unsigned>(occurrence.type));
    if ((types_seen[occurrence.path] & type_bit) == 0) {
      types_seen[occurrence.path] |= type_bit;
      put_part(buffer_, part);
      put_path(buffer_, path);
      buffer_.push_back(static_cast<char>(kTagType));
      buffer_.push_back(static_cast<char>(occurrence.type));
      finish_key(doc, false);
    }
    if (occurrence.type == JsonType::kArray) {
      put_part(buffer_, part);
      put_path(buffer_, path);
      buffer_.push_back(static_cast<char>(kTagArrayLength));
      put_big_endian(buffer_, occurrence.length);
      finish_key(doc, false);
    } else if (occurrence.type != JsonType::kObject) {
      derive_scalar(part, doc, occurrence.scalar, path);
    }
  }
}

void PostingKeys::derive_scalar(PartId part, DocId doc, const document::Scalar& scalar,
                                PathId path) {
  put_part(buffer_, part);
  document::encode_scalar(buffer_, scalar);
  put_path(buffer_, path);
  finish_key(doc, true);

  // null, false and true have no order to speak of: presence and `values` answer all about them.
  const auto* number = std::get_if<document::Number>(&scalar);
  const auto* text = std::get_if<std::string_view>(&scalar);
  if (number == nullptr && text == nullptr) return;
  put_part(buffer_, part);
  put_path(buffer_, path);
  buffer_.push_back(static_cast<char>(number ? document::kKeyNumber : document::kKeyString));
  if (number)
    document::encode_number(buffer_, *number);
  else
    put_short_string(buffer_, *text);
  finish_key(doc, false);
}

void PostingKeys::finish_key(DocId doc, bool in_values) {
  put_chunk(buffer_, doc);
  pieces_.push_back({buffer_.size(), in_values});
}

}  // namespace wherestar::index
