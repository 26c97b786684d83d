// Statistics of a plain file of documents, without any store, in bounded memory.
//
//   FileSummary summary("products");
//   summary.add(parser.shred(), line);          // for each document
//   ASSIGN_OR_RETURN(Summary result, summary.finish());
//
// The counting is schema_stats' own, over a batch that is never committed; least, greatest and most
// frequent values are kept beside it (value_tracker.h). First and last seen of shapes are lines.
// Beyond kMaxPaths paths new member names count as `.*` of their object. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "document/document.h"
#include "fractal_tree/engine.h"
#include "schema_stats/schema_stats.h"
#include "tools/summary.h"
#include "tools/value_tracker.h"

namespace wherestar::tools {

class FileSummary {
 public:
  static constexpr size_t kMaxPaths = 50'000;

  explicit FileSummary(std::string name, size_t max_paths = kMaxPaths);

  void add(const document::Shredded& shredded, uint64_t text_bytes, size_t line);
  Result<Summary> finish();
  // For inferring a schema; call after finish().
  const std::vector<schema_stats::PathSummary>& path_summaries() const { return path_summaries_; }

 private:
  struct Path {
    uint32_t parent = 0;
    bool is_element = false;
    std::string text;
    std::map<std::string, uint32_t, std::less<>> members;
    uint32_t element = 0;  // number of `[*]`, 0: none yet
    uint32_t folded = 0;   // number of `.*`, 0: none yet
    ValueTracker values;
  };

  uint32_t number_of(uint32_t parent, const document::Shredded::Path& path);
  uint32_t add_path(uint32_t parent, bool is_element, std::string text);
  Status collect_paths(Summary& summary);
  Status collect_shapes(Summary& summary);

  std::string name_;
  size_t max_paths_;
  std::unique_ptr<schema_stats::SchemaStats> stats_;
  fractal_tree::WriteBatch batch_;
  std::vector<Path> paths_;
  std::vector<uint32_t> numbers_;  // of the document at hand
  std::vector<schema_stats::PathSummary> path_summaries_;
  uint64_t documents_ = 0;
  uint64_t text_bytes_ = 0;
};

}  // namespace wherestar::tools
