#include "schema_stats/statistics_keys.h"

#include <doctest/doctest.h>

namespace wherestar::schema_stats {
namespace {

TEST_CASE("lengths are exact below 256 and within 12 % above") {
  for (uint32_t length = 0; length < 256; ++length) {
    CHECK(length_bucket(length) == length);
    CHECK(greatest_of_bucket(length) == length);
  }
  uint32_t before = 255;
  for (uint64_t length = 256; length < UINT32_MAX; length += 1 + length / 100) {
    const uint32_t bucket = length_bucket(static_cast<uint32_t>(length));
    CHECK(bucket >= before);
    CHECK(least_of_bucket(bucket) <= length);
    CHECK(greatest_of_bucket(bucket) >= length);
    CHECK(greatest_of_bucket(bucket) <= least_of_bucket(bucket) * 1.12 + 1);
    before = bucket;
  }
  CHECK(greatest_of_bucket(length_bucket(UINT32_MAX)) == UINT32_MAX);
  CHECK(length_bucket(UINT32_MAX) / kLengthGroup < 256);
}

TEST_CASE("a definition is read back and damaged ones are refused") {
  const ShapeMembers members = {{0, document::JsonType::kObject},
                                {3, document::JsonType::kNull},
                                {3, document::JsonType::kString},
                                {UINT32_MAX, document::JsonType::kArray}};
  const std::string bytes = encode_definition(-5, members);
  const auto read = decode_definition(bytes);
  REQUIRE(read.has_value());
  CHECK(read->first_seen_unix_s == -5);
  CHECK(read->members == members);
  for (size_t size = 0; size < bytes.size(); ++size)
    CHECK(decode_definition(std::string_view(bytes).substr(0, size)).error().code ==
          ErrorCode::kCorruption);
  CHECK_FALSE(decode_definition(bytes + "x").has_value());
  std::string huge = encode_definition(0, {});
  huge.pop_back();
  put_varint(huge, UINT64_MAX);  // a count that no bytes back
  CHECK_FALSE(decode_definition(huge).has_value());
}

TEST_CASE("the hash of a shape depends on paths and types and is never 0") {
  CHECK(shape_hash({}) != 0);
  CHECK(shape_hash({{1, document::JsonType::kNull}}) !=
        shape_hash({{1, document::JsonType::kString}}));
  CHECK(shape_hash({{1, document::JsonType::kNull}}) !=
        shape_hash({{2, document::JsonType::kNull}}));
}

}  // namespace
}  // namespace wherestar::schema_stats
