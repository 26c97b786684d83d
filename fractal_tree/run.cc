#include "fractal_tree/run.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/coding.h"

namespace wherestar::fractal_tree {
namespace {

// An entry in memory: u32 key bytes << 3 | kind, u32 value bytes, u64 sequence, key, value.
constexpr size_t kHeadBytes = 16;
constexpr size_t kRestartInterval = 16;
constexpr uint64_t kMaxEntries = 1u << 24;

struct Head {
  uint32_t key_and_kind;
  uint32_t value_bytes;
  uint64_t sequence;
};
static_assert(sizeof(Head) == kHeadBytes);

Head head_at(const std::string& bytes, uint32_t offset) {
  Head head;
  std::memcpy(&head, bytes.data() + offset, sizeof head);
  return head;
}

size_t shared_prefix(std::string_view a, std::string_view b) {
  const size_t limit = std::min(a.size(), b.size());
  size_t shared = 0;
  while (shared < limit && a[shared] == b[shared]) ++shared;
  return shared;
}

std::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::kCorruption, std::string(what));
}

}  // namespace

Entry Run::entry(size_t index) const {
  const uint32_t offset = offsets_[index];
  const Head head = head_at(bytes_, offset);
  const size_t key_bytes = head.key_and_kind >> 3;
  return {std::string_view(bytes_).substr(offset + kHeadBytes, key_bytes), head.sequence,
          static_cast<EntryKind>(head.key_and_kind & 7),
          std::string_view(bytes_).substr(offset + kHeadBytes + key_bytes, head.value_bytes)};
}

std::string_view Run::key(size_t index) const {
  const uint32_t offset = offsets_[index];
  return std::string_view(bytes_).substr(offset + kHeadBytes,
                                         head_at(bytes_, offset).key_and_kind >> 3);
}

size_t Run::lower_bound(std::string_view wanted) const {
  size_t low = 0;
  size_t high = size();
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (key(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::string Run::encode() const {
  std::string out;
  out.reserve(bytes_.size());
  put_varint(out, size());
  std::string_view previous;
  for (size_t i = 0; i < size(); ++i) {
    const Entry e = entry(i);
    const size_t shared = i % kRestartInterval == 0 ? 0 : shared_prefix(previous, e.key);
    put_varint(out, shared);
    put_varint(out, e.key.size() - shared);
    put_varint(out, e.value.size() << 3 | static_cast<uint64_t>(e.kind));
    put_varint(out, e.sequence);
    out.append(e.key.substr(shared));
    out.append(e.value);
    previous = e.key;
  }
  put_varint(out, ranges_.size());
  for (const RangeErase& range : ranges_) {
    put_bytes(out, range.begin);
    put_bytes(out, range.end);
    put_varint(out, range.sequence);
  }
  return out;
}

Result<RunRef> Run::decode(std::string_view bytes) {
  Reader reader(bytes);
  RunBuilder builder;
  const uint64_t count = reader.varint();
  if (!reader.ok() || count > kMaxEntries || count * 4 > bytes.size())
    return damaged("an impossible number of entries");
  builder.reserve(count, bytes.size() + count * kHeadBytes);
  std::string key;
  uint64_t sequence = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t shared = reader.varint();
    const uint64_t rest = reader.varint();
    const uint64_t value_and_kind = reader.varint();
    const uint64_t next_sequence = reader.varint();
    const std::string_view key_rest = reader.take(rest);
    const std::string_view value = reader.take(value_and_kind >> 3);
    const auto kind = static_cast<EntryKind>(value_and_kind & 7);
    if (!reader.ok() || shared > key.size() || shared + rest > kMaxKeyBytes ||
        kind > EntryKind::kPutOverflow)
      return damaged("a damaged entry");
    const int order = i == 0 ? 1 : key_rest.compare(std::string_view(key).substr(shared));
    if (order < 0 || (order == 0 && next_sequence >= sequence)) return damaged("unsorted entries");
    key.resize(shared);
    key.append(key_rest);
    sequence = next_sequence;
    builder.add({key, sequence, kind, value});
  }
  const uint64_t ranges = reader.varint();
  if (!reader.ok() || ranges > bytes.size()) return damaged("an impossible number of ranges");
  for (uint64_t i = 0; i < ranges; ++i) {
    RangeErase range;
    range.begin = reader.bytes();
    range.end = reader.bytes();
    range.sequence = reader.varint();
    if (!reader.ok() || range.begin >= range.end) return damaged("a damaged range");
    builder.add_range(std::move(range));
  }
  if (!reader.done()) return damaged("trailing bytes");
  return builder.finish();
}

void RunBuilder::reserve(size_t entries, size_t bytes) {
  run_->offsets_.reserve(entries);
  run_->bytes_.reserve(bytes);
}

void RunBuilder::add(const Entry& entry) {
  run_->offsets_.push_back(static_cast<uint32_t>(run_->bytes_.size()));
  const Head head{static_cast<uint32_t>(entry.key.size() << 3 | static_cast<uint64_t>(entry.kind)),
                  static_cast<uint32_t>(entry.value.size()), entry.sequence};
  if (entry.kind == EntryKind::kPutOverflow) run_->has_overflow_ = true;
  run_->bytes_.append(reinterpret_cast<const char*>(&head), sizeof head);
  run_->bytes_.append(entry.key);
  run_->bytes_.append(entry.value);
}

void RunBuilder::add_range(RangeErase range) {
  run_->range_bytes_ += range.begin.size() + range.end.size() + sizeof range;
  run_->ranges_.push_back(std::move(range));
}

RunRef RunBuilder::finish() {
  std::sort(run_->ranges_.begin(), run_->ranges_.end(),
            [](const RangeErase& a, const RangeErase& b) {
              return std::tie(a.begin, a.end, a.sequence) < std::tie(b.begin, b.end, b.sequence);
            });
  return std::exchange(run_, std::make_shared<Run>());
}

}  // namespace wherestar::fractal_tree
