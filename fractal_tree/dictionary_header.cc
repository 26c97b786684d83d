#include "fractal_tree/dictionary_header.h"

#include "base/coding.h"

namespace wherestar::fractal_tree {
namespace {

constexpr std::string_view kMagic = "WSTRTREE";
constexpr size_t kChecksumOffset = kHeaderSlotBytes - 8;

std::unexpected<Error> damaged(unsigned slot, std::string_view what) {
  return fail(ErrorCode::kCorruption,
              "header slot " + std::to_string(slot) + ": " + std::string(what));
}

}  // namespace

std::string encode_dictionary_header(const DictionaryHeader& header, unsigned slot) {
  std::string out;
  out.reserve(kHeaderSlotBytes);
  out.append(kMagic);
  put_fixed(out, kDictionaryFormatVersion);
  put_fixed(out, header.dictionary);
  put_fixed(out, kDictionaryFeatures);
  put_fixed(out, header.store.low);
  put_fixed(out, header.store.high);
  put_fixed(out, header.checkpoint);
  put_fixed(out, header.next_block);
  put_fixed(out, header.table_offset);
  put_fixed(out, header.table_bytes);
  put_fixed(out, header.table_raw_bytes);
  put_fixed(out, static_cast<uint32_t>(header.table_codec));
  put_fixed(out, uint32_t{0});
  put_fixed(out, header.table_checksum);
  out.resize(kChecksumOffset, '\0');
  put_fixed(out, checksum64(out, checksum_seed(header.store, 'H', header.dictionary, slot)));
  return out;
}

Result<DictionaryHeader> decode_dictionary_header(std::string_view bytes, const StoreId& store,
                                                  uint32_t dictionary, unsigned slot) {
  if (bytes.size() != kHeaderSlotBytes) return damaged(slot, "cut short");
  Reader checksum(bytes.substr(kChecksumOffset));
  if (checksum.fixed<uint64_t>() !=
      checksum64(bytes.substr(0, kChecksumOffset), checksum_seed(store, 'H', dictionary, slot)))
    return damaged(slot, "checksum differs");
  Reader reader(bytes);
  if (reader.take(kMagic.size()) != kMagic) return damaged(slot, "not a dictionary's");
  const auto version = reader.fixed<uint32_t>();
  if (version != kDictionaryFormatVersion)
    return fail(ErrorCode::kFormat,
                "format version " + std::to_string(version) + " is unknown to this program");
  DictionaryHeader header;
  header.dictionary = reader.fixed<uint32_t>();
  const auto features = reader.fixed<uint64_t>();
  if ((features & ~kDictionaryFeatures) != 0)
    return fail(ErrorCode::kFormat,
                "feature bits " + std::to_string(features) + " are unknown to this program");
  header.store.low = reader.fixed<uint64_t>();
  header.store.high = reader.fixed<uint64_t>();
  header.checkpoint = reader.fixed<uint64_t>();
  header.next_block = reader.fixed<uint64_t>();
  header.table_offset = reader.fixed<uint64_t>();
  header.table_bytes = reader.fixed<uint64_t>();
  header.table_raw_bytes = reader.fixed<uint64_t>();
  header.table_codec = static_cast<TableCodec>(reader.fixed<uint32_t>());
  reader.fixed<uint32_t>();
  header.table_checksum = reader.fixed<uint64_t>();
  if (header.store != store || header.dictionary != dictionary)
    return damaged(slot, "of another store or dictionary");
  const uint64_t table_unit = header.table_offset / kUnitBytes;
  if (header.table_bytes != 0 &&
      (header.table_offset % kUnitBytes != 0 || table_unit < kHeaderUnits ||
       table_unit >= kMaxUnits || header.table_bytes > (kMaxUnits - table_unit) * kUnitBytes))
    return damaged(slot, "impossible place of the block table");
  if (header.next_block == 0) return damaged(slot, "impossible next block id");
  return header;
}

}  // namespace wherestar::fractal_tree
