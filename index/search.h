// Answers probes from `values` and `path_values`.
//
// A probe becomes segments: key ranges of one dictionary. Numbers and equal values are met exactly
// by their range; of strings in a range or with a prefix every key is looked at, since a key may
// hold the first bytes of a string only:
//
//   at any path             values
//   equality at paths       values, one (value, path) each
//   numbers at paths        path_values
//   strings at paths        path_values; with a prefix longer than a short string: values, keeping
//                           the keys of these paths
//   null, false, true       values, as equality with each of them in the range
//   anything at very many   as at any path, keeping the keys of these paths
//
// One Search serves one call, on one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fractal_tree/engine.h"
#include "index/index.h"
#include "index/keys.h"

namespace wherestar::index {

struct Dictionaries {
  fractal_tree::DictionaryId paths{};
  fractal_tree::DictionaryId values{};
  fractal_tree::DictionaryId path_values{};
};

class Search {
 public:
  Search(fractal_tree::Engine& engine, const Dictionaries& dictionaries, PartId part,
         const fractal_tree::ReadView& view)
      : engine_(engine), dictionaries_(dictionaries), part_(part), view_(view) {}

  Result<Hits> find(const Probe& probe, std::span<const PathId> paths, uint64_t limit);
  Result<Hits> find_type(PathId path, std::span<const document::JsonType> types);
  Result<Hits> find_array_length(PathId path, uint32_t low, uint32_t high);
  Result<std::vector<ValueCount>> count_values(const Probe& probe, std::span<const PathId> paths,
                                               uint64_t limit);
  Result<uint64_t> estimate(const Probe& probe, std::span<const PathId> paths, uint64_t effort);
  Result<std::optional<Index::Extreme>> extreme(PathId path, uint8_t key_type, bool greatest);

 private:
  enum class Verdict { kNo, kYes, kMaybe };
  struct Segment {
    bool in_values = true;
    bool checks_strings = false;  // decode each key and judge it
    bool filters_paths = false;   // keep keys of the probe's paths only
    bool inexact = false;         // cut strings
    std::string begin, end;
  };
  // A posting key that satisfies the probe, or may.
  struct Match {
    PathId path{};
    bool in_values = true;
    std::string_view value;  // encoded scalar of `values`; of path_values what is behind the tag
    uint8_t tag = 0;         // of path_values
    uint64_t chunk = 0;
    std::string_view postings;
    Verdict verdict = Verdict::kYes;
  };
  using Visit = std::function<Result<bool>(const Match&)>;  // false: enough

  std::vector<Segment> plan(const Probe& probe, std::span<const PathId> paths) const;
  void plan_equal(const document::Scalar& value, std::span<const PathId> paths,
                  std::vector<Segment>& segments) const;
  void plan_numbers(const Probe& probe, std::span<const PathId> paths,
                    std::vector<Segment>& segments) const;
  void plan_strings(const Probe& probe, std::span<const PathId> paths,
                    std::vector<Segment>& segments) const;
  Segment string_segment(const Probe& probe, std::string prefix, size_t sure_bytes) const;

  Status visit(const Probe& probe, std::span<const PathId> paths, const Visit& visit);
  Result<bool> visit_segment(const Probe& probe, std::span<const PathId> paths,
                             const Segment& segment, const Visit& visit);
  Status collect(const std::string& begin, const std::string& end, Hits& hits);

  Status count_cut_values(const Probe& probe, PathId path, const std::string& text,
                          std::vector<ValueCount>& counts, uint64_t limit);
  Result<std::optional<Index::Extreme>> extreme_of_cut(PathId path, const ShortString& first,
                                                       bool greatest);

  fractal_tree::Engine& engine_;
  const Dictionaries& dictionaries_;
  PartId part_;
  const fractal_tree::ReadView& view_;
  uint64_t keys_read_ = 0;
};

}  // namespace wherestar::index
