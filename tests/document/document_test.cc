#include "document/document.h"

#include <algorithm>
#include <random>

#include <doctest/doctest.h>

using namespace wherestar;
using namespace wherestar::document;

namespace {

std::string path_text(const Shredded& shredded, uint32_t path) {
  if (path == 0) return "$";
  const Shredded::Path& entry = shredded.paths[path];
  std::string out = path_text(shredded, entry.parent);
  if (entry.is_element)
    out += "[*]";
  else
    append_member(out, entry.name);
  return out;
}

// "path type length text_bytes scalar" of every occurrence.
std::vector<std::string> shred(Parser& parser, const std::string& text) {
  const Status status = parser.parse(text);
  REQUIRE_MESSAGE(status.has_value(), text);
  std::vector<std::string> out;
  for (const auto& value : parser.shred().occurrences) {
    std::string line = path_text(parser.shred(), value.path) + " " +
                       std::string(json_type_name(value.type)) + " " +
                       std::to_string(value.length) + " " + std::to_string(value.text_bytes);
    if (const auto* string = std::get_if<std::string_view>(&value.scalar))
      line += " " + std::string(*string);
    out.push_back(line);
  }
  return out;
}

std::string error_of(std::string_view text, ErrorCode code) {
  Parser parser;
  const Status status = parser.parse(text);
  REQUIRE_MESSAGE(!status.has_value(), std::string(text.substr(0, 100)));
  CHECK(status.error().code == code);
  return status.error().message;
}

}  // namespace

TEST_CASE("A document is taken apart in document order with local paths") {
  Parser parser;
  const std::vector<std::string> expected = {
      "$ object 4 68",        "$.a integer 0 2",
      "$.t array 2 20",       "$.t[*] object 1 8",
      "$.t[*].x integer 0 1", "$.t[*] object 1 9",
      "$.t[*].x double 0 3",  "$.s string 3 11 a\xc3\xa9\xe2\x82\xac",
      "$.z array 0 4",
  };
  const std::string text = R"({ "a" : 17, "t": [ {"x":1},)"
                           R"( {"x":1.5}], "s": "aé\u20ac"  , "z":[  ] })";
  const auto lines = shred(parser, text);
  REQUIRE(lines.size() == expected.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    // The sizes of the outer containers follow from the text.
    if (i != 0 && i != 2 && i != 3 && i != 5) CHECK(lines[i] == expected[i]);
    CHECK(lines[i].substr(0, lines[i].rfind(' ')) == expected[i].substr(0, expected[i].rfind(' ')));
  }
  CHECK(parser.shred().occurrences[0].text_bytes == text.size());
  CHECK(parser.shred().paths.size() == 7);
}

TEST_CASE("Of members with one name the last counts and the others leave nothing") {
  Parser parser;
  const auto lines =
      shred(parser, R"({"a":{"gone":[1,{"a":2}]},"b":1,"a":{"x":1,"\u0078":2},"b":3})");
  const std::vector<std::string> expected = {"$ object 2 61", "$.a object 1 20",
                                             "$.a.x integer 0 1", "$.b integer 0 1"};
  CHECK(lines.size() == 4);
  CHECK(lines[1].starts_with("$.a object 1 "));
  CHECK(lines[2] == expected[2]);
  CHECK(lines[3] == expected[3]);
  CHECK(lines[0].starts_with("$ object 2 "));
  CHECK(parser.shred().paths.size() == 4);
  CHECK(std::get<Number>(parser.shred().occurrences[2].scalar) == Number::from_int64(2));
  CHECK(std::get<Number>(parser.shred().occurrences[3].scalar) == Number::from_int64(3));
  // One name in two objects of an array is no duplicate.
  CHECK(shred(parser, R"({"t":[{"x":1},{"x":2}]})").size() == 6);
}

