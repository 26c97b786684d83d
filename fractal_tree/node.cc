#include "fractal_tree/node.h"

#include <algorithm>
#include <utility>

#include <lz4.h>
#include <zstd.h>

#include "base/checksum.h"
#include "base/coding.h"

namespace wherestar::fractal_tree {
namespace {

// docs/formats.md, "Nodes".
constexpr uint32_t kNodeMagic = 0x444e5357;      // "WSND"
constexpr uint32_t kOverflowMagic = 0x564f5357;  // "WSOV"
constexpr uint16_t kNodeVersion = 1;
constexpr size_t kNodeHeaderBytes = 24;
constexpr size_t kFirstReadBytes = 8192;
constexpr size_t kMaxShellBytes = 64u << 20;
constexpr size_t kMaxRawBytes = 1u << 30;
constexpr size_t kMaxSlots = 1u << 20;
constexpr int kZstdLevel = 1;

uint64_t part_seed(uint64_t block_seed, uint32_t number) {
  return block_seed + 0x9e3779b97f4a7c15ULL * (number + 1);
}

std::unexpected<Error> damaged(const BlockStore& blocks, BlockId block, std::string_view what) {
  return fail(ErrorCode::kCorruption, blocks.describe(block) + ": " + std::string(what));
}

// Falls back to the bytes as they are where compression does not pay.
std::string compress(std::string_view raw, Codec& codec) {
  std::string out;
  size_t size = 0;
  if (codec == Codec::kZstd) {
    out.resize(ZSTD_compressBound(raw.size()));
    size = ZSTD_compress(out.data(), out.size(), raw.data(), raw.size(), kZstdLevel);
    if (ZSTD_isError(size) != 0) size = 0;
  } else if (codec == Codec::kLz4) {
    out.resize(static_cast<size_t>(LZ4_compressBound(static_cast<int>(raw.size()))));
    size = static_cast<size_t>(
        std::max(0, LZ4_compress_default(raw.data(), out.data(), static_cast<int>(raw.size()),
                                         static_cast<int>(out.size()))));
  }
  if (size == 0 || size >= raw.size()) {
    codec = Codec::kNone;
    return std::string(raw);
  }
  out.resize(size);
  return out;
}

bool decompress(std::string_view stored, Codec codec, std::string& raw) {
  switch (codec) {
    case Codec::kNone:
      if (stored.size() != raw.size()) return false;
      raw.assign(stored);
      return true;
    case Codec::kLz4:
      return LZ4_decompress_safe(stored.data(), raw.data(), static_cast<int>(stored.size()),
                                 static_cast<int>(raw.size())) == static_cast<int>(raw.size());
    case Codec::kZstd:
      return ZSTD_decompress(raw.data(), raw.size(), stored.data(), stored.size()) == raw.size();
  }
  return false;
}

}  // namespace

void RetireList::add(BlockId block) {
  const std::lock_guard lock(mutex_);
  blocks_.push_back(block);
}

std::vector<BlockId> RetireList::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(blocks_, {});
}

std::vector<BlockId> RetireList::all_and_alive() const {
  const std::lock_guard lock(mutex_);
  std::vector<BlockId> all = blocks_;
  all.insert(all.end(), alive_.begin(), alive_.end());
  return all;
}

void RetireSink::add(BlockId block) {
  const std::lock_guard lock(mutex_);
  if (published_) {
    list_->add(block);
  } else {
    waiting_.push_back(block);
  }
}

void RetireSink::publish() {
  const std::lock_guard lock(mutex_);
  published_ = true;
  for (const BlockId block : waiting_) list_->add(block);
  waiting_.clear();
}

BlockLife::BlockLife(std::shared_ptr<RetireSink> sink, BlockId block)
    : sink_(std::move(sink)), block_(block) {
  const std::lock_guard lock(sink_->list().mutex_);
  sink_->list().alive_.insert(block_);
}

BlockLife::~BlockLife() {
  sink_->add(block_);
  RetireList& list = sink_->list();
  const std::lock_guard lock(list.mutex_);
  list.alive_.erase(list.alive_.find(block_));
}

Part make_part(RunRef run) {
  Part part;
  part.raw_bytes = static_cast<uint32_t>(run->bytes());
  part.entries = static_cast<uint32_t>(run->size());
  part.has_ranges = !run->ranges().empty();
  part.has_overflow = run->has_overflow();
  part.run = std::move(run);
  return part;
}

