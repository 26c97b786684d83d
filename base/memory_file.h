// One file of the in-memory file system: what is in it, what of that is durable, what is not yet.
//
// Private to base. Not thread-safe: MemoryFileSystem holds its lock around every use.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/memory_file_system.h"

namespace wherestar {

inline constexpr uint64_t kSectorBytes = 512;

// Bytes in pages that images share and never change, so that a copy is cheap; a page that was
// never written is null.
class MemoryImage {
 public:
  static constexpr uint64_t kPageBytes = 4096;

  uint64_t size() const { return size_; }
  std::string read(uint64_t offset, uint64_t size) const;  // the range must be inside
  void write(uint64_t offset, std::string_view bytes);     // extends where needed
  void resize(uint64_t size);
  // Takes over the pages that the range touches, as far as both images reach.
  void copy_pages(const MemoryImage& from, uint64_t offset, uint64_t size);

 private:
  using Page = std::array<char, kPageBytes>;
  uint64_t size_ = 0;
  std::vector<std::shared_ptr<const Page>> pages_;
};

class MemoryFile {
 public:
  const MemoryImage& content() const { return content_; }
  void write(uint64_t offset, std::string_view bytes);
  void resize(uint64_t size);
  void sync();
  // What was not durable by now stays a matter of chance, even if a later sync succeeds: the
  // system believes it written. Only a newer write of the same page is made durable by that sync.
  void fail_sync();
  void flip(uint64_t offset, uint8_t mask);

  std::shared_ptr<MemoryFile> crash(std::mt19937_64& random, const CrashOptions& options) const;
  std::shared_ptr<MemoryFile> clone() const { return std::make_shared<MemoryFile>(*this); }

 private:
  struct Change {
    uint64_t offset = 0;
    std::string bytes;
    std::optional<uint64_t> new_size;  // a truncation; else a write
  };
  static void crash_write(MemoryImage& image, const Change& change, std::mt19937_64& random,
                          const CrashOptions& options);

  MemoryImage content_;
  MemoryImage synced_;
  std::vector<Change> pending_;    // since the last sync, in order
  std::vector<Change> uncertain_;  // of failed syncs, cut into pages
};

}  // namespace wherestar
