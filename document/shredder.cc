#include "document/shredder.h"

#include <algorithm>
#include <cstring>

#include "document/number_text.h"
#include "document/scanner.h"
#include "document/string_text.h"

namespace wherestar::document {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

// Names are short: eight bytes a step. Collisions are resolved by comparing names.
uint64_t hash_name(uint32_t parent, bool is_element, std::string_view name) {
  constexpr uint64_t kMultiplier = 0x9e3779b97f4a7c15;
  const auto mix = [](uint64_t hash, uint64_t word) {
    const uint64_t product = (hash ^ word) * kMultiplier;
    return product ^ product >> 32;
  };
  uint64_t hash = mix(name.size() + kMultiplier, uint64_t{parent} << 1 | (is_element ? 1 : 0));
  while (name.size() >= 8) {
    uint64_t word = 0;
    std::memcpy(&word, name.data(), 8);
    hash = mix(hash, word);
    name.remove_prefix(8);
  }
  uint64_t word = 0;
  std::memcpy(&word, name.data(), name.size());
  return mix(hash, word + 1);
}

}  // namespace

bool Shredder::shred(std::string_view text, std::span<const uint32_t> tokens) {
  text_ = text;
  tokens_ = tokens;
  reset(text);
  if (!walk()) return false;
  if (!shadowed_.empty()) drop_shadowed();
  return true;
}

int64_t Shredder::id_occurrence() const {
  const auto& occurrences = shredded_.occurrences;
  for (size_t path = 1; path < shredded_.paths.size(); ++path) {
    const Shredded::Path& candidate = shredded_.paths[path];
    if (candidate.parent != 0 || candidate.is_element || candidate.name != "_id") continue;
    for (size_t i = 1; i < occurrences.size(); ++i)
      if (occurrences[i].path == path) return static_cast<int64_t>(i);
  }
  return -1;
}

void Shredder::reset(std::string_view text) {
  constexpr size_t kKeptOccurrences = 1 << 16;
  constexpr size_t kKeptBytes = 4u << 20;
  if (shredded_.occurrences.capacity() > kKeptOccurrences) {  // after a giant
    shredded_ = {};
    starts_ = {};
    last_seen_ = {};
    slots_ = {};
  }
  if (buffer_.capacity() > kKeptBytes && text.size() < kKeptBytes) buffer_ = {};
  shredded_.paths.clear();
  shredded_.occurrences.clear();
  starts_.clear();
  last_seen_.clear();
  open_.clear();
  shadowed_.clear();
  buffer_.clear();
  buffer_.reserve(text.size());  // unescaped text is never longer, so views into it stay valid
  if (slots_.empty()) slots_.resize(256);
  if (++document_ == 0) {  // slots of 2^32 documents ago
    std::fill(slots_.begin(), slots_.end(), Slot{});
    document_ = 1;
  }
  containers_ = 0;
  next_ = 0;
  shredded_.paths.push_back({});
  last_seen_.push_back({});
  pending_path_ = 0;
}

bool Shredder::walk() {
  while (true) {
    if (shredded_.occurrences.size() >= kMaxValues) return false;
    const size_t depth = open_.size();
    if (!value(pending_path_)) return false;
    if (open_.size() > depth ? !first_inside() : !after_value()) return false;
    if (open_.empty()) return at_end();
  }
}

Shredded::Occurrence& Shredder::add(uint32_t path, JsonType type) {
  starts_.push_back(token());
  Shredded::Occurrence& occurrence = shredded_.occurrences.emplace_back();
  occurrence.path = path;
  occurrence.type = type;
  return occurrence;
}

bool Shredder::value(uint32_t path) {
  switch (token_char()) {
    case '{':
    case '[': {
      if (open_.size() >= kMaxDepth) return false;
      const bool is_array = token_char() == '[';
      Frame frame;
      frame.path = path;
      frame.occurrence = static_cast<uint32_t>(shredded_.occurrences.size());
      frame.container = ++containers_;
      frame.is_array = is_array;
      open_.push_back(frame);
      add(path, is_array ? JsonType::kArray : JsonType::kObject);
      ++next_;
      return true;
    }
    case '"': {
      const uint32_t start = token();
      Shredded::Occurrence& occurrence = add(path, JsonType::kString);
      std::string_view unescaped;
      if (!string_inside(unescaped)) return false;
      occurrence.scalar = unescaped;
      occurrence.length = static_cast<uint32_t>(count_characters(unescaped));
      uint32_t end = token();  // behind the quote, after blanks
      while (is_blank(text_[end - 1])) --end;
      occurrence.text_bytes = end - start;
      return true;
    }
    case 'n':
      return word("null", path, JsonType::kNull, Null{});
    case 't':
      return word("true", path, JsonType::kBoolean, true);
    case 'f':
      return word("false", path, JsonType::kBoolean, false);
    default:
      return number(path);
  }
}

bool Shredder::first_inside() {
  const Frame& frame = open_.back();
  if (token_char() == (frame.is_array ? ']' : '}')) return after_value();
  if (!frame.is_array) return member();
  element();
  return true;
}

bool Shredder::after_value() {
  while (!open_.empty()) {
    const Frame& frame = open_.back();
    const char c = token_char();
    if (c == ',') {
      ++next_;
      if (!frame.is_array) return member();
      element();
      return true;
    }
    if (c != (frame.is_array ? ']' : '}')) return false;
    shredded_.occurrences[frame.occurrence].text_bytes = token() + 1 - starts_[frame.occurrence];
    ++next_;
    open_.pop_back();
  }
  return true;
}

