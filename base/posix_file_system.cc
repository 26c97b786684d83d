// The file system of the operating system (Linux).
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file_system.h"

namespace wherestar {
namespace {

std::unexpected<Error> system_error(const std::string& path, std::string_view call, int error) {
  ErrorCode code = ErrorCode::kIo;
  if (error == ENOSPC || error == EDQUOT) code = ErrorCode::kNoSpace;
  if (error == ENOENT) code = ErrorCode::kNotFound;
  if (error == EEXIST) code = ErrorCode::kAlreadyExists;
  return fail(code,
              path + ": " + std::string(call) + ": " + std::generic_category().message(error));
}

std::string at_offset(std::string_view call, uint64_t offset) {
  return std::string(call) + " at offset " + std::to_string(offset);
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

Result<Descriptor> open_descriptor(const std::string& path, int flags) {
  int number = -1;
  do {
    number = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  } while (number < 0 && errno == EINTR);
  if (number < 0) return system_error(path, "open", errno);
  return Descriptor(number);
}

class PosixFile : public File {
 public:
  PosixFile(std::string path, Descriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}

  Result<std::string> read_at(uint64_t offset, size_t size) override {
    // The file's length bounds what is allocated: `size` may come from damaged bytes.
    ASSIGN_OR_RETURN(const uint64_t file_bytes, this->size());
    if (offset > file_bytes || size > file_bytes - offset) return short_read(offset, size);
    std::string bytes(size, '\0');
    size_t done = 0;
    while (done < size) {
      const ssize_t count = ::pread(descriptor_.get(), bytes.data() + done, size - done,
                                    static_cast<off_t>(offset + done));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return system_error(path_, at_offset("read", offset), errno);
      if (count == 0) return short_read(offset, size);
      done += static_cast<size_t>(count);
    }
    return bytes;
  }

  Status write_at(uint64_t offset, std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t count =
          ::pwrite(descriptor_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return system_error(path_, at_offset("write", offset), errno);
      if (count == 0) return system_error(path_, at_offset("write", offset), EIO);
      bytes.remove_prefix(static_cast<size_t>(count));
      offset += static_cast<uint64_t>(count);
    }
    return {};
  }

  Status sync() override {
    if (::fdatasync(descriptor_.get()) != 0) return system_error(path_, "sync", errno);
    return {};
  }

  Status truncate(uint64_t size_bytes) override {
    if (::ftruncate(descriptor_.get(), static_cast<off_t>(size_bytes)) != 0)
      return system_error(path_, at_offset("truncate", size_bytes), errno);
    return {};
  }

  Status allocate(uint64_t offset, uint64_t size_bytes) override {
    int error = 0;
    do {
      error = ::fallocate(descriptor_.get(), 0, static_cast<off_t>(offset),
                          static_cast<off_t>(size_bytes)) == 0
                  ? 0
                  : errno;
    } while (error == EINTR);
    if (error == 0) return {};
    if (error != EOPNOTSUPP) return system_error(path_, at_offset("allocate", offset), error);
    // A file system without reservations: the length at least.
    ASSIGN_OR_RETURN(const uint64_t file_bytes, size());
    if (file_bytes < offset + size_bytes) return truncate(offset + size_bytes);
    return {};
  }

  Status punch_hole(uint64_t offset, uint64_t size_bytes) override {
    if (::fallocate(descriptor_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                    static_cast<off_t>(offset), static_cast<off_t>(size_bytes)) != 0 &&
        errno != EOPNOTSUPP)
      return system_error(path_, at_offset("punch hole", offset), errno);
    return {};
  }

  Result<uint64_t> size() override {
    struct stat status{};
    if (::fstat(descriptor_.get(), &status) != 0) return system_error(path_, "stat", errno);
    return static_cast<uint64_t>(status.st_size);
  }

 private:
  std::unexpected<Error> short_read(uint64_t offset, size_t size) const {
    return fail(ErrorCode::kIo, path_ + ": short read of " + std::to_string(size) +
                                    " bytes at offset " + std::to_string(offset));
  }

  std::string path_;
  Descriptor descriptor_;
};

class PosixLock : public FileLock {
 public:
  explicit PosixLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

 private:
  Descriptor descriptor_;  // closing it releases the lock
};

std::string read_holder(int descriptor) {
  char text[32] = {};
  const ssize_t count = ::pread(descriptor, text, sizeof text - 1, 0);
  std::string holder(text, count > 0 ? static_cast<size_t>(count) : 0);
  std::erase_if(holder, [](char c) { return c < '0' || c > '9'; });
  return holder;
}

class PosixFileSystem : public FileSystem {
 public:
  Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    int flags = O_RDWR;
    if (mode == OpenMode::kRead) flags = O_RDONLY;
    if (mode == OpenMode::kCreateNew) flags |= O_CREAT | O_EXCL;
    if (mode == OpenMode::kCreateOrOpen) flags |= O_CREAT;
    ASSIGN_OR_RETURN(Descriptor descriptor, open_descriptor(path, flags));
    return std::make_unique<PosixFile>(path, std::move(descriptor));
  }

  Status create_directories(const std::string& path) override {
    for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
      const std::string prefix = path.substr(0, end);
      if (::mkdir(prefix.c_str(), 0700) == 0) {
        const size_t slash = prefix.rfind('/');
        if (slash == std::string::npos)
          RETURN_IF_ERROR(sync_directory("."));
        else
          RETURN_IF_ERROR(sync_directory(prefix.substr(0, slash + 1)));
      } else if (errno != EEXIST) {
        return system_error(prefix, "create directory", errno);
      }
      if (end == std::string::npos) break;
    }
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0) return system_error(path, "stat", errno);
    if (!S_ISDIR(status.st_mode)) return system_error(path, "create directory", ENOTDIR);
    return {};
  }

