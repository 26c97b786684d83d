#include "index/posting.h"

#include <iterator>
#include <map>
#include <utility>

#include <roaring/roaring.hh>

namespace wherestar::index {

// One 32-bit bitmap per upper half. A bitmap of the map is never empty, so that sets that are
// equal look equal.
struct DocIdSet::State {
  std::map<uint32_t, Roaring> bitmaps;
};

namespace {
uint32_t upper_half(uint64_t doc) {
  return static_cast<uint32_t>(doc >> 32);
}
uint32_t lower_half(uint64_t doc) {
  return static_cast<uint32_t>(doc);
}
}  // namespace

DocIdSet::DocIdSet() : state_(std::make_unique<State>()) {}
DocIdSet::~DocIdSet() = default;
DocIdSet::DocIdSet(const DocIdSet& other) : state_(std::make_unique<State>(*other.state_)) {}
DocIdSet& DocIdSet::operator=(const DocIdSet& other) {
  if (this != &other) *state_ = *other.state_;
  return *this;
}
// A set that was moved from is empty and usable, as a caller would expect of a set.
DocIdSet::DocIdSet(DocIdSet&& other) noexcept : DocIdSet() {
  std::swap(state_, other.state_);
}
DocIdSet& DocIdSet::operator=(DocIdSet&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

void DocIdSet::add(DocId doc) {
  const auto bits = static_cast<uint64_t>(doc);
  state_->bitmaps[upper_half(bits)].add(lower_half(bits));
}

void DocIdSet::add_range(DocId begin, DocId end) {
  if (begin >= end) return;
  const auto first = static_cast<uint64_t>(begin);
  const uint64_t last = static_cast<uint64_t>(end) - 1;
  for (uint64_t upper = first >> 32; upper <= last >> 32; ++upper) {
    const uint64_t from = upper == first >> 32 ? lower_half(first) : 0;
    const uint64_t to = upper == last >> 32 ? uint64_t{lower_half(last)} + 1 : uint64_t{1} << 32;
    state_->bitmaps[static_cast<uint32_t>(upper)].addRange(from, to);
  }
}

void DocIdSet::add_many(std::span<const uint64_t> docs) {
  std::vector<uint32_t> lower;
  for (size_t i = 0; i < docs.size();) {
    const uint32_t upper = upper_half(docs[i]);
    lower.clear();
    for (; i < docs.size() && upper_half(docs[i]) == upper; ++i)
      lower.push_back(lower_half(docs[i]));
    state_->bitmaps[upper].addMany(lower.size(), lower.data());
  }
}

bool DocIdSet::contains(DocId doc) const {
  const auto bits = static_cast<uint64_t>(doc);
  const auto found = state_->bitmaps.find(upper_half(bits));
  return found != state_->bitmaps.end() && found->second.contains(lower_half(bits));
}

uint64_t DocIdSet::size() const {
  uint64_t size = 0;
  for (const auto& [upper, bitmap] : state_->bitmaps) size += bitmap.cardinality();
  return size;
}

void DocIdSet::intersect_with(const DocIdSet& other) {
  if (this == &other) return;
  auto& bitmaps = state_->bitmaps;
  for (auto entry = bitmaps.begin(); entry != bitmaps.end();) {
    const auto found = other.state_->bitmaps.find(entry->first);
    if (found != other.state_->bitmaps.end()) entry->second &= found->second;
    const bool gone = found == other.state_->bitmaps.end() || entry->second.isEmpty();
    entry = gone ? bitmaps.erase(entry) : std::next(entry);
  }
}

void DocIdSet::unite_with(const DocIdSet& other) {
  if (this == &other) return;
  for (const auto& [upper, bitmap] : other.state_->bitmaps) state_->bitmaps[upper] |= bitmap;
}

void DocIdSet::subtract(const DocIdSet& other) {
  if (this == &other) {
    state_->bitmaps.clear();
    return;
  }
  for (const auto& [upper, bitmap] : other.state_->bitmaps) {
    const auto entry = state_->bitmaps.find(upper);
    if (entry == state_->bitmaps.end()) continue;
    entry->second -= bitmap;
    if (entry->second.isEmpty()) state_->bitmaps.erase(entry);
  }
}

std::vector<DocId> DocIdSet::to_vector() const {
  std::vector<DocId> docs;
  docs.reserve(size());
  std::vector<uint32_t> lower;
  for (const auto& [upper, bitmap] : state_->bitmaps) {
    lower.resize(bitmap.cardinality());
    bitmap.toUint32Array(lower.data());
    for (const uint32_t bits : lower) docs.push_back(DocId{(uint64_t{upper} << 32) | bits});
  }
  return docs;
}

}  // namespace wherestar::index
