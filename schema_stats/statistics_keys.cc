#include "schema_stats/statistics_keys.h"

#include <algorithm>
#include <array>

#include "base/checksum.h"

namespace wherestar::schema_stats {
namespace {

// Least lengths of the buckets above kExactLengths: each about 12 % above the one before. Integer
// arithmetic, so that every machine agrees on them.
constexpr size_t kWideBuckets = 160;
constexpr std::array<uint64_t, kWideBuckets + 1> make_bounds() {
  std::array<uint64_t, kWideBuckets + 1> bounds{};
  uint64_t bound = kExactLengths;
  for (uint64_t& entry : bounds) {
    entry = bound;
    bound += bound * 12 / 100;
  }
  return bounds;
}
constexpr std::array<uint64_t, kWideBuckets + 1> kBounds = make_bounds();
static_assert(kBounds.back() > UINT32_MAX);
static_assert((kExactLengths + kWideBuckets) / kLengthGroup < 256, "a group is one byte");

}  // namespace

uint32_t length_bucket(uint32_t length) {
  if (length < kExactLengths) return length;
  const auto above = std::upper_bound(kBounds.begin(), kBounds.end(), uint64_t{length});
  return kExactLengths + static_cast<uint32_t>(above - kBounds.begin()) - 1;
}

uint32_t least_of_bucket(uint32_t bucket) {
  if (bucket < kExactLengths) return bucket;
  const size_t index = std::min<size_t>(bucket - kExactLengths, kWideBuckets);
  return static_cast<uint32_t>(std::min<uint64_t>(kBounds[index], UINT32_MAX));
}

uint32_t greatest_of_bucket(uint32_t bucket) {
  if (bucket < kExactLengths) return bucket;
  const size_t index = std::min<size_t>(bucket - kExactLengths + 1, kWideBuckets);
  return static_cast<uint32_t>(std::min<uint64_t>(kBounds[index] - 1, UINT32_MAX));
}

std::string lengths_key(uint32_t part, uint32_t path, LengthOf what, uint32_t group) {
  std::string key = path_key(part, Record::kLengths, path);
  key.push_back(static_cast<char>(what));
  key.push_back(static_cast<char>(group));
  return key;
}

std::string after_prefix(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (prefix.empty()) return std::string(fractal_tree::kMaxKeyBytes, '\xff');
  prefix.back() = static_cast<char>(static_cast<uint8_t>(prefix.back()) + 1);
  return prefix;
}

uint64_t shape_hash(const ShapeMembers& members) {
  std::string bytes;
  bytes.reserve(members.size() * 5);
  for (const auto& [path, type] : members) {
    put_fixed(bytes, path);
    bytes.push_back(static_cast<char>(type));
  }
  const uint64_t hash = checksum64(bytes, 0);
  return hash == 0 ? 1 : hash;
}

std::string encode_definition(int64_t first_seen_unix_s, const ShapeMembers& members) {
  std::string bytes;
  put_fixed(bytes, first_seen_unix_s);
  put_varint(bytes, members.size());
  uint32_t before = 0;
  for (const auto& [path, type] : members) {
    put_varint(bytes, path - before);
    bytes.push_back(static_cast<char>(type));
    before = path;
  }
  return bytes;
}

Result<Definition> decode_definition(std::string_view bytes) {
  Reader reader(bytes);
  Definition definition;
  definition.first_seen_unix_s = reader.fixed<int64_t>();
  const uint64_t count = reader.varint();
  uint64_t path = 0;
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    path += reader.varint();
    const auto type = reader.fixed<uint8_t>();
    if (path > UINT32_MAX || type >= document::kJsonTypeCount) break;
    definition.members.emplace_back(static_cast<uint32_t>(path),
                                    static_cast<document::JsonType>(type));
  }
  if (!reader.done() || definition.members.size() != count)
    return fail(ErrorCode::kCorruption, "statistics: damaged definition of a shape");
  return definition;
}

std::string encode_time(int64_t unix_s) {
  std::string bytes;
  put_fixed(bytes, unix_s);
  return bytes;
}

Result<int64_t> decode_time(std::string_view bytes) {
  Reader reader(bytes);
  const auto unix_s = reader.fixed<int64_t>();
  if (!reader.done()) return fail(ErrorCode::kCorruption, "statistics: damaged time");
  return unix_s;
}

}  // namespace wherestar::schema_stats