size_t Node::find_slot(std::string_view key) const {
  return static_cast<size_t>(
      std::upper_bound(pivots.begin(), pivots.end(), key,
                       [](std::string_view a, const std::string& b) { return a < b; }) -
      pivots.begin());
}

size_t Node::raw_bytes() const {
  size_t sum = 0;
  for (const Slot& slot : slots) sum += slot.part.raw_bytes;
  return sum;
}

size_t Node::estimated_bytes() const {
  // Clean partitions tell how well this data compresses.
  double stored = 0;
  double raw = 0;
  double dirty = 0;
  for (const Slot& slot : slots) {
    if (slot.part.dirty()) {
      dirty += slot.part.raw_bytes;
    } else {
      stored += slot.part.stored_bytes;
      raw += slot.part.raw_bytes;
    }
  }
  constexpr double kUsualRatio = 0.35;
  return static_cast<size_t>(stored + dirty * (raw > 0 ? stored / raw : kUsualRatio));
}

size_t Node::memory_bytes() const {
  size_t sum = sizeof *this;
  for (const std::string& pivot : pivots) sum += sizeof pivot + pivot.capacity();
  for (const Slot& slot : slots) {
    sum += sizeof slot;
    if (slot.part.dirty()) sum += slot.part.run->memory_bytes();
  }
  return sum;
}

Result<std::shared_ptr<const Node>> NodeStore::load(const NodeRef& ref) {
  if (ref.node != nullptr) return ref.node;
  const CacheKey key{static_cast<uint64_t>(ref.block), static_cast<uint32_t>(id_), kShellPart};
  if (auto found = cache_.find(key)) return std::static_pointer_cast<const Node>(std::move(found));
  ASSIGN_OR_RETURN(auto node, read_shell(ref.block));
  cache_.insert(key, node, node->memory_bytes());
  return node;
}

Result<RunRef> NodeStore::load(const Part& part) {
  if (part.dirty()) return part.run;
  const CacheKey key{static_cast<uint64_t>(part.block), static_cast<uint32_t>(id_), part.number};
  if (auto found = cache_.find(key)) return std::static_pointer_cast<const Run>(std::move(found));
  ASSIGN_OR_RETURN(const std::string stored, stored_bytes(part));
  ASSIGN_OR_RETURN(RunRef run, decode(part, stored));
  cache_.insert(key, run, run->memory_bytes());
  return run;
}

Result<RunRef> NodeStore::load_once(const Part& part) {
  if (part.dirty()) return part.run;
  const CacheKey key{static_cast<uint64_t>(part.block), static_cast<uint32_t>(id_), part.number};
  if (auto found = cache_.find(key)) return std::static_pointer_cast<const Run>(std::move(found));
  return read(part);
}

Result<RunRef> NodeStore::read(const Part& part) {
  if (part.dirty()) return part.run;
  ASSIGN_OR_RETURN(const std::string stored, stored_bytes(part));
  return decode(part, stored);
}

Result<std::string> NodeStore::read_bytes(BlockId block, uint64_t offset, size_t size) {
  bytes_read_ += size;
  return blocks_.read(block, offset, size);
}

Result<BlockId> NodeStore::write_bytes(std::string_view bytes) {
  bytes_written_ += bytes.size();
  return blocks_.write(bytes);
}

Result<std::string> NodeStore::stored_bytes(const Part& part) {
  ASSIGN_OR_RETURN(std::string stored, blocks_.read(part.block, part.offset, part.stored_bytes));
  if (checksum64(stored, part_seed(blocks_.block_seed(part.block), part.number)) != part.checksum)
    return damaged(blocks_, part.block,
                   "partition " + std::to_string(part.number) + " has a wrong checksum");
  return stored;
}

Result<RunRef> NodeStore::decode(const Part& part, std::string_view stored) {
  Reader reader(stored);
  const auto raw_bytes = reader.fixed<uint32_t>();
  if (!reader.ok() || raw_bytes > kMaxRawBytes ||
      (part.codec == Codec::kNone && raw_bytes != reader.rest().size()))
    return damaged(blocks_, part.block, "a partition of an impossible size");
  std::string raw(raw_bytes, '\0');
  if (!decompress(reader.rest(), part.codec, raw))
    return damaged(blocks_, part.block,
                   "partition " + std::to_string(part.number) + " does not decompress");
  auto run = Run::decode(raw);
  if (!run) return fail_in(blocks_.describe(part.block), std::move(run).error());
  if ((*run)->size() != part.entries || (*run)->ranges().empty() == part.has_ranges)
    return damaged(blocks_, part.block, "a partition and its shell differ");
  return run;
}

