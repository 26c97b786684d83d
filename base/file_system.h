// The file-system seam: everything Wherestar does to files goes through it.
//
// Two implementations: posix_file_system() and MemoryFileSystem (base/memory_file_system.h), whose
// files lose, keep or tear unsynced writes when a crash clone is taken and whose calls can be made
// to fail. Paths are absolute or relative to the process; '/' separates.
//
// Threads: a FileSystem may be used by many; a File allows concurrent reads and writes of disjoint
// ranges, and sync at any time. Errors: kIo, kNoSpace, kNotFound, kAlreadyExists; each names the
// path, the call and the offset.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace wherestar {

class File {
 public:
  virtual ~File() = default;

  // Reads exactly `size` bytes; fewer (end of file) is kIo with "short read".
  virtual Result<std::string> read_at(uint64_t offset, size_t size) = 0;
  // Writes all bytes (retrying short writes); extends the file where needed.
  virtual Status write_at(uint64_t offset, std::string_view bytes) = 0;
  // Makes everything written before durable (fdatasync). Never retry after an error: the state of
  // the unsynced bytes is unknown then.
  virtual Status sync() = 0;
  virtual Status truncate(uint64_t size_bytes) = 0;
  // Reserves space so that later writes in the range do not fail for lack of it.
  virtual Status allocate(uint64_t offset, uint64_t size_bytes) = 0;
  // Gives the range's space back; it reads as zeros afterwards. Best effort.
  virtual Status punch_hole(uint64_t offset, uint64_t size_bytes) = 0;
  virtual Result<uint64_t> size() = 0;
};

// Held while it lives; released by its destructor or the death of the process.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

enum class OpenMode {
  kRead,          // must exist
  kReadWrite,     // must exist
  kCreateNew,     // must not exist; mode 0600
  kCreateOrOpen,  // mode 0600
};

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  virtual Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) = 0;
  virtual Status create_directories(const std::string& path) = 0;  // mode 0700; existing is fine
  virtual Result<bool> exists(const std::string& path) = 0;
  virtual Result<std::vector<std::string>> list(const std::string& path) = 0;  // names, sorted
  virtual Status remove(const std::string& path) = 0;
  virtual Status rename(const std::string& from, const std::string& to) = 0;  // replaces atomically
  virtual Status sync_directory(const std::string& path) = 0;  // makes creates, renames durable
  // What may still be written to the file system that holds the path.
  virtual Result<uint64_t> free_bytes(const std::string& path) = 0;
  // An exclusive lock on the file (created if missing) with the holder's process id as its text.
  // kLocked, naming that process, when somebody else holds it. On a full file system the text may
  // be missing, on a read-only one the file.
  virtual Result<std::unique_ptr<FileLock>> lock(const std::string& path) = 0;
};

FileSystem& posix_file_system();

// Whole-file helpers.
Result<std::string> read_file(FileSystem& fs, const std::string& path);
// Writes a temporary neighbour, syncs it, renames it over `path`, syncs the directory.
Status replace_file(FileSystem& fs, const std::string& path, std::string_view bytes);

}  // namespace wherestar
