// Our engine under the common workload.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "bench/engine_workload.h"
#include "fractal_tree/engine.h"

namespace wherestar::bench {
namespace {

using fractal_tree::DictionaryId;
using fractal_tree::Durability;
using fractal_tree::Engine;
using fractal_tree::MergeKind;
using fractal_tree::WriteBatch;

template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().message.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

class Wherestar : public KeyValueEngine {
 public:
  explicit Wherestar(const WorkloadOptions& options) : options_(options) { open(); }

  void commit(const std::vector<Change>& changes) override {
    WriteBatch batch;
    for (const Change& change : changes) {
      switch (change.kind) {
        case Change::Kind::kPut:
          batch.put(dictionary_, change.key, "");
          break;
        case Change::Kind::kErase:
          batch.erase(dictionary_, change.key);
          break;
        case Change::Kind::kIncrement:
          batch.merge(counters_, change.key, MergeKind::kAddCounters, one_);
          break;
      }
    }
    must(engine_->commit(std::move(batch), Durability::kAsync));
  }

  bool get(std::string_view key) override {
    return must(engine_->get(dictionary_, key, {})).has_value();
  }

  size_t scan(std::string_view from, size_t limit) override {
    auto cursor = engine_->cursor(dictionary_, {});
    size_t count = 0;
    for (cursor->seek(from); cursor->valid() && (limit == 0 || count < limit); cursor->next())
      ++count;
    must(cursor->status());
    return count;
  }

  void settle() override { must(engine_->checkpoint()); }

  void reopen() override {
    const auto counters = engine_->counters();
    written_before_ += counters.log_bytes + counters.block_bytes_written;
    engine_.reset();
    open();
  }

  std::string first_key() override {
    auto cursor = engine_->cursor(dictionary_, {});
    cursor->seek_to_first();
    return cursor->valid() ? std::string(cursor->key()) : std::string();
  }

  uint64_t bytes_written() const override {
    const auto counters = engine_->counters();
    return written_before_ + counters.log_bytes + counters.block_bytes_written;
  }

 private:
  void open() {
    fractal_tree::EngineOptions engine_options;
    engine_options.cache_bytes = options_.budget_bytes;
    engine_options.memory_front_bytes = options_.budget_bytes / 8;
    engine_ = must(Engine::open(options_.directory, engine_options));
    dictionary_ = must(engine_->dictionary("keys", {}));
    counters_ = must(engine_->dictionary("counters", {}));
  }

  const WorkloadOptions& options_;
  std::unique_ptr<Engine> engine_;
  DictionaryId dictionary_{};
  DictionaryId counters_{};
  uint64_t written_before_ = 0;
  std::string one_ = fractal_tree::encode_counters(std::vector<int64_t>{1});
};

}  // namespace
}  // namespace wherestar::bench

int main(int argc, char** argv) {
  using namespace wherestar::bench;
  const WorkloadOptions options = parse_workload_options(argc, argv, "wherestar");
  Wherestar engine(options);
  return run_engine_workload(engine, options);
}
