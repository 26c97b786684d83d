#include "base/file_system.h"

#include <utility>

namespace wherestar {

Result<std::string> read_file(FileSystem& fs, const std::string& path) {
  ASSIGN_OR_RETURN(const std::unique_ptr<File> file, fs.open(path, OpenMode::kRead));
  ASSIGN_OR_RETURN(const uint64_t size_bytes, file->size());
  return file->read_at(0, size_bytes);
}

Status replace_file(FileSystem& fs, const std::string& path, std::string_view bytes) {
  const std::string temporary = path + ".tmp";
  {
    ASSIGN_OR_RETURN(const std::unique_ptr<File> file, fs.open(temporary, OpenMode::kCreateOrOpen));
    RETURN_IF_ERROR(file->truncate(0));
    RETURN_IF_ERROR(file->write_at(0, bytes));
    RETURN_IF_ERROR(file->sync());
  }
  RETURN_IF_ERROR(fs.rename(temporary, path));
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return fs.sync_directory(".");
  return fs.sync_directory(slash == 0 ? "/" : path.substr(0, slash));
}

}  // namespace wherestar
