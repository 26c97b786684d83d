#include "xproto/certificate.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <doctest/doctest.h>
#include <sys/stat.h>

using wherestar::ErrorCode;
using wherestar::xproto::load_or_make_certificate;

namespace {

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "wherestar.XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("a certificate is made once and found again") {
  TemporaryDirectory directory;
  auto made = load_or_make_certificate(directory.path());
  REQUIRE(made);
  CHECK(made->sha256_fingerprint.size() == 32 * 3 - 1);
  struct stat info{};
  REQUIRE(::stat(made->key_file.c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  auto again = load_or_make_certificate(directory.path());
  REQUIRE(again);
  CHECK(again->sha256_fingerprint == made->sha256_fingerprint);
}

TEST_CASE("keys that others can read, foreign keys and halves of a pair are refused by name") {
  TemporaryDirectory directory;
  auto made = load_or_make_certificate(directory.path());
  REQUIRE(made);
  ::chmod(made->key_file.c_str(), 0644);
  auto loose = load_or_make_certificate(directory.path());
  REQUIRE_FALSE(loose);
  CHECK(loose.error().message.find(made->key_file) != std::string::npos);
  ::chmod(made->key_file.c_str(), 0600);

  TemporaryDirectory other;
  auto foreign = load_or_make_certificate(other.path());
  REQUIRE(foreign);
  std::filesystem::copy_file(foreign->key_file, made->key_file,
                             std::filesystem::copy_options::overwrite_existing);
  auto mixed = load_or_make_certificate(directory.path());
  REQUIRE_FALSE(mixed);
  CHECK(mixed.error().code == ErrorCode::kInvalidArgument);

  std::ofstream(foreign->certificate_file) << "no certificate";
  CHECK_FALSE(load_or_make_certificate(other.path()));
  std::filesystem::remove(foreign->certificate_file);
  auto half = load_or_make_certificate(other.path());
  REQUIRE_FALSE(half);
  CHECK(half.error().message.find(foreign->certificate_file) != std::string::npos);
}
