// The JSON test suite: files y_* must parse, n_* must be refused, i_* may do either.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "document/document.h"

using namespace wherestar;
using namespace wherestar::document;

namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

bool has_place(const Error& error) {
  return error.message.starts_with("line ") && error.message.find(", column ") != std::string::npos;
}

}  // namespace

TEST_CASE("The JSON test suite is accepted and refused as it says") {
  const char* data = std::getenv("WHERESTAR_SHARED_DATA");
  if (!data || !std::filesystem::exists(std::filesystem::path(data) / "json-test-suite")) {
    MESSAGE("skipped: WHERESTAR_SHARED_DATA names no folder with json-test-suite");
    return;
  }
  Parser parser;
  size_t files = 0;
  const std::filesystem::path folder = std::filesystem::path(data) / "json-test-suite";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || entry.path().extension() != ".json" || name[1] != '_') continue;
    ++files;
    const std::string text = read_file(entry.path());
    const Status status = parser.parse(text);
    const auto json = Json::parse(text);
    INFO(name);
    CHECK(json.has_value() ==
          (status.has_value() || status.error().code == ErrorCode::kNotAnObject));
    if (name[0] == 'y') {
      CHECK(json.has_value());
      if (json) CHECK(status.has_value() == json->is_object());
    } else if (name[0] == 'n') {
      REQUIRE_FALSE(status.has_value());
      CHECK(has_place(status.error()));
      CHECK_FALSE(json.has_value());
    } else if (!json.has_value()) {
      CHECK(has_place(json.error()));
    }
  }
  CHECK(files > 100);
}