void Shredder::element() {
  Frame& frame = open_.back();
  if (frame.element_path == kNone) frame.element_path = path_of(frame.path, true, {});
  ++shredded_.occurrences[frame.occurrence].length;
  pending_path_ = frame.element_path;
}

bool Shredder::member() {
  const Frame& frame = open_.back();
  std::string_view name;
  if (token_char() != '"' || !string_inside(name)) return false;
  if (token_char() != ':') return false;
  ++next_;
  pending_path_ = path_of(frame.path, false, name);
  LastSeen& seen = last_seen_[pending_path_];
  if (seen.container == frame.container)
    shadowed_.push_back(seen.occurrence);
  else
    ++shredded_.occurrences[frame.occurrence].length;
  seen.container = frame.container;
  seen.occurrence = static_cast<uint32_t>(shredded_.occurrences.size());
  return true;
}

bool Shredder::scalar_end(size_t offset) const {
  if (offset == text_.size()) return true;
  const char c = text_[offset];
  return is_blank(c) || c == ',' || c == ']' || c == '}';
}

bool Shredder::word(std::string_view expected, uint32_t path, JsonType type, Scalar scalar) {
  if (text_.substr(token(), expected.size()) != expected) return false;
  if (!scalar_end(token() + expected.size())) return false;
  Shredded::Occurrence& occurrence = add(path, type);
  occurrence.scalar = scalar;
  occurrence.text_bytes = static_cast<uint32_t>(expected.size());
  ++next_;
  return true;
}

bool Shredder::number(uint32_t path) {
  if (at_end()) return false;
  bool is_integer = false;
  const size_t length = number_length(text_.substr(token()), is_integer);
  if (length == 0 || !scalar_end(token() + length)) return false;
  const auto value = number_of_checked_text(text_.substr(token(), length), is_integer);
  if (!value) return false;
  Shredded::Occurrence& occurrence = add(path, is_integer ? JsonType::kInteger : JsonType::kDouble);
  occurrence.scalar = *value;
  occurrence.text_bytes = static_cast<uint32_t>(length);
  ++next_;
  return true;
}

// Steps over a string token. Between its closing quote and the next token there are only blanks.
bool Shredder::string_inside(std::string_view& unescaped) {
  const uint32_t start = token() + 1;
  uint32_t end = tokens_[++next_];
  while (end > start && is_blank(text_[end - 1])) --end;
  if (end <= start || text_[--end] != '"') return false;
  const std::string_view inside = text_.substr(start, end - start);
  if (std::memchr(inside.data(), '\\', inside.size()) == nullptr) {
    unescaped = inside;
    return true;
  }
  const size_t before = buffer_.size();
  if (!unescape(inside, buffer_)) return false;
  unescaped = std::string_view(buffer_).substr(before);
  return true;
}

uint32_t Shredder::path_of(uint32_t parent, bool is_element, std::string_view name) {
  const uint64_t hash = hash_name(parent, is_element, name);
  const size_t mask = slots_.size() - 1;
  for (size_t i = hash & mask;; i = (i + 1) & mask) {
    Slot& slot = slots_[i];
    if (slot.document != document_) {
      const auto path = static_cast<uint32_t>(shredded_.paths.size());
      slot = {document_, path, hash};
      shredded_.paths.push_back({parent, is_element, name});
      last_seen_.push_back({});
      if (shredded_.paths.size() * 2 > slots_.size()) grow_slots();
      return path;
    }
    const Shredded::Path& path = shredded_.paths[slot.path];
    if (slot.hash == hash && path.parent == parent && path.is_element == is_element &&
        path.name == name)
      return slot.path;
  }
}

void Shredder::grow_slots() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.document != document_) continue;
    size_t i = slot.hash & mask;
    while (slots_[i].document == document_) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

// Takes out the values whose member came again, and the paths that only they had.
void Shredder::drop_shadowed() {
  std::sort(shadowed_.begin(), shadowed_.end());
  auto& occurrences = shredded_.occurrences;
  std::vector<Shredded::Path> paths;
  std::vector<uint32_t> renumbered(shredded_.paths.size(), kNone);
  size_t kept = 0, next_shadowed = 0;
  uint64_t gone_until = 0;  // offset in the text where the shadowed value ends
  for (size_t i = 0; i < occurrences.size(); ++i) {
    while (next_shadowed < shadowed_.size() && shadowed_[next_shadowed] <= i) {
      const uint32_t shadowed = shadowed_[next_shadowed++];
      gone_until = std::max<uint64_t>(
          gone_until, uint64_t{starts_[shadowed]} + occurrences[shadowed].text_bytes);
    }
    if (starts_[i] < gone_until) continue;
    uint32_t& path = renumbered[occurrences[i].path];
    if (path == kNone) {
      path = static_cast<uint32_t>(paths.size());
      paths.push_back(shredded_.paths[occurrences[i].path]);
      paths.back().parent = renumbered[paths.back().parent];
    }
    occurrences[kept] = occurrences[i];
    occurrences[kept].path = path;
    starts_[kept] = starts_[i];
    ++kept;
  }
  occurrences.resize(kept);
  starts_.resize(kept);
  shredded_.paths = std::move(paths);
}

}  // namespace wherestar::document