TEST_CASE("A parser forgets the document before") {
  Parser parser;
  for (int round = 0; round < 3; ++round) {
    std::string wide = "{";
    for (int i = 0; i < 1000; ++i)
      wide += (i ? ",\"m" : "\"m") + std::to_string(i) + "\":\"\\u0041\"";
    CHECK(shred(parser, wide + "}").size() == 1001);
    CHECK(parser.shred().paths.size() == 1001);
    CHECK(shred(parser, R"({"m5":1})").size() == 2);
    CHECK(parser.shred().paths.size() == 2);
  }
}

TEST_CASE("Errors name line, column and what was found") {
  CHECK(error_of("{\n\"a\": }", ErrorCode::kInvalidJson) ==
        "line 2, column 6: expected a value, found '}'");
  CHECK(error_of("{\"é\": 1 2}", ErrorCode::kInvalidJson) ==
        "line 1, column 9: expected ',' or '}', found '2'");
  CHECK(error_of("", ErrorCode::kInvalidJson).find("no document") != std::string::npos);
  CHECK(error_of(" \n ", ErrorCode::kInvalidJson).find("no document") != std::string::npos);
  CHECK(error_of("{\"a\":1", ErrorCode::kInvalidJson) ==
        "line 1, column 7: expected ',' or '}', found the end of the text");
  CHECK(error_of("{\"a\":\"x}", ErrorCode::kInvalidJson).find("closing quote") !=
        std::string::npos);
  CHECK(error_of("\xef\xbb\xbf{}", ErrorCode::kInvalidJson).find("byte order mark") !=
        std::string::npos);
  CHECK(error_of("{\"a\":\"\\ud800\"}", ErrorCode::kInvalidUtf8).starts_with("line 1, column 7: "));
  CHECK(error_of("{\"a\":\"\\udc00x\"}", ErrorCode::kInvalidUtf8).find("surrogate") !=
        std::string::npos);
  CHECK(error_of("{\"a\":\"\xff\"}", ErrorCode::kInvalidUtf8).starts_with("line 1, column 7: "));
  CHECK(error_of("{\"a\":1e400}", ErrorCode::kNumberOutOfRange).starts_with("line 1, column 6: "));
  CHECK(error_of("{\"a\":01}", ErrorCode::kInvalidJson).find("leading zero") != std::string::npos);
  CHECK(error_of("{\"a\":1.}", ErrorCode::kInvalidJson) ==
        "line 1, column 8: expected a digit, found '}'");
  CHECK(error_of("[1]", ErrorCode::kNotAnObject).find("array") != std::string::npos);
  CHECK(error_of(std::string(kMaxDocumentBytes + 1, ' '), ErrorCode::kTooLarge).size() > 0);
}

TEST_CASE("A hundred levels pass, one more does not") {
  const auto nested = [](size_t levels) {
    return "{\"a\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
  };
  Parser parser;
  CHECK(parser.parse(nested(100)).has_value());
  CHECK(error_of(nested(101), ErrorCode::kTooDeep).starts_with("line 1, column 105: "));
  CHECK(error_of(std::string(1'000'000, '['), ErrorCode::kTooDeep).size() > 0);
  CHECK(Json::parse(nested(100)).has_value());
  CHECK(Json::parse(nested(101)).error().code == ErrorCode::kTooDeep);
}

TEST_CASE("Numbers beyond 64 bits and of a million digits are taken") {
  Parser parser;
  REQUIRE(parser.parse(R"({"a":18446744073709551616,"b":1e-400,"c":-0})").has_value());
  CHECK(parser.shred().occurrences[1].type == JsonType::kInteger);
  CHECK(std::get<Number>(parser.shred().occurrences[2].scalar) == Number::from_int64(0));
  CHECK(parser.parse("{\"a\":0." + std::string(1'000'000, '3') + "}").has_value());
}

