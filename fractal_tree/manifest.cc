#include "fractal_tree/manifest.h"

#include <algorithm>
#include <utility>

#include "base/coding.h"

namespace wherestar::fractal_tree {
namespace {

constexpr std::string_view kMagic = "WSTRMANI";
constexpr size_t kLengthOffset = 12;
constexpr size_t kFixedBytes = 80;
constexpr size_t kChecksumBytes = 8;

std::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::kCorruption, std::string(what));
}

void put_dictionary(std::string& out, const DictionaryRoot& dictionary, uint64_t checkpoint) {
  put_fixed(out, static_cast<uint32_t>(dictionary.id));
  put_fixed(out, checkpoint);
  put_fixed(out, static_cast<uint64_t>(dictionary.root));
  const DictionaryOptions& options = dictionary.options;
  put_fixed(out, static_cast<uint8_t>(options.codec));
  put_fixed(out, options.leaf_bytes);
  put_fixed(out, options.basement_bytes);
  put_fixed(out, options.buffer_bytes);
  put_fixed(out, options.fanout);
  put_fixed(out, options.overflow_value_bytes);
  put_bytes(out, dictionary.name);
  put_bytes(out, dictionary.tree_state);
}

DictionaryRoot read_dictionary(Reader& reader, uint64_t& checkpoint) {
  DictionaryRoot dictionary;
  dictionary.id = DictionaryId{reader.fixed<uint32_t>()};
  checkpoint = reader.fixed<uint64_t>();
  dictionary.root = BlockId{reader.fixed<uint64_t>()};
  dictionary.options.codec = static_cast<Codec>(reader.fixed<uint8_t>());
  dictionary.options.leaf_bytes = reader.fixed<uint32_t>();
  dictionary.options.basement_bytes = reader.fixed<uint32_t>();
  dictionary.options.buffer_bytes = reader.fixed<uint32_t>();
  dictionary.options.fanout = reader.fixed<uint32_t>();
  dictionary.options.overflow_value_bytes = reader.fixed<uint32_t>();
  dictionary.name = reader.bytes();
  dictionary.tree_state = reader.bytes();
  return dictionary;
}

Status check_dictionary(const DictionaryRoot& dictionary, uint64_t header_checkpoint,
                        const Manifest& manifest) {
  const auto id = static_cast<uint32_t>(dictionary.id);
  if (id >= manifest.root.next_dictionary_id) return damaged("a dictionary id beyond the next");
  if (!manifest.root.dictionaries.empty() &&
      static_cast<uint32_t>(manifest.root.dictionaries.back().id) >= id)
    return damaged("dictionary ids do not ascend");
  if (header_checkpoint > manifest.root.checkpoint)
    return damaged("a header's checkpoint beyond the manifest's");
  if (dictionary.options.codec > Codec::kZstd)
    return fail(ErrorCode::kFormat, "a codec is unknown to this program");
  return {};
}

}  // namespace

Result<std::string> encode_manifest(const Manifest& manifest) {
  const StoreRoot& root = manifest.root;
  std::string out;
  out.append(kMagic);
  put_fixed(out, kManifestFormatVersion);
  put_fixed(out, uint32_t{0});  // length, below
  put_fixed(out, kManifestFeatures);
  put_fixed(out, manifest.store.low);
  put_fixed(out, manifest.store.high);
  put_fixed(out, root.checkpoint);
  put_fixed(out, static_cast<uint64_t>(root.log_start));
  put_fixed(out, root.last_sequence);
  put_fixed(out, manifest.log_segment);
  put_fixed(out, root.next_dictionary_id);
  put_fixed(out, static_cast<uint32_t>(root.dictionaries.size()));
  for (size_t i = 0; i < root.dictionaries.size(); ++i)
    put_dictionary(out, root.dictionaries[i], manifest.header_checkpoints[i]);
  if (out.size() + kChecksumBytes > kMaxManifestBytes)
    return fail(ErrorCode::kLimitExceeded, "the manifest would be too large");
  std::string length;
  put_fixed(length, static_cast<uint32_t>(out.size() + kChecksumBytes));
  out.replace(kLengthOffset, length.size(), length);
  put_fixed(out, checksum64(out, 0));
  return out;
}

Result<Manifest> decode_manifest(std::string_view bytes) {
  if (bytes.size() < kFixedBytes + kChecksumBytes) return damaged("cut short");
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  Reader checksum(bytes.substr(body.size()));
  if (checksum.fixed<uint64_t>() != checksum64(body, 0)) return damaged("checksum differs");
  Reader reader(body);
  if (reader.take(kMagic.size()) != kMagic) return damaged("not a manifest");
  const auto version = reader.fixed<uint32_t>();
  const auto length = reader.fixed<uint32_t>();
  const auto features = reader.fixed<uint64_t>();
  if (version != kManifestFormatVersion || (features & ~kManifestFeatures) != 0)
    return fail(ErrorCode::kFormat, "format version " + std::to_string(version) +
                                        ", feature bits " + std::to_string(features) +
                                        ": unknown to this program");
  if (length != bytes.size()) return damaged("its length is not the file's");
  Manifest manifest;
  StoreRoot& root = manifest.root;
  manifest.store.low = reader.fixed<uint64_t>();
  manifest.store.high = reader.fixed<uint64_t>();
  root.checkpoint = reader.fixed<uint64_t>();
  root.log_start = Lsn{reader.fixed<uint64_t>()};
  root.last_sequence = reader.fixed<uint64_t>();
  manifest.log_segment = reader.fixed<uint64_t>();
  root.next_dictionary_id = reader.fixed<uint32_t>();
  const auto count = reader.fixed<uint32_t>();
  for (uint32_t i = 0; i < count; ++i) {
    uint64_t checkpoint = 0;
    DictionaryRoot dictionary = read_dictionary(reader, checkpoint);
    if (!reader.ok()) return damaged("cut short");
    RETURN_IF_ERROR(check_dictionary(dictionary, checkpoint, manifest));
    root.dictionaries.push_back(std::move(dictionary));
    manifest.header_checkpoints.push_back(checkpoint);
  }
  if (!reader.done()) return damaged("trailing bytes");
  return manifest;
}

}  // namespace wherestar::fractal_tree
