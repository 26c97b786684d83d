// What a command is about: a plain file, a collection, a database, or everything.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace wherestar::tools {

struct Target {
  enum class Kind { kFile, kCollection, kDatabase, kEverything };
  Kind kind = Kind::kEverything;
  std::string file;
  std::string database;
  std::string collection;

  // The operand of FROM: `shop`.`products`, `shop`.*, *.
  std::string from_clause() const;
  std::string text() const;  // as a person writes it
};

// `-`, an existing file, a word with a `/` or one that ends as files of documents do (.jsonl,
// .ndjson, .json, .gz, .zst) is a file (unless `only_store`); `*` everything, `shop.*` a database,
// `shop.products` a collection. kInvalidArgument: none of these.
Result<Target> parse_target(std::string_view word, bool only_store);

// `name` in backticks.
std::string quoted_name(std::string_view name);

// mysqlx://user[:password]@host[:port][/database], percent-encoding undone.
struct ServerUri {
  std::string user = "root";
  std::string password;
  std::string host = "127.0.0.1";
  uint16_t port = 33060;
  std::string database;
};
Result<ServerUri> parse_uri(std::string_view text);

}  // namespace wherestar::tools