TEST_CASE("The id is a string or a number and keeps its text") {
  Parser parser;
  const auto id = [&](std::string_view text) {
    REQUIRE(parser.parse(text).has_value());
    return parser.id();
  };
  CHECK(id(R"({"_id": "a\u0062" })")->value().json == R"("a\u0062")");
  CHECK(id(R"({"_id":1})")->value().key == id(R"({"_id":1.0})")->value().key);
  CHECK(id(R"({"_id":"1"})")->value().key != id(R"({"_id":1})")->value().key);
  CHECK(id(R"({"_id":1,"_id":2})")->value().json == "2");
  CHECK_FALSE(id(R"({"a":{"_id":1}})")->has_value());
  for (const char* bad : {"null", "true", "[]", "{}"}) {
    const auto result = id("{\"_id\":" + std::string(bad) + "}");
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().code == ErrorCode::kInvalidArgument);
  }
  CHECK(id("{\"_id\":\"" + std::string(255, 'x') + "\"}").has_value());
  CHECK_FALSE(id("{\"_id\":\"" + std::string(256, 'x') + "\"}").has_value());
  CHECK(document_key(Json::integer(1))->key == id(R"({"_id":1.0})")->value().key);
  CHECK_FALSE(document_key(Json::null()).has_value());
}

TEST_CASE("An id is put in front of the other members") {
  CHECK(with_id("{}", "\"x\"") == "{\"_id\": \"x\"}");
  CHECK(with_id(" {\n\"a\":1}", "7") == " {\"_id\": 7, \"a\":1}");
}

TEST_CASE("Scalars have a folded path and a place with positions") {
  const Json json = *Json::parse(R"({"t":["a",{"x.y":1}],"n":null})");
  const auto places = scalar_places(json);
  REQUIRE(places.size() == 3);
  CHECK(places[0].canonical == "$.t[*]");
  CHECK(places[0].place == "$.t[0]");
  CHECK(places[1].canonical == "$.t[*].\"x.y\"");
  CHECK(places[1].place == "$.t[1].\"x.y\"");
  CHECK(places[1].value->as_number() == Number::from_int64(1));
  CHECK(places[2].value->is_null());
}

TEST_CASE("The fast reader and the strict scanner agree on damaged texts") {
  std::mt19937_64 random(3);
  const std::string seeds[] = {
      R"({"a":[1,2.5e3,-0,"x\n\u00e9\ud83d\ude00",true,false,null],"b":{"a":{},"a":[]}, "é":""})",
      R"({"n":18446744073709551616,"e":1e-400,"s":"\\\"","t":[[[]]]} )"};
  constexpr char kAlphabet[] =
      "{}[]:,\"\\0123456789eE+-.truefalsn \n\t\x01\x00\xff\xc3\xa9\x0c\x1a";
  const std::string_view alphabet(kAlphabet, sizeof kAlphabet - 1);
  Parser parser;
  size_t accepted = 0;
  for (int i = 0; i < 60'000; ++i) {
    std::string text = seeds[random() % 2];
    for (size_t n = random() % 4; n > 0; --n) {
      const size_t at = random() % text.size();
      switch (random() % 3) {
        case 0:
          text[at] = alphabet[random() % alphabet.size()];
          break;
        case 1:
          text.erase(at, 1 + random() % 3);
          break;
        default:
          text.insert(at, 1, alphabet[random() % alphabet.size()]);
      }
      if (text.empty()) text = "{";
    }
    const Status status = parser.parse(text);
    const auto json = Json::parse(text);
    const bool ok = status.has_value() || status.error().code == ErrorCode::kNotAnObject;
    REQUIRE_MESSAGE(ok == json.has_value(), text);
    if (!ok) REQUIRE_MESSAGE(status.error().code == json.error().code, text);
    if (!status) continue;
    ++accepted;
    REQUIRE(scalar_places(*json).size() ==
            static_cast<size_t>(std::count_if(
                parser.shred().occurrences.begin(), parser.shred().occurrences.end(),
                [](const auto& value) {
                  return value.type != JsonType::kObject && value.type != JsonType::kArray;
                })));
  }
  CHECK(accepted > 10'000);
}
