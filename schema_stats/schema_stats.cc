#include "schema_stats/schema_stats.h"

#include <algorithm>
#include <atomic>

#include "schema_stats/part_memory.h"
#include "schema_stats/statistics_reader.h"
#include "schema_stats/tally.h"

namespace wherestar::schema_stats {
namespace {

using fractal_tree::DictionaryId;
using fractal_tree::Engine;
using fractal_tree::MergeKind;
using fractal_tree::ReadView;
using fractal_tree::WriteBatch;

class Statistics : public SchemaStats {
 public:
  Statistics(Engine* engine, DictionaryId dictionary) : source_{engine, dictionary} {}

  uint64_t observe(WriteBatch& batch, uint32_t part, const document::Shredded& shredded,
                   std::span<const uint32_t> path_numbers, int64_t now_unix_s) override;
  void forget(WriteBatch& batch, uint32_t part, const document::Shredded& shredded,
              std::span<const uint32_t> path_numbers, uint64_t shape) override;
  void erase_part(WriteBatch& batch, uint32_t part) override;
  void batch_dropped() override { drops_.fetch_add(1, std::memory_order_relaxed); }

  Result<PartTotals> totals(uint32_t part, const ReadView& view) override {
    return read_totals(source_, part, view);
  }
  Result<std::vector<PathStatistics>> paths(uint32_t part, const ReadView& view) override {
    return read_paths(source_, part, std::nullopt, view);
  }
  Result<std::optional<PathStatistics>> path(uint32_t part, uint32_t path,
                                             const ReadView& view) override {
    ASSIGN_OR_RETURN(std::vector<PathStatistics> found, read_paths(source_, part, path, view));
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
  }
  Result<std::vector<ShapeStatistics>> shapes(uint32_t part, const ReadView& view) override {
    return read_shapes(source_, part, view);
  }

 private:
  void add_counters(WriteBatch& batch, std::string_view key, std::span<const int64_t> counters);
  void count(WriteBatch& batch, uint32_t part, const Tally& tally, uint64_t shape, int64_t sign);
  void count_lengths(WriteBatch& batch, uint32_t part, const Tally& tally, int64_t sign);
  void send_registers(WriteBatch& batch, uint32_t part, PartMemory& memory, const Tally& tally);
  void read_sketch(uint32_t part, uint32_t path, PartMemory& memory, PathMemory& remembered);
  void see_paths(WriteBatch& batch, uint32_t part, PartMemory& memory, const Tally& tally,
                 int64_t now_unix_s);
  uint64_t see_shape(WriteBatch& batch, uint32_t part, PartMemory& memory, const Tally& tally,
                     int64_t now_unix_s);
  void define_shape(WriteBatch& batch, uint32_t part, uint64_t shape, ShapeMemory& remembered);
  void load_shapes(uint32_t part, PartMemory& memory);
  std::shared_ptr<PartMemory> part_memory(uint32_t part);
  // Batches alone are memory, where nothing is saved by being late.
  int64_t seen_interval_s() const { return source_.engine ? kLastSeenInterval_s : 0; }

