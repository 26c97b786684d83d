#include "tools/output_file.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <unistd.h>

using namespace wherestar;
using namespace wherestar::tools;

namespace fs = std::filesystem;

namespace {

class Directory {
 public:
  Directory() {
    std::string name = (fs::temp_directory_path() / "tools_test_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Directory() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("an existing file is replaced only when told so") {
  const Directory directory;
  const std::string name = directory.file("out");
  std::ofstream(name) << "precious";
  CHECK(OutputFile::create(name, false).error().code == ErrorCode::kAlreadyExists);
  CHECK(fs::file_size(name) == 8);
  auto file = OutputFile::create(name, true);
  REQUIRE(file);
  REQUIRE((*file)->write("new"));
  REQUIRE((*file)->finish());
  CHECK(fs::file_size(name) == 3);
}

TEST_CASE("a new file is its owner's only") {
  const Directory directory;
  auto file = OutputFile::create(directory.file("out"), false);
  REQUIRE(file);
  REQUIRE((*file)->finish());
  CHECK(fs::status(directory.file("out")).permissions() ==
        (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a symbolic link is not followed, even with force") {
  const Directory directory;
  std::ofstream(directory.file("target")) << "precious";
  fs::create_symlink(directory.file("target"), directory.file("link"));
  CHECK_FALSE(OutputFile::create(directory.file("link"), true));
  CHECK_FALSE(OutputFile::create(directory.file("link"), false));
  CHECK(fs::file_size(directory.file("target")) == 8);
}

TEST_CASE("what is not finished is removed") {
  const Directory directory;
  for (const std::string name : {"out", "out.gz", "out.zst"}) {
    {
      auto file = OutputFile::create(directory.file(name), false);
      REQUIRE(file);
      REQUIRE((*file)->write("half"));
    }
    CHECK_FALSE(fs::exists(directory.file(name)));
  }
}

TEST_CASE("a full disk is an error") {
  auto file = OutputFile::create("/dev/full", true);
  if (!file) return;  // no such device here
  const Status written = (*file)->write(std::string(1 << 20, 'x'));
  REQUIRE_FALSE(written);
  CHECK(written.error().code == ErrorCode::kNoSpace);
  file->reset();
  CHECK(fs::exists("/dev/full"));
}
