#include "tools/target.h"

#include <charconv>
#include <filesystem>

namespace wherestar::tools {
namespace {

Result<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    unsigned value = 0;
    const char* begin = text.data() + i + 1;
    if (i + 2 >= text.size() || std::from_chars(begin, begin + 2, value, 16).ptr != begin + 2) {
      return fail(ErrorCode::kInvalidArgument, "wrong % escape in the URI");
    }
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

bool is_file(std::string_view word) {
  if (word == "-" || word.find('/') != std::string_view::npos) return true;
  for (const std::string_view ending : {".jsonl", ".ndjson", ".json", ".gz", ".zst"}) {
    if (word.size() > ending.size() && word.ends_with(ending)) return true;
  }
  std::error_code ignored;
  return std::filesystem::exists(std::filesystem::path(word), ignored);
}

}  // namespace

std::string quoted_name(std::string_view name) {
  std::string out = "`";
  for (const char c : name) {
    if (c == '`') out += '`';
    out += c;
  }
  return out + "`";
}

std::string Target::from_clause() const {
  switch (kind) {
    case Kind::kCollection:
      return quoted_name(database) + "." + quoted_name(collection);
    case Kind::kDatabase:
      return quoted_name(database) + ".*";
    default:
      return "*";
  }
}

std::string Target::text() const {
  switch (kind) {
    case Kind::kFile:
      return file;
    case Kind::kCollection:
      return database + "." + collection;
    case Kind::kDatabase:
      return database + ".*";
    default:
      return "*";
  }
}

Result<Target> parse_target(std::string_view word, bool only_store) {
  Target target;
  if (!only_store && is_file(word)) {
    target.kind = Target::Kind::kFile;
    target.file = word;
    return target;
  }
  if (word == "*" || word == "*.*") return target;
  const size_t dot = word.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot + 1 == word.size()) {
    const std::string kinds = only_store ? "expected database.collection"
                                         : "no such file, and not database.collection either";
    return fail(ErrorCode::kInvalidArgument, "'" + std::string(word) + "': " + kinds);
  }
  target.database = word.substr(0, dot);
  target.collection = word.substr(dot + 1);
  target.kind = target.collection == "*" ? Target::Kind::kDatabase : Target::Kind::kCollection;
  return target;
}

Result<ServerUri> parse_uri(std::string_view text) {
  const std::string whole(text);
  const auto wrong = [&](const char* why) {
    return fail(ErrorCode::kInvalidArgument, whole.substr(0, whole.find("://") + 3) + "...: " +
                                                 why + "; expected mysqlx://user@host:port");
  };
  static constexpr std::string_view kScheme = "mysqlx://";
  if (!text.starts_with(kScheme)) {
    return fail(ErrorCode::kInvalidArgument, "expected mysqlx://user@host:port");
  }
  text.remove_prefix(kScheme.size());
  ServerUri uri;
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    ASSIGN_OR_RETURN(uri.database, percent_decoded(text.substr(slash + 1)));
    text = text.substr(0, slash);
  }
  if (const size_t at = text.rfind('@'); at != std::string_view::npos) {
    const std::string_view login = text.substr(0, at);
    const size_t colon = login.find(':');
    ASSIGN_OR_RETURN(uri.user, percent_decoded(login.substr(0, colon)));
    if (colon != std::string_view::npos) {
      ASSIGN_OR_RETURN(uri.password, percent_decoded(login.substr(colon + 1)));
    }
    text = text.substr(at + 1);
  }
  size_t colon = text.rfind(':');
  if (text.starts_with('[')) {  // an IPv6 address
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return wrong("no ']'");
    if (colon != std::string_view::npos && colon < end) colon = std::string_view::npos;
    uri.host = text.substr(1, end - 1);
  } else {
    uri.host = text.substr(0, colon);
  }
  if (uri.host.empty()) return wrong("no host");
  if (colon != std::string_view::npos) {
    const std::string_view digits = text.substr(colon + 1);
    const auto [rest, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), uri.port);
    if (error != std::errc{} || rest != digits.data() + digits.size()) return wrong("wrong port");
  }
  return uri;
}

}  // namespace wherestar::tools
