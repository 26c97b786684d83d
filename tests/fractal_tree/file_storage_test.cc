#include "fractal_tree/file_storage.h"

#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <stdlib.h>

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

TEST_CASE("the same on the real file system, for the owner alone") {
  std::string name = (std::filesystem::temp_directory_path() / "wherestar_XXXXXX").string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  const std::string directory = name + "/store";
  const StorageOptions options{.log_segment_bytes = 64 << 10};
  for (int round = 0; round < 5; ++round) {
    auto storage = open_file_storage(directory, options);
    if (!storage) FAIL(storage.error().message);
    CHECK(open_file_storage(directory, options).error().code == ErrorCode::kLocked);
    CHECK(replay(**storage).size() == (round == 0 ? 0 : 1));
    BlockStore* blocks = (*storage)->blocks(kWords).value();
    for (const BlockId block : blocks->blocks()) {
      CHECK(blocks->read(block, 99'990, 10).value() ==
            std::string(10, static_cast<char>('a' + round - 1)));
      blocks->free(block);
    }
    const BlockId root =
        blocks->write(std::string(100'000, static_cast<char>('a' + round))).value();
    StoreRoot next = next_root(**storage, root);
    next.log_start = (*storage)->log().end();
    REQUIRE((*storage)->publish(next, {}));
    REQUIRE((*storage)->log().append("round"));
    REQUIRE((*storage)->log().sync());
    CHECK(blocks->check_space().empty());
    CHECK(blocks->counters().file_bytes < 1'000'000);
  }
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    CHECK(entry.status().permissions() ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  CHECK(std::filesystem::status(directory).permissions() == std::filesystem::perms::owner_all);
  std::filesystem::remove_all(name);
}

TEST_CASE("a store opened for reading is replayed and nothing in it is written") {
  MemoryFileSystem fs;
  CHECK(open_file_storage("/db", {.file_system = &fs, .read_only = true}).error().code ==
        ErrorCode::kNotFound);
  {
    auto storage = open_store(fs);
    replay(*storage);
    const BlockId root = storage->blocks(kWords).value()->write("block").value();
    REQUIRE(storage->publish(next_root(*storage, root), {}));
    REQUIRE(storage->log().append("record"));
    REQUIRE(storage->log().sync());
    CHECK(open_file_storage("/db", {.file_system = &fs, .read_only = true}).error().code ==
          ErrorCode::kLocked);
  }
  const uint64_t calls = fs.call_count();
  auto storage = open_store(fs, true);
  CHECK(replay(*storage) == std::vector<std::string>{"record"});
  BlockStore* blocks = storage->blocks(kWords).value();
  CHECK(blocks->read(blocks->blocks().at(0), 0, 5).value() == "block");
  CHECK(blocks->write("x").error().code == ErrorCode::kReadOnly);
  CHECK(storage->blocks(DictionaryId{7}).value()->write("x").error().code == ErrorCode::kReadOnly);
  CHECK(storage->log().append("x").error().code == ErrorCode::kReadOnly);
  CHECK(storage->publish(next_root(*storage, kNoBlock), {}).error().code == ErrorCode::kReadOnly);
  CHECK(fs.call_count() == calls);
}

TEST_CASE("a missing manifest beside other files is damage, not a new store") {
  MemoryFileSystem fs;
  {
    auto storage = open_store(fs);
    replay(*storage);
    REQUIRE(storage->log().append("record"));
    REQUIRE(storage->log().sync());
  }
  REQUIRE(fs.remove("/db/manifest"));
  const auto storage = open_file_storage("/db", {.file_system = &fs});
  REQUIRE_FALSE(storage);
  CHECK(storage.error().code == ErrorCode::kCorruption);
  CHECK(storage.error().message.find("/db/manifest") != std::string::npos);
  CHECK(fs.exists("/db/log.000001").value());
}

TEST_CASE("files of no checkpoint are removed at open, files of dropped dictionaries at once") {
  MemoryFileSystem fs;
  {
    auto storage = open_store(fs);
    replay(*storage);
    const BlockId root = storage->blocks(kWords).value()->write("block").value();
    REQUIRE(storage->publish(next_root(*storage, root), {}));
    REQUIRE(storage->blocks(DictionaryId{2}).value()->write("never published"));
    CHECK(fs.exists("/db/2.tree").value());
  }
  {
    auto storage = open_store(fs);
    CHECK_FALSE(fs.exists("/db/2.tree").value());
    CHECK(fs.exists("/db/1.tree").value());
    replay(*storage);
    BlockStore* blocks = storage->blocks(kWords).value();
    StoreRoot next = next_root(*storage, kNoBlock);
    next.dictionaries.clear();
    REQUIRE(storage->publish(next, {}));
    CHECK_FALSE(fs.exists("/db/1.tree").value());
    CHECK(blocks->read(BlockId{1}, 0, 5).value() == "block");  // a snapshot may still be there
  }
  CHECK(open_store(fs)->root().dictionaries.empty());
}

TEST_CASE("a checkpoint that cannot be is refused and changes nothing") {
  MemoryFileSystem fs;
  auto storage = open_store(fs);
  replay(*storage);
  const StoreRoot good = next_root(*storage, kNoBlock);
  StoreRoot bad = good;
  bad.checkpoint = 0;
  CHECK(storage->publish(bad, {}).error().code == ErrorCode::kInvalidArgument);
  bad = good;
  bad.log_start = Lsn{1};
  CHECK(storage->publish(bad, {}).error().code == ErrorCode::kInvalidArgument);
  bad = good;
  bad.dictionaries[0].root = BlockId{5};
  CHECK(storage->publish(bad, {}).error().code == ErrorCode::kInvalidArgument);
  CHECK(storage->publish(good, {}));
}

TEST_CASE("after a failed sync of a checkpoint no other is tried, reads go on") {
  MemoryFileSystem fs;
  auto storage = open_store(fs);
  replay(*storage);
  BlockStore* blocks = storage->blocks(kWords).value();
  const BlockId root = blocks->write("block").value();
  const StoreRoot next = next_root(*storage, root);
  fs.on_call([&](FileCall call, const std::string&) {
    if (call == FileCall::kSync) fs.fail_at(0, ErrorCode::kIo);
  });
  CHECK(storage->publish(next, {}).error().code == ErrorCode::kIo);
  fs.on_call({});
  fs.clear_failures();
  CHECK(storage->publish(next, {}).error().code == ErrorCode::kPoisoned);
  CHECK(storage->root().checkpoint == 0);
  CHECK(blocks->read(root, 0, 5).value() == "block");
}

TEST_CASE("a checkpoint that failed for lack of space succeeds later") {
  MemoryFileSystem fs;
  auto storage = open_store(fs);
  replay(*storage);
  BlockStore* blocks = storage->blocks(kWords).value();
  const BlockId root = blocks->write(std::string(60'000, 'x')).value();
  fs.set_capacity(65'700);
  CHECK(storage->publish(next_root(*storage, root), {}).error().code == ErrorCode::kNoSpace);
  CHECK(blocks->check_space().empty());
  fs.set_capacity(1 << 20);
  CHECK(storage->publish(next_root(*storage, root), {}));
  CHECK(blocks->check_space().empty());
}

TEST_CASE("a clean dictionary keeps its header, a changed one gets the checkpoint's") {
  MemoryFileSystem fs;
  {
    auto storage = open_store(fs);
    replay(*storage);
    StoreRoot next = storage->root();
    next.next_dictionary_id = 3;
    for (uint32_t id = 1; id <= 2; ++id) {
      const BlockId root = storage->blocks(DictionaryId{id}).value()->write("block").value();
      next.dictionaries.push_back({DictionaryId{id}, "d", {}, root, ""});
    }
    ++next.checkpoint;
    REQUIRE(storage->publish(next, {}));
    std::vector<std::string> synced;
    fs.on_call([&](FileCall call, const std::string& path) {
      if (call == FileCall::kSync) synced.push_back(path);
    });
    next.dictionaries[1].root = storage->blocks(DictionaryId{2}).value()->write("new").value();
    ++next.checkpoint;
    REQUIRE(storage->publish(next, {}));
    CHECK(synced == std::vector<std::string>{"/db/2.tree", "/db/manifest.tmp"});
  }
  const Manifest manifest = decode_manifest(read_file(fs, "/db/manifest").value()).value();
  CHECK(manifest.header_checkpoints == std::vector<uint64_t>{1, 2});
  CHECK(open_store(fs)->root().checkpoint == 2);
}
