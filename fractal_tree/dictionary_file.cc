#include "fractal_tree/dictionary_file.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace wherestar::fractal_tree {
namespace {

constexpr uint64_t kMinGrowthBytes = 64u << 10;
constexpr uint64_t kMaxGrowthBytes = 16u << 20;

uint64_t number(BlockId block) {
  return static_cast<uint64_t>(block);
}

struct Piece {
  uint64_t unit = 0;
  uint64_t units = 0;
  std::string what;
};

}  // namespace

DictionaryFile::DictionaryFile(DictionaryPlace place) : place_(std::move(place)) {}

Result<std::unique_ptr<DictionaryFile>> DictionaryFile::open(DictionaryPlace place,
                                                             uint64_t checkpoint) {
  std::unique_ptr<DictionaryFile> file(new DictionaryFile(std::move(place)));
  if (checkpoint != 0) {
    if (Status status = file->load(checkpoint); !status)
      return fail_in(file->place_.path(), std::move(status).error());
  }
  return file;
}

Status DictionaryFile::load(uint64_t checkpoint) {
  auto opened = place_.file_system->open(place_.path(),
                                         place_.read_only ? OpenMode::kRead : OpenMode::kReadWrite);
  if (!opened && opened.error().code == ErrorCode::kNotFound)
    return fail(ErrorCode::kCorruption, "the file is missing");
  if (!opened) return std::unexpected(std::move(opened).error());
  file_ = *std::move(opened);
  ASSIGN_OR_RETURN(file_bytes_, file_->size());
  ASSIGN_OR_RETURN(const DictionaryHeader header, load_header(checkpoint));
  next_block_ = header.next_block;
  checkpoint_ = checkpoint;
  return load_table(header);
}

Result<DictionaryHeader> DictionaryFile::load_header(uint64_t checkpoint) {
  if (file_bytes_ < kHeaderUnits * kUnitBytes)
    return fail(ErrorCode::kCorruption, "the file is shorter than its headers");
  std::string problems;
  ErrorCode code = ErrorCode::kCorruption;
  for (unsigned slot = 0; slot < kHeaderUnits; ++slot) {
    ASSIGN_OR_RETURN(const std::string bytes,
                     file_->read_at(slot * kHeaderSlotBytes, kHeaderSlotBytes));
    auto header = decode_dictionary_header(bytes, place_.store, place_.id, slot);
    if (header && header->checkpoint == checkpoint) {
      slot_ = slot;
      return header;
    }
    if (!header && header.error().code == ErrorCode::kFormat) code = ErrorCode::kFormat;
    problems += header ? "; header slot " + std::to_string(slot) + " has checkpoint " +
                             std::to_string(header->checkpoint)
                       : "; " + header.error().message;
  }
  return fail(code, "no header of checkpoint " + std::to_string(checkpoint) + problems);
}

Status DictionaryFile::load_table(const DictionaryHeader& header) {
  if (header.table_bytes == 0) return fail(ErrorCode::kCorruption, "the header names no table");
  if (header.table_offset > file_bytes_ || header.table_bytes > file_bytes_ - header.table_offset)
    return fail(ErrorCode::kCorruption, "the block table lies behind the end of the file");
  ASSIGN_OR_RETURN(const std::string bytes,
                   file_->read_at(header.table_offset, header.table_bytes));
  if (checksum64(bytes, checksum_seed(place_.store, 'T', place_.id, header.checkpoint)) !=
      header.table_checksum)
    return fail(
        ErrorCode::kCorruption,
        "block table at offset " + std::to_string(header.table_offset) + ": checksum differs");
  ASSIGN_OR_RETURN(table_, decode_block_table(header.table_codec, header.table_raw_bytes, bytes));
  table_extent_ = Extent{header.table_offset / kUnitBytes, header.table_bytes};
  if (!table_.empty() && table_.rbegin()->first >= next_block_)
    return fail(ErrorCode::kCorruption, "block table: a block id beyond the header's next");
  // By offset, so that the allocator sees a rising end.
  std::vector<Extent> extents{*table_extent_};
  for (const auto& [id, extent] : table_) extents.push_back(extent);
  std::sort(extents.begin(), extents.end(),
            [](const Extent& a, const Extent& b) { return a.unit < b.unit; });
  for (const Extent& extent : extents) {
    if (extent.unit < kHeaderUnits || extent.offset() + extent.bytes > file_bytes_ ||
        !allocator_.reserve(extent.unit, extent.units()))
      return fail(ErrorCode::kCorruption, "block table: extent at offset " +
                                              std::to_string(extent.offset()) +
                                              " overlaps another or the file's end");
  }
  return {};
}

