#include "server/catalog.h"

#include <algorithm>
#include <ctime>

#include "base/coding.h"

namespace wherestar::server {

using fractal_tree::Durability;
using fractal_tree::WriteBatch;

namespace {

constexpr uint8_t kFormat = 1;

std::string number_key(char kind, uint32_t number) {
  std::string key(1, kind);
  put_big_endian(key, number);
  return key;
}

std::string encode_database(int64_t created) {
  std::string out(1, static_cast<char>(kFormat));
  put_varint(out, static_cast<uint64_t>(created));
  return out;
}

std::string encode_collection(const CollectionInfo& info) {
  std::string out(1, static_cast<char>(kFormat));
  put_fixed(out, static_cast<uint32_t>(info.part));
  put_varint(out, static_cast<uint64_t>(info.created_unix_s));
  put_bytes(out, info.database);
  put_bytes(out, info.name);
  put_bytes(out, info.validation_schema);
  out.push_back(info.validation_strict ? 1 : 0);
  put_varint(out, info.indexes.size());
  for (const IndexDeclaration& index : info.indexes) {
    put_bytes(out, index.name);
    put_bytes(out, index.type);
    put_varint(out, index.members.size());
    for (const IndexMember& member : index.members) {
      put_bytes(out, member.path.to_string());
      put_bytes(out, member.type);
      out.push_back(static_cast<char>((member.required ? 1 : 0) | (member.array ? 2 : 0)));
    }
  }
  return out;
}

Result<CollectionInfo> decode_collection(std::string_view value) {
  Reader reader(value);
  if (reader.fixed<uint8_t>() != kFormat) return fail(ErrorCode::kFormat, "catalog: collection");
  CollectionInfo info;
  info.part = PartId{reader.fixed<uint32_t>()};
  info.created_unix_s = static_cast<int64_t>(reader.varint());
  info.database = reader.bytes();
  info.name = reader.bytes();
  info.validation_schema = reader.bytes();
  info.validation_strict = reader.fixed<uint8_t>() != 0;
  const uint64_t indexes = reader.varint();
  for (uint64_t i = 0; i < indexes && reader.ok(); ++i) {
    IndexDeclaration index;
    index.name = reader.bytes();
    index.type = reader.bytes();
    const uint64_t members = reader.varint();
    for (uint64_t m = 0; m < members && reader.ok(); ++m) {
      IndexMember member;
      ASSIGN_OR_RETURN(member.path, document::PathExpression::parse(reader.bytes()));
      member.type = reader.bytes();
      const auto flags = reader.fixed<uint8_t>();
      member.required = (flags & 1) != 0;
      member.array = (flags & 2) != 0;
      index.members.push_back(std::move(member));
    }
    info.indexes.push_back(std::move(index));
  }
  if (!reader.done()) return fail(ErrorCode::kCorruption, "catalog: damaged collection record");
  return info;
}

size_t count_characters(std::string_view text) {
  size_t count = 0;
  for (char byte : text) count += (static_cast<uint8_t>(byte) & 0xc0) != 0x80;
  return count;
}

}  // namespace

Status check_name(std::string_view name, std::string_view kind) {
  if (name.empty() || name.find('\0') != std::string_view::npos)
    return fail(ErrorCode::kWrongName,
                "Incorrect " + std::string(kind) + " name '" + std::string(name) + "'");
  if (count_characters(name) > kMaxNameCharacters)
    return fail(ErrorCode::kWrongName,
                "Identifier name '" + std::string(name.substr(0, 80)) + "' is too long");
  return {};
}

Result<DocId> DocIdCounter::take(fractal_tree::Engine& engine, fractal_tree::DictionaryId catalog) {
  std::lock_guard lock(mutex_);
  if (next_ == reserved_) {
    WriteBatch batch;
    std::string value;
    put_varint(value, reserved_ + kStep);
    batch.put(catalog, number_key('r', static_cast<uint32_t>(part_)), value);
    RETURN_IF_ERROR(engine.commit(std::move(batch), Durability::kSync));
    reserved_ += kStep;
  }
  return DocId{next_++};
}

Result<std::unique_ptr<Catalog>> Catalog::open(fractal_tree::Engine& engine) {
  std::unique_ptr<Catalog> catalog(new Catalog(engine));
  ASSIGN_OR_RETURN(catalog->dictionary_, engine.dictionary("catalog", {}));
  RETURN_IF_ERROR(catalog->load());
  return catalog;
}

Status Catalog::load() {
  auto cursor = engine_.cursor(dictionary_, {});
  for (cursor->seek_to_first(); cursor->valid(); cursor->next())
    RETURN_IF_ERROR(load_entry(cursor->key(), cursor->value()));
  RETURN_IF_ERROR(cursor->status());
  for (auto& [name, collection] : collections_) {
    const auto found = reserved_doc_ids_.find(static_cast<uint32_t>(collection->part));
    const uint64_t first = found == reserved_doc_ids_.end() ? 1 : found->second;
    auto copy = std::make_shared<CollectionInfo>(*collection);
    copy->doc_ids = std::make_shared<DocIdCounter>(copy->part, first);
    collection = std::move(copy);
  }
  reserved_doc_ids_.clear();
  return {};
}

Status Catalog::load_entry(std::string_view key, std::string_view value) {
  if (key.empty()) return fail(ErrorCode::kCorruption, "catalog: empty key");
  const std::string name(key.substr(1));
  Reader key_reader(key.substr(1));
  Reader reader(value);
  switch (key.front()) {
    case 'd':
      if (reader.fixed<uint8_t>() != kFormat) return fail(ErrorCode::kFormat, "catalog: database");
      databases_[name] = static_cast<int64_t>(reader.varint());
      break;
    case 'c': {
      ASSIGN_OR_RETURN(CollectionInfo info, decode_collection(value));
      info.id = key_reader.big_endian<uint32_t>();
      auto place = std::pair(info.database, info.name);
      collections_[std::move(place)] = std::make_shared<CollectionInfo>(std::move(info));
      return {};
    }
    case 'r':
      reserved_doc_ids_[key_reader.big_endian<uint32_t>()] = reader.varint();
      break;
    case 'u': {
      if (reader.fixed<uint8_t>() != kFormat) return fail(ErrorCode::kFormat, "catalog: account");
      Account account;
      account.name = name;
      account.mysql41_verifier = reader.bytes();
      account.sha256_verifier = reader.bytes();
      accounts_[name] = std::move(account);
      break;
    }
    case 'n':
      numbers_[name] = reader.varint();
      break;
    default:
      return fail(ErrorCode::kFormat, "catalog: a kind of entry this program does not know");
  }
  if (!reader.done()) return fail(ErrorCode::kCorruption, "catalog: damaged entry " + name);
  return {};
}

Status Catalog::commit(WriteBatch batch, fractal_tree::Purpose purpose) {
  return engine_.commit(std::move(batch), Durability::kSync, purpose);
}

std::vector<std::string> Catalog::databases() const {
  std::shared_lock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, created] : databases_) names.push_back(name);
  return names;
}

