// Random documents with everything that is hard to index, and a plain walk over a document's
// values.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "document/json.h"
#include "document/path.h"

namespace wherestar::testing {

class RandomDocuments {
 public:
  explicit RandomDocuments(uint64_t seed) : random_(seed) {}

  size_t below(size_t bound) {
    return std::uniform_int_distribution<size_t>(0, bound - 1)(random_);
  }

  // The text of a document with this `_id`.
  std::string next(uint64_t id) {
    using document::Json;
    Json::Object members;
    members.emplace_back("_id", Json::unsigned_integer(id));
    const size_t count = below(6);
    Json root = Json::object(std::move(members));
    for (size_t i = 0; i < count; ++i) root.set_member(name(), value(3));
    if (below(4) == 0) root.set_member("users", users());
    std::string text = root.to_text();
    // A member that occurs twice: the last one counts.
    if (below(8) == 0 && root.member("b") != nullptr)
      text = "{\"b\":[\"never\",{\"seen\":1}]," + text.substr(1);
    return text;
  }

  document::Json scalar() {
    using document::Json;
    switch (below(7)) {
      case 0:
        return Json::null();
      case 1:
        return Json::boolean(below(2) == 0);
      case 2:
        return Json::integer(static_cast<int64_t>(below(20)) - 5);
      case 3: {
        static constexpr const char* kNumbers[] = {"-0",
                                                   "0",
                                                   "0.0",
                                                   "9007199254740992",
                                                   "9007199254740993",
                                                   "9007199254740994",
                                                   "1974.0",
                                                   "1974",
                                                   "1e3",
                                                   "18446744073709551615",
                                                   "-9223372036854775808",
                                                   "0.1",
                                                   "0.10",
                                                   "-7.5",
                                                   "1e-300",
                                                   "9223372036854775807",
                                                   "9223372036854775808",
                                                   "12.5"};
        return Json::number_text(kNumbers[below(std::size(kNumbers))]);
      }
      default:
        return Json::string(string());
    }
  }

  std::string string() {
    static const std::string kStrings[] = {"",
                                           "a",
                                           "A",
                                           "Beach",
                                           "Beau",
                                           "red beach",
                                           "Jippie",
                                           "\xc3\xa9t\xc3\xa9",
                                           std::string("a\0b", 3),
                                           std::string("a\0", 2),
                                           "1974",
                                           "sixteen bytes 16",
                                           "sixteen bytes 16+",
                                           "sixteen bytes 1"};
    switch (below(5)) {
      case 0: {  // around the cut of long strings, some with a wide character across it
        std::string text(90 + below(10), 'x');
        if (below(2) == 0) text += "\xe2\x82\xac";
        return text + std::string(below(3), 'y');
      }
      case 1:
        return std::string(14 + below(4), 'z') + (below(2) == 0 ? "\xf0\x9f\x8f\x96" : "q");
      case 2:
        return std::string("common prefix of long strings: ") + std::to_string(below(6));
      default:
        return kStrings[below(std::size(kStrings))];
    }
  }

 private:
  std::string name() {
    static const std::string kNames[] = {
        "a", "b", "tags", "a.b", "", "*", "[*]", "n", "\xe6\x97\xa5", std::string("a\0b", 3)};
    return kNames[below(std::size(kNames))];
  }

  document::Json value(size_t depth) {
    using document::Json;
    const size_t kind = depth == 0 ? 0 : below(6);
    if (kind < 3) return scalar();
    if (kind == 5) {
      Json object = Json::object();
      for (size_t i = below(4); i > 0; --i) object.set_member(name(), value(depth - 1));
      return object;
    }
    Json::Array elements;
    for (size_t i = below(5); i > 0; --i) elements.push_back(value(depth - 1));
    return Json::array(std::move(elements));
  }

  document::Json users() {
    using document::Json;
    Json map = Json::object();
    for (size_t i = 1 + below(8); i > 0; --i) {
      Json user = Json::object();
      user.set_member("name", scalar());
      map.set_member("u" + std::to_string(below(900)), std::move(user));
    }
    return map;
  }

  std::mt19937_64 random_;
};

// Every value of a document with its canonical path, containers first.
inline void walk(const document::Json& value, const std::string& path,
                 const std::function<void(const std::string&, const document::Json&)>& visit) {
  visit(path, value);
  if (value.is_array()) {
    for (const document::Json& element : value.elements()) walk(element, path + "[*]", visit);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.members()) {
      std::string below = path;
      document::append_member(below, name);
      walk(member, below, visit);
    }
  }
}

inline void walk(const document::Json& value,
                 const std::function<void(const std::string&, const document::Json&)>& visit) {
  walk(value, "$", visit);
}

}  // namespace wherestar::testing
