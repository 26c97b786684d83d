#include "fractal_tree/file_storage.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "base/memory_file_system.h"

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

constexpr DictionaryId kWords{1};

std::unique_ptr<Storage> open_store(MemoryFileSystem& fs, bool read_only = false) {
  auto storage = open_file_storage(
      "/db", {.file_system = &fs, .log_segment_bytes = 64 << 10, .read_only = read_only});
  if (!storage) FAIL(storage.error().message);
  return *std::move(storage);
}

std::vector<std::string> replay(Storage& storage) {
  std::vector<std::string> records;
  const Status status = storage.replay([&](LogRecord record) -> Status {
    records.push_back(std::move(record.payload));
    return {};
  });
  if (!status) FAIL(status.error().message);
  return records;
}

StoreRoot next_root(Storage& storage, BlockId root) {
  StoreRoot next = storage.root();
  ++next.checkpoint;
  next.next_dictionary_id = 2;
  next.dictionaries = {{kWords, "words", {}, root, "state"}};
  return next;
}

}  // namespace

TEST_CASE("blocks, root and log of a store are there after it was opened again") {
  MemoryFileSystem fs;
  {
    auto storage = open_store(fs);
    CHECK(replay(*storage).empty());
    BlockStore* blocks = storage->blocks(kWords).value();
    const BlockId kept = blocks->write("a block").value();
    const BlockId gone = blocks->write("another").value();
    CHECK(blocks->read(kept, 2, 5).value() == "block");
    CHECK(blocks->read(kept, 2, 6).error().code == ErrorCode::kCorruption);
    CHECK(blocks->read(BlockId{9}, 0, 1).error().code == ErrorCode::kCorruption);
    blocks->free(gone);
    std::vector<std::string> events;
    const StoreRoot next = next_root(*storage, kept);
    REQUIRE(storage->publish(next, [&](std::string_view at) { events.emplace_back(at); }));
    CHECK(events == std::vector<std::string>{"checkpoint header", "checkpoint manifest"});
    const Lsn end = storage->log().append("one").value();
    CHECK(storage->log().end() == end);
    REQUIRE(storage->log().append(std::string(5000, 'x')));
    REQUIRE(storage->log().sync());
    CHECK(storage->log().durable_up_to() == storage->log().end());
    CHECK(open_file_storage("/db", {.file_system = &fs}).error().code == ErrorCode::kLocked);
  }
  auto crashed = fs.crash_clone(1, {.keep_probability = 0});
  auto storage = open_store(*crashed);
  CHECK(storage->root().checkpoint == 1);
  REQUIRE(storage->root().dictionaries.size() == 1);
  CHECK(storage->root().dictionaries[0].name == "words");
  CHECK(storage->root().dictionaries[0].tree_state == "state");
  CHECK(replay(*storage) == std::vector<std::string>{"one", std::string(5000, 'x')});
  BlockStore* blocks = storage->blocks(kWords).value();
  const BlockId root = storage->root().dictionaries[0].root;
  CHECK(blocks->blocks() == std::vector<BlockId>{root});
  CHECK(blocks->read(root, 0, blocks->block_bytes(root).value()).value() == "a block");
  CHECK(blocks->check_space().empty());
}
