#include "tools/extended_json.h"

#include <doctest/doctest.h>

#include "document/json.h"

using namespace wherestar;
using namespace wherestar::tools;

namespace {

// What `value` becomes as a member.
std::string plain(const std::string& value) {
  const auto text = plain_json("{\"v\": " + value + "}");
  if (!text) return text.error().message;
  CHECK(document::Json::parse(*text));
  return text->substr(6, text->size() - 7);
}

}  // namespace

TEST_CASE("an ObjectId becomes its digits") {
  CHECK(plain(R"({"$oid": "507F1f77bcf86cd799439011"})") == "\"507f1f77bcf86cd799439011\"");
  CHECK(plain(R"({ "$oid" : 5 })").find("column 18: \"$oid\": expected 24 hexadecimal digits") !=
        std::string::npos);
  CHECK(plain(R"({"$oid": "507f"})").find("found \"507f\"") != std::string::npos);
}

TEST_CASE("dates become UTC with milliseconds") {
  CHECK(plain(R"({"$date": "2012-12-24T12:15:30.501Z"})") == "\"2012-12-24T12:15:30.501Z\"");
  CHECK(plain(R"({"$date": "2012-12-24T12:15:30Z"})") == "\"2012-12-24T12:15:30.000Z\"");
  CHECK(plain(R"({"$date": "2012-12-31T23:30:00.5-0800"})") == "\"2013-01-01T07:30:00.500Z\"");
  CHECK(plain(R"({"$date": "2012-03-01T00:30+01:00"})") == "\"2012-02-29T23:30:00.000Z\"");
  CHECK(plain(R"({"$date": {"$numberLong": "1356351330501"}})") == "\"2012-12-24T12:15:30.501Z\"");
  CHECK(plain(R"({"$date": {"$numberLong": "-1"}})") == "\"1969-12-31T23:59:59.999Z\"");
  CHECK(plain(R"({"$date": 0})") == "\"1970-01-01T00:00:00.000Z\"");
  CHECK(plain(R"({"$date": {"$numberLong": "-62167219200000"}})") ==
        "\"0000-01-01T00:00:00.000Z\"");
  CHECK(plain(R"({"$date": {"$numberLong": "253402300799999"}})") ==
        "\"9999-12-31T23:59:59.999Z\"");
  CHECK(plain(R"({"$date": {"$numberLong": "253402300800000"}})") == "253402300800000");
  CHECK(plain(R"({"$date": {"$numberLong": "-9223372036854775808"}})") == "-9223372036854775808");
  for (const std::string wrong :
       {R"("2012-13-24T12:15:30Z")", R"("2012-02-30T12:15:30Z")", R"("yesterday")", R"("")", "1.5",
        R"("2012-12-24T12:15:30")", R"("2012-12-24T24:15:30Z")", "{}", "null",
        R"({"$numberLong": 5})", R"("2012-12-24T12:15:30.Z")"}) {
    CHECK(plain("{\"$date\": " + wrong + "}").find("\"$date\": expected") != std::string::npos);
  }
}

TEST_CASE("numbers keep their text") {
  CHECK(plain(R"({"$numberInt": "42"})") == "42");
  CHECK(plain(R"({"$numberLong": "-9223372036854775808"})") == "-9223372036854775808");
  CHECK(plain(R"({"$numberDouble": "-0.0"})") == "-0.0");
  CHECK(plain(R"({"$numberDouble": "1e+30"})") == "1e+30");
  CHECK(plain(R"({"$numberDecimal": "0.1000000000000000055511151231257827"})") ==
        "0.1000000000000000055511151231257827");
  CHECK(plain(R"({"$numberDecimal": "1E+3"})") == "1E+3");
  for (const std::string name : {"$numberDouble", "$numberDecimal"}) {
    for (const std::string none : {"\"Infinity\"", "\"-Infinity\"", "\"NaN\""}) {
      CHECK(plain("{\"" + name + "\": " + none + "}") == none);
    }
  }
  CHECK(plain(R"({"$numberDecimal": "9.99E+6144"})") == "\"9.99E+6144\"");
  for (const std::string wrong :
       {R"({"$numberInt": 42})", R"({"$numberInt": "2147483648"})", R"({"$numberInt": "007"})",
        R"({"$numberInt": "1.0"})", R"({"$numberLong": "9223372036854775808"})",
        R"({"$numberLong": ""})", R"({"$numberDouble": "1e400"})", R"({"$numberDouble": " 1"})",
        R"({"$numberDecimal": "ten"})", R"({"$numberDecimal": null})"}) {
    CHECK(plain(wrong).find("expected") != std::string::npos);
  }
}