// Header: u32 magic, u16 version, u16 height, u32 shell bytes, u32 slots, u64 checksum of the 16
// bytes before it and of the shell behind it. Shell: per slot stored bytes, raw bytes, entries
// (varints), u8 codec | has_ranges << 4 | has_overflow << 5, u64 checksum, above the leaves the
// child's block (varint); then the pivots (bytes). Partitions follow in order: u32 size of the
// encoded run, its bytes.
Result<NodeRef> NodeStore::write(const Node& node) {
  const uint64_t block_seed = blocks_.block_seed(blocks_.next_block());
  std::string parts;
  std::string shell;
  for (uint32_t number = 0; number < node.slots.size(); ++number) {
    const Slot& slot = node.slots[number];
    const size_t begin = parts.size();
    Codec codec = slot.part.codec;
    if (slot.part.dirty()) {
      const std::string raw = slot.part.run->encode();
      codec = options_.codec;
      const std::string stored = compress(raw, codec);
      put_fixed(parts, static_cast<uint32_t>(raw.size()));
      parts += stored;
    } else {
      ASSIGN_OR_RETURN(const std::string stored, stored_bytes(slot.part));
      parts += stored;
    }
    const std::string_view stored = std::string_view(parts).substr(begin);
    put_varint(shell, stored.size());
    put_varint(shell, slot.part.raw_bytes);
    put_varint(shell, slot.part.entries);
    shell.push_back(static_cast<char>(static_cast<uint8_t>(codec) |
                                      (slot.part.has_ranges ? 0x10 : 0) |
                                      (slot.part.has_overflow ? 0x20 : 0)));
    put_fixed(shell, checksum64(stored, part_seed(block_seed, number)));
    if (!node.is_leaf()) put_varint(shell, static_cast<uint64_t>(slot.child.block));
  }
  for (const std::string& pivot : node.pivots) put_bytes(shell, pivot);
  std::string bytes;
  bytes.reserve(kNodeHeaderBytes + shell.size() + parts.size());
  put_fixed(bytes, kNodeMagic);
  put_fixed(bytes, kNodeVersion);
  put_fixed(bytes, static_cast<uint16_t>(node.height));
  put_fixed(bytes, static_cast<uint32_t>(shell.size()));
  put_fixed(bytes, static_cast<uint32_t>(node.slots.size()));
  put_fixed(bytes, checksum64(bytes + shell, block_seed));
  bytes += shell;
  bytes += parts;
  ASSIGN_OR_RETURN(const BlockId block, write_bytes(bytes));
  return NodeRef{nullptr, block};
}

Result<NodeStore::ShellHeader> NodeStore::parse_header(BlockId block, std::string_view bytes,
                                                       uint64_t block_bytes) {
  Reader reader(bytes);
  ShellHeader header;
  const auto magic = reader.fixed<uint32_t>();
  const auto version = reader.fixed<uint16_t>();
  header.height = reader.fixed<uint16_t>();
  header.shell_bytes = reader.fixed<uint32_t>();
  header.slots = reader.fixed<uint32_t>();
  header.checksum = reader.fixed<uint64_t>();
  if (!reader.ok() || magic != kNodeMagic) return damaged(blocks_, block, "is no node");
  if (version != kNodeVersion) return damaged(blocks_, block, "a node of an unknown version");
  if (header.height > kMaxHeight || header.shell_bytes > kMaxShellBytes || header.slots == 0 ||
      header.slots > kMaxSlots || kNodeHeaderBytes + header.shell_bytes > block_bytes)
    return damaged(blocks_, block, "a node header with impossible sizes");
  return header;
}

Result<std::shared_ptr<const Node>> NodeStore::read_shell(BlockId block) {
  ASSIGN_OR_RETURN(const uint64_t block_bytes, blocks_.block_bytes(block));
  ASSIGN_OR_RETURN(std::string bytes,
                   read_bytes(block, 0, std::min<uint64_t>(block_bytes, kFirstReadBytes)));
  ASSIGN_OR_RETURN(const ShellHeader header, parse_header(block, bytes, block_bytes));
  if (bytes.size() < kNodeHeaderBytes + header.shell_bytes) {
    ASSIGN_OR_RETURN(bytes, read_bytes(block, 0, kNodeHeaderBytes + header.shell_bytes));
  }
  std::string covered = bytes.substr(0, 16);
  covered.append(bytes, kNodeHeaderBytes, header.shell_bytes);
  if (checksum64(covered, blocks_.block_seed(block)) != header.checksum)
    return damaged(blocks_, block, "a node with a wrong checksum");
  return parse_shell(block, header, std::string_view(covered).substr(16), block_bytes);
}

