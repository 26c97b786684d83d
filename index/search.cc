#include "index/search.h"

#include <algorithm>

#include "base/posting_chunk.h"

namespace wherestar::index {
namespace {

// More paths than that are one scan of `values` that keeps theirs, not a seek for each.
constexpr size_t kManyPaths = 64;

using document::Number;
using document::Scalar;

// The bound that says of what type a range is.
const Scalar& typed_bound(const Probe& probe) {
  if (probe.kind != Probe::Kind::kRange || probe.has_low || !probe.has_high) return probe.low;
  return probe.high;
}

// What a cut string, of which `prefix` is known, has to do with `bound`: -1 below, 1 above, 0
// unknown. It is longer than its prefix, so it is never equal to a bound as short as that.
int compare_cut(std::string_view prefix, std::string_view bound) {
  const int order = prefix.compare(bound.substr(0, prefix.size()));
  if (order != 0) return order < 0 ? -1 : 1;
  return bound.size() <= prefix.size() ? 1 : 0;
}

bool within(std::string_view text, const Probe& probe) {
  if (probe.has_low) {
    const int order = text.compare(std::get<std::string_view>(probe.low));
    if (order < 0 || (order == 0 && !probe.low_inclusive)) return false;
  }
  if (probe.has_high) {
    const int order = text.compare(std::get<std::string_view>(probe.high));
    if (order > 0 || (order == 0 && !probe.high_inclusive)) return false;
  }
  return true;
}

// 1 satisfies, 0 not, -1 cannot be told from the first bytes.
int judge(std::string_view text, bool cut, const Probe& probe) {
  if (probe.kind == Probe::Kind::kPrefix) {
    const auto prefix = std::get<std::string_view>(probe.low);
    if (text.starts_with(prefix)) return 1;
    return cut && prefix.starts_with(text) ? -1 : 0;
  }
  if (!cut) return within(text, probe) ? 1 : 0;
  int verdict = 1;
  if (probe.has_low) {
    const int order = compare_cut(text, std::get<std::string_view>(probe.low));
    if (order < 0) return 0;
    if (order == 0) verdict = -1;
  }
  if (probe.has_high) {
    const int order = compare_cut(text, std::get<std::string_view>(probe.high));
    if (order > 0) return 0;
    if (order == 0) verdict = -1;
  }
  return verdict;
}

// null, false and true have no range of keys: those of them that a range of their type holds.
std::vector<Scalar> literals_within(const Probe& probe) {
  std::vector<Scalar> literals;
  if (std::holds_alternative<document::Null>(typed_bound(probe))) {
    if ((!probe.has_low || probe.low_inclusive) && (!probe.has_high || probe.high_inclusive))
      literals.emplace_back(document::Null{});
    return literals;
  }
  for (const bool value : {false, true}) {
    const bool above = !probe.has_low || value > std::get<bool>(probe.low) ||
                       (probe.low_inclusive && value == std::get<bool>(probe.low));
    const bool below = !probe.has_high || value < std::get<bool>(probe.high) ||
                       (probe.high_inclusive && value == std::get<bool>(probe.high));
    if (above && below) literals.emplace_back(value);
  }
  return literals;
}

// Members of posting chunks on their way into a set.
class Collector {
 public:
  explicit Collector(DocIdSet& docs) : docs_(docs) {}
  Status add(std::string_view postings, uint64_t chunk) {
    RETURN_IF_ERROR(append_posting_members(postings, chunk, members_));
    if (members_.size() >= kFlushMembers) flush();
    return {};
  }
  void flush() {
    docs_.add_many(members_);
    members_.clear();
  }
  bool reached(uint64_t limit) {
    // The size of the set costs a walk; before that many members have come it cannot be reached.
    if (counted_ + members_.size() < limit) return false;
    flush();
    counted_ = docs_.size();
    return counted_ >= limit;
  }