TEST_CASE("bytes become base64 text, UUIDs their own") {
  CHECK(plain(R"({"$binary": {"base64": "c//SZESzTGmQ6OfR38A11A==", "subType": "04"}})") ==
        "\"73ffd264-44b3-4c69-90e8-e7d1dfc035d4\"");
  CHECK(plain(R"({"$binary": {"subType": "4", "base64": "c//SZESzTGmQ6OfR38A11A=="}})") ==
        "\"73ffd264-44b3-4c69-90e8-e7d1dfc035d4\"");
  CHECK(plain(R"({"$binary": {"base64": "//8=", "subType": "00"}})") == "\"//8=\"");
  CHECK(plain(R"({"$binary": {"base64": "", "subType": "00"}})") == "\"\"");
  CHECK(plain(R"({"$binary": "//8=", "$type": "00"})") == "\"//8=\"");
  CHECK(plain(R"({"$type": "00", "$binary": "//8="})") == "\"//8=\"");
  CHECK(plain(R"({"$uuid": "73FFD264-44b3-4c69-90e8-e7d1dfc035d4"})") ==
        "\"73ffd264-44b3-4c69-90e8-e7d1dfc035d4\"");
  for (const std::string wrong :
       {R"({"$binary": "//8="})", R"({"$binary": {"base64": "//8="}})", R"({"$binary": 5})",
        R"({"$binary": {"base64": "*", "subType": "00"}})", R"({"$uuid": "73FFD264"})",
        R"({"$binary": {"base64": "", "subType": "xx"}})",
        R"({"$binary": {"base64": "", "subType": 0}})"}) {
    CHECK(plain(wrong).find("expected") != std::string::npos);
  }
}

TEST_CASE("the rarer types") {
  CHECK(plain(R"({"$regularExpression": {"pattern": "^a\"", "options": "i"}})") ==
        R"({"pattern": "^a\"", "options": "i"})");
  CHECK(plain(R"({"$timestamp": {"t": 1565545664, "i": 1}})") == R"({"t": 1565545664, "i": 1})");
  CHECK(plain(R"({"$minKey": 1})") == "\"MinKey\"");
  CHECK(plain(R"({"$maxKey": 1})") == "\"MaxKey\"");
  CHECK(plain(R"({"$undefined": true})") == "null");
  CHECK(plain(R"({"$symbol": "s"})") == "\"s\"");
  CHECK(plain(R"({"$code": "f"})") == "\"f\"");
  CHECK(plain(R"({"$code": "f", "$scope": {"n": {"$numberInt": "1"}}})") ==
        R"({"code":"f","scope":{"n": 1}})");
  CHECK(plain(R"({"$dbPointer": {"$ref": "d.c", "$id": {"$oid": "507f1f77bcf86cd799439011"}}})") ==
        R"({"$ref": "d.c", "$id": "507f1f77bcf86cd799439011"})");
  for (const std::string wrong :
       {R"({"$regularExpression": {"pattern": "a"}})", R"({"$regularExpression": "a"})",
        R"({"$timestamp": {"t": -1, "i": 1}})", R"({"$timestamp": 5})", R"({"$minKey": 2})",
        R"({"$undefined": null})", R"({"$symbol": 1})", R"({"$code": 1})",
        R"({"$code": "f", "$scope": 1})", R"({"$dbPointer": {"$ref": 1, "$id": 1}})"}) {
    CHECK(plain(wrong).find("expected") != std::string::npos);
  }
}

TEST_CASE("what is no wrapper stays byte for byte") {
    for (const std::string text :
         {R"({ "$ref" : "c", "$id" : 7 })", R"({"$regex": "a", "$options": "i"})",
          R"({"$price": 1, "a":[ ]})", R"({"price": {"$gt": 5}})", R"({"a": "{\"$oid\": 5}"})",
          R"({"$type": "double"})", R"(["$oid", "$date"])", R"({"x": 1, "$oid": 2})"}) {
      CHECK(plain(text) == text);
    }
    CHECK(plain(R"({"$ref": "c", "$id": {"$oid": "507f1f77bcf86cd799439011"}, "$db": "d"})") ==
          R"({"$ref": "c", "$id": "507f1f77bcf86cd799439011", "$db": "d"})");
    CHECK(plain(R"([{"$numberInt": "1"} , 0.10, {"a":{"$numberLong":"2"}}])") ==
          R"([1 , 0.10, {"a":2}])");
    CHECK(plain(R"({"\u0024numberInt": "1"})") == "1");
  }

  TEST_CASE("a wrapper with a stranger among its members is wrong") {
    CHECK(plain(R"({"$oid": "507f1f77bcf86cd799439011", "x": 1})").find("expected no \"x\"") !=
          std::string::npos);
    CHECK(plain(R"({"$binary": "//8=", "$type": "00", "y": 1})").find("expected no \"y\"") !=
          std::string::npos);
    const auto text = plain_json("{\n  \"a\": 1,\n  \"é\": {\"$oid\": 5}\n}");
    REQUIRE_FALSE(text);
    CHECK(text.error().message.starts_with("line 3, column 17: "));
  }

  TEST_CASE("a wrapper is found and shown with its member") {
    CHECK(find_type_wrapper(R"({"_id": {"$oid": "507f1f77bcf86cd799439011"}})") ==
          "\"_id\": {\"$oid\": ...}");
    CHECK(find_type_wrapper(R"({"a": [ {"$numberInt":"1"}]})") == "{\"$numberInt\": ...}");
    CHECK(find_type_wrapper(R"({"price": {"$gt": 5}, "b": {"$oid": 5}})") == std::nullopt);
    CHECK(find_type_wrapper(R"({"a": 1})") == std::nullopt);
    CHECK(find_type_wrapper(R"({"$minKey": 1})") == "{\"$minKey\": ...}");
  }
