// One dictionary's file: the blocks, their table, and the header slots that make a table valid.
//
// A block is written to free space and never overwritten. A checkpoint writes the table to free
// space too, then the header slot that is not in force; nothing of that counts before the manifest
// names the checkpoint (file_storage.h), so one sync covers blocks, table and header together:
//
//   1. prepare(n)   freezes the table, writes it and the header; false if nothing changed
//   2. sync()       once
//   3. the caller makes the manifest durable
//   4. commit()     the other slot is in force; what only the older table used is free
//      or abort()   the older checkpoint stays; the table is to be written again
//
// Space: a block written and freed between two checkpoints is free at once; any other freed one is
// deferred until a table without it is in force. A file is made at the first write.
//
// Threads: as BlockStore says; prepare to abort by one thread, concurrently with the rest.
#pragma once

#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/file_system.h"
#include "fractal_tree/block_allocator.h"
#include "fractal_tree/block_table.h"
#include "fractal_tree/dictionary_header.h"
#include "fractal_tree/storage.h"

namespace wherestar::fractal_tree {

struct DictionaryPlace {
  FileSystem* file_system = nullptr;
  std::string directory;
  StoreId store;
  uint32_t id = 0;
  bool read_only = false;

  std::string file_name() const { return std::to_string(id) + ".tree"; }
  std::string path() const { return directory + "/" + file_name(); }
};

class DictionaryFile : public BlockStore {
 public:
  // The state of that checkpoint; 0: there is no file yet. kCorruption, kFormat, kIo.
  static Result<std::unique_ptr<DictionaryFile>> open(DictionaryPlace place, uint64_t checkpoint);

  Result<BlockId> write(std::string_view bytes) override;
  BlockId next_block() const override;
  Result<std::string> read(BlockId block, uint64_t offset, size_t size) override;
  Result<uint64_t> block_bytes(BlockId block) override;
  void free(BlockId block) override;  // an unknown block: nothing happens
  uint64_t block_seed(BlockId block) const override;
  std::string describe(BlockId block) const override;
  std::vector<BlockId> blocks() const override;
  BlockStoreCounters counters() const override;
  std::vector<std::string> check_space() const override;

  Result<bool> prepare(uint64_t checkpoint);
  Status sync();
  void commit();
  void abort();

  // Holes and the unused end of the file become the file system's again. Best effort.
  void give_back_space();
  uint64_t checkpoint() const;  // the one in force; 0: none
  bool contains(BlockId block) const;

 private:
  struct Prepared {
    uint64_t checkpoint = 0;
    unsigned slot = 0;
    Extent table_extent;
  };

  explicit DictionaryFile(DictionaryPlace place);
  Status load(uint64_t checkpoint);
  Result<DictionaryHeader> load_header(uint64_t checkpoint);
  Status load_table(const DictionaryHeader& header);
  Status make_file();                   // mutex_ held
  Result<Extent> take(uint64_t bytes);  // mutex_ held
  Result<Extent> find(BlockId block) const;

  const DictionaryPlace place_;
  mutable std::shared_mutex mutex_;  // guards all below; file_ is set once
  std::unique_ptr<File> file_;
  uint64_t file_bytes_ = 0;
  BlockAllocator allocator_{kHeaderUnits};
  BlockTable table_;
  uint64_t next_block_ = 1;
  bool changed_ = false;                // since the table was last frozen
  std::unordered_set<uint64_t> fresh_;  // blocks in no table that could come into force
  std::vector<Extent> deferred_;        // freed, but the table in force or to come has them
  std::vector<Extent> releasing_;       // free when the prepared table is in force
  uint64_t checkpoint_ = 0;             // in force
  unsigned slot_ = 1;                   // in force
  std::optional<Extent> table_extent_;  // in force
  std::optional<Prepared> prepared_;
};

}  // namespace wherestar::fractal_tree
