#include "server/collection.h"

#include <ctime>
#include <utility>

#include "base/coding.h"

namespace wherestar::server {

using fractal_tree::ReadView;
using fractal_tree::WriteBatch;

namespace {

constexpr uint8_t kRecordFormat = 1;

}  // namespace

std::string part_prefix(PartId part) {
  std::string key;
  put_big_endian(key, static_cast<uint32_t>(part));
  return key;
}

std::string document_key_bytes(PartId part, DocId doc) {
  std::string key = part_prefix(part);
  put_big_endian(key, static_cast<uint64_t>(doc));
  return key;
}

std::string id_key_bytes(PartId part, std::string_view id_key) {
  std::string key = part_prefix(part);
  key += id_key;
  return key;
}

std::string encode_record(const StoredDocument& document) {
  std::string record;
  record.reserve(document.text.size() + 16);
  record.push_back(static_cast<char>(kRecordFormat));
  put_varint(record, document.folding_epoch);
  put_fixed(record, document.shape);
  record += document.text;
  return record;
}

Result<StoredDocument> decode_record(PartId part, DocId doc, std::string_view record) {
  Reader reader(record);
  StoredDocument document;
  document.doc = doc;
  const auto format = reader.fixed<uint8_t>();
  document.folding_epoch = reader.varint();
  document.shape = reader.fixed<uint64_t>();
  if (!reader.ok() || format != kRecordFormat)
    return fail(ErrorCode::kCorruption,
                "documents: damaged record of part " + std::to_string(static_cast<uint32_t>(part)) +
                    ", DocId " + std::to_string(static_cast<uint64_t>(doc)));
  document.text = reader.rest();
  return document;
}

Result<DocId> decode_doc_id(std::string_view bytes) {
  if (bytes.size() < sizeof(uint64_t))
    return fail(ErrorCode::kCorruption, "a DocId of the wrong length");
  Reader reader(bytes.substr(bytes.size() - sizeof(uint64_t)));
  return DocId{reader.big_endian<uint64_t>()};
}

Result<std::optional<StoredDocument>> read_document(StoreCore& core, PartId part, DocId doc,
                                                    const ReadView& view) {
  ASSIGN_OR_RETURN(const std::optional<std::string> record,
                   core.engine->get(core.documents, document_key_bytes(part, doc), view));
  if (!record) return std::optional<StoredDocument>();
  ASSIGN_OR_RETURN(StoredDocument document, decode_record(part, doc, *record));
  return std::optional(std::move(document));
}

Result<std::optional<DocId>> find_id(StoreCore& core, PartId part, std::string_view id_key,
                                     const ReadView& view) {
  ASSIGN_OR_RETURN(const std::optional<std::string> value,
                   core.engine->get(core.ids, id_key_bytes(part, id_key), view));
  if (!value) return std::optional<DocId>();
  ASSIGN_OR_RETURN(const DocId doc, decode_doc_id(*value));
  return std::optional(doc);
}

void erase_part(StoreCore& core, WriteBatch& batch, PartId part) {
  const std::string begin = part_prefix(part);
  const std::string end = part_prefix(PartId{static_cast<uint32_t>(part) + 1});
  batch.erase_range(core.documents, begin, end);
  batch.erase_range(core.ids, begin, end);
  core.index->erase_part(batch, part);
  core.stats->erase_part(batch, static_cast<uint32_t>(part));
}

std::vector<uint32_t> path_numbers(const index::PathIds& ids) {
  std::vector<uint32_t> numbers;
  numbers.reserve(ids.size());
  for (const index::PathId id : ids) numbers.push_back(static_cast<uint32_t>(id));
  return numbers;
}

Result<CollectionWriter> CollectionWriter::make(StoreCore& core, CollectionPtr collection) {
  CollectionWriter writer(core, std::move(collection));
  const CollectionInfo& info = *writer.collection_;
  if (info.validation_strict && !info.validation_schema.empty()) {
    ASSIGN_OR_RETURN(writer.validator_, document::SchemaValidator::compile(info.validation_schema));
  }
  return writer;
}

Status CollectionWriter::validate(std::string_view text) const {
  if (!validator_) return {};
  if (Status valid = validator_->validate(text); !valid) {
    if (valid.error().code != ErrorCode::kSchemaViolation)
      return std::unexpected(std::move(valid).error());
    return fail(ErrorCode::kSchemaViolation,
                "Document is not valid according to the schema assigned to collection. " +
                    valid.error().message);
  }
  return {};
}

Result<PreparedDocument> CollectionWriter::prepare(std::string text) {
  text_ = std::move(text);
  RETURN_IF_ERROR(parser_.parse(text_));
  ASSIGN_OR_RETURN(std::optional<document::DocumentKey> id, parser_.id());
  PreparedDocument document;
  if (id) {
    document.id = std::move(*id);
  } else {
    const std::string generated = core_->generate_id();
    document.generated = true;
    text_ = document::with_id(text_, "\"" + generated + "\"");
    if (text_.size() > document::kMaxDocumentBytes)
      return fail(ErrorCode::kTooLarge, "the document is over " +
                                            std::to_string(document::kMaxDocumentBytes) +
                                            " bytes with its _id");
    RETURN_IF_ERROR(parser_.parse(text_));
    ASSIGN_OR_RETURN(document.id, document::document_key(document::Json::string(generated)));
  }
  RETURN_IF_ERROR(validate(text_));
  return document;
}

Status CollectionWriter::insert(WriteBatch& batch, const PreparedDocument& document) {
  const PartId part = collection_->part;
  const document::Shredded& shredded = parser_.shred();
  ASSIGN_OR_RETURN(const index::PathIds paths, core_->index->resolve(part, shredded));
  ASSIGN_OR_RETURN(const DocId doc,
                   collection_->doc_ids->take(*core_->engine, core_->catalog->dictionary()));
  StoredDocument stored;
  stored.doc = doc;
  stored.text = text_;
  put(batch, std::move(stored), shredded, paths, document.id.key);
  return {};
}

// A document that is not there, with all that depends on it.
void CollectionWriter::put(WriteBatch& batch, StoredDocument stored,
                           const document::Shredded& shredded, const index::PathIds& paths,
                           std::string_view id_key) {
  const PartId part = collection_->part;
  stored.shape = core_->stats->observe(batch, static_cast<uint32_t>(part), shredded,
                                       path_numbers(paths), std::time(nullptr));
  core_->index->add(batch, part, stored.doc, shredded, paths);
  batch.put(core_->documents, document_key_bytes(part, stored.doc), encode_record(stored));
  std::string doc_bytes;
  put_big_endian(doc_bytes, static_cast<uint64_t>(stored.doc));
  batch.put(core_->ids, id_key_bytes(part, id_key), doc_bytes);
}

Status CollectionWriter::replace(WriteBatch& batch, const StoredDocument& before,
                                 std::string text) {
  const PartId part = collection_->part;
  const auto part_number = static_cast<uint32_t>(part);
  RETURN_IF_ERROR(parser_.parse(text));
  RETURN_IF_ERROR(validate(text));
  RETURN_IF_ERROR(before_parser_.parse(before.text));
  const document::Shredded& old_shredded = before_parser_.shred();
  const document::Shredded& new_shredded = parser_.shred();
  ASSIGN_OR_RETURN(const index::PathIds old_paths, core_->index->resolve(part, old_shredded));
  ASSIGN_OR_RETURN(const index::PathIds new_paths, core_->index->resolve(part, new_shredded));
  core_->stats->forget(batch, part_number, old_shredded, path_numbers(old_paths), before.shape);
  StoredDocument stored;
  stored.doc = before.doc;
  stored.shape = core_->stats->observe(batch, part_number, new_shredded, path_numbers(new_paths),
                                       std::time(nullptr));
  core_->index->update(batch, part, before.doc, old_shredded, old_paths, new_shredded, new_paths);
  stored.text = std::move(text);
  batch.put(core_->documents, document_key_bytes(part, before.doc), encode_record(stored));
  return {};
}

Status CollectionWriter::remove(WriteBatch& batch, const StoredDocument& before) {
  const PartId part = collection_->part;
  RETURN_IF_ERROR(before_parser_.parse(before.text));
  ASSIGN_OR_RETURN(const std::optional<document::DocumentKey> id, before_parser_.id());
  if (!id)
    return fail(ErrorCode::kCorruption,
                "documents: a document of " + collection_->full_name() + " without _id");
  const document::Shredded& shredded = before_parser_.shred();
  ASSIGN_OR_RETURN(const index::PathIds paths, core_->index->resolve(part, shredded));
  core_->stats->forget(batch, static_cast<uint32_t>(part), shredded, path_numbers(paths),
                       before.shape);
  core_->index->remove(batch, part, before.doc, shredded, paths);
  batch.erase(core_->documents, document_key_bytes(part, before.doc));
  batch.erase(core_->ids, id_key_bytes(part, id->key));
  return {};
}

Status CollectionWriter::carry_over(WriteBatch& batch, const std::optional<StoredDocument>& from,
                                    const std::optional<StoredDocument>& to) {
  const bool same = from && to && from->doc == to->doc && from->text == to->text;
  if (same || (!from && !to)) return {};
  if (from) RETURN_IF_ERROR(remove(batch, *from));
  if (!to) return {};
  RETURN_IF_ERROR(before_parser_.parse(to->text));
  ASSIGN_OR_RETURN(const std::optional<document::DocumentKey> id, before_parser_.id());
  if (!id)
    return fail(ErrorCode::kCorruption,
                "documents: a document of " + collection_->full_name() + " without _id");
  const document::Shredded& shredded = before_parser_.shred();
  ASSIGN_OR_RETURN(const index::PathIds paths, core_->index->resolve(collection_->part, shredded));
  put(batch, *to, shredded, paths, id->key);
  return {};
}

}  // namespace wherestar::server
