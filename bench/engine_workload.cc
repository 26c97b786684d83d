#include "bench/engine_workload.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include <sys/resource.h>
#include <sys/time.h>

namespace wherestar::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double peak_rss_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

uint64_t directory_bytes(const std::string& directory) {
  uint64_t sum = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file()) sum += entry.file_size();
  return sum;
}

// The kernel's page cache hides cold reads; best effort, needs root.
void drop_page_cache() {
  std::ofstream file("/proc/sys/vm/drop_caches");
  file << "1\n";
}

class Mixer {  // a permutation of 64 bits: keys in random order without keeping them
 public:
  static uint64_t mix(uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9ULL;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  }
};

// Type byte, a value of 8 to 30 bytes, path id (8), doc id (12): like a key of the index.
std::string make_key(uint64_t number) {
  const uint64_t hash = Mixer::mix(number + 1);
  std::string key(1, static_cast<char>(1 + hash % 3));
  const size_t value_bytes = 8 + (hash >> 8) % 23;
  static constexpr char kLetters[] = "etaoinshrdlucmfw";
  uint64_t bits = Mixer::mix(hash);
  for (size_t i = 0; i < value_bytes; ++i) {
    if (i % 16 == 0) bits = Mixer::mix(bits + i);
    key.push_back(kLetters[(bits >> (4 * (i % 16))) & 15]);
  }
  const uint64_t path = hash % 40;
  for (int i = 7; i >= 0; --i) key.push_back(static_cast<char>(path >> (8 * i)));
  key.append(4, '\0');
  for (int i = 7; i >= 0; --i) key.push_back(static_cast<char>(number >> (8 * i)));
  return key;
}

class Run {
 public:
  Run(KeyValueEngine& engine, const WorkloadOptions& options)
      : engine_(engine), options_(options) {}

  int all() {
    insert();
    gets();
    scans();
    increments();
    queue();
    erase_most();
    report("peak_rss_vs_budget", peak_rss_bytes() / static_cast<double>(options_.budget_bytes), "");
    return 0;
  }

 private:
  void report(const char* name, double value, const char* unit) {
    std::printf("{\"name\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", name, value, unit);
    std::fflush(stdout);
  }

  void commit_timed(std::vector<KeyValueEngine::Change>& batch) {
    const auto begin = Clock::now();
    engine_.commit(batch);
    worst_batch_s_ = std::max(worst_batch_s_, seconds_since(begin));
    batch.clear();
  }

  void insert() {
    const auto begin = Clock::now();
    const double cpu = cpu_seconds();
    std::vector<KeyValueEngine::Change> batch;
    uint64_t raw = 0;
    for (uint64_t i = 0; i < options_.keys; ++i) {
      batch.push_back({KeyValueEngine::Change::Kind::kPut, make_key(i)});
      raw += batch.back().key.size();
      if (batch.size() == 1000) commit_timed(batch);
    }
    const double inserted = seconds_since(begin);
    const double keys = static_cast<double>(options_.keys);
    report("insert_per_s", keys / inserted, "1/s");
    report("worst_batch_ms", worst_batch_s_ * 1e3, "ms");
    engine_.settle();
    report("insert_and_settle_per_s", keys / seconds_since(begin), "1/s");
    report("cpu_per_key_us", (cpu_seconds() - cpu) / keys * 1e6, "us");
    report("write_amplification",
           static_cast<double>(engine_.bytes_written()) / static_cast<double>(raw), "");
    report("file_bytes_per_key", static_cast<double>(directory_bytes(options_.directory)) / keys,
           "B");
  }

  template <class Body>
  void rate(const char* name, double budget_s, Body body) {
    const auto begin = Clock::now();
    uint64_t count = 0;
    while (count % 16 != 0 || seconds_since(begin) < budget_s) {
      body();
      ++count;
    }
    report(name, static_cast<double>(count) / seconds_since(begin), "1/s");
  }

