#include "fractal_tree/log.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "base/memory_file_system.h"

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

constexpr uint64_t kSegmentBytes = 16 << 10;
using Payloads = std::vector<std::string>;

std::string noise(uint64_t seed, size_t size) {
  std::mt19937_64 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

struct LogStore {
  LogStore() : fs(std::make_unique<MemoryFileSystem>()) { REQUIRE(fs->create_directories("/db")); }

  Result<std::unique_ptr<FileLog>> try_open(Payloads& payloads, bool read_only = false) {
    ASSIGN_OR_RETURN(
        auto opened,
        FileLog::open({{fs.get(), "/db", {5, 6}}, kSegmentBytes, read_only}, start, newest));
    RETURN_IF_ERROR(opened->replay([&](LogRecord record) -> Status {
      payloads.push_back(std::move(record.payload));
      return {};
    }));
    return opened;
  }
  Payloads open() {
    log.reset();
    Payloads payloads;
    auto opened = try_open(payloads);
    if (!opened) FAIL(opened.error().message);
    log = *std::move(opened);
    return payloads;
  }
  Error open_error() {
    log.reset();
    Payloads payloads;
    auto opened = try_open(payloads);
    REQUIRE_FALSE(opened);
    return opened.error();
  }
  void crash(uint64_t seed, double keep) {
    auto crashed = fs->crash_clone(seed, {.keep_probability = keep});
    log.reset();
    fs = std::move(crashed);
  }
  uint64_t append(const std::string& payload) {
    return static_cast<uint64_t>(log->append(payload).value());
  }
  void advance(uint64_t lsn) {  // as a durable checkpoint does
    start = lsn;
    newest = log->newest_segment();
    log->allow_trim(Lsn{lsn});
    REQUIRE(log->trim(Lsn{lsn}));
  }

  std::unique_ptr<MemoryFileSystem> fs;
  std::unique_ptr<FileLog> log;
  uint64_t start = 0;
  uint64_t newest = 0;
};

}  // namespace