Status DictionaryFile::make_file() {
  if (place_.read_only)
    return fail(ErrorCode::kReadOnly, place_.path() + ": the store is open for reading only");
  if (file_) return {};
  ASSIGN_OR_RETURN(file_, place_.file_system->open(place_.path(), OpenMode::kCreateOrOpen));
  ASSIGN_OR_RETURN(file_bytes_, file_->size());
  return {};
}

Result<Extent> DictionaryFile::take(uint64_t bytes) {
  RETURN_IF_ERROR(make_file());
  const uint64_t unit = allocator_.allocate(units_of(bytes));
  const uint64_t needed = allocator_.end() * kUnitBytes;
  if (needed > file_bytes_) {
    const uint64_t step = std::clamp(file_bytes_ / 4, kMinGrowthBytes, kMaxGrowthBytes);
    uint64_t target = units_of(std::max(needed, file_bytes_ + step)) * kUnitBytes;
    Status grown = file_->allocate(file_bytes_, target - file_bytes_);
    if (!grown && grown.error().code == ErrorCode::kNoSpace && needed < target) {
      target = needed;  // a nearly full disk: only what this one needs
      grown = file_->allocate(file_bytes_, target - file_bytes_);
    }
    if (!grown) {
      allocator_.free(unit, units_of(bytes));
      return std::unexpected(std::move(grown).error());
    }
    file_bytes_ = target;
  }
  return Extent{unit, bytes};
}

BlockId DictionaryFile::next_block() const {
  const std::lock_guard lock(mutex_);
  return BlockId{next_block_};
}

Result<BlockId> DictionaryFile::write(std::string_view bytes) {
  if (bytes.empty()) return fail(ErrorCode::kInvalidArgument, "an empty block");
  Extent extent;
  {
    const std::lock_guard lock(mutex_);
    ASSIGN_OR_RETURN(extent, take(bytes.size()));
  }
  const Status written = file_->write_at(extent.offset(), bytes);
  const std::lock_guard lock(mutex_);
  if (!written) {
    allocator_.free(extent.unit, extent.units());
    return std::unexpected(written.error());
  }
  const uint64_t id = next_block_++;
  table_.emplace_hint(table_.end(), id, extent);
  fresh_.insert(id);
  changed_ = true;
  return BlockId{id};
}

Result<Extent> DictionaryFile::find(BlockId block) const {
  const std::shared_lock lock(mutex_);
  const auto found = table_.find(number(block));
  if (found == table_.end())
    return fail(ErrorCode::kCorruption, describe(block) + " is not in the block table");
  return found->second;
}

Result<std::string> DictionaryFile::read(BlockId block, uint64_t offset, size_t size) {
  ASSIGN_OR_RETURN(const Extent extent, find(block));
  if (offset > extent.bytes || size > extent.bytes - offset)
    return fail(ErrorCode::kCorruption, describe(block) + ": " + std::to_string(size) +
                                            " bytes at offset " + std::to_string(offset) +
                                            " are not inside its " + std::to_string(extent.bytes));
  auto bytes = file_->read_at(extent.offset() + offset, size);
  if (!bytes) return fail_in(describe(block), std::move(bytes).error());
  return bytes;
}

Result<uint64_t> DictionaryFile::block_bytes(BlockId block) {
  ASSIGN_OR_RETURN(const Extent extent, find(block));
  return extent.bytes;
}

void DictionaryFile::free(BlockId block) {
  const std::lock_guard lock(mutex_);
  const auto found = table_.find(number(block));
  if (found == table_.end()) return;
  const Extent extent = found->second;
  table_.erase(found);
  changed_ = true;
  if (fresh_.erase(number(block)) != 0)
    allocator_.free(extent.unit, extent.units());
  else
    deferred_.push_back(extent);
}

uint64_t DictionaryFile::block_seed(BlockId block) const {
  return checksum_seed(place_.store, 'B', place_.id, number(block));
}

std::string DictionaryFile::describe(BlockId block) const {
  return place_.file_name() + ", block " + std::to_string(number(block));
}

std::vector<BlockId> DictionaryFile::blocks() const {
  const std::shared_lock lock(mutex_);
  std::vector<BlockId> result;
  result.reserve(table_.size());
  for (const auto& [id, extent] : table_) result.push_back(BlockId{id});
  return result;
}

BlockStoreCounters DictionaryFile::counters() const {
  const std::shared_lock lock(mutex_);
  BlockStoreCounters counters;
  if (!file_) return counters;
  counters.file_bytes = file_bytes_;
  counters.blocks = table_.size();
  for (const auto* extents : {&deferred_, &releasing_})
    for (const Extent& extent : *extents) counters.deferred_bytes += extent.units() * kUnitBytes;
  const uint64_t free_below_end = allocator_.free_units() * kUnitBytes;
  const uint64_t end = allocator_.end() * kUnitBytes;
  counters.used_bytes = end - free_below_end - counters.deferred_bytes;
  counters.free_bytes = free_below_end + (file_bytes_ > end ? file_bytes_ - end : 0);
  return counters;
}