  void gets() {
    engine_.reopen();
    drop_page_cache();
    std::mt19937_64 random(7);
    uint64_t missing = 0;
    rate("get_hit_per_s", 4, [&] {
      if (!engine_.get(make_key(random() % options_.keys))) ++missing;
    });
    if (missing != 0) {
      std::fprintf(stderr, "%s lost %lu keys\n", options_.name.c_str(),
                   static_cast<unsigned long>(missing));
      std::exit(1);
    }
    rate("get_miss_per_s", 2,
         [&] { engine_.get(make_key(options_.keys * 2 + random() % 1000000)); });
  }

  void scans() {
    std::mt19937_64 random(8);
    rate("scan100_per_s", 3, [&] { engine_.scan(make_key(random() % options_.keys), 100); });
    drop_page_cache();
    const auto begin = Clock::now();
    const size_t keys = engine_.scan("", 0);
    if (keys != options_.keys) {
      std::fprintf(stderr, "%s: %zu keys in a full scan\n", options_.name.c_str(), keys);
      std::exit(1);
    }
    report("full_scan_per_s", static_cast<double>(keys) / seconds_since(begin), "1/s");
  }

  void increments() {
    std::mt19937_64 random(9);
    const uint64_t count = options_.keys / 4;
    const auto begin = Clock::now();
    std::vector<KeyValueEngine::Change> batch;
    for (uint64_t i = 0; i < count; ++i) {
      batch.push_back({KeyValueEngine::Change::Kind::kIncrement,
                       "count" + make_key(random() % (options_.keys / 8))});
      if (batch.size() == 1000) commit_timed(batch);
    }
    commit_timed(batch);
    report("increment_per_s", static_cast<double>(count) / seconds_since(begin), "1/s");
  }

  // Append at the tail, delete at the head, 100,000 deep.
  void queue() {
    const auto key = [](uint64_t number) {
      std::string text = "queue";
      for (int i = 7; i >= 0; --i) text.push_back(static_cast<char>(number >> (8 * i)));
      return text;
    };
    std::vector<KeyValueEngine::Change> batch;
    uint64_t tail = 0;
    for (; tail < 100'000; ++tail) {
      batch.push_back({KeyValueEngine::Change::Kind::kPut, key(tail)});
      if (batch.size() == 1000) commit_timed(batch);
    }
    const auto begin = Clock::now();
    uint64_t popped = 0;
    while (seconds_since(begin) < 4) {
      if (engine_.scan("queue", 1) != 1) std::exit(1);
      batch.push_back({KeyValueEngine::Change::Kind::kErase, key(popped++)});
      batch.push_back({KeyValueEngine::Change::Kind::kPut, key(tail++)});
      engine_.commit(batch);
      batch.clear();
    }
    report("queue_pops_per_s", static_cast<double>(popped) / seconds_since(begin), "1/s");
  }

  void erase_most() {
    std::vector<KeyValueEngine::Change> batch;
    const auto begin = Clock::now();
    for (uint64_t i = 0; i < options_.keys; ++i) {
      if (i % 10 == 0) continue;
      batch.push_back({KeyValueEngine::Change::Kind::kErase, make_key(i)});
      if (batch.size() == 1000) commit_timed(batch);
    }
    commit_timed(batch);
    report("erase_per_s", static_cast<double>(options_.keys) * 0.9 / seconds_since(begin), "1/s");
    for (int i = 0; i < 3; ++i) engine_.settle();
    report("file_bytes_after_erase", static_cast<double>(directory_bytes(options_.directory)), "B");
  }

  KeyValueEngine& engine_;
  const WorkloadOptions& options_;
  double worst_batch_s_ = 0;
};

}  // namespace

int run_engine_workload(KeyValueEngine& engine, const WorkloadOptions& options) {
  return Run(engine, options).all();
}

WorkloadOptions parse_workload_options(int argc, char** argv, std::string name) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: %s EMPTY_DIRECTORY KEYS BUDGET_MIB\n", argv[0]);
    std::exit(2);
  }
  return {.name = std::move(name),
          .directory = argv[1],
          .keys = std::strtoull(argv[2], nullptr, 10),
          .budget_bytes = std::strtoull(argv[3], nullptr, 10) << 20};
}

}  // namespace wherestar::bench
