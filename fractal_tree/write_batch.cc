#include <utility>

#include "base/coding.h"
#include "fractal_tree/memory_front.h"
#include "fractal_tree/merge_kinds.h"

namespace wherestar::fractal_tree {
namespace {

constexpr uint64_t kRangeSequence = 0;  // a batch erases its ranges first
constexpr uint64_t kPointSequence = 1;

Status check_key(std::string_view key) {
  if (key.size() <= kMaxKeyBytes) return {};
  return fail(ErrorCode::kInvalidArgument, "a key of " + std::to_string(key.size()) +
                                               " bytes; at most " + std::to_string(kMaxKeyBytes) +
                                               " are allowed");
}

void change(WriteBatch::Contents& contents, DictionaryId dictionary, std::string_view key,
            EntryKind kind, std::string_view value) {
  ++contents.change_count;
  Status status = check_key(key);
  if (status && value.size() > kMaxValueBytes)
    status = fail(ErrorCode::kInvalidArgument,
                  "a value of " + std::to_string(value.size()) + " bytes is over the limit");
  if (status) status = contents.dictionaries[dictionary].add(key, kind, value, kPointSequence, 0);
  if (!status && contents.error) contents.error = std::move(status);
}

}  // namespace

WriteBatch::WriteBatch() : contents_(std::make_unique<Contents>()) {}
WriteBatch::~WriteBatch() = default;
WriteBatch::WriteBatch(WriteBatch&& other) noexcept
    : contents_(std::exchange(other.contents_, std::make_unique<Contents>())) {}
WriteBatch& WriteBatch::operator=(WriteBatch&& other) noexcept {
  std::swap(contents_, other.contents_);
  if (this != &other) other.contents_ = std::make_unique<Contents>();
  return *this;
}

void WriteBatch::put(DictionaryId dictionary, std::string_view key, std::string_view value) {
  change(*contents_, dictionary, key, EntryKind::kPut, value);
}

void WriteBatch::erase(DictionaryId dictionary, std::string_view key) {
  change(*contents_, dictionary, key, EntryKind::kErase, {});
}

void WriteBatch::erase_range(DictionaryId dictionary, std::string_view begin,
                             std::string_view end) {
  ++contents_->change_count;
  for (const std::string_view bound : {begin, end})
    if (Status status = check_key(bound); !status && contents_->error)
      contents_->error = std::move(status);
  if (!contents_->error) return;
  Changes& changes = contents_->dictionaries[dictionary];
  changes.remove_range(begin, end);
  changes.add_range(begin, end, kRangeSequence);
}

void WriteBatch::merge(DictionaryId dictionary, std::string_view key, MergeKind kind,
                       std::string_view operand) {
  if (Status status = check_operand(kind, operand); !status) {
    ++contents_->change_count;
    if (contents_->error) contents_->error = std::move(status);
    return;
  }
  change(*contents_, dictionary, key, static_cast<EntryKind>(kind), operand);
}

void WriteBatch::append(WriteBatch&& newer) {
  for (const auto& [id, changes] : newer.contents_->dictionaries) {
    for (const RangeErase& range : changes.ranges()) erase_range(id, range.begin, range.end);
    for (const auto& [key, version] : changes.map())
      change(*contents_, id, key, version.kind, version.value);
  }
  if (!newer.contents_->error && contents_->error) contents_->error = newer.contents_->error;
  newer.contents_ = std::make_unique<Contents>();
}

bool WriteBatch::empty() const {
  return contents_->change_count == 0;
}

size_t WriteBatch::memory_bytes() const {
  size_t sum = 0;
  for (const auto& [id, changes] : contents_->dictionaries) sum += changes.memory_bytes();
  return sum;
}

size_t WriteBatch::change_count() const {
  return contents_->change_count;
}

// varint dictionaries; each: u32 id, varint ranges (begin, end), varint changes (u8 kind, key,
// value unless it is an erase). See docs/formats.md.
std::string encode_batch(const WriteBatch::Contents& contents) {
  std::string out;
  put_varint(out, contents.dictionaries.size());
  for (const auto& [id, changes] : contents.dictionaries) {
    put_fixed(out, static_cast<uint32_t>(id));
    put_varint(out, changes.ranges().size());
    for (const RangeErase& range : changes.ranges()) {
      put_bytes(out, range.begin);
      put_bytes(out, range.end);
    }
    put_varint(out, changes.map().size());
    for (const auto& [key, version] : changes.map()) {
      out.push_back(static_cast<char>(version.kind));
      put_bytes(out, key);
      if (version.kind != EntryKind::kErase) put_bytes(out, version.value);
    }
  }
  return out;
}

Status decode_batch(std::string_view payload, WriteBatch& batch) {
  const auto damaged = [] { return fail(ErrorCode::kCorruption, "a damaged batch in the log"); };
  Reader reader(payload);
  for (uint64_t left = reader.varint(); reader.ok() && left > 0; --left) {
    const auto id = DictionaryId{reader.fixed<uint32_t>()};
    for (uint64_t ranges = reader.varint(); reader.ok() && ranges > 0; --ranges) {
      const std::string_view begin = reader.bytes();
      const std::string_view end = reader.bytes();
      if (reader.ok()) batch.erase_range(id, begin, end);
    }
    for (uint64_t changes = reader.varint(); reader.ok() && changes > 0; --changes) {
      const auto kind = static_cast<EntryKind>(reader.fixed<uint8_t>());
      const std::string_view key = reader.bytes();
      if (kind > EntryKind::kErase) return damaged();
      const std::string_view value = kind == EntryKind::kErase ? "" : reader.bytes();
      if (!reader.ok()) return damaged();
      if (kind == EntryKind::kPut) {
        batch.put(id, key, value);
      } else if (kind == EntryKind::kErase) {
        batch.erase(id, key);
      } else {
        batch.merge(id, key, static_cast<MergeKind>(kind), value);
      }
    }
  }
  if (!reader.done()) return damaged();
  return batch.contents().error;
}

}  // namespace wherestar::fractal_tree