std::vector<std::string> DictionaryFile::check_space() const {
  const std::shared_lock lock(mutex_);
  std::vector<std::string> problems;
  if (!file_) return problems;
  std::vector<Piece> pieces{{0, kHeaderUnits, "headers"}};
  const auto add = [&](const Extent& extent, std::string what) {
    pieces.push_back({extent.unit, extent.units(), std::move(what)});
  };
  for (const auto& [id, extent] : table_) add(extent, "block " + std::to_string(id));
  for (const auto* extents : {&deferred_, &releasing_})
    for (const Extent& extent : *extents) add(extent, "deferred extent");
  if (table_extent_) add(*table_extent_, "block table");
  if (prepared_) add(prepared_->table_extent, "next block table");
  for (const auto& [unit, units] : allocator_.holes()) pieces.push_back({unit, units, "hole"});
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.unit < b.unit; });
  uint64_t end = 0;
  const std::string name = place_.file_name();
  for (const Piece& piece : pieces) {
    if (piece.unit != end)
      problems.push_back(name + ": " + piece.what + " begins at unit " +
                         std::to_string(piece.unit) + ", what is before it ends at " +
                         std::to_string(end));
    end = piece.unit + piece.units;
  }
  if (end != allocator_.end())
    problems.push_back(name + ": extents end at unit " + std::to_string(end) +
                       ", the allocator's end is " + std::to_string(allocator_.end()));
  if (end * kUnitBytes > file_bytes_) problems.push_back(name + ": extents behind the file's end");
  return problems;
}

Result<bool> DictionaryFile::prepare(uint64_t checkpoint) {
  DictionaryHeader header;
  StoredTable stored;
  Extent extent;
  unsigned slot = 0;
  {
    const std::lock_guard lock(mutex_);
    CHECK(!prepared_);
    if (!changed_) return false;
    stored = encode_block_table(table_);
    ASSIGN_OR_RETURN(extent, take(stored.bytes.size()));
    slot = 1 - slot_;
    prepared_ = Prepared{checkpoint, slot, extent};
    header = {place_.store,
              place_.id,
              checkpoint,
              next_block_,
              extent.offset(),
              stored.bytes.size(),
              stored.raw_bytes,
              stored.codec,
              checksum64(stored.bytes, checksum_seed(place_.store, 'T', place_.id, checkpoint))};
    changed_ = false;
    fresh_.clear();
    releasing_ = std::exchange(deferred_, {});
  }
  RETURN_IF_ERROR(file_->write_at(extent.offset(), stored.bytes));
  RETURN_IF_ERROR(file_->write_at(slot * kHeaderSlotBytes, encode_dictionary_header(header, slot)));
  return true;
}

Status DictionaryFile::sync() {
  return file_->sync();
}

void DictionaryFile::commit() {
  const std::lock_guard lock(mutex_);
  if (!prepared_) return;
  for (const Extent& extent : releasing_) allocator_.free(extent.unit, extent.units());
  releasing_.clear();
  if (table_extent_) allocator_.free(table_extent_->unit, table_extent_->units());
  table_extent_ = prepared_->table_extent;
  checkpoint_ = prepared_->checkpoint;
  slot_ = prepared_->slot;
  prepared_.reset();
}

void DictionaryFile::abort() {
  const std::lock_guard lock(mutex_);
  if (!prepared_) return;
  // No manifest names this table, so its space may be reused although a header points to it.
  allocator_.free(prepared_->table_extent.unit, prepared_->table_extent.units());
  deferred_.insert(deferred_.end(), releasing_.begin(), releasing_.end());
  releasing_.clear();
  changed_ = true;
  prepared_.reset();
}

void DictionaryFile::give_back_space() {
  const std::lock_guard lock(mutex_);
  if (!file_ || place_.read_only) return;
  const uint64_t end = allocator_.end() * kUnitBytes;
  if (file_bytes_ > end && file_->truncate(end)) file_bytes_ = end;
  for (const auto& [unit, units] : allocator_.holes())
    if (!file_->punch_hole(unit * kUnitBytes, units * kUnitBytes)) return;
}

uint64_t DictionaryFile::checkpoint() const {
  const std::shared_lock lock(mutex_);
  return checkpoint_;
}

bool DictionaryFile::contains(BlockId block) const {
  const std::shared_lock lock(mutex_);
  return table_.contains(number(block));
}

}  // namespace wherestar::fractal_tree
