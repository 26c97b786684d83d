// Ingest on the library alone: what it costs to keep documents with their index and statistics.
//
//   ingest_bench FILE EMPTY_FOLDER [--documents N] [--changes N] [--batch N] [--cache-mib N]
//                [--skip-index] [--skip-statistics]
//
// Reads a JSON Lines file, inserts its documents in durable batches, changes one member in some and
// deletes others, a quarter of all each unless told otherwise; one {"name", "value"} object a line
// on standard output, details on standard error. The store is left behind for `wherestar verify`.
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "base/coding.h"
#include "document/document.h"
#include "document/json.h"
#include "fractal_tree/engine.h"
#include "index/index.h"
#include "schema_stats/schema_stats.h"

namespace wherestar {
namespace {

using Clock = std::chrono::steady_clock;
using fractal_tree::DictionaryId;
using fractal_tree::WriteBatch;

struct Options {
  std::string file;
  std::string directory;
  size_t documents = SIZE_MAX;
  size_t changes = SIZE_MAX;  // updates, and deletes
  size_t batch = 1000;
  uint64_t cache_mib = 256;
  bool index = true;
  bool statistics = true;
};

void figure(const std::string& name, double value) {
  std::printf("{\"name\": \"%s\", \"value\": %.6g}\n", name.c_str(), value);
  std::fflush(stdout);
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Bench {
 public:
  explicit Bench(const Options& options) : options_(options) {}
  Status run();

 private:
  Status open();
  Status insert_all();
  Status insert(WriteBatch& batch, uint64_t doc, const std::string& text);
  Status update(WriteBatch& batch, uint64_t doc);
  Status remove(WriteBatch& batch, uint64_t doc);
  Status change(const char* name, size_t count, size_t offset,
                Status (Bench::*apply)(WriteBatch&, uint64_t));
  Status commit(WriteBatch& batch);
  Result<std::pair<uint64_t, std::string>> stored(uint64_t doc);  // shape and text
  void report(const char* phase, size_t count, double seconds);
  Status report_sizes(const char* figure_name);

  std::string document_key(uint64_t doc) const {
    std::string key;
    put_big_endian(key, static_cast<uint32_t>(kPart));
    put_big_endian(key, doc);
    return key;
  }
  static std::vector<uint32_t> numbers(const index::PathIds& ids) {
    std::vector<uint32_t> numbers;
    numbers.reserve(ids.size());
    for (const index::PathId id : ids) numbers.push_back(static_cast<uint32_t>(id));
    return numbers;
  }

  static constexpr index::PartId kPart{1};
  const Options options_;
  std::unique_ptr<fractal_tree::Engine> engine_;
  std::unique_ptr<index::Index> index_;
  std::unique_ptr<schema_stats::SchemaStats> statistics_;
  DictionaryId documents_{}, ids_{};
  document::Parser parser_, second_parser_;
  size_t inserted_ = 0;
  uint64_t raw_bytes_ = 0;
  double commit_seconds_ = 0;
  fractal_tree::EngineCounters before_;
};

Status Bench::open() {
  fractal_tree::EngineOptions options;
  options.cache_bytes = options_.cache_mib << 20;
  ASSIGN_OR_RETURN(engine_, fractal_tree::Engine::open(options_.directory, options));
  ASSIGN_OR_RETURN(documents_, engine_->dictionary("documents", {}));
  ASSIGN_OR_RETURN(ids_, engine_->dictionary("ids", {}));
  ASSIGN_OR_RETURN(index_, index::Index::open(*engine_));
  ASSIGN_OR_RETURN(statistics_, schema_stats::SchemaStats::open(*engine_));
  return {};
}

Status Bench::insert(WriteBatch& batch, uint64_t doc, const std::string& text) {
  RETURN_IF_ERROR(parser_.parse(text));
  const document::Shredded& shredded = parser_.shred();
  ASSIGN_OR_RETURN(const auto key, parser_.id());
  if (!key) return fail(ErrorCode::kMissingId, "a document without _id");
  ASSIGN_OR_RETURN(const index::PathIds ids, index_->resolve(kPart, shredded));
  uint64_t shape = 0;
  if (options_.index) index_->add(batch, kPart, index::DocId{doc}, shredded, ids);
  if (options_.statistics)
    shape = statistics_->observe(batch, static_cast<uint32_t>(kPart), shredded, numbers(ids), 1);
  std::string record;
  put_fixed(record, shape);
  record += text;
  batch.put(documents_, document_key(doc), record);
  std::string id_key, id_value;
  put_big_endian(id_key, static_cast<uint32_t>(kPart));
  id_key += key->key;
  put_fixed(id_value, doc);
  batch.put(ids_, id_key, id_value);
  return {};
}

Result<std::pair<uint64_t, std::string>> Bench::stored(uint64_t doc) {
  ASSIGN_OR_RETURN(const auto record, engine_->get(documents_, document_key(doc), {}));
  if (!record) return fail(ErrorCode::kNotFound, "document " + std::to_string(doc));
  Reader reader(*record);
  const auto shape = reader.fixed<uint64_t>();
  return std::pair{shape, std::string(reader.rest())};
}

Status Bench::update(WriteBatch& batch, uint64_t doc) {
  ASSIGN_OR_RETURN(const auto old, stored(doc));
  ASSIGN_OR_RETURN(document::Json json, document::Json::parse(old.second));
  json.set_member("size", document::Json::string("changed"));
  const std::string text = json.to_text();
  RETURN_IF_ERROR(parser_.parse(old.second));
  RETURN_IF_ERROR(second_parser_.parse(text));
  ASSIGN_OR_RETURN(const index::PathIds before, index_->resolve(kPart, parser_.shred()));
  ASSIGN_OR_RETURN(const index::PathIds after, index_->resolve(kPart, second_parser_.shred()));
  if (options_.index)
    index_->update(batch, kPart, index::DocId{doc}, parser_.shred(), before, second_parser_.shred(),
                   after);
  uint64_t shape = 0;
  if (options_.statistics) {
    const auto part = static_cast<uint32_t>(kPart);
    statistics_->forget(batch, part, parser_.shred(), numbers(before), old.first);
    shape = statistics_->observe(batch, part, second_parser_.shred(), numbers(after), 1);
  }
  std::string record;
  put_fixed(record, shape);
  record += text;
  batch.put(documents_, document_key(doc), record);
  return {};
}

Status Bench::remove(WriteBatch& batch, uint64_t doc) {
  ASSIGN_OR_RETURN(const auto old, stored(doc));
  RETURN_IF_ERROR(parser_.parse(old.second));
  ASSIGN_OR_RETURN(const index::PathIds ids, index_->resolve(kPart, parser_.shred()));
  if (options_.index) index_->remove(batch, kPart, index::DocId{doc}, parser_.shred(), ids);
  if (options_.statistics)
    statistics_->forget(batch, static_cast<uint32_t>(kPart), parser_.shred(), numbers(ids),
                        old.first);
  batch.erase(documents_, document_key(doc));
  ASSIGN_OR_RETURN(const auto key, parser_.id());
  if (!key) return fail(ErrorCode::kMissingId, "a document without _id");
  std::string id_key;
  put_big_endian(id_key, static_cast<uint32_t>(kPart));
  batch.erase(ids_, id_key + key->key);
  return {};
}

Status Bench::commit(WriteBatch& batch) {
  const auto start = Clock::now();
  const Status status =
      engine_->commit(std::exchange(batch, WriteBatch()), fractal_tree::Durability::kSync);
  commit_seconds_ += seconds_since(start);
  return status;
}

Status Bench::insert_all() {
  std::ifstream file(options_.file);
  if (!file) return fail(ErrorCode::kNotFound, "cannot read " + options_.file);
  const auto start = Clock::now();
  WriteBatch batch;
  size_t in_batch = 0;
  std::string line;
  while (inserted_ < options_.documents && std::getline(file, line)) {
    if (line.empty()) continue;
    char id[40];
    std::snprintf(id, sizeof id, "\"00006650f5a1%016zx\"", inserted_);
    RETURN_IF_ERROR(insert(batch, inserted_, document::with_id(line, id)));
    raw_bytes_ += line.size();
    if (inserted_ == 0) figure("messages_of_one_doc", static_cast<double>(batch.change_count()));
    ++inserted_;
    if (++in_batch < options_.batch) continue;
    RETURN_IF_ERROR(commit(batch));
    in_batch = 0;
    if (inserted_ % 20'000 == 0)
      std::fprintf(stderr, "  %zu after %.2f s\n", inserted_, seconds_since(start));
  }
  RETURN_IF_ERROR(commit(batch));
  report("insert", inserted_, seconds_since(start));
  return {};
}

Status Bench::change(const char* name, size_t count, size_t offset,
                     Status (Bench::*apply)(WriteBatch&, uint64_t)) {
  if (count == 0) return {};
  const size_t stride = inserted_ / count;
  const auto start = Clock::now();
  WriteBatch batch;
  for (size_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR((this->*apply)(batch, i * stride + offset % stride));
    if ((i + 1) % options_.batch == 0) RETURN_IF_ERROR(commit(batch));
  }
  RETURN_IF_ERROR(commit(batch));
  report(name, count, seconds_since(start));
  return {};
}

void Bench::report(const char* phase, size_t count, double seconds) {
  const fractal_tree::EngineCounters now = engine_->counters();
  const auto per_document = [count](uint64_t after, uint64_t before) {
    return static_cast<double>(after - before) / static_cast<double>(count);
  };
  const std::string name(phase);
  figure(name + "_docs_per_s", static_cast<double>(count) / seconds);
  figure(name + "_messages_per_doc", per_document(now.messages, before_.messages));
  figure(name + "_log_bytes_per_doc", per_document(now.log_bytes, before_.log_bytes));
  figure(name + "_block_bytes_per_doc",
         per_document(now.block_bytes_written, before_.block_bytes_written));
  std::fprintf(stderr, "%s: %zu documents in %.2f s, of it %.2f s in commit, %llu stalls\n", phase,
               count, seconds, commit_seconds_,
               static_cast<unsigned long long>(now.commit_stalls - before_.commit_stalls));
  commit_seconds_ = 0;
  before_ = now;
}

Status Bench::report_sizes(const char* figure_name) {
  const auto start = Clock::now();
  RETURN_IF_ERROR(engine_->checkpoint());
  const fractal_tree::EngineCounters now = engine_->counters();
  std::fprintf(stderr, "checkpoint %.2f s; raw %.1f MB\n", seconds_since(start),
               static_cast<double>(raw_bytes_) / 1e6);
  uint64_t files = 0;
  for (const fractal_tree::DictionaryCounters& dictionary : now.dictionaries) {
    std::fprintf(stderr, "  %-12s used %8.2f MB, file %8.2f MB, %.3f of raw, height %u\n",
                 dictionary.name.c_str(), static_cast<double>(dictionary.used_bytes) / 1e6,
                 static_cast<double>(dictionary.file_bytes) / 1e6,
                 static_cast<double>(dictionary.used_bytes) / static_cast<double>(raw_bytes_),
                 dictionary.height);
    files += dictionary.file_bytes;
  }
  figure(figure_name, static_cast<double>(files) / static_cast<double>(raw_bytes_));
  return {};
}

Status Bench::run() {
  RETURN_IF_ERROR(open());
  RETURN_IF_ERROR(insert_all());
  RETURN_IF_ERROR(report_sizes("disk_vs_raw"));
  const size_t count = std::min(options_.changes, inserted_ / 4);
  RETURN_IF_ERROR(change("update", count, 1, &Bench::update));
  RETURN_IF_ERROR(change("delete", count, 2, &Bench::remove));
  return report_sizes("disk_vs_raw_after_changes");
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto number = [&](auto& target) {
      if (i + 1 >= argc) return false;
      target = std::strtoull(argv[++i], nullptr, 10);
      return true;
    };
    bool good = true;
    if (argument == "--documents")
      good = number(options.documents);
    else if (argument == "--changes")
      good = number(options.changes);
    else if (argument == "--batch")
      good = number(options.batch) && options.batch > 0;
    else if (argument == "--cache-mib")
      good = number(options.cache_mib);
    else if (argument == "--skip-index")
      options.index = false;
    else if (argument == "--skip-statistics")
      options.statistics = false;
    else if (options.file.empty() && !argument.starts_with("--"))
      options.file = argument;
    else if (options.directory.empty() && !argument.starts_with("--"))
      options.directory = argument;
    else
      good = false;
    if (!good) return false;
  }
  return !options.directory.empty();
}

}  // namespace
}  // namespace wherestar

int main(int argc, char** argv) {
  wherestar::Options options;
  if (!wherestar::parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: ingest_bench FILE EMPTY_FOLDER [--documents N] [--changes N] [--batch N]\n"
                 "       [--cache-mib N] [--skip-index] [--skip-statistics]\n");
    return 2;
  }
  std::error_code ignored;
  if (!std::filesystem::is_empty(options.directory, ignored) &&
      std::filesystem::exists(options.directory)) {
    std::fprintf(stderr, "%s is not empty\n", options.directory.c_str());
    return 2;
  }
  wherestar::Bench bench(options);
  if (const wherestar::Status status = bench.run(); !status) {
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return 1;
  }
  return 0;
}
