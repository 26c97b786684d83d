#include "fractal_tree/memory_front.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/coding.h"
#include "base/posting_chunk.h"
#include "fractal_tree/merge_kinds.h"

namespace wherestar::fractal_tree {
namespace {

constexpr size_t kLeastArenaBlockBytes = 1u << 10;
constexpr size_t kArenaBlockBytes = 64u << 10;
constexpr size_t kVersionBytes = 64;  // of the table, beside key and value

// The change on top of `version`, both of one group.
Status fold_into(Changes::Version& version, EntryKind kind, std::string_view value) {
  // A key has one merge kind; where a caller errs the newer change counts.
  if (!is_merge(kind) || (is_merge(version.kind) && version.kind != kind)) {
    version.kind = kind;
    version.value.assign(value);
    return {};
  }
  const auto merge_kind = static_cast<MergeKind>(kind);
  if (version.kind == kind) {
    if (kind == EntryKind::kMergePostings && merge_posting_change(version.value, value)) return {};
    ASSIGN_OR_RETURN(version.value, merge_operands(merge_kind, version.value, value));
    return {};
  }
  std::string_view base;
  if (version.kind == EntryKind::kPut) base = version.value;
  ASSIGN_OR_RETURN(std::string merged, apply_operand(merge_kind, base, value));
  version.kind = means_absent(merge_kind, merged) ? EntryKind::kErase : EntryKind::kPut;
  version.value = version.kind == EntryKind::kPut ? std::move(merged) : std::string();
  return {};
}

size_t heap_bytes(const std::string& text) {
  return text.capacity() > 15 ? text.capacity() + 16 : 0;
}

}  // namespace

std::string_view Arena::copy(std::string_view bytes) {
  if (bytes.empty()) return {};
  if (bytes.size() > left_) {
    // Small tables stay small.
    const size_t usual = std::clamp(memory_bytes_, kLeastArenaBlockBytes, kArenaBlockBytes);
    const size_t size = std::max(usual, bytes.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    next_ = blocks_.back().get();
    left_ = size;
    memory_bytes_ += size;
  }
  std::memcpy(next_, bytes.data(), bytes.size());
  const std::string_view copied(next_, bytes.size());
  next_ += bytes.size();
  left_ -= bytes.size();
  return copied;
}

Status Changes::add(std::string_view key, EntryKind kind, std::string_view value, uint64_t sequence,
                    uint64_t fold_above) {
  auto found = map_.lower_bound(key);
  if (found == map_.end() || found->first != key) {
    found = map_.emplace_hint(found, arena_.copy(key), Version{});
    found->second = {sequence, kind, std::string(value), nullptr};
    value_bytes_ += kVersionBytes + heap_bytes(found->second.value);
    return {};
  }
  Version& version = found->second;
  if (version.sequence > fold_above) {
    const size_t before = heap_bytes(version.value);
    // A range erase between the two would be lost under a merge.
    const bool separated = is_merge(kind) && !ranges_.empty() &&
                           std::any_of(ranges_.begin(), ranges_.end(), [&](const auto& range) {
                             return range.sequence > version.sequence && range.covers(key);
                           });
    if (!separated) {
      RETURN_IF_ERROR(fold_into(version, kind, value));
      version.sequence = sequence;
      value_bytes_ = value_bytes_ - before + heap_bytes(version.value);
      return {};
    }
  }
  auto older = std::make_unique<Version>(std::move(version));
  version = {sequence, kind, std::string(value), std::move(older)};
  value_bytes_ += kVersionBytes + heap_bytes(version.value);
  return {};
}

void Changes::add_range(std::string_view begin, std::string_view end, uint64_t sequence) {
  if (begin >= end) return;
  ranges_.push_back({std::string(begin), std::string(end), sequence});
  value_bytes_ += begin.size() + end.size() + kVersionBytes;
}

void Changes::remove_range(std::string_view begin, std::string_view end) {
  if (begin < end) map_.erase(map_.lower_bound(begin), map_.lower_bound(end));
}

Result<RunRef> Changes::to_run(const Snapshots& snapshots) const {
  RunBuilder builder;
  builder.reserve(map_.size(), memory_bytes());
  const FoldOptions options{
      .snapshots = &snapshots, .bottom = false, .dropped_overflow = {}, .read_overflow = {}};
  Folder folder(options);
  std::vector<Entry> versions;
  for (const auto& [key, newest] : map_) {
    versions.clear();
    for (const Version* v = &newest; v != nullptr; v = v->older.get())
      versions.push_back({key, v->sequence, v->kind, v->value});
    if (versions.size() > 1 && !ranges_.empty()) {
      // Versions with a range erase between them must not fold; the tree sees to it.
      for (const Entry& version : versions) builder.add(version);
      continue;
    }
    RETURN_IF_ERROR(folder.fold(key, versions, builder));
  }
  for (const RangeErase& range : ranges_) builder.add_range(range);
  return builder.finish();
}

namespace {

void add_versions(std::string_view key, const Changes::Version& newest, uint64_t sequence,
                  RunBuilder& builder) {
  for (const Changes::Version* v = &newest; v != nullptr; v = v->older.get())
    if (v->sequence <= sequence) builder.add({key, v->sequence, v->kind, v->value});
}

}  // namespace

RunRef Changes::slice(std::string_view begin, const std::string* end, uint64_t sequence,
                      size_t limit, std::string* more) const {
  RunBuilder builder;
  size_t keys = 0;
  for (auto at = map_.lower_bound(begin); at != map_.end(); ++at) {
    if (end != nullptr && at->first >= *end) break;
    if (keys++ == limit) {
      *more = at->first;
      break;
    }
    add_versions(at->first, at->second, sequence, builder);
  }
  for (const RangeErase& range : ranges_)
    if (range.sequence <= sequence) builder.add_range(range);
  return builder.finish();
}

RunRef Changes::slice_before(std::string_view begin, const std::string* end, uint64_t sequence,
                             size_t limit, std::string* first) const {
  const auto stop = end == nullptr ? map_.end() : map_.lower_bound(*end);
  auto at = stop;
  size_t keys = 0;
  while (at != map_.begin() && keys < limit) {
    const auto previous = std::prev(at);
    if (previous->first < begin) break;
    at = previous;
    ++keys;
  }
  if (keys == limit && at != map_.begin() && std::prev(at)->first >= begin) *first = at->first;
  RunBuilder builder;
  for (; at != stop; ++at) add_versions(at->first, at->second, sequence, builder);
  for (const RangeErase& range : ranges_)
    if (range.sequence <= sequence) builder.add_range(range);
  return builder.finish();
}

void SnapshotRegistry::add(uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  sequences_.insert(sequence);
}

void SnapshotRegistry::remove(uint64_t sequence) {
  const std::lock_guard lock(mutex_);
  sequences_.erase(sequences_.find(sequence));
}

Snapshots SnapshotRegistry::all() const {
  const std::lock_guard lock(mutex_);
  Snapshots all;
  for (const uint64_t sequence : sequences_)
    if (all.empty() || all.back() != sequence) all.push_back(sequence);
  return all;
}

uint64_t SnapshotRegistry::greatest() const {
  const std::lock_guard lock(mutex_);
  return sequences_.empty() ? 0 : *sequences_.rbegin();
}

Status MemoryFront::apply_and_publish(const WriteBatch::Contents& contents,
                                      const SnapshotRegistry& snapshots,
                                      std::atomic<uint64_t>& published) {
  const std::unique_lock lock(mutex_);
  // Whoever begins to read does it under this mutex: no snapshot comes between.
  const uint64_t fold_above = snapshots.greatest();
  const uint64_t sequence = published + 1;
  for (const auto& [id, changes] : contents.dictionaries) {
    Changes& mine = dictionaries_[id];
    const size_t before = mine.memory_bytes();
    for (const RangeErase& range : changes.ranges())
      mine.add_range(range.begin, range.end, sequence);
    for (const auto& [key, version] : changes.map())  // a private batch has one version a key
      RETURN_IF_ERROR(mine.add(key, version.kind, version.value, sequence + 1, fold_above));
    memory_bytes_ = memory_bytes_ - before + mine.memory_bytes();
  }
  published = sequence + 1;
  return {};
}

size_t MemoryFront::memory_bytes() const {
  const std::shared_lock lock(mutex_);
  return memory_bytes_;
}

bool MemoryFront::empty() const {
  const std::shared_lock lock(mutex_);
  return dictionaries_.empty();
}

const Changes* MemoryFront::find(DictionaryId id) const {
  const auto found = dictionaries_.find(id);
  return found == dictionaries_.end() ? nullptr : &found->second;
}

}  // namespace wherestar::fractal_tree
