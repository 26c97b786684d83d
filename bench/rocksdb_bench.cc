// RocksDB under the common workload, set as its users set it for such keys: lz4, bloom filters,
// direct I/O, one block cache and write buffers within the same budget.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/statistics.h>
#include <rocksdb/table.h>

#include "bench/engine_workload.h"

namespace wherestar::bench {
namespace {

void must(const rocksdb::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

class AddOperator : public rocksdb::AssociativeMergeOperator {
 public:
  bool Merge(const rocksdb::Slice&, const rocksdb::Slice* existing, const rocksdb::Slice& value,
             std::string* result, rocksdb::Logger*) const override {
    uint64_t sum = 0;
    uint64_t add = 0;
    if (existing != nullptr && existing->size() == sizeof sum)
      std::memcpy(&sum, existing->data(), sizeof sum);
    if (value.size() == sizeof add) std::memcpy(&add, value.data(), sizeof add);
    sum += add;
    result->assign(reinterpret_cast<const char*>(&sum), sizeof sum);
    return true;
  }
  const char* Name() const override { return "add"; }
};

class RocksDb : public KeyValueEngine {
 public:
  explicit RocksDb(const WorkloadOptions& options) : options_(options) { open(); }

  void commit(const std::vector<Change>& changes) override {
    rocksdb::WriteBatch batch;
    const uint64_t one = 1;
    for (const Change& change : changes) {
      switch (change.kind) {
        case Change::Kind::kPut:
          must(batch.Put(change.key, ""));
          break;
        case Change::Kind::kErase:
          must(batch.Delete(change.key));
          break;
        case Change::Kind::kIncrement:
          must(batch.Merge(change.key, {reinterpret_cast<const char*>(&one), sizeof one}));
          break;
      }
    }
    must(db_->Write({}, &batch));
    const auto now = std::chrono::steady_clock::now();
    if (now - last_sync_ >= std::chrono::milliseconds(100)) {
      must(db_->SyncWAL());
      last_sync_ = now;
    }
  }

  bool get(std::string_view key) override {
    std::string value;
    return db_->Get({}, rocksdb::Slice(key.data(), key.size()), &value).ok();
  }

  size_t scan(std::string_view from, size_t limit) override {
    std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator({}));
    size_t count = 0;
    for (iterator->Seek(rocksdb::Slice(from.data(), from.size()));
         iterator->Valid() && (limit == 0 || count < limit); iterator->Next())
      ++count;
    return count;
  }

  void settle() override {
    must(db_->Flush({}));
    // RocksDB 7.8 has no call that waits for compactions.
    for (;;) {
      uint64_t pending = 0;
      uint64_t running = 0;
      uint64_t flushing = 0;
      db_->GetIntProperty("rocksdb.compaction-pending", &pending);
      db_->GetIntProperty("rocksdb.num-running-compactions", &running);
      db_->GetIntProperty("rocksdb.num-running-flushes", &flushing);
      if (pending + running + flushing == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }

  void reopen() override {
    statistics_written();
    db_.reset();
    open();
  }

  std::string first_key() override {
    std::unique_ptr<rocksdb::Iterator> iterator(db_->NewIterator({}));
    iterator->SeekToFirst();
    return iterator->Valid() ? iterator->key().ToString() : std::string();
  }

  uint64_t bytes_written() const override {
    const auto& s = *statistics_;
    return written_before_ + s.getTickerCount(rocksdb::WAL_FILE_BYTES) +
           s.getTickerCount(rocksdb::FLUSH_WRITE_BYTES) +
           s.getTickerCount(rocksdb::COMPACT_WRITE_BYTES);
  }

 private:
  void statistics_written() { written_before_ = bytes_written(); }

  void open() {
    statistics_ = rocksdb::CreateDBStatistics();
    rocksdb::Options o;
    o.create_if_missing = true;
    o.statistics = statistics_;
    o.compression = rocksdb::kLZ4Compression;
    o.write_buffer_size = options_.budget_bytes / 8;
    o.max_write_buffer_number = 3;
    o.max_background_jobs = 2;
    o.use_direct_reads = true;
    o.use_direct_io_for_flush_and_compaction = true;
    o.merge_operator = std::make_shared<AddOperator>();
    o.level_compaction_dynamic_level_bytes = true;
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = rocksdb::NewLRUCache(options_.budget_bytes / 2);
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    table.block_size = 16 << 10;
    o.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::DB* db = nullptr;
    must(rocksdb::DB::Open(o, options_.directory, &db));
    db_.reset(db);
  }

  const WorkloadOptions& options_;
  std::unique_ptr<rocksdb::DB> db_;
  std::shared_ptr<rocksdb::Statistics> statistics_;
  uint64_t written_before_ = 0;
  std::chrono::steady_clock::time_point last_sync_ = std::chrono::steady_clock::now();
};

}  // namespace
}  // namespace wherestar::bench

int main(int argc, char** argv) {
  using namespace wherestar::bench;
  const WorkloadOptions options = parse_workload_options(argc, argv, "rocksdb");
  RocksDb engine(options);
  return run_engine_workload(engine, options);
}
