// The Storage of storage.h in the files of one directory (docs/formats.md):
//
//   lock            held while the store is open
//   manifest        the root; replaced atomically by a checkpoint
//   <id>.tree       one dictionary each
//   log.<number>    segments of the log
//
// A checkpoint, step by step (publish):
//   1. every dictionary that changed writes its table and the header slot not in force, then is
//      synced once; the directory is synced if it has a new file
//   2. the manifest is written beside the old one, synced, renamed over it, the directory synced
//   3. what only the older tables used becomes free, files of dropped dictionaries are removed, the
//      log is trimmed
// A failure before the rename leaves the old root in force and the step may be repeated; after a
// failed sync or in the rename nobody knows what is on the disk, so publish refuses from then on.
//
// A missing manifest beside other files of a store is damage and not a new store. At open, files
// that the manifest does not know (a crash came between) are removed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fractal_tree/dictionary_file.h"
#include "fractal_tree/log.h"
#include "fractal_tree/manifest.h"
#include "fractal_tree/storage.h"

namespace wherestar::fractal_tree {

class FileStorage : public Storage {
 public:
  // kLocked, kCorruption, kFormat, kIo, kNoSpace; kNotFound: read_only and there is no store.
  static Result<std::unique_ptr<FileStorage>> open(const std::string& directory,
                                                   const StorageOptions& options);

  const StoreRoot& root() const override { return manifest_.root; }
  Result<BlockStore*> blocks(DictionaryId id) override;
  Log& log() override { return *log_; }
  Status replay(const std::function<Status(LogRecord)>& record) override;
  Status publish(const StoreRoot& next, const std::function<void(std::string_view)>& at) override;
  bool has_reserve() const override;
  Status take_reserve() override;
  void release_reserve() override;
  void give_back_space() override;

 private:
  FileStorage(std::string directory, StorageOptions options)
      : directory_(std::move(directory)), options_(std::move(options)) {}
  std::string path(std::string_view name) const { return directory_ + "/" + std::string(name); }
  void say(std::string_view line) const;

  Status load();
  Status create();
  Status check_no_other_files();
  Status open_dictionaries();
  Status find_reserve();
  Status remove_orphans();
  DictionaryPlace place(uint32_t id) const;

  Result<Manifest> prepare(const StoreRoot& next, std::vector<DictionaryFile*>& changed);
  Status check_next(const StoreRoot& next);
  Status sync_files(const std::vector<DictionaryFile*>& changed);
  Status write_manifest(const std::string& bytes);
  Status poison(Status status);
  void drop_missing(const StoreRoot& next);

  const std::string directory_;
  const StorageOptions options_;
  std::unique_ptr<FileLock> lock_;
  Manifest manifest_;
  std::unique_ptr<FileLog> log_;
  std::optional<Error> poisoned_;

  mutable std::mutex reserve_mutex_;
  bool has_reserve_ = false;  // guarded by reserve_mutex_

  std::mutex mutex_;  // guards the maps, not what they point to
  std::map<uint32_t, std::unique_ptr<DictionaryFile>> dictionaries_;
  // Of dropped dictionaries: a snapshot may still read there.
  std::vector<std::unique_ptr<DictionaryFile>> dropped_;
};

}  // namespace wherestar::fractal_tree
