// The one road of a document change: text in, everything that depends on it changed with it.
//
//   dictionary documents   u32 part, u64 DocId (big-endian) -> record
//   dictionary ids         u32 part, DocumentKey::key       -> u64 DocId (big-endian)
//   record = u8 format (1), varint folding epoch (0), u64 shape (little-endian), document text
//
// One change puts the document, its id, its postings and its statistics into one batch. A
// CollectionWriter serves one statement: it keeps parsers and the compiled validation schema. The
// caller holds the document's lock.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "document/document.h"
#include "fractal_tree/engine.h"
#include "server/catalog.h"
#include "server/store_core.h"

namespace wherestar::server {

struct StoredDocument {
  DocId doc{};
  uint64_t folding_epoch = 0;
  uint64_t shape = 0;
  std::string text;
};

std::string part_prefix(PartId part);
std::string document_key_bytes(PartId part, DocId doc);
std::string id_key_bytes(PartId part, std::string_view id_key);
std::string encode_record(const StoredDocument& document);
// kCorruption, naming part and DocId. Moves nothing; the text is copied.
Result<StoredDocument> decode_record(PartId part, DocId doc, std::string_view record);
Result<DocId> decode_doc_id(std::string_view bytes);  // value of `ids`, or the end of a key

// Reads.
Result<std::optional<StoredDocument>> read_document(StoreCore& core, PartId part, DocId doc,
                                                    const fractal_tree::ReadView& view);
Result<std::optional<DocId>> find_id(StoreCore& core, PartId part, std::string_view id_key,
                                     const fractal_tree::ReadView& view);
// Everything that a part holds, in all dictionaries.
void erase_part(StoreCore& core, fractal_tree::WriteBatch& batch, PartId part);

// Path numbers of PathIds, as the statistics take them.
std::vector<uint32_t> path_numbers(const index::PathIds& ids);

// A new document checked and complete; its text stays with the writer.
struct PreparedDocument {
  document::DocumentKey id;
  bool generated = false;
};

class CollectionWriter {
 public:
  // kInvalidArgument when the collection's validation schema is none.
  static Result<CollectionWriter> make(StoreCore& core, CollectionPtr collection);

  const CollectionInfo& collection() const { return *collection_; }

  // Parses the text, gives it an _id where it has none. Errors of Parser; kSchemaViolation.
  Result<PreparedDocument> prepare(std::string text);
  const std::string& prepared_text() const { return text_; }  // with its _id
  // Inserts what was prepared last.
  Status insert(fractal_tree::WriteBatch& batch, const PreparedDocument& document);
  // Same _id, same DocId.
  Status replace(fractal_tree::WriteBatch& batch, const StoredDocument& before, std::string text);
  Status remove(fractal_tree::WriteBatch& batch, const StoredDocument& before);
  // Makes the batch lead from one stored state of an _id to another, neither of them new: see
  // Transaction::bridge(). What was prepared stays.
  Status carry_over(fractal_tree::WriteBatch& batch, const std::optional<StoredDocument>& from,
                    const std::optional<StoredDocument>& to);

 private:
  CollectionWriter(StoreCore& core, CollectionPtr collection)
      : core_(&core), collection_(std::move(collection)) {}
  Status validate(std::string_view text) const;
  void put(fractal_tree::WriteBatch& batch, StoredDocument stored,
           const document::Shredded& shredded, const index::PathIds& paths,
           std::string_view id_key);

  StoreCore* core_;
  CollectionPtr collection_;
  std::string text_;  // what parser_ parsed in prepare()
  document::Parser parser_;
  document::Parser before_parser_;
  std::optional<document::SchemaValidator> validator_;
};

}  // namespace wherestar::server