  Result<bool> exists(const std::string& path) override {
    struct stat status{};
    if (::stat(path.c_str(), &status) == 0) return true;
    if (errno == ENOENT || errno == ENOTDIR) return false;
    return system_error(path, "stat", errno);
  }

  Result<std::vector<std::string>> list(const std::string& path) override {
    DIR* directory = ::opendir(path.c_str());
    if (directory == nullptr) return system_error(path, "list", errno);
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* entry = ::readdir(directory)) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") names.push_back(name);
      errno = 0;
    }
    const int error = errno;
    ::closedir(directory);
    if (error != 0) return system_error(path, "list", error);
    std::sort(names.begin(), names.end());
    return names;
  }

  Status remove(const std::string& path) override {
    if (::unlink(path.c_str()) != 0) return system_error(path, "remove", errno);
    return {};
  }

  Status rename(const std::string& from, const std::string& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0)
      return system_error(from, "rename to " + to, errno);
    return {};
  }

  Status sync_directory(const std::string& path) override {
    ASSIGN_OR_RETURN(const Descriptor descriptor, open_descriptor(path, O_RDONLY | O_DIRECTORY));
    if (::fsync(descriptor.get()) != 0) return system_error(path, "sync directory", errno);
    return {};
  }

  Result<uint64_t> free_bytes(const std::string& path) override {
    struct statvfs status{};
    if (::statvfs(path.c_str(), &status) != 0) return system_error(path, "statvfs", errno);
    return static_cast<uint64_t>(status.f_bavail) * status.f_frsize;
  }

  Result<std::unique_ptr<FileLock>> lock(const std::string& path) override {
    bool writable = true;
    auto opened = open_descriptor(path, O_RDWR | O_CREAT);
    if (!opened) {  // perhaps a store that may only be read
      const bool read_only_system = errno == EROFS;
      opened = open_descriptor(path, O_RDONLY);
      writable = false;
      // Nobody can write there, but two readers still keep to the rule.
      if (!opened && read_only_system)
        opened = open_descriptor(path.substr(0, path.rfind('/') + 1) + ".", O_RDONLY | O_DIRECTORY);
    }
    if (!opened) return std::unexpected(opened.error());
    // flock belongs to the open file, so a second opening in this process is refused, too.
    if (::flock(opened->get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) return system_error(path, "lock", errno);
      return fail(ErrorCode::kLocked, path + ": held by process " + read_holder(opened->get()));
    }
    const std::string holder = std::to_string(::getpid()) + "\n";
    // The text is for people; the lock holds without it, as on a full disk.
    const bool told = writable && ::ftruncate(opened->get(), 0) == 0 &&
                      ::pwrite(opened->get(), holder.data(), holder.size(), 0) >= 0;
    static_cast<void>(told);
    return std::make_unique<PosixLock>(*std::move(opened));
  }
};

}  // namespace

FileSystem& posix_file_system() {
  static PosixFileSystem file_system;  // without state
  return file_system;
}

}  // namespace wherestar
