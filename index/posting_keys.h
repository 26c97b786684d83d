// The postings of one document: which keys of `values` and `path_values` it is a member of.
//
// Both lists are sorted and distinct, so a value that stands twice at a path posts once, and the
// difference of two versions of a document is a set difference. All bytes lie in one buffer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "document/document.h"
#include "index/index.h"

namespace wherestar::index {

class PostingKeys {
 public:
  // `ids` has one id per path of `shredded`.
  PostingKeys(PartId part, DocId doc, const document::Shredded& shredded, const PathIds& ids);
  PostingKeys(const PostingKeys&) = delete;
  PostingKeys& operator=(const PostingKeys&) = delete;

  // Views into this object.
  const std::vector<std::string_view>& values() const { return values_; }
  const std::vector<std::string_view>& path_values() const { return path_values_; }

 private:
  struct Piece {
    size_t end = 0;  // of its key in buffer_
    bool in_values = false;
  };
  void derive(PartId part, DocId doc, const document::Shredded& shredded, const PathIds& ids);
  void derive_scalar(PartId part, DocId doc, const document::Scalar& scalar, PathId path);
  void finish_key(DocId doc, bool in_values);

  std::string buffer_;
  std::vector<Piece> pieces_;
  std::vector<std::string_view> values_;
  std::vector<std::string_view> path_values_;
};

}  // namespace wherestar::index
