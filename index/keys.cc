#include "index/keys.h"

#include "fractal_tree/engine.h"

namespace wherestar::index {

std::string path_values_key(PartId part, PathId path, uint8_t tag) {
  std::string key;
  put_part(key, part);
  put_path(key, path);
  key.push_back(static_cast<char>(tag));
  return key;
}

std::string derivation_version_key() {
  return std::string("\xff\xff\xff\xff\0", 5);
}

std::string path_record_key(PartId part, PathId path) {
  std::string key;
  put_part(key, part);
  key.push_back(static_cast<char>(kPathRecord));
  put_path(key, path);
  return key;
}

std::string rule_record_key(PartId part, uint32_t rule) {
  std::string key;
  put_part(key, part);
  key.push_back(static_cast<char>(kRuleRecord));
  put_big_endian(key, rule);
  return key;
}

std::string prefix_end(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && end.back() == '\xff') end.pop_back();
  if (end.empty()) return std::string(fractal_tree::kMaxKeyBytes, '\xff');
  end.back() = static_cast<char>(static_cast<uint8_t>(end.back()) + 1);
  return end;
}

void put_escaped(std::string& key, std::string_view text) {
  for (size_t zero = text.find('\0'); zero != text.npos; zero = text.find('\0')) {
    key.append(text.substr(0, zero + 1));
    key.push_back('\xff');
    text.remove_prefix(zero + 1);
  }
  key.append(text);
}

void put_short_string(std::string& key, std::string_view text) {
  put_escaped(key, text.substr(0, kShortStringBytes));
  key.push_back('\0');
  key.push_back(text.size() > kShortStringBytes ? '\x02' : '\x01');
}

Result<ShortString> read_short_string(std::string_view encoded) {
  ShortString result;
  for (size_t i = 0; i < encoded.size(); ++i) {
    if (encoded[i] != '\0') {
      result.text.push_back(encoded[i]);
      continue;
    }
    if (++i == encoded.size()) break;
    if (encoded[i] == '\xff') {
      result.text.push_back('\0');
      continue;
    }
    if (i + 1 != encoded.size() || (encoded[i] != '\x01' && encoded[i] != '\x02')) break;
    result.cut = encoded[i] == '\x02';
    return result;
  }
  return fail(ErrorCode::kCorruption, "path_values: a key with a damaged string");
}

namespace {
uint64_t read_chunk(std::string_view key) {
  Reader reader(key.substr(key.size() - kChunkBytes));
  const uint64_t high = reader.big_endian<uint16_t>();
  return (high << 32) | reader.big_endian<uint32_t>();
}
}  // namespace

Result<ValuesKey> read_values_key(std::string_view key) {
  constexpr size_t kFixedBytes = 4 + 4 + kChunkBytes;
  if (key.size() <= kFixedBytes) return fail(ErrorCode::kCorruption, "values: a key too short");
  Reader path(key.substr(key.size() - kChunkBytes - 4));
  return ValuesKey{.scalar = key.substr(4, key.size() - kFixedBytes),
                   .path = PathId{path.big_endian<uint32_t>()},
                   .chunk = read_chunk(key)};
}

Result<PathValuesKey> read_path_values_key(std::string_view key) {
  constexpr size_t kFixedBytes = 4 + 4 + 1 + kChunkBytes;
  if (key.size() <= kFixedBytes)
    return fail(ErrorCode::kCorruption, "path_values: a key too short");
  return PathValuesKey{.tag = static_cast<uint8_t>(key[8]),
                       .rest = key.substr(9, key.size() - kFixedBytes),
                       .chunk = read_chunk(key)};
}

}  // namespace wherestar::index
