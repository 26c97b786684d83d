#include "fractal_tree/dictionary_file.h"

#include <string>

#include <doctest/doctest.h>

#include "base/memory_file_system.h"

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

constexpr const char* kPath = "/db/3.tree";

struct Fixture {
  Fixture() { REQUIRE(fs.create_directories("/db")); }
  DictionaryPlace place() { return {&fs, "/db", {1, 2}, 3, false}; }
  std::unique_ptr<DictionaryFile> open(uint64_t checkpoint) {
    auto file = DictionaryFile::open(place(), checkpoint);
    if (!file) FAIL(file.error().message);
    return *std::move(file);
  }
  Error open_error(uint64_t checkpoint) {
    auto file = DictionaryFile::open(place(), checkpoint);
    REQUIRE_FALSE(file);
    CHECK(file.error().message.find(kPath) != std::string::npos);
    return file.error();
  }
  void publish(DictionaryFile& file, uint64_t checkpoint) {
    REQUIRE(file.prepare(checkpoint).value());
    REQUIRE(file.sync());
    file.commit();
    REQUIRE(file.check_space().empty());
  }
  std::string read(DictionaryFile& file, BlockId block) {
    auto bytes = file.read(block, 0, file.block_bytes(block).value());
    return bytes ? *bytes : bytes.error().message;
  }
  MemoryFileSystem fs;
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "checkpoints alternate between the header slots, both stay readable") {
  auto file = open(0);
  CHECK_FALSE(fs.exists(kPath).value());  // made at the first write
  const BlockId first = file->write("first").value();
  publish(*file, 4);
  const BlockId second = file->write("second").value();
  publish(*file, 6);
  file->free(first);
  REQUIRE(file->prepare(7).value());
  REQUIRE(file->sync());
  // Not in force: whoever opens for checkpoint 6 finds it whole.
  auto again = open(6);
  CHECK(read(*again, first) == "first");
  CHECK(read(*again, second) == "second");
  CHECK(again->check_space().empty());
  CHECK(open(7)->blocks() == std::vector<BlockId>{second});
  CHECK(open_error(4).code == ErrorCode::kCorruption);  // its slot was overwritten
}

TEST_CASE_FIXTURE(Fixture, "an unchanged dictionary writes nothing at a checkpoint") {
  auto file = open(0);
  REQUIRE(file->write("first"));
  publish(*file, 1);
  const uint64_t calls = fs.call_count();
  CHECK_FALSE(file->prepare(2).value());
  file->commit();
  CHECK(fs.call_count() == calls);
  CHECK(file->checkpoint() == 1);
}

TEST_CASE_FIXTURE(Fixture, "damage in the valid header is an error and no step back") {
  auto file = open(0);
  REQUIRE(file->write("first"));
  publish(*file, 1);  // slot 0
  REQUIRE(file->write("second"));
  publish(*file, 2);  // slot 1
  REQUIRE(fs.flip_byte(kPath, 4096 + 50, 4));
  const Error error = open_error(2);
  CHECK(error.code == ErrorCode::kCorruption);
  CHECK(error.message.find("slot 1: checksum") != std::string::npos);
  REQUIRE(fs.flip_byte(kPath, 4096 + 50, 4));
  REQUIRE(fs.flip_byte(kPath, 50, 4));  // the other one does not matter
  CHECK(open(2)->blocks().size() == 2);
}

TEST_CASE_FIXTURE(Fixture,
                  "a header of another place, version or with unknown features is refused") {
  const DictionaryHeader header{{1, 2}, 3, 9, 5, 0, 0, 0, TableCodec::kNone, 0};
  const std::string bytes = encode_dictionary_header(header, 0);
  CHECK(decode_dictionary_header(bytes, {1, 2}, 3, 0).value().next_block == 5);
  CHECK_FALSE(decode_dictionary_header(bytes, {1, 2}, 3, 1));
  CHECK_FALSE(decode_dictionary_header(bytes, {1, 2}, 4, 0));
  CHECK_FALSE(decode_dictionary_header(bytes, {1, 9}, 3, 0));
  for (const size_t offset : {size_t{8}, size_t{16}, size_t{23}}) {
    std::string other = bytes;
    other[offset] = static_cast<char>(other[offset] ^ 0x40);
    CHECK(decode_dictionary_header(other, {1, 2}, 3, 0).error().code == ErrorCode::kCorruption);
    other.resize(4088);
    put_fixed(other, checksum64(other, checksum_seed({1, 2}, 'H', 3, 0)));
    CHECK(decode_dictionary_header(other, {1, 2}, 3, 0).error().code == ErrorCode::kFormat);
  }
}