bool Catalog::has_database(std::string_view name) const {
  std::shared_lock lock(mutex_);
  return databases_.contains(name);
}

CollectionPtr Catalog::find(std::string_view database, std::string_view name) const {
  std::shared_lock lock(mutex_);
  const auto found = collections_.find(std::pair(std::string(database), std::string(name)));
  return found == collections_.end() ? nullptr : found->second;
}

std::vector<CollectionPtr> Catalog::collections(std::optional<std::string_view> database) const {
  std::shared_lock lock(mutex_);
  std::vector<CollectionPtr> found;
  auto it = database ? collections_.lower_bound(std::pair(std::string(*database), std::string()))
                     : collections_.begin();
  for (; it != collections_.end() && (!database || it->first.first == *database); ++it)
    found.push_back(it->second);
  return found;
}

Status Catalog::create_database(const std::string& name) {
  RETURN_IF_ERROR(check_name(name, "database"));
  std::lock_guard change(change_mutex_);
  if (has_database(name))
    return fail(ErrorCode::kDatabaseExists,
                "Can't create database '" + name + "'; database exists");
  const int64_t now = std::time(nullptr);
  WriteBatch batch;
  batch.put(dictionary_, "d" + name, encode_database(now));
  RETURN_IF_ERROR(commit(std::move(batch)));
  std::unique_lock lock(mutex_);
  databases_[name] = now;
  return {};
}

Status Catalog::drop_database(const std::string& name, WriteBatch erasures) {
  std::lock_guard change(change_mutex_);
  if (!has_database(name))
    return fail(ErrorCode::kNoDatabaseToDrop,
                "Can't drop database '" + name + "'; database doesn't exist");
  const auto members = collections(name);
  for (const CollectionPtr& member : members) {
    erasures.erase(dictionary_, number_key('c', member->id));
    erasures.erase(dictionary_, number_key('r', static_cast<uint32_t>(member->part)));
  }
  erasures.erase(dictionary_, "d" + name);
  RETURN_IF_ERROR(commit(std::move(erasures), fractal_tree::Purpose::kReclaim));
  std::unique_lock lock(mutex_);
  databases_.erase(name);
  for (const CollectionPtr& member : members) collections_.erase({member->database, member->name});
  return {};
}