  Source source_;
  std::atomic<uint64_t> drops_{0};  // batches that were dropped
  std::mutex parts_mutex_;
  std::map<uint32_t, std::shared_ptr<PartMemory>> parts_;  // under parts_mutex_
};

std::shared_ptr<PartMemory> Statistics::part_memory(uint32_t part) {
  const std::lock_guard lock(parts_mutex_);
  std::shared_ptr<PartMemory>& memory = parts_[part];
  if (!memory) memory = std::make_shared<PartMemory>();
  return memory;
}

// --- counters ------------------------------------------------------------------------------------

void Statistics::add_counters(WriteBatch& batch, std::string_view key,
                              std::span<const int64_t> counters) {
  while (!counters.empty() && counters.back() == 0) counters = counters.first(counters.size() - 1);
  if (counters.empty()) return;
  batch.merge(source_.dictionary, key, MergeKind::kAddCounters,
              fractal_tree::encode_counters(counters));
}

void Statistics::count(WriteBatch& batch, uint32_t part, const Tally& tally, uint64_t shape,
                       int64_t sign) {
  const int64_t totals[] = {sign, sign * static_cast<int64_t>(tally.text_bytes)};
  add_counters(batch, record_prefix(part, Record::kTotals), totals);
  for (const PathTally& path : tally.paths) {
    std::array<int64_t, kPathCounterCount> counters = path.counters;
    for (int64_t& counter : counters) counter *= sign;
    add_counters(batch, path_key(part, Record::kPath, path.path), counters);
  }
  count_lengths(batch, part, tally, sign);
  add_counters(batch, shape_key(part, Record::kShape, shape), std::array{sign});
}

void Statistics::count_lengths(WriteBatch& batch, uint32_t part, const Tally& tally, int64_t sign) {
  for (size_t i = 0; i < tally.lengths.size();) {
    const LengthTally& first = tally.lengths[i];
    const uint32_t group = first.bucket / kLengthGroup;
    std::array<int64_t, kLengthGroup> counters{};
    for (; i < tally.lengths.size(); ++i) {
      const LengthTally& next = tally.lengths[i];
      if (next.path != first.path || next.what != first.what || next.bucket / kLengthGroup != group)
        break;
      counters[next.bucket % kLengthGroup] += sign;
    }
    add_counters(batch, lengths_key(part, first.path, first.what, group), counters);
  }
}

// --- distinct values -----------------------------------------------------------------------------

void Statistics::send_registers(WriteBatch& batch, uint32_t part, PartMemory& memory,
                                const Tally& tally) {
  std::vector<fractal_tree::Register> registers;
  for (size_t i = 0; i < tally.distinct.size();) {
    const uint32_t path = tally.distinct[i].path;
    PathMemory& remembered = memory.paths[path];
    registers.clear();
    for (; i < tally.distinct.size() && tally.distinct[i].path == path; ++i) {
      const fractal_tree::Register seen = tally.distinct[i].seen;
      if (remembered.sketch && (*remembered.sketch)[seen.index] >= seen.rank) continue;
      registers.push_back(seen);
    }
    if (registers.empty()) continue;
    batch.merge(source_.dictionary, path_key(part, Record::kDistinct, path),
                MergeKind::kMaxRegisters, fractal_tree::encode_registers(registers));
    remembered.registers_sent += static_cast<uint32_t>(registers.size());
    if (remembered.registers_sent >= kSketchReadInterval)
      read_sketch(part, path, memory, remembered);
    // Without a store what was sent is as good as kept.
    if (source_.engine == nullptr && remembered.sketch)
      for (const fractal_tree::Register& sent : registers)
        (*remembered.sketch)[sent.index] = sent.rank;
  }
}

void Statistics::read_sketch(uint32_t part, uint32_t path, PartMemory& memory,
                             PathMemory& remembered) {
  if (!remembered.sketch && memory.sketches >= kMaxSketches) return;
  remembered.registers_sent = 0;
  if (!remembered.sketch) {
    remembered.sketch = std::make_unique<Sketch>();
    ++memory.sketches;
  }
  if (source_.engine == nullptr) return;
  const auto stored =
      source_.engine->get(source_.dictionary, path_key(part, Record::kDistinct, path), {});
  if (!stored || !*stored) return;  // then more is sent than needed, no harm
  const auto registers = fractal_tree::decode_registers(**stored);
  if (!registers) return;
  remembered.sketch->fill(0);
  for (const fractal_tree::Register& entry : *registers)
    if (entry.index < kRegisterCount) (*remembered.sketch)[entry.index] = entry.rank;
}

// --- history -------------------------------------------------------------------------------------

void Statistics::see_paths(WriteBatch& batch, uint32_t part, PartMemory& memory, const Tally& tally,
                           int64_t now_unix_s) {
  const uint64_t drops = drops_.load(std::memory_order_relaxed);
  for (const PathTally& path : tally.paths) {
    PathMemory& remembered = memory.paths[path.path];
    if (!remembered.seen.is_due(now_unix_s, seen_interval_s(), drops)) continue;
    batch.put(source_.dictionary, path_key(part, Record::kPathSeen, path.path),
              encode_time(now_unix_s));
  }
}

void Statistics::load_shapes(uint32_t part, PartMemory& memory) {
  if (memory.shapes_loaded) return;
  memory.shapes_loaded = true;
  if (source_.engine == nullptr) return;
  const std::string begin = record_prefix(part, Record::kShapeDefinition);
  const auto cursor = source_.engine->cursor(source_.dictionary, {});
  for (cursor->seek(begin); cursor->valid() && cursor->key().starts_with(begin); cursor->next()) {
    Reader reader(cursor->key().substr(begin.size()));
    const auto shape = reader.big_endian<uint64_t>();
    if (!reader.done()) continue;  // read_shapes() reports it
    ShapeMemory& remembered = memory.shapes[shape];
    remembered.committed = true;
    memory.definition_bytes += cursor->value().size();
  }
  // What could not be read is defined again; at worst its first-seen time is lost.
  if (!cursor->status()) memory.shapes_loaded = false;
}

uint64_t Statistics::see_shape(WriteBatch& batch, uint32_t part, PartMemory& memory,
                               const Tally& tally, int64_t now_unix_s) {
  load_shapes(part, memory);
  const uint64_t shape = shape_hash(tally.shape);
  auto found = memory.shapes.find(shape);
  if (found == memory.shapes.end()) {
    if (memory.shapes.size() >= kMaxShapes) return 0;
    std::string definition = encode_definition(now_unix_s, tally.shape);
    if (definition.size() > kMaxDefinitionBytes ||
        memory.definition_bytes + definition.size() > kMaxPartDefinitionBytes)
      return 0;
    memory.definition_bytes += definition.size();
    found = memory.shapes.emplace(shape, ShapeMemory{}).first;
    found->second.first_seen_unix_s = now_unix_s;
    found->second.definition = std::move(definition);
  }
  ShapeMemory& remembered = found->second;
  if (!remembered.committed) define_shape(batch, part, shape, remembered);
  if (remembered.seen.is_due(now_unix_s, seen_interval_s(), drops_.load(std::memory_order_relaxed)))
    batch.put(source_.dictionary, shape_key(part, Record::kShapeSeen, shape),
              encode_time(now_unix_s));
  return shape;
}

void Statistics::define_shape(WriteBatch& batch, uint32_t part, uint64_t shape,
                              ShapeMemory& remembered) {
  const std::string key = shape_key(part, Record::kShapeDefinition, shape);
  if (source_.engine != nullptr) {
    const auto stored = source_.engine->get(source_.dictionary, key, {});
    remembered.committed = stored && *stored;
  }
  if (!remembered.committed) batch.put(source_.dictionary, key, remembered.definition);
  if (source_.engine == nullptr) remembered.committed = true;
  if (remembered.committed) std::string().swap(remembered.definition);
}

// --- a document comes and goes -------------------------------------------------------------------

uint64_t Statistics::observe(WriteBatch& batch, uint32_t part, const document::Shredded& shredded,
                             std::span<const uint32_t> path_numbers, int64_t now_unix_s) {
  const Tally tally(shredded, path_numbers);
  const std::shared_ptr<PartMemory> memory = part_memory(part);
  uint64_t shape = 0;
  {
    const std::lock_guard lock(memory->mutex);
    shape = see_shape(batch, part, *memory, tally, now_unix_s);
    see_paths(batch, part, *memory, tally, now_unix_s);
    send_registers(batch, part, *memory, tally);
  }
  count(batch, part, tally, shape, +1);
  return shape;
}

void Statistics::forget(WriteBatch& batch, uint32_t part, const document::Shredded& shredded,
                        std::span<const uint32_t> path_numbers, uint64_t shape) {
  count(batch, part, Tally(shredded, path_numbers), shape, -1);
}

void Statistics::erase_part(WriteBatch& batch, uint32_t part) {
  std::string begin;
  put_big_endian(begin, part);
  batch.erase_range(source_.dictionary, begin, after_prefix(begin));
  const std::lock_guard lock(parts_mutex_);
  parts_.erase(part);
}

}  // namespace

Result<std::unique_ptr<SchemaStats>> SchemaStats::open(Engine& engine) {
  ASSIGN_OR_RETURN(const DictionaryId dictionary, engine.dictionary("statistics", {}));
  return std::make_unique<Statistics>(&engine, dictionary);
}

std::unique_ptr<SchemaStats> SchemaStats::over_batches() {
  return std::make_unique<Statistics>(nullptr, DictionaryId{1});
}

}  // namespace wherestar::schema_stats
