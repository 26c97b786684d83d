// The questions about values rather than documents: counts per value, least and greatest.
#include <algorithm>

#include "base/posting_chunk.h"
#include "index/search.h"

namespace wherestar::index {
namespace {

// Keys of other paths that a walk for the rest of a cut string may step over.
constexpr uint64_t kMaxCutWalkKeys = 4096;

std::string values_prefix(PartId part, std::string_view text) {
  std::string prefix = part_key(part);
  prefix.push_back(static_cast<char>(document::kKeyString));
  put_escaped(prefix, text);
  return prefix;
}

// Adds to the last count when it is of the same path and value. False when `limit` counts exist
// and this would be one more.
bool add_count(std::vector<ValueCount>& counts, PathId path, std::string_view encoded,
               uint64_t documents, uint64_t limit) {
  if (!counts.empty() && counts.back().path == path && counts.back().encoded_value == encoded) {
    counts.back().documents += documents;
    return true;
  }
  if (limit != 0 && counts.size() >= limit) return false;
  counts.push_back({path, std::string(encoded), documents});
  return true;
}

Result<DocId> first_member(std::string_view postings, uint64_t chunk) {
  std::vector<uint64_t> members;
  RETURN_IF_ERROR(append_posting_members(postings, chunk, members));
  if (members.empty()) return fail(ErrorCode::kCorruption, "path_values: an empty posting chunk");
  return DocId{members.front()};
}

// Bytes of `text` without a character that was cut in its middle.
std::string whole_characters(std::string text) {
  size_t lead = text.size();
  while (lead > 0 && (static_cast<uint8_t>(text[lead - 1]) & 0xc0) == 0x80) --lead;
  if (lead == 0) return text;
  const auto byte = static_cast<uint8_t>(text[lead - 1]);
  const size_t expected = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
  if (text.size() - (lead - 1) < expected) text.resize(lead - 1);
  return text;
}

}  // namespace

Result<std::vector<ValueCount>> Search::count_values(const Probe& probe,
                                                     std::span<const PathId> paths,
                                                     uint64_t limit) {
  std::vector<ValueCount> counts;
  std::string last_cut;  // path and short string whose values were counted last
  const Status visited = visit(probe, paths, [&](const Match& match) -> Result<bool> {
    std::string encoded(match.value);
    if (!match.in_values && match.tag == document::kKeyNumber) {
      encoded.insert(encoded.begin(), static_cast<char>(document::kKeyNumber));
    } else if (!match.in_values) {
      ASSIGN_OR_RETURN(const ShortString text, read_short_string(match.value));
      if (text.cut) {
        std::string cut;
        put_path(cut, match.path);
        cut += text.text;
        if (cut == last_cut) return true;
        last_cut = std::move(cut);
        RETURN_IF_ERROR(count_cut_values(probe, match.path, text.text, counts, limit));
        return limit == 0 || counts.size() < limit;
      }
      encoded.clear();
      document::encode_scalar(encoded, std::string_view(text.text));
    }
    ASSIGN_OR_RETURN(const uint32_t documents, count_posting_members(match.postings));
    return add_count(counts, match.path, encoded, documents, limit);
  });
  RETURN_IF_ERROR(visited);
  return counts;
}

// The values at `path` that begin with `text`, from `values`, which holds more of them.
Status Search::count_cut_values(const Probe& probe, PathId path, const std::string& text,
                                std::vector<ValueCount>& counts, uint64_t limit) {
  const PathId only[] = {path};
  Segment segment = string_segment(probe, part_key(part_) + static_cast<char>(document::kKeyString),
                                   kSureStringBytes);
  const std::string prefix = values_prefix(part_, text);
  segment.begin = std::max(segment.begin, prefix);
  segment.end = std::min(segment.end, prefix_end(prefix));
  segment.filters_paths = true;
  const auto more = visit_segment(probe, only, segment, [&](const Match& match) -> Result<bool> {
    Reader reader(match.value);
    ASSIGN_OR_RETURN(const document::DecodedScalar decoded, document::decode_scalar(reader));
    if (decoded.text.size() <= kShortStringBytes) return true;  // has a whole key of its own
    ASSIGN_OR_RETURN(const uint32_t documents, count_posting_members(match.postings));
    return add_count(counts, match.path, match.value, documents, limit);
  });
  if (!more) return std::unexpected(more.error());
  return {};
}

Result<std::optional<Index::Extreme>> Search::extreme(PathId path, uint8_t key_type,
                                                      bool greatest) {
  if (key_type != document::kKeyNumber && key_type != document::kKeyString)
    return fail(ErrorCode::kInvalidArgument, "only numbers and strings have extremes");
  const std::string prefix = path_values_key(part_, path, key_type);
  const auto cursor = engine_.cursor(dictionaries_.path_values, view_);
  if (greatest)
    cursor->seek_to_last_before(prefix_end(prefix));
  else
    cursor->seek(prefix);
  RETURN_IF_ERROR(cursor->status());
  if (!cursor->valid() || !cursor->key().starts_with(prefix)) return std::nullopt;

  ASSIGN_OR_RETURN(const PathValuesKey key, read_path_values_key(cursor->key()));
  Index::Extreme extreme;
  ASSIGN_OR_RETURN(extreme.doc, first_member(cursor->value(), key.chunk));
  if (key_type == document::kKeyNumber) {
    std::string encoded(1, static_cast<char>(document::kKeyNumber));
    encoded += key.rest;
    Reader reader(encoded);
    ASSIGN_OR_RETURN(extreme.value, document::decode_scalar(reader));
    return extreme;
  }
  ASSIGN_OR_RETURN(const ShortString text, read_short_string(key.rest));
  if (text.cut) {
    ASSIGN_OR_RETURN(const auto longer, extreme_of_cut(path, text, greatest));
    if (longer) return longer;
  }
  extreme.value.type = document::kKeyString;
  extreme.value.text = text.cut ? whole_characters(text.text) : text.text;
  extreme.value.cut = text.cut;
  return extreme;
}

// Among strings with the same first bytes: the first or last of the path in `values`, which knows
// more bytes; nothing when too many keys of other paths lie there.
Result<std::optional<Index::Extreme>> Search::extreme_of_cut(PathId path, const ShortString& first,
                                                             bool greatest) {
  const std::string prefix = values_prefix(part_, first.text);
  const auto cursor = engine_.cursor(dictionaries_.values, view_);
  if (greatest)
    cursor->seek_to_last_before(prefix_end(prefix));
  else
    cursor->seek(prefix);
  for (uint64_t walked = 0; cursor->valid() && walked < kMaxCutWalkKeys; ++walked) {
    if (!cursor->key().starts_with(prefix)) break;
    ASSIGN_OR_RETURN(const ValuesKey key, read_values_key(cursor->key()));
    if (key.path == path) {
      Reader reader(key.scalar);
      Index::Extreme extreme;
      ASSIGN_OR_RETURN(extreme.value, document::decode_scalar(reader));
      ASSIGN_OR_RETURN(extreme.doc, first_member(cursor->value(), key.chunk));
      if (extreme.value.text.size() > kShortStringBytes) return extreme;
    }
    if (greatest)
      cursor->previous();
    else
      cursor->next();
  }
  RETURN_IF_ERROR(cursor->status());
  return std::nullopt;
}

}  // namespace wherestar::index