TEST_CASE("records of every size read back over many segments, small and over-large") {
  LogStore store;
  CHECK(store.open().empty());
  Payloads written;
  for (const size_t size : {0, 1, 15, 16, 17, 511, 512, 513, 3000, 15'000, 16'000, 100'000, 5}) {
    written.push_back(noise(size, size));
    store.append(written.back());
    written.push_back(std::string(size, 'c'));
    store.append(written.back());
    if (size % 3 == 0) REQUIRE(store.log->sync());
  }
  REQUIRE(store.log->sync());
  const Lsn end = store.log->end();
  CHECK(store.log->durable_up_to() == end);
  CHECK(store.log->bytes_since(Lsn{100}) == static_cast<uint64_t>(end) - 100);
  store.crash(1, 0);
  CHECK(store.open() == written);
  CHECK(store.log->end() == end);
  store.append("more");
  REQUIRE(store.log->sync());
  written.push_back("more");
  store.crash(1, 0);
  CHECK(store.open() == written);
}

TEST_CASE("compressible records take less of the log") {
  LogStore store;
  store.open();
  CHECK(store.append(std::string(10'000, 'c')) < 500);
  const uint64_t before = static_cast<uint64_t>(store.log->end());
  CHECK(store.append(noise(1, 10'000)) - before == record_bytes(10'000));
}

TEST_CASE("replay begins at the start LSN; nothing is appended before replay") {
  LogStore store;
  store.open();
  store.append("a");
  const uint64_t second = store.append("b");
  store.append("c");
  REQUIRE(store.log->sync());
  store.start = second;
  CHECK(store.open() == Payloads{"c"});
  Payloads none;
  auto unread = FileLog::open({{store.fs.get(), "/db", {5, 6}}, kSegmentBytes, false}, 0, 0);
  REQUIRE(unread);
  CHECK((*unread)->append("x").error().code == ErrorCode::kInvalidArgument);
}

TEST_CASE("trimmed segments are recycled: the number of files stays small") {
  LogStore store;
  store.open();
  Payloads since;
  for (int round = 0; round < 60; ++round) {
    since.clear();
    for (int i = 0; i < 20; ++i) {
      since.push_back(noise(static_cast<uint64_t>(round * 100 + i), 500));
      store.append(since.back());
    }
    REQUIRE(store.log->sync());
    if (round % 5 != 4) {
      const uint64_t end = static_cast<uint64_t>(store.log->end());
      if (round % 3 == 0) {
        store.advance(end);
        since.clear();
      }
    }
    CHECK(store.fs->list("/db").value().size() <= 8);
  }
  CHECK(store.log->newest_segment() > 30);
}

TEST_CASE("old records in a recycled segment never come back") {
  // All records have one size, so that old ones lie exactly where new ones are expected.
  LogStore store;
  store.open();
  uint64_t number = 0;
  Payloads expected;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 17; ++i) {
      expected.push_back(noise(++number, 480));
      store.append(expected.back());
    }
    REQUIRE(store.log->sync());
    if (round % 2 == 0) {
      store.advance(static_cast<uint64_t>(store.log->end()));
      expected.clear();
    }
    if (round % 5 == 0) {
      store.crash(number, 0.5);
      REQUIRE(store.open() == expected);
    }
  }
}

TEST_CASE("an unsynced tail is dropped from its first bad record on, and never returns") {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    LogStore store;
    store.open();
    Payloads expected;
    Payloads unsynced;
    for (uint64_t i = 0; i < 6; ++i) {
      expected.push_back(noise(i, 700));
      store.append(expected.back());
    }
    REQUIRE(store.log->sync());
    for (uint64_t i = 0; i < 25; ++i) {  // reaches into the next segment
      unsynced.push_back(noise(100 + i, 700));
      store.append(unsynced.back());
      if (i % 4 == 0) REQUIRE(store.log->write());
    }
    store.crash(seed, seed % 3 == 0 ? 0.3 : 0.9);
    const Payloads found = store.open();
    REQUIRE(found.size() >= expected.size());
    Payloads all = expected;
    all.insert(all.end(), unsynced.begin(), unsynced.end());
    REQUIRE(std::equal(found.begin(), found.end(), all.begin()));
    // Records of the size of the dropped ones: those behind must not be taken for followers.
    expected = found;
    for (uint64_t i = 0; i < 1 + seed % 3; ++i) {
      expected.push_back(noise(200 + i, 700));
      store.append(expected.back());
      REQUIRE(store.log->sync());
    }
    store.crash(seed + 1, 0.5);
    REQUIRE(store.open() == expected);
    store.append("again");
    REQUIRE(store.log->sync());
    expected.push_back("again");
    store.crash(seed + 2, 0);
    REQUIRE(store.open() == expected);
  }
}

TEST_CASE("a readable record behind a dropped one of its size stays dropped") {
  LogStore store;
  store.open();
  store.append("first");
  REQUIRE(store.log->sync());
  const uint64_t bad = store.append(noise(1, 300)) - record_bytes(300);
  store.append(noise(2, 300));
  REQUIRE(store.log->write());
  REQUIRE(store.fs->flip_byte("/db/log.000001", kSegmentHeaderBytes + bad + 100, 1));
  CHECK(store.open() == Payloads{"first"});
  store.append(noise(3, 300));
  REQUIRE(store.log->sync());
  CHECK(store.open() == Payloads{"first", noise(3, 300)});
}

TEST_CASE("damage below what was durable is refused with file and offset") {
  LogStore store;
  store.open();
  std::vector<uint64_t> ends;
  for (uint64_t i = 0; i < 60; ++i) {
    ends.push_back(store.append(noise(i, 500)));
    REQUIRE(store.log->sync());
  }
  REQUIRE(store.log->newest_segment() == 3);
  store.log.reset();
  auto sound = store.fs->clone();
  const std::vector<std::string> names = sound->list("/db").value();
  int refused = 0;
  for (size_t i = 0; i + 1 < ends.size(); ++i) {
    for (const std::string& name : names) {
      // 28 records of 500 bytes fit in a segment; never in the padding behind one.
      const uint64_t offset = kSegmentHeaderBytes + i % 28 * record_bytes(500) + i % 540;
      store.fs = sound->clone();
      REQUIRE(store.fs->flip_byte("/db/" + name, offset, 0x10));
      Payloads found;
      auto opened = store.try_open(found, true);
      if (opened) {
        CHECK(name == "log.000003");  // behind the end of the log
        CHECK(found.size() >= 59);
        continue;
      }
      CHECK(opened.error().code == ErrorCode::kCorruption);
      CHECK(opened.error().message.find("/db/" + name) != std::string::npos);
      CHECK(opened.error().message.find("offset") != std::string::npos);
      ++refused;
    }
  }
  CHECK(refused > 100);
}

TEST_CASE("a damaged segment header or a lost segment is refused") {
  LogStore store;
  store.open();
  for (uint64_t i = 0; i < 80; ++i) store.append(noise(i, 500));
  REQUIRE(store.log->sync());
  store.newest = store.log->newest_segment();
  REQUIRE(store.newest == 3);
  store.log.reset();
  auto sound = store.fs->clone();
  for (const char* path : {"/db/log.000001", "/db/log.000002", "/db/log.000003"}) {
    for (uint64_t offset = 0; offset < 512; offset += 7) {
      store.fs = sound->clone();
      REQUIRE(store.fs->flip_byte(path, offset, 0x80));
      const Error error = store.open_error();
      CHECK(error.code == ErrorCode::kCorruption);
      CHECK(error.message.find(path) != std::string::npos);
    }
    store.fs = sound->clone();
    REQUIRE(store.fs->remove(path));
    CHECK(store.open_error().code == ErrorCode::kCorruption);
  }
}

TEST_CASE("a log format version that is unknown is told from damage") {
  std::string bytes = encode_segment_header({{5, 6}, 1, 0});
  bytes[8] = 2;
  bytes.resize(504);
  put_fixed(bytes, checksum64(bytes, checksum_seed({5, 6}, 'S', 1, 0)));
  CHECK(decode_segment_header(bytes, {5, 6}).error().code == ErrorCode::kFormat);
  CHECK(decode_segment_header(bytes, {5, 7}).error().code == ErrorCode::kCorruption);
}

TEST_CASE("the first failed write or sync poisons the log for good") {
  uint64_t n = 0;
  for (;; ++n) {
    LogStore store;
    store.open();
    store.append("acknowledged");
    REQUIRE(store.log->sync());
    const uint64_t calls_before = store.fs->call_count();
    store.fs->fail_at(n, n % 2 == 0 ? ErrorCode::kIo : ErrorCode::kNoSpace);
    for (int i = 0; i < 4; ++i) store.append(noise(1, 7000));  // begins further segments
    const Status failed = store.log->sync();
    if (store.fs->call_count() - calls_before <= n) break;  // the sync has fewer calls
    if (failed) continue;                                   // a smaller segment had room
    CHECK(failed.error().code == (n % 2 == 0 ? ErrorCode::kIo : ErrorCode::kNoSpace));
    store.fs->clear_failures();
    const Status after = store.log->sync();
    REQUIRE_FALSE(after);
    CHECK(after.error().code == ErrorCode::kPoisoned);
    CHECK(after.error().message.find(failed.error().message) != std::string::npos);
    CHECK(store.log->append("x").error().code == ErrorCode::kPoisoned);
    CHECK(store.log->write().error().code == ErrorCode::kPoisoned);
    store.crash(n, 0.5);
    CHECK(store.open().at(0) == "acknowledged");
  }
  CHECK(n >= 8);
}

TEST_CASE("records that only the system's cache has are made durable when they are replayed") {
  LogStore store;
  store.open();
  store.append("acknowledged");
  REQUIRE(store.log->sync());
  store.append("unknown");
  store.fs->on_call([&](FileCall call, const std::string&) {
    if (call == FileCall::kSync) store.fs->fail_at(0, ErrorCode::kIo);
  });
  REQUIRE_FALSE(store.log->sync());
  store.fs->on_call({});
  store.fs->clear_failures();
  CHECK(store.open() == Payloads{"acknowledged", "unknown"});  // the process alone was restarted
  store.append("later");
  REQUIRE(store.log->sync());
  store.crash(1, 0);
  CHECK(store.open() == Payloads{"acknowledged", "unknown", "later"});
}

TEST_CASE("appending goes on while a sync is under way") {
  LogStore store;
  store.open();
  store.append("before");
  bool appended = false;
  store.fs->on_call([&](FileCall call, const std::string&) {
    if (call != FileCall::kSync || appended) return;
    appended = true;
    store.append("during");
  });
  REQUIRE(store.log->sync());
  CHECK(appended);
  CHECK(store.log->durable_up_to() < store.log->end());
  store.fs->on_call({});
  REQUIRE(store.log->sync());
  store.crash(1, 0);
  CHECK(store.open() == Payloads{"before", "during"});
}

TEST_CASE("threads that append in turn and sync side by side lose nothing") {
  LogStore store;
  store.open();
  std::mutex append_mutex;
  Payloads written;
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < 100; ++i) {
        Lsn end{0};
        {
          const std::lock_guard lock(append_mutex);
          written.push_back(noise(t * 1000 + i, 100 + i));
          end = store.log->append(written.back()).value_or(Lsn{0});
        }
        if (!store.log->sync() || store.log->durable_up_to() < end) ++failures;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(failures == 0);
  store.crash(1, 0);
  CHECK(store.open() == written);
}

TEST_CASE("a log opened for reading is replayed and left as it is") {
  LogStore store;
  store.open();
  store.append("one");
  REQUIRE(store.log->sync());
  const uint64_t calls = store.fs->call_count();
  Payloads found;
  auto opened = store.try_open(found, true);
  REQUIRE(opened);
  CHECK(found == Payloads{"one"});
  CHECK((*opened)->append("x").error().code == ErrorCode::kReadOnly);
  CHECK(store.fs->call_count() == calls);
}
