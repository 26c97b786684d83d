// JSON functions on documents, paths and text.
#include <doctest/doctest.h>

#include "tests/server/evaluator_fixture.h"

namespace wherestar::server {
namespace {

constexpr std::string_view kDocument = R"({
  "a": 1, "s": "x\"y", "list": [1, [2, 3], {"b": 4}], "o": {"k": null, "big": 18446744073709551615},
  "half": 0.50})";

TEST_CASE("JSON functions that look into documents") {
  const ExpressionCase cases[] = {
      {"JSON_EXTRACT($, '$.a')", "json 1"},
      {"JSON_EXTRACT('{\"a\": [5]}', '$.a[0]')", "json 5"},
      {"JSON_EXTRACT($, '$.a', '$.list[1]')", "json [1,[2,3]]"},
      {"JSON_EXTRACT($, '$.nope')", "NULL"},
      {"JSON_EXTRACT($, '$.nope', '$.nada')", "NULL"},
      {"JSON_EXTRACT($, '$.list[*]')", "json [1,[2,3],{\"b\":4}]"},
      {"JSON_EXTRACT(NULL, '$')", "NULL"},
      {"JSON_UNQUOTE($.s)", "'x\"y'"},
      {"JSON_UNQUOTE('\"a\\\\tb\"')", "'a\tb'"},
      {"JSON_UNQUOTE('plain')", "'plain'"},
      {"JSON_UNQUOTE($.o.k)", "'null'"},
      {"JSON_VALUE($, '$.s')", "'x\"y'"},
      {"JSON_VALUE($, '$.o')", "NULL"},
      {"JSON_VALUE($, '$.o.k')", "NULL"},
      {"JSON_CONTAINS($.list, '3')", "TRUE"},
      {"JSON_CONTAINS($.list, '[1, 2]')", "TRUE"},
      {"JSON_CONTAINS($.list, '5')", "FALSE"},
      {"JSON_CONTAINS($, '1', '$.a')", "TRUE"},
      {"JSON_CONTAINS($, '1.0', '$.a')", "TRUE"},
      {"JSON_CONTAINS($, '1', '$.nope')", "NULL"},
      {"JSON_CONTAINS($, '{\"a\": 1}')", "TRUE"},
      {"JSON_CONTAINS_PATH($, 'one', '$.a', '$.nope')", "TRUE"},
      {"JSON_CONTAINS_PATH($, 'ALL', '$.a', '$.nope')", "FALSE"},
      {"JSON_CONTAINS_PATH($, 'all', '$.o.k')", "TRUE"},
      {"JSON_OVERLAPS('[1, 2]', '[2, 3]')", "TRUE"},
      {"JSON_OVERLAPS('[[1, 2]]', '[1, 2]')", "FALSE"},
      {"JSON_LENGTH($)", "5"},
      {"JSON_LENGTH($, '$.list')", "3"},
      {"JSON_LENGTH($.a)", "1"},
      {"JSON_LENGTH($, '$.nope')", "NULL"},
      {"JSON_KEYS($.o)", "json [\"k\",\"big\"]"},
      {"JSON_KEYS($.list)", "NULL"},
      {"JSON_KEYS('{}')", "json []"},
      {"JSON_DEPTH('{}')", "1"},
      {"JSON_DEPTH('[]')", "1"},
      {"JSON_DEPTH('5')", "1"},
      {"JSON_DEPTH('[1, [2]]')", "3"},
      {"JSON_TYPE($)", "'OBJECT'"},
      {"JSON_TYPE($.a)", "'INTEGER'"},
      {"JSON_TYPE($.o.big)", "'UNSIGNED INTEGER'"},
      {"JSON_TYPE($.half)", "'DOUBLE'"},
      {"JSON_TYPE($.s)", "'STRING'"},
      {"JSON_TYPE($.list)", "'ARRAY'"},
      {"JSON_TYPE($.o.k)", "'NULL'"},
      {"JSON_TYPE('true')", "'BOOLEAN'"},
      {"JSON_TYPE($.nope)", "NULL"},
      {"JSON_VALID('[1]')", "TRUE"},
      {"JSON_VALID('[1')", "FALSE"},
      {"JSON_VALID(1)", "FALSE"},
      {"JSON_VALID(NULL)", "NULL"},
      {"JSON_SEARCH($, 'one', 'x%')", "json \"$.s\""},
      {"JSON_SEARCH('[\"a\", \"b\", \"a\"]', 'all', 'a')", "json [\"$[0]\",\"$[2]\"]"},
      {"JSON_SEARCH('[\"a\", \"b\", \"a\"]', 'one', 'a')", "json \"$[0]\""},
      {"JSON_SEARCH('[\"a\"]', 'all', 'A')", "NULL"},
      {"JSON_SEARCH('[1]', 'all', '1')", "NULL"},
      {"JSON_SEARCH('{\"p\": \"a\", \"q\": [\"a\"]}', 'all', 'a', NULL, '$.q')", "json \"$.q[0]\""},
      {"JSON_SEARCH('[\"50%\"]', 'one', '50|%', '|')", "json \"$[0]\""},
      {"JSON_SCHEMA_VALID('{\"type\": \"object\", \"required\": [\"a\"]}', $)", "TRUE"},
      {"JSON_SCHEMA_VALID('{\"type\": \"object\", \"required\": [\"z\"]}', $)", "FALSE"},
      {"JSON_PRETTY('[]')", "'[]'"},
      {"JSON_QUOTE('a\"b')", "'\"a\\\"b\"'"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("JSON functions that make and change documents") {
  const ExpressionCase cases[] = {
      {"JSON_ARRAY()", "json []"},
      {"JSON_ARRAY(1, 'a', NULL, (1 = 1), $.list[1])", "json [1,\"a\",null,true,[2,3]]"},
      {"JSON_OBJECT('a', 1, 'b', NULL)", "json {\"a\":1,\"b\":null}"},
      {"JSON_OBJECT('a', 1, 'a', 2)", "json {\"a\":2}"},
      {"JSON_OBJECT(1, 2.50)", "json {\"1\":2.50}"},
      {"JSON_SET('{\"a\": 1}', '$.a', 2, '$.b', 3)", "json {\"a\":2,\"b\":3}"},
      {"JSON_SET('{\"a\": 1}', '$.x.y', 2)", "json {\"a\":1}"},
      {"JSON_SET('[1]', '$[9]', 2)", "json [1,2]"},
      {"JSON_SET('{\"a\": 1}', '$.a', '[1]')", "json {\"a\":\"[1]\"}"},
      {"JSON_SET('{\"a\": 1}', '$.a', NULL)", "json {\"a\":null}"},
      {"JSON_SET(NULL, '$.a', 1)", "NULL"},
      {"JSON_INSERT('{\"a\": 1}', '$.a', 2, '$.b', 3)", "json {\"a\":1,\"b\":3}"},
      {"JSON_REPLACE('{\"a\": 1}', '$.a', 2, '$.b', 3)", "json {\"a\":2}"},
      {"JSON_REMOVE('[1, 2, 3]', '$[0]', '$[0]')", "json [3]"},
      {"JSON_REMOVE('{\"a\": 1}', '$.b')", "json {\"a\":1}"},
      {"JSON_ARRAY_APPEND('{\"a\": 1, \"b\": [1]}', '$.a', 2, '$.b', 2)",
       "json {\"a\":[1,2],\"b\":[1,2]}"},
      {"JSON_ARRAY_INSERT('[1, 2]', '$[1]', 'x')", "json [1,\"x\",2]"},
      {"JSON_ARRAY_INSERT('[1, 2]', '$[9]', 'x')", "json [1,2,\"x\"]"},
      {"JSON_MERGE_PATCH('{\"a\": 1, \"b\": 2}', '{\"a\": null, \"c\": {\"d\": null}}')",
       "json {\"b\":2,\"c\":{}}"},
      {"JSON_MERGE_PATCH('{\"a\": 1}', NULL)", "NULL"},
      {"JSON_MERGE_PATCH('{\"a\": 1}', NULL, '[1]')", "json [1]"},
      {"JSON_MERGE_PRESERVE('[1]', '[2]')", "json [1,2]"},
      {"JSON_MERGE_PRESERVE('{\"a\": 1}', '{\"a\": 2}')", "json {\"a\":[1,2]}"},
      {"JSON_MERGE_PRESERVE('1', '2')", "json [1,2]"},
  };
  for (const auto& [sql, expected] : cases) {
    CAPTURE(sql);
    CHECK(evaluated(sql, kDocument) == expected);
  }
}

TEST_CASE("wrong documents, paths and words are errors of their kind") {
  const std::pair<std::string_view, ErrorCode> cases[] = {
      {"JSON_EXTRACT('{oops', '$')", ErrorCode::kInvalidJson},
      {"JSON_EXTRACT(1, '$')", ErrorCode::kInvalidJson},
      {"JSON_EXTRACT($, 'a.b')", ErrorCode::kInvalidPath},
      {"JSON_EXTRACT($, '$[-1]')", ErrorCode::kInvalidPath},
      {"JSON_LENGTH($, '$.*')", ErrorCode::kWrongPathKind},
      {"JSON_SET($, '$.list[*]', 1)", ErrorCode::kWrongPathKind},
      {"JSON_REMOVE($, '$')", ErrorCode::kWrongPathKind},
      {"JSON_ARRAY_INSERT($, '$.a', 1)", ErrorCode::kWrongPathKind},
      {"JSON_CONTAINS_PATH($, 'some', '$.a')", ErrorCode::kInvalidArgument},
      {"JSON_OBJECT(NULL, 1)", ErrorCode::kInvalidArgument},
      {"JSON_SCHEMA_VALID('5', $)", ErrorCode::kInvalidArgument},
      {"JSON_SEARCH($, 'one', 'a', 'xy')", ErrorCode::kInvalidArgument},
  };
  for (const auto& [sql, code] : cases) {
    CAPTURE(sql);
    Evaluating row(kDocument);
    const auto result = row.value(sql);
    REQUIRE(!result);
    CHECK(result.error().code == code);
    CHECK(!result.error().message.empty());
  }
  CHECK(evaluated("JSON_EXTRACT('{oops', '$')")
            .starts_with(
                "error: Invalid JSON text in argument 1 to function JSON_EXTRACT: line 1, column"));
}

}  // namespace
}  // namespace wherestar::server
