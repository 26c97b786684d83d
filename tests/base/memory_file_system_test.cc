#include "base/memory_file_system.h"

#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace wherestar;

namespace {

std::unique_ptr<File> create(MemoryFileSystem& fs, const std::string& path) {
  auto file = fs.open(path, OpenMode::kCreateOrOpen);
  REQUIRE(file);
  return *std::move(file);
}

std::string text(MemoryFileSystem& fs, const std::string& path) {
  auto bytes = read_file(fs, path);
  return bytes ? *bytes : "error: " + bytes.error().message;
}

}  // namespace

TEST_CASE("a crash keeps what was synced and, at probability 0, nothing else") {
  MemoryFileSystem fs;
  auto file = create(fs, "/f");
  REQUIRE(file->write_at(0, "synced"));
  REQUIRE(file->sync());
  REQUIRE(fs.sync_directory("/"));
  REQUIRE(file->write_at(0, "later!"));
  REQUIRE(file->write_at(5000, "more"));
  CHECK(text(*fs.crash_clone(1, {.keep_probability = 0}), "/f") == "synced");
  CHECK(text(*fs.crash_clone(1, {.keep_probability = 1}), "/f") == text(fs, "/f"));
  CHECK(text(*fs.clone(), "/f") == text(fs, "/f"));
}

TEST_CASE("a file whose directory was not synced may be lost although the file was") {
  MemoryFileSystem fs;
  auto file = create(fs, "/f");
  REQUIRE(file->write_at(0, "synced"));
  REQUIRE(file->sync());
  CHECK_FALSE(fs.crash_clone(1, {.keep_probability = 0})->exists("/f").value());
  CHECK(text(*fs.crash_clone(1, {.keep_probability = 1}), "/f") == "synced");
}

TEST_CASE("a rename or remove without a directory sync may be lost") {
  MemoryFileSystem fs;
  for (const char* path : {"/a", "/b"}) {
    auto file = create(fs, path);
    REQUIRE(file->write_at(0, path));
    REQUIRE(file->sync());
  }
  REQUIRE(fs.sync_directory("/"));
  REQUIRE(fs.rename("/a", "/b"));
  auto lost = fs.crash_clone(1, {.keep_probability = 0});
  CHECK(text(*lost, "/a") == "/a");
  CHECK(text(*lost, "/b") == "/b");
  auto kept = fs.crash_clone(1, {.keep_probability = 1});
  CHECK_FALSE(kept->exists("/a").value());
  CHECK(text(*kept, "/b") == "/a");
  REQUIRE(fs.sync_directory("/"));
  REQUIRE(fs.remove("/b"));
  CHECK(text(*fs.crash_clone(1, {.keep_probability = 0}), "/b") == "/a");
  REQUIRE(fs.sync_directory("/"));
  CHECK_FALSE(fs.crash_clone(1, {.keep_probability = 0})->exists("/b").value());
}

TEST_CASE("the sectors of a crash are old, new or torn, in every combination") {
  MemoryFileSystem fs;
  auto file = create(fs, "/f");
  REQUIRE(file->write_at(0, std::string(1024, 'o')));
  REQUIRE(file->sync());
  REQUIRE(fs.sync_directory("/"));
  REQUIRE(file->write_at(0, std::string(1024, 'n')));
  std::map<std::string, int> seen;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const std::string bytes = text(*fs.crash_clone(seed), "/f");
    REQUIRE(bytes.size() == 1024);
    std::string kinds;
    for (const std::string& sector : {bytes.substr(0, 512), bytes.substr(512)}) {
      const size_t fresh = sector.find_first_not_of('n');
      const size_t count = fresh == std::string::npos ? 512 : fresh;
      CHECK(sector.substr(count) == std::string(512 - count, 'o'));  // torn: only a beginning
      kinds.push_back(count == 0 ? 'o' : count == 512 ? 'n' : 't');
    }
    ++seen[kinds];
  }
  for (const char* kinds : {"oo", "on", "no", "nn", "tn", "ot"}) CHECK(seen[kinds] > 0);
}

TEST_CASE("an unsynced truncation may come back, a later write may survive an earlier lost one") {
  MemoryFileSystem fs;
  auto file = create(fs, "/f");
  REQUIRE(file->write_at(0, std::string(2000, 'o')));
  REQUIRE(file->sync());
  REQUIRE(fs.sync_directory("/"));
  REQUIRE(file->truncate(100));
  REQUIRE(file->write_at(1000, "x"));
  bool cut = false;
  bool whole = false;
  bool zeros = false;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const std::string bytes = text(*fs.crash_clone(seed, {.tear_sectors = false}), "/f");
    cut = cut || bytes.size() == 100;
    whole = whole || (bytes.size() == 2000 && bytes[1000] == 'x');
    zeros = zeros || (bytes.size() == 1001 && bytes[500] == '\0');
  }
  CHECK(cut);
  CHECK(whole);
  CHECK(zeros);
}

