// Both file systems do the same.
#include "base/file_system.h"

#include <filesystem>
#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/memory_file_system.h"

using namespace wherestar;

namespace {

// A file system and a directory in it that is gone afterwards.
struct Place {
  virtual ~Place() = default;
  FileSystem* fs = nullptr;
  std::string directory;
};

struct PosixPlace : Place {
  PosixPlace() {
    std::string name = (std::filesystem::temp_directory_path() / "wherestar_XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    fs = &posix_file_system();
    directory = name;
  }
  ~PosixPlace() override { std::filesystem::remove_all(directory); }
};

struct MemoryPlace : Place {
  MemoryPlace() {
    fs = &memory;
    directory = "/place";
    REQUIRE(memory.create_directories(directory));
  }
  MemoryFileSystem memory;
};

}  // namespace

TEST_CASE_TEMPLATE("files are written, read, cut, renamed and removed", T, PosixPlace,
                   MemoryPlace) {
  T place;
  FileSystem& fs = *place.fs;
  const std::string a = place.directory + "/a";
  const std::string b = place.directory + "/b";
  {
    auto file = fs.open(a, OpenMode::kCreateNew);
    REQUIRE(file);
    REQUIRE((*file)->write_at(3, "hello"));
    CHECK((*file)->size().value() == 8);
    CHECK((*file)->read_at(0, 8).value() == std::string("\0\0\0hello", 8));
    CHECK((*file)->read_at(8, 0).value().empty());
    const auto beyond = (*file)->read_at(4, 5);
    REQUIRE_FALSE(beyond);
    CHECK(beyond.error().code == ErrorCode::kIo);
    CHECK(beyond.error().message.find("short read") != std::string::npos);
    CHECK(beyond.error().message.find(a) != std::string::npos);
    REQUIRE((*file)->truncate(5));
    REQUIRE((*file)->allocate(0, 10'000));
    CHECK((*file)->size().value() == 10'000);
    CHECK((*file)->read_at(3, 4).value() == std::string("he\0\0", 4));
    REQUIRE((*file)->punch_hole(0, 4096));
    CHECK((*file)->read_at(3, 2).value() == std::string(2, '\0'));
    CHECK((*file)->sync());
  }
  CHECK(fs.open(a, OpenMode::kCreateNew).error().code == ErrorCode::kAlreadyExists);
  CHECK(fs.open(b, OpenMode::kReadWrite).error().code == ErrorCode::kNotFound);
  CHECK(fs.open(b, OpenMode::kRead).error().code == ErrorCode::kNotFound);
  REQUIRE(fs.rename(a, b));
  CHECK(fs.list(place.directory).value() == std::vector<std::string>{"b"});
  CHECK_FALSE(fs.exists(a).value());
  CHECK(fs.sync_directory(place.directory));
  REQUIRE(fs.remove(b));
  CHECK(fs.remove(b).error().code == ErrorCode::kNotFound);
  CHECK(fs.list(place.directory).value().empty());
}

TEST_CASE_TEMPLATE("replace_file puts a whole new file in place", T, PosixPlace, MemoryPlace) {
  T place;
  const std::string path = place.directory + "/root";
  REQUIRE(replace_file(*place.fs, path, "a long first version"));
  REQUIRE(replace_file(*place.fs, path, "short"));
  CHECK(read_file(*place.fs, path).value() == "short");
  CHECK(place.fs->list(place.directory).value() == std::vector<std::string>{"root"});
}

TEST_CASE_TEMPLATE("a lock has one holder", T, PosixPlace, MemoryPlace) {
  T place;
  const std::string path = place.directory + "/lock";
  auto first = place.fs->lock(path);
  REQUIRE(first);
  CHECK(place.fs->lock(path).error().code == ErrorCode::kLocked);
  first->reset();
  CHECK(place.fs->lock(path));
}

TEST_CASE_TEMPLATE("directories are made with all above them", T, PosixPlace, MemoryPlace) {
  T place;
  const std::string path = place.directory + "/x/y/z";
  REQUIRE(place.fs->create_directories(path));
  REQUIRE(place.fs->create_directories(path));
  CHECK(place.fs->exists(place.directory + "/x/y").value());
  CHECK(place.fs->list(place.directory + "/x").value() == std::vector<std::string>{"y"});
  CHECK_FALSE(place.fs->list(place.directory + "/none"));
}

TEST_CASE("files and directories are for their owner alone") {
  PosixPlace place;
  const std::string directory = place.directory + "/store";
  REQUIRE(place.fs->create_directories(directory));
  REQUIRE(place.fs->open(directory + "/f", OpenMode::kCreateOrOpen));
  struct stat status{};
  REQUIRE(::stat(directory.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0700);
  REQUIRE(::stat((directory + "/f").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
}