TEST_CASE_FIXTURE(Fixture, "space is reused only when no valid table has the block") {
  const std::string text(10'000, 'x');  // 3 units
  auto file = open(0);
  const BlockId kept = file->write(text).value();
  publish(*file, 1);
  const uint64_t free_before = file->counters().free_bytes;
  file->free(kept);
  CHECK(file->counters().deferred_bytes == 3 * kUnitBytes);
  CHECK(file->counters().free_bytes == free_before);
  CHECK(file->check_space().empty());

  // Written and freed between two checkpoints: free at once.
  const BlockId brief = file->write(text).value();
  file->free(brief);
  CHECK(file->counters().free_bytes == free_before);
  CHECK(file->counters().deferred_bytes == 3 * kUnitBytes);

  // A failed checkpoint gives nothing back.
  REQUIRE(file->prepare(2).value());
  CHECK(file->check_space().empty());
  file->abort();
  CHECK(file->counters().deferred_bytes == 3 * kUnitBytes);
  CHECK(file->check_space().empty());
  CHECK(read(*open(1), kept) == text);

  publish(*file, 2);
  CHECK(file->counters().deferred_bytes == 0);
  CHECK(file->counters().free_bytes > free_before);
}

TEST_CASE_FIXTURE(Fixture, "a block freed while a checkpoint is prepared stays for the next one") {
  auto file = open(0);
  const BlockId block = file->write("in the prepared table").value();
  REQUIRE(file->prepare(1).value());
  file->free(block);
  REQUIRE(file->sync());
  file->commit();
  CHECK(file->counters().deferred_bytes == kUnitBytes);
  CHECK(file->check_space().empty());
  CHECK(read(*open(1), block) == "in the prepared table");
  publish(*file, 2);
  CHECK(file->counters().deferred_bytes == 0);
}

TEST_CASE_FIXTURE(Fixture, "block ids are not used again after reopening") {
  auto file = open(0);
  REQUIRE(file->write("one"));
  const BlockId last = file->write("two").value();
  file->free(last);
  publish(*file, 1);
  CHECK(open(1)->write("three").value() > last);
  CHECK(file->block_seed(BlockId{1}) != file->block_seed(BlockId{2}));
  CHECK(file->describe(BlockId{2}) == "3.tree, block 2");
}

TEST_CASE_FIXTURE(Fixture, "tables that overlap themselves or leave the file are refused") {
  auto file = open(0);
  REQUIRE(file->write(std::string(9000, 'a')));
  publish(*file, 1);
  const auto plant = [&](const BlockTable& table) {
    const StoredTable stored = encode_block_table(table);
    auto raw = fs.open(kPath, OpenMode::kReadWrite).value();
    REQUIRE(raw->write_at(10 * kUnitBytes, stored.bytes));
    const DictionaryHeader header{{1, 2},
                                  3,
                                  8,
                                  100,
                                  10 * kUnitBytes,
                                  stored.bytes.size(),
                                  stored.raw_bytes,
                                  stored.codec,
                                  checksum64(stored.bytes, checksum_seed({1, 2}, 'T', 3, 8))};
    REQUIRE(raw->write_at(kUnitBytes, encode_dictionary_header(header, 1)));
  };
  plant({{1, {2, 9000}}, {2, {5, 100}}});
  CHECK(open(8)->blocks().size() == 2);
  plant({{1, {2, 9000}}, {2, {4, 100}}});  // inside block 1
  CHECK(open_error(8).code == ErrorCode::kCorruption);
  plant({{1, {1, 100}}});  // a header slot
  CHECK(open_error(8).code == ErrorCode::kCorruption);
  plant({{1, {10, 100}}});  // the table itself
  CHECK(open_error(8).code == ErrorCode::kCorruption);
  plant({{1, {1'000'000, 100}}});  // behind the end
  CHECK(open_error(8).code == ErrorCode::kCorruption);
  plant({{100, {2, 100}}});  // not below the next id
  CHECK(open_error(8).code == ErrorCode::kCorruption);
}

TEST_CASE_FIXTURE(Fixture, "a missing or short file is damage") {
  CHECK(open_error(1).code == ErrorCode::kCorruption);
  auto file = open(0);
  REQUIRE(file->write("one"));
  publish(*file, 1);
  REQUIRE(fs.open(kPath, OpenMode::kReadWrite).value()->truncate(3 * kUnitBytes));
  CHECK(open_error(1).code == ErrorCode::kCorruption);
  REQUIRE(fs.open(kPath, OpenMode::kReadWrite).value()->truncate(10));
  CHECK(open_error(1).code == ErrorCode::kCorruption);
}

TEST_CASE_FIXTURE(Fixture, "a full disk refuses a block and leaves the space accounts whole") {
  auto file = open(0);
  REQUIRE(file->write("one"));
  publish(*file, 1);
  fs.set_capacity(80'000);
  Status status;
  uint64_t written = 0;
  while (status) {
    auto block = file->write(std::string(4096, 'x'));
    if (block)
      ++written;
    else
      status = std::unexpected(block.error());
  }
  CHECK(status.error().code == ErrorCode::kNoSpace);
  CHECK(written >= 12);  // the growth step was given up for what is left
  CHECK(file->check_space().empty());
  fs.set_capacity(1 << 20);
  CHECK(file->write(std::string(4096, 'x')));
  publish(*file, 2);
}
