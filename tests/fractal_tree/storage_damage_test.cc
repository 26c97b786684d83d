// One flipped byte anywhere in the files of a store.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "storage_workload.h"

using namespace wherestar;
using namespace wherestar::fractal_tree;

namespace {

struct Counts {
  int flips = 0;
  int refused = 0;
};

// The bytes of a file that mean something are all tried, what lies in runs of zeros in samples.
bool worth_trying(const std::string& bytes, size_t offset) {
  const size_t begin = offset < 24 ? 0 : offset - 24;
  const std::string_view around = std::string_view(bytes).substr(begin, 48);
  const bool zeros = std::all_of(around.begin(), around.end(), [](char c) { return c == 0; });
  return !zeros || offset % 211 == 0;
}

void flip_all(const MemoryFileSystem& sound, const Expectation& expected, const std::string& path,
              Counts& counts) {
  auto reader = sound.clone();
  const std::string bytes = read_file(*reader, path).value();
  for (size_t offset = 0; offset < bytes.size(); ++offset) {
    if (!worth_trying(bytes, offset)) continue;
    auto damaged = sound.clone();
    REQUIRE(damaged->flip_byte(path, offset, static_cast<uint8_t>(1u << (offset % 8))));
    const Found found = check_store(*damaged, expected, false, offset);
    CAPTURE(path);
    CAPTURE(offset);
    ++counts.flips;
    for (const std::string& wrong : found.wrong) FAIL_CHECK(wrong);
    // Only the last record was appended after the last sync but one.
    CHECK(found.missing_records <= 1);
    if (!found.error) continue;
    ++counts.refused;
    CHECK(found.error->code == ErrorCode::kCorruption);
    const std::string name = path.substr(path.rfind('/') + 1);
    CHECK(found.error->message.find(name) != std::string::npos);
  }
}

}  // namespace

TEST_CASE("a flipped byte is refused with the file's name, or changes nothing") {
  MemoryFileSystem fs;
  StorageWorkload workload(fs, 3, 60);
  REQUIRE(workload.open());
  for (int i = 0; i < 40; ++i) workload.step();
  for (int i = 0; i < 3; ++i) {
    REQUIRE(workload.storage().log().append("the last group is one record"));
    REQUIRE(workload.storage().log().sync());
  }
  REQUIRE_FALSE(workload.first_error());
  Expectation expected = workload.expectation();
  constexpr uint64_t kRecordBytes = 80;  // as stored
  for (uint64_t i = 3; i > 0; --i)
    expected.records.push_back(
        {expected.durable_up_to - i * kRecordBytes, "the last group is one record"});
  workload.close();
  Counts counts;
  const std::vector<std::string> names = fs.list(kStorePath).value();
  for (const std::string& name : names) {
    if (name != "lock") flip_all(fs, expected, std::string(kStorePath) + "/" + name, counts);
  }
  CHECK(counts.flips > 5000);
  CHECK(counts.refused > 3000);
}