Result<std::shared_ptr<const Node>> NodeStore::parse_shell(BlockId block, const ShellHeader& header,
                                                           std::string_view shell,
                                                           uint64_t block_bytes) {
  auto node = std::make_shared<Node>();
  node->height = header.height;
  Reader reader(shell);
  uint64_t offset = kNodeHeaderBytes + header.shell_bytes;
  for (uint32_t number = 0; number < header.slots && reader.ok(); ++number) {
    Slot slot;
    slot.part.block = block;
    slot.part.number = number;
    slot.part.offset = offset;
    const uint64_t stored = reader.varint();
    slot.part.stored_bytes = static_cast<uint32_t>(stored);
    slot.part.raw_bytes = static_cast<uint32_t>(reader.varint());
    slot.part.entries = static_cast<uint32_t>(reader.varint());
    const auto flags = reader.fixed<uint8_t>();
    slot.part.codec = static_cast<Codec>(flags & 0xf);
    slot.part.has_ranges = (flags & 0x10) != 0;
    slot.part.has_overflow = (flags & 0x20) != 0;
    slot.part.checksum = reader.fixed<uint64_t>();
    if (!node->is_leaf()) slot.child.block = BlockId{reader.varint()};
    if (stored > block_bytes || offset + stored > block_bytes || (flags & 0xf) > 2 ||
        (!node->is_leaf() && slot.child.block == kNoBlock))
      return damaged(blocks_, block, "a damaged table of partitions");
    offset += stored;
    node->slots.push_back(std::move(slot));
  }
  for (uint32_t i = 1; i < header.slots && reader.ok(); ++i) {
    node->pivots.emplace_back(reader.bytes());
    if (i > 1 && node->pivots[i - 2] >= node->pivots[i - 1])
      return damaged(blocks_, block, "unsorted pivots");
  }
  if (!reader.done() || offset != block_bytes)
    return damaged(blocks_, block, "a node and its block differ in length");
  return node;
}

// Block: u32 magic, u32 stored bytes, u8 codec, bytes. Reference in entries: varint block, varint
// value bytes, u64 checksum of the whole block.
Result<std::string> NodeStore::write_overflow(std::string_view value) {
  Codec codec = options_.codec;
  const std::string stored = compress(value, codec);
  std::string bytes;
  put_fixed(bytes, kOverflowMagic);
  put_fixed(bytes, static_cast<uint32_t>(stored.size()));
  bytes.push_back(static_cast<char>(codec));
  bytes += stored;
  const uint64_t checksum = checksum64(bytes, blocks_.block_seed(blocks_.next_block()));
  ASSIGN_OR_RETURN(const BlockId block, write_bytes(bytes));
  std::string reference;
  put_varint(reference, static_cast<uint64_t>(block));
  put_varint(reference, value.size());
  put_fixed(reference, checksum);
  return reference;
}

Result<BlockId> NodeStore::overflow_block(std::string_view reference) {
  Reader reader(reference);
  const BlockId block{reader.varint()};
  if (!reader.ok()) return fail(ErrorCode::kCorruption, "a damaged reference to a large value");
  return block;
}

Result<std::string> NodeStore::read_overflow(std::string_view reference) {
  Reader reader(reference);
  const BlockId block{reader.varint()};
  const uint64_t value_bytes = reader.varint();
  const auto checksum = reader.fixed<uint64_t>();
  if (!reader.done() || value_bytes > kMaxValueBytes)
    return fail(ErrorCode::kCorruption, "a damaged reference to a large value");
  ASSIGN_OR_RETURN(const uint64_t block_bytes, blocks_.block_bytes(block));
  ASSIGN_OR_RETURN(const std::string bytes, read_bytes(block, 0, block_bytes));
  if (checksum64(bytes, blocks_.block_seed(block)) != checksum)
    return damaged(blocks_, block, "a large value with a wrong checksum");
  Reader content(bytes);
  const auto magic = content.fixed<uint32_t>();
  const auto stored_bytes = content.fixed<uint32_t>();
  const auto codec = static_cast<Codec>(content.fixed<uint8_t>());
  std::string value(value_bytes, '\0');
  if (!content.ok() || magic != kOverflowMagic || content.rest().size() != stored_bytes ||
      !decompress(content.rest(), codec, value))
    return damaged(blocks_, block, "is no large value");
  return value;
}

}  // namespace wherestar::fractal_tree