Result<CollectionPtr> Catalog::create_collection(const std::string& database,
                                                 const std::string& name,
                                                 const Validation& validation) {
  RETURN_IF_ERROR(check_name(name, "table"));
  std::lock_guard change(change_mutex_);
  if (!has_database(database))
    return fail(ErrorCode::kUnknownDatabase, "Unknown database '" + database + "'");
  if (find(database, name))
    return fail(ErrorCode::kCollectionExists, "Table '" + name + "' already exists");
  auto info = std::make_shared<CollectionInfo>();
  ASSIGN_OR_RETURN(const uint64_t number, take_number("collection", 1));
  if (number > UINT32_MAX) return fail(ErrorCode::kLimitExceeded, "too many collections");
  info->id = static_cast<uint32_t>(number);
  info->part = PartId{info->id};
  info->database = database;
  info->name = name;
  info->created_unix_s = std::time(nullptr);
  info->validation_schema = validation.schema_json.value_or("");
  info->validation_strict = validation.level.value_or("strict") != "off";
  info->doc_ids = std::make_shared<DocIdCounter>(info->part, 1);
  WriteBatch batch;
  batch.put(dictionary_, number_key('c', info->id), encode_collection(*info));
  RETURN_IF_ERROR(commit(std::move(batch)));
  std::unique_lock lock(mutex_);
  collections_[{database, name}] = info;
  return info;
}

Status Catalog::drop_collection(const CollectionInfo& collection, WriteBatch erasures) {
  std::lock_guard change(change_mutex_);
  const CollectionPtr current = find(collection.database, collection.name);
  if (!current || current->id != collection.id)
    return fail(ErrorCode::kNoCollectionToDrop, "Unknown table '" + collection.full_name() + "'");
  erasures.erase(dictionary_, number_key('c', collection.id));
  erasures.erase(dictionary_, number_key('r', static_cast<uint32_t>(collection.part)));
  RETURN_IF_ERROR(commit(std::move(erasures), fractal_tree::Purpose::kReclaim));
  std::unique_lock lock(mutex_);
  collections_.erase({collection.database, collection.name});
  return {};
}

Status Catalog::change_collection(CollectionInfo changed) {
  std::lock_guard change(change_mutex_);
  const CollectionPtr current = find(changed.database, changed.name);
  if (!current || current->id != changed.id)
    return fail(ErrorCode::kUnknownCollection, "Table '" + changed.full_name() + "' doesn't exist");
  WriteBatch batch;
  batch.put(dictionary_, number_key('c', changed.id), encode_collection(changed));
  RETURN_IF_ERROR(commit(std::move(batch)));
  std::unique_lock lock(mutex_);
  auto place = std::pair(changed.database, changed.name);
  collections_[std::move(place)] = std::make_shared<CollectionInfo>(std::move(changed));
  return {};
}

std::optional<Account> Catalog::account(std::string_view name) const {
  std::shared_lock lock(mutex_);
  const auto found = accounts_.find(name);
  if (found == accounts_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> Catalog::accounts() const {
  std::shared_lock lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, account] : accounts_) names.push_back(name);
  return names;
}

Status Catalog::put_account(const Account& account) {
  std::lock_guard change(change_mutex_);
  std::string value(1, static_cast<char>(kFormat));
  put_bytes(value, account.mysql41_verifier);
  put_bytes(value, account.sha256_verifier);
  WriteBatch batch;
  batch.put(dictionary_, "u" + account.name, value);
  RETURN_IF_ERROR(commit(std::move(batch)));
  std::unique_lock lock(mutex_);
  accounts_[account.name] = account;
  return {};
}

Result<uint64_t> Catalog::take_number(const std::string& counter, uint64_t least) {
  uint64_t next = least;
  if (const auto last = number(counter)) next = std::max(least, *last + 1);
  std::string value;
  put_varint(value, next);
  WriteBatch batch;
  batch.put(dictionary_, "n" + counter, value);
  // Next to nothing, and no start does without it.
  RETURN_IF_ERROR(commit(std::move(batch), fractal_tree::Purpose::kReclaim));
  std::unique_lock lock(mutex_);
  numbers_[counter] = next;
  return next;
}

Result<uint64_t> Catalog::next_number(const std::string& counter, uint64_t least) {
  std::lock_guard change(change_mutex_);
  return take_number(counter, least);
}

std::optional<uint64_t> Catalog::number(const std::string& counter) const {
  std::shared_lock lock(mutex_);
  const auto found = numbers_.find(counter);
  if (found == numbers_.end()) return std::nullopt;
  return found->second;
}

Status Catalog::set_number(const std::string& counter, uint64_t value) {
  std::lock_guard change(change_mutex_);
  std::string bytes;
  put_varint(bytes, value);
  WriteBatch batch;
  batch.put(dictionary_, "n" + counter, bytes);
  RETURN_IF_ERROR(commit(std::move(batch)));
  std::unique_lock lock(mutex_);
  numbers_[counter] = value;
  return {};
}

}  // namespace wherestar::server
