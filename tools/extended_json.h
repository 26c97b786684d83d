// MongoDB's extended JSON (version 2, relaxed and canonical, and the older spellings of $binary and
// $date) turned into plain JSON.
//
// JSON knows fewer types than MongoDB stores, so extended JSON wraps a value in an object whose
// member names its type: {"$oid": "..."}. Here each wrapper gives way to the plain value that says
// most of it:
//
//   $oid                        the 24 hexadecimal digits, a string
//   $date                       "2026-02-01T10:00:00.000Z", a string; outside the years 0000 to
//   9999
//                               the number of milliseconds since 1970
//   $numberInt, $numberLong     an integer, $numberDouble and $numberDecimal a number; its text
//                               stays. Infinity, -Infinity, NaN and decimals beyond the range of
//                               doubles are no JSON numbers: strings
//   $binary                     its base64 text; a UUID (subtype 04) its usual text; $uuid too
//   $symbol, $code              the text; $code with $scope {"code": ..., "scope": ...}
//   $regularExpression          {"pattern": ..., "options": ...}
//   $timestamp                  {"t": ..., "i": ...}
//   $dbPointer                  {"$ref": ..., "$id": ...}
//   $minKey, $maxKey            the strings "MinKey" and "MaxKey"
//   $undefined                  null
//
// $ref with $id, $regex and every other name that begins with `$` is no wrapper and stays, its
// values converted. All text outside wrappers stays byte for byte. Functions without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace wherestar::tools {

// The plain text of a document that document::Parser accepted. kInvalidJson with line and column
// for a wrapper that is wrong: {"$oid": 5}, or one that has members besides its own.
Result<std::string> plain_json(std::string_view document);

// The first wrapper of such a document as a person recognizes it: "_id": {"$oid": ...}.
std::optional<std::string> find_type_wrapper(std::string_view document);

}  // namespace wherestar::tools
