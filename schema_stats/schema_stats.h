// Statistics of every path and shape, exact after any sequence of inserts, updates and deletes.
//
// What it hides: the key layout of the dictionary `statistics` (docs/statistics.md). They change
// with the document, in the same batch, by merge messages (never by reading first), and are
// associative, so those of parts add up. All but distinct values and top values equal a recount of
// the documents.
//
//   SchemaStats::open(engine) -> stats
//   stats->observe(batch, part, shredded, path_numbers, +1);    // insert; -1: delete
//   ASSIGN_OR_RETURN(auto paths, stats->paths(part, view));
//
// The caller gives each local path of a Shredded its number (PathId of the index) in
// `path_numbers`.
//
// Threads: may be used by many threads.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "document/document.h"
#include "fractal_tree/engine.h"

namespace wherestar::schema_stats {

// Formats that string values are counted as; a value may count for one only (the first that fits).
enum class Format : uint8_t {
  kDate,
  kDateTime,
  kTime,
  kUuid,
  kEmail,
  kUri,
  kIpv4,
  kIpv6,
  kIntegerText
};
inline constexpr size_t kFormatCount = 9;
std::string_view format_name(Format format);  // "date", "date-time", ... as JSON Schema has them
std::optional<Format> detect_format(std::string_view text);

struct LengthRange {
  uint32_t least = 0;
  uint32_t greatest = 0;  // of 256 and more: of its 12 % bucket's upper bound; exact below
  bool greatest_is_exact = true;
};

struct PathStatistics {
  uint32_t path = 0;       // number given by the caller
  uint64_t documents = 0;  // that have the path
  uint64_t values = 0;
  std::array<uint64_t, document::kJsonTypeCount> by_type{};  // by document::JsonType
  uint64_t total_bytes = 0;                                  // of the values' text
  std::array<uint64_t, kFormatCount> by_format{};
  // Nulls and booleans are counted, numbers and strings estimated (1.6 % standard error) from all
  // that were ever seen. Exact: there is at most one number or string. Who has the index can do
  // better for small sets: as many as the values it holds of the path.
  double distinct_values = 0;
  bool distinct_is_exact = false;
  std::optional<LengthRange> string_length;  // in characters
  std::optional<LengthRange> array_length;
  int64_t last_seen_unix_s = 0;
};

// A distinct set of (path, type). The id is a hash of it, in hex where shown.
struct ShapeStatistics {
  uint64_t shape = 0;
  uint64_t documents = 0;
  std::vector<std::pair<uint32_t, document::JsonType>> members;  // ascending
  int64_t first_seen_unix_s = 0;
  int64_t last_seen_unix_s = 0;
};

struct PartTotals {
  uint64_t documents = 0;
  uint64_t text_bytes = 0;
};

class SchemaStats {
 public:
  static Result<std::unique_ptr<SchemaStats>> open(fractal_tree::Engine& engine);
  // Over nothing but batches: for tools that keep no store. It reads ReadView::own alone. Use one
  // object for one set of batches: it remembers what it has put into them already.
  static std::unique_ptr<SchemaStats> over_batches();
  virtual ~SchemaStats() = default;

  // Adds (sign +1) or takes back (-1) a document. Returns the shape it was counted under, to be
  // kept with the document and given back on removal: beyond kMaxShapes shapes a document counts
  // under shape 0 ("others"). `now_unix_s` is for first and last seen only.
  virtual uint64_t observe(fractal_tree::WriteBatch& batch, uint32_t part,
                           const document::Shredded& shredded,
                           std::span<const uint32_t> path_numbers, int64_t now_unix_s) = 0;
  virtual void forget(fractal_tree::WriteBatch& batch, uint32_t part,
                      const document::Shredded& shredded, std::span<const uint32_t> path_numbers,
                      uint64_t shape) = 0;
  virtual void erase_part(fractal_tree::WriteBatch& batch, uint32_t part) = 0;
  // To be called when a batch that observe() wrote to is dropped and not committed: what is
  // remembered of last-seen times may have gone with it.
  virtual void batch_dropped() = 0;

  virtual Result<PartTotals> totals(uint32_t part, const fractal_tree::ReadView& view) = 0;
  virtual Result<std::vector<PathStatistics>> paths(uint32_t part,
                                                    const fractal_tree::ReadView& view) = 0;
  virtual Result<std::optional<PathStatistics>> path(uint32_t part, uint32_t path,
                                                     const fractal_tree::ReadView& view) = 0;
  virtual Result<std::vector<ShapeStatistics>> shapes(uint32_t part,
                                                      const fractal_tree::ReadView& view) = 0;
};

inline constexpr size_t kMaxShapes = 10'000;  // of a part

// One path as inference and the tools see it: statistics joined with what the index knows.
struct PathSummary {
  std::string text;  // canonical
  PathStatistics statistics;
  uint64_t parent_documents = 0;          // documents (or objects) that could have it
  uint64_t parent_objects = 0;            // objects of the parent path
  std::optional<std::string> least_json;  // JSON text
  std::optional<std::string> greatest_json;
  std::vector<std::pair<std::string, uint64_t>> top_values;  // JSON text, documents
};

// JSON Schema (2020-12) that every document of the statistics is valid against.
struct InferenceOptions {
  bool draft4 = false;  // the form that SchemaValidator takes
};
std::string infer_json_schema(std::span<const PathSummary> paths, std::string_view title,
                              const InferenceOptions& options);

}  // namespace wherestar::schema_stats
