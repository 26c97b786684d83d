#include "tools/input.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <unistd.h>

#include "tools/output_file.h"

using namespace wherestar;
using namespace wherestar::tools;

namespace {

class Directory {
 public:
  Directory() {
    std::string name = (std::filesystem::temp_directory_path() / "tools_test_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void write_file(const std::string& name, std::string_view bytes) {
  std::ofstream(name, std::ios::binary) << bytes;
}

std::string read_bytes(const std::string& name) {
  std::ifstream file(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Result<std::string> read_all(const std::string& name) {
  ASSIGN_OR_RETURN(auto input, Input::open(name));
  std::string text;
  while (true) {
    ASSIGN_OR_RETURN(const bool more, input->read(text));
    if (!more) return text;
  }
}

std::string sample() {
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "{\"n\":" + std::to_string(i * 7919 % 10'007) + "}\n";
  return text;
}

void pack(const std::string& name, std::string_view text) {
  auto file = OutputFile::create(name, true);
  REQUIRE(file);
  REQUIRE((*file)->write(text));
  REQUIRE((*file)->finish());
}

}  // namespace

TEST_CASE("plain, gzip and zstd files give the same text, whatever their name") {
  const Directory directory;
  const std::string text = sample();
  for (const char* ending : {"", ".gz", ".zst"}) {
    const std::string name = directory.file(std::string("data.jsonl") + ending);
    pack(name, text);
    if (*ending != '\0') CHECK(std::filesystem::file_size(name) < text.size() / 2);
    CHECK(read_all(name).value_or("") == text);
    std::filesystem::rename(name, directory.file("other"));
    CHECK(read_all(directory.file("other")).value_or("") == text);
  }
}

TEST_CASE("several packed members in one file are read on") {
  const Directory directory;
  for (const std::string ending : {".gz", ".zst"}) {
    pack(directory.file("a" + ending), "one\n");
    pack(directory.file("b" + ending), "two\n");
    write_file(directory.file("both"),
               read_bytes(directory.file("a" + ending)) + read_bytes(directory.file("b" + ending)));
    CHECK(read_all(directory.file("both")).value_or("") == "one\ntwo\n");
  }
}

TEST_CASE("packed files that are cut off or damaged are errors that name the file") {
  const Directory directory;
  for (const std::string ending : {".gz", ".zst"}) {
    const std::string name = directory.file("data" + ending);
    pack(name, sample());
    const std::string bytes = read_bytes(name);
    write_file(name, bytes.substr(0, bytes.size() / 2));
    auto result = read_all(name);
    REQUIRE_FALSE(result);
    CHECK(result.error().code == ErrorCode::kIo);
    CHECK(result.error().message.find(name) != std::string::npos);

    std::string damaged = bytes;
    damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] ^ 0x55);
    damaged[damaged.size() / 2 + 9] = static_cast<char>(damaged[damaged.size() / 2 + 9] ^ 0x55);
    write_file(name, damaged);
    CHECK_FALSE(read_all(name));
  }
}

TEST_CASE("few packed bytes that stand for many are unpacked by pieces") {
  const Directory directory;
  const std::string text(16 << 20, ' ');
  for (const std::string ending : {".gz", ".zst"}) {
    const std::string name = directory.file("blanks" + ending);
    pack(name, text);
    CHECK(std::filesystem::file_size(name) < 20'000);
    auto input = Input::open(name);
    REQUIRE(input);
    std::string piece;
    size_t bytes = 0;
    while ((*input)->read(piece).value_or(false)) {
      REQUIRE(piece.size() <= 256u << 10);
      bytes += piece.size();
      piece.clear();
    }
    CHECK(bytes == text.size());
  }
}

TEST_CASE("a file that is near is named") {
  const Directory directory;
  write_file(directory.file("products.jsonl"), "");
  CHECK(near_file(directory.file("prodcts.jsonl")) == "did you mean 'products.jsonl'?");
  CHECK(near_file(directory.file("other")).empty());
  CHECK(near_file(directory.file("products.jsonl")).empty());
  CHECK(near_file(directory.file("none/products.jsonl")).empty());
  CHECK(near_file("-").empty());
  CHECK(Input::open(directory.file("none")).error().message.ends_with("none: no such file"));
}

TEST_CASE("a missing file and a directory are refused") {
  const Directory directory;
  CHECK(Input::open(directory.file("none")).error().code == ErrorCode::kIo);
  CHECK(Input::open(directory.file(".")).error().message.find("directory") != std::string::npos);
}

TEST_CASE("the progress of a file is told in its own bytes") {
  const Directory directory;
  const std::string name = directory.file("data.zst");
  pack(name, sample());
  auto input = Input::open(name);
  REQUIRE(input);
  CHECK((*input)->bytes_total() == std::filesystem::file_size(name));
  std::string text;
  while ((*input)->read(text).value_or(false)) continue;
  CHECK((*input)->bytes_read() == (*input)->bytes_total());
}

TEST_CASE("patterns become the files they match") {
  const Directory directory;
  write_file(directory.file("b.json"), "");
  write_file(directory.file("a.json"), "");
  CHECK(
      expand_names({directory.file("*.json"), "-", "shop.*"}) ==
      std::vector<std::string>{directory.file("a.json"), directory.file("b.json"), "-", "shop.*"});
}

TEST_CASE("a file's collection is its name without endings") {
  CHECK(collection_name_of("dump/products.jsonl.zst") == "products");
  CHECK(collection_name_of("events.json") == "events");
  CHECK(collection_name_of("events") == "events");
  CHECK(collection_name_of("-") == "stdin");
  CHECK(collection_name_of("a.b.json.gz") == "a.b");
}