TEST_CASE("the n-th counted call fails once or for good, and the observer sees each before") {
  MemoryFileSystem fs;
  std::vector<FileCall> calls;
  fs.on_call([&](FileCall call, const std::string&) {
    calls.push_back(call);
    CHECK(fs.crash_clone(1) != nullptr);  // no lock is held
  });
  auto file = create(fs, "/f");
  fs.fail_at(1, ErrorCode::kNoSpace);
  CHECK(file->write_at(0, "a"));
  const Status failed = file->write_at(0, "b");
  REQUIRE_FALSE(failed);
  CHECK(failed.error().code == ErrorCode::kNoSpace);
  CHECK(failed.error().message.find("/f") != std::string::npos);
  CHECK(file->write_at(0, "c"));
  fs.fail_at(0, ErrorCode::kIo, true);
  CHECK(file->truncate(9).error().code == ErrorCode::kIo);
  CHECK(fs.rename("/f", "/g").error().code == ErrorCode::kIo);
  fs.clear_failures();
  CHECK(fs.rename("/f", "/g"));
  CHECK(fs.call_count() == 7);
  CHECK(calls.size() == 7);
  CHECK(calls.back() == FileCall::kRename);
  fs.fail_reads_at(1);
  CHECK(file->read_at(0, 1));
  CHECK(file->read_at(0, 1).error().code == ErrorCode::kIo);
  CHECK(file->read_at(0, 1));
  CHECK(fs.open("/g", OpenMode::kRead));
  CHECK(fs.call_count() == 7);  // reading is not counted
}

TEST_CASE("after a failed sync its bytes stay to chance, even if a later sync succeeds") {
  MemoryFileSystem fs;
  auto file = create(fs, "/f");
  REQUIRE(file->write_at(0, std::string(8192, 'o')));
  REQUIRE(file->sync());
  REQUIRE(fs.sync_directory("/"));
  REQUIRE(file->write_at(0, "lost?"));
  fs.fail_at(0, ErrorCode::kIo);
  REQUIRE_FALSE(file->sync());
  REQUIRE(file->write_at(4096, "kept"));
  REQUIRE(file->sync());
  const std::string lost = text(*fs.crash_clone(1, {.keep_probability = 0}), "/f");
  CHECK(lost.substr(0, 5) == "ooooo");
  CHECK(lost.substr(4096, 5) == "kepto");
  CHECK(text(*fs.crash_clone(1, {.keep_probability = 1}), "/f").substr(0, 5) == "lost?");
  CHECK(text(fs, "/f").substr(0, 5) == "lost?");
}

TEST_CASE("writes beyond the capacity fail for lack of space") {
  MemoryFileSystem fs;
  fs.set_capacity(10'000);
  auto file = create(fs, "/f");
  CHECK(file->write_at(0, std::string(9'000, 'a')));
  CHECK(file->write_at(8'000, std::string(2'001, 'b')).error().code == ErrorCode::kNoSpace);
  CHECK(file->allocate(0, 10'001).error().code == ErrorCode::kNoSpace);
  CHECK(file->write_at(0, std::string(9'000, 'c')));
  CHECK(file->truncate(0));
  auto other = create(fs, "/g");
  CHECK(other->write_at(0, std::string(10'000, 'a')));
}

TEST_CASE("a flipped byte is durable at once") {
  MemoryFileSystem fs;
  auto file = create(fs, "/f");
  REQUIRE(file->write_at(0, "abc"));
  REQUIRE(file->sync());
  REQUIRE(fs.sync_directory("/"));
  REQUIRE(fs.flip_byte("/f", 1, 0x20));
  CHECK(text(fs, "/f") == "aBc");
  CHECK(text(*fs.crash_clone(1, {.keep_probability = 0}), "/f") == "aBc");
  CHECK_FALSE(fs.flip_byte("/f", 3, 1));
}

TEST_CASE("random writes, cuts and syncs read back as in a plain string") {
  MemoryFileSystem fs;
  auto file = create(fs, "/f");
  REQUIRE(fs.sync_directory("/"));
  std::mt19937_64 random(5);
  std::string model;
  std::string synced;
  for (int i = 0; i < 3000; ++i) {
    const uint64_t offset = random() % 20'000;
    const std::string bytes(1 + random() % 9'000, static_cast<char>(random() % 3));
    switch (random() % 8) {
      case 0:
        REQUIRE(file->truncate(offset));
        model.resize(offset, '\0');
        break;
      case 1:
        REQUIRE(file->sync());
        synced = model;
        break;
      default:
        REQUIRE(file->write_at(offset, bytes));
        if (model.size() < offset + bytes.size()) model.resize(offset + bytes.size(), '\0');
        model.replace(offset, bytes.size(), bytes);
    }
    if (i % 10 != 0) continue;
    REQUIRE(text(fs, "/f") == model);
    REQUIRE(text(*fs.crash_clone(random(), {.keep_probability = 0}), "/f") == synced);
    REQUIRE(text(*fs.crash_clone(random(), {.keep_probability = 1}), "/f") == model);
  }
}