 private:
  static constexpr size_t kFlushMembers = 1u << 16;
  DocIdSet& docs_;
  std::vector<uint64_t> members_;
  uint64_t counted_ = 0;
};

}  // namespace

// --- from a probe to key ranges ------------------------------------------------------------------

std::vector<Search::Segment> Search::plan(const Probe& probe, std::span<const PathId> paths) const {
  std::vector<Segment> segments;
  if (paths.size() > kManyPaths) {
    segments = plan(probe, {});
    for (Segment& segment : segments) segment.filters_paths = true;
    return segments;
  }
  if (probe.kind == Probe::Kind::kEqual) {
    plan_equal(probe.low, paths, segments);
    return segments;
  }
  const Scalar& typed = typed_bound(probe);
  if (std::holds_alternative<std::string_view>(typed)) {
    plan_strings(probe, paths, segments);
  } else if (std::holds_alternative<Number>(typed)) {
    plan_numbers(probe, paths, segments);
  } else {
    for (const Scalar& value : literals_within(probe)) plan_equal(value, paths, segments);
  }
  return segments;
}

void Search::plan_equal(const Scalar& value, std::span<const PathId> paths,
                        std::vector<Segment>& segments) const {
  std::string prefix = part_key(part_);
  document::encode_scalar(prefix, value);
  const auto* text = std::get_if<std::string_view>(&value);
  Segment segment;
  segment.inexact = text != nullptr && document::is_cut(*text);
  if (paths.empty()) {
    segment.begin = prefix;
    segment.end = prefix_end(prefix);
    segments.push_back(std::move(segment));
    return;
  }
  for (const PathId path : paths) {
    segment.begin = prefix;
    put_path(segment.begin, path);
    segment.end = prefix_end(segment.begin);
    segments.push_back(segment);
  }
}

void Search::plan_numbers(const Probe& probe, std::span<const PathId> paths,
                          std::vector<Segment>& segments) const {
  const auto plan_one = [&](const std::string& prefix, bool in_values) {
    Segment segment;
    segment.in_values = in_values;
    segment.begin = prefix;
    if (probe.has_low) {
      document::encode_number(segment.begin, std::get<Number>(probe.low));
      if (!probe.low_inclusive) segment.begin = prefix_end(segment.begin);
    }
    segment.end = prefix;
    if (probe.has_high) document::encode_number(segment.end, std::get<Number>(probe.high));
    if (!probe.has_high || probe.high_inclusive) segment.end = prefix_end(segment.end);
    segments.push_back(std::move(segment));
  };
  if (paths.empty()) {
    plan_one(part_key(part_) + static_cast<char>(document::kKeyNumber), true);
    return;
  }
  for (const PathId path : paths)
    plan_one(path_values_key(part_, path, document::kKeyNumber), false);
}

Search::Segment Search::string_segment(const Probe& probe, std::string prefix,
                                       size_t sure_bytes) const {
  const bool is_prefix = probe.kind == Probe::Kind::kPrefix;
  Segment segment;
  segment.checks_strings = true;
  segment.begin = prefix;
  segment.end = std::move(prefix);
  if (is_prefix || probe.has_low)
    put_escaped(segment.begin, std::get<std::string_view>(probe.low).substr(0, sure_bytes));
  if (is_prefix || probe.has_high)
    put_escaped(
        segment.end,
        std::get<std::string_view>(is_prefix ? probe.low : probe.high).substr(0, sure_bytes));
  segment.end = prefix_end(segment.end);
  return segment;
}

void Search::plan_strings(const Probe& probe, std::span<const PathId> paths,
                          std::vector<Segment>& segments) const {
  const bool long_prefix = probe.kind == Probe::Kind::kPrefix &&
                           std::get<std::string_view>(probe.low).size() > kShortStringBytes;
  if (paths.empty() || long_prefix) {
    segments.push_back(string_segment(
        probe, part_key(part_) + static_cast<char>(document::kKeyString), kSureStringBytes));
    segments.back().filters_paths = !paths.empty();
    return;
  }
  for (const PathId path : paths) {
    segments.push_back(string_segment(probe, path_values_key(part_, path, document::kKeyString),
                                      kShortStringBytes));
    segments.back().in_values = false;
  }
}

// --- walking them --------------------------------------------------------------------------------

Status Search::visit(const Probe& probe, std::span<const PathId> paths, const Visit& visit) {
  // A path named twice must not be walked twice.
  std::vector<PathId> distinct(paths.begin(), paths.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  for (const Segment& segment : plan(probe, distinct)) {
    ASSIGN_OR_RETURN(const bool more, visit_segment(probe, distinct, segment, visit));
    if (!more) break;
  }
  return {};
}

Result<bool> Search::visit_segment(const Probe& probe, std::span<const PathId> paths,
                                   const Segment& segment, const Visit& visit) {
  const auto cursor =
      engine_.cursor(segment.in_values ? dictionaries_.values : dictionaries_.path_values, view_);
  std::string judged;  // the value judged last: its keys of other paths and chunks follow
  int judgement = 1;
  for (cursor->seek(segment.begin); cursor->valid() && cursor->key() < segment.end;
       cursor->next()) {
    ++keys_read_;
    Match match;
    match.in_values = segment.in_values;
    match.postings = cursor->value();
    if (segment.in_values) {
      ASSIGN_OR_RETURN(const ValuesKey key, read_values_key(cursor->key()));
      match.path = key.path;
      match.value = key.scalar;
      match.chunk = key.chunk;
    } else {
      ASSIGN_OR_RETURN(const PathValuesKey key, read_path_values_key(cursor->key()));
      Reader path(cursor->key().substr(4));
      match.path = PathId{path.big_endian<uint32_t>()};
      match.tag = key.tag;
      match.value = key.rest;
      match.chunk = key.chunk;
    }
    if (segment.filters_paths && !std::binary_search(paths.begin(), paths.end(), match.path))
      continue;
    if (segment.checks_strings && match.value != judged) {
      judged = match.value;
      if (segment.in_values) {
        Reader reader(match.value);
        ASSIGN_OR_RETURN(const document::DecodedScalar decoded, document::decode_scalar(reader));
        judgement = judge(decoded.text, decoded.cut, probe);
      } else {
        ASSIGN_OR_RETURN(const ShortString decoded, read_short_string(match.value));
        judgement = judge(decoded.text, decoded.cut, probe);
      }
    }
    if (judgement == 0) continue;
    match.verdict = segment.inexact || judgement < 0 ? Verdict::kMaybe : Verdict::kYes;
    ASSIGN_OR_RETURN(const bool more, visit(match));
    if (!more) return false;
  }
  RETURN_IF_ERROR(cursor->status());
  return true;
}

// --- questions -----------------------------------------------------------------------------------

Result<Hits> Search::find(const Probe& probe, std::span<const PathId> paths, uint64_t limit) {
  Hits hits;
  Collector collector(hits.docs);
  const Status visited = visit(probe, paths, [&](const Match& match) -> Result<bool> {
    RETURN_IF_ERROR(collector.add(match.postings, match.chunk));
    if (match.verdict == Verdict::kMaybe) hits.exact = false;
    // Candidates may fall out, so only exact hits count against the limit.
    return limit == 0 || !hits.exact || !collector.reached(limit);
  });
  RETURN_IF_ERROR(visited);
  collector.flush();
  hits.keys_read = keys_read_;
  return hits;
}

Status Search::collect(const std::string& begin, const std::string& end, Hits& hits) {
  Collector collector(hits.docs);
  const auto cursor = engine_.cursor(dictionaries_.path_values, view_);
  for (cursor->seek(begin); cursor->valid() && cursor->key() < end; cursor->next()) {
    ++hits.keys_read;
    ASSIGN_OR_RETURN(const PathValuesKey key, read_path_values_key(cursor->key()));
    RETURN_IF_ERROR(collector.add(cursor->value(), key.chunk));
  }
  collector.flush();
  return cursor->status();
}

Result<Hits> Search::find_type(PathId path, std::span<const document::JsonType> types) {
  Hits hits;
  for (const document::JsonType type : types) {
    const std::string prefix = path_values_key(part_, path, kTagType) + static_cast<char>(type);
    RETURN_IF_ERROR(collect(prefix, prefix_end(prefix), hits));
  }
  return hits;
}

Result<Hits> Search::find_array_length(PathId path, uint32_t low, uint32_t high) {
  Hits hits;
  if (low > high) return hits;
  std::string begin = path_values_key(part_, path, kTagArrayLength);
  std::string end = begin;
  put_big_endian(begin, low);
  put_big_endian(end, high);
  RETURN_IF_ERROR(collect(begin, prefix_end(end), hits));
  return hits;
}

Result<uint64_t> Search::estimate(const Probe& probe, std::span<const PathId> paths,
                                  uint64_t effort) {
  uint64_t documents = 0;
  bool complete = true;
  const Status visited = visit(probe, paths, [&](const Match& match) -> Result<bool> {
    if (keys_read_ > effort) return complete = false;
    ASSIGN_OR_RETURN(const uint32_t members, count_posting_members(match.postings));
    documents += members;
    return true;
  });
  RETURN_IF_ERROR(visited);
  return complete ? documents : UINT64_MAX;
}

}  // namespace wherestar::index
