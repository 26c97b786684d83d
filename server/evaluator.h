// What an expression means, for one row. Follows MySQL where X DevAPI clients rely on it
// (docs/expressions.md), and the any-path rules of docs/sql.md.
//
// Threads: stateless but for the context, which belongs to one statement.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "document/document.h"
#include "document/json.h"
#include "server/statement.h"

namespace wherestar::server {

class Regexp;  // text_match.h

struct Warning {
  enum class Level : uint8_t { kNote = 1, kWarning = 2, kError = 3 };
  Level level = Level::kWarning;
  uint32_t code = 0;  // MySQL's number
  std::string message;
};

// Of one statement.
struct EvaluationContext {
  std::span<const SqlValue> arguments;
  std::string database;           // DATABASE()
  std::string user;               // USER(): "root@127.0.0.1"
  uint64_t connection_id = 0;     // CONNECTION_ID()
  int64_t now_unix_us = 0;        // NOW(): the same through the statement
  bool strict = false;            // in INSERT and UPDATE: conversion problems are kInvalidData
  std::vector<Warning> warnings;  // at most 64 kept
  uint64_t warning_count = 0;
  std::optional<std::chrono::steady_clock::time_point> deadline;  // kTimeout beyond
  std::shared_ptr<const Regexp> last_regexp;                      // compiled once for all rows
  // Value of @@name; nullopt: kUnknownVariable.
  const std::vector<std::pair<std::string, SqlValue>>* variables = nullptr;
};

struct Row {
  const document::Json* document = nullptr;  // what paths look into; null: every path is missing
  std::span<const SqlValue> columns;         // by Expression::slot of kColumn
};

Result<SqlValue> evaluate(const Expression& expression, const Row& row, EvaluationContext& context);
// As a WHERE sees it: nullopt is unknown.
Result<std::optional<bool>> evaluate_condition(const Expression& expression, const Row& row,
                                               EvaluationContext& context);

// Every place of the document that satisfied an any-path or wildcard predicate of the condition
// (anywhere in it, NOT excepted), in document order, each place once: the pseudo-column `matches`.
Result<std::vector<document::Place>> collect_matches(const Expression& condition, const Row& row,
                                                     EvaluationContext& context);
// Does the condition hold an any-path or wildcard predicate?
bool has_any_path_predicate(const Expression& condition);

// Aggregates: COUNT SUM AVG MIN MAX GROUP_CONCAT JSON_ARRAYAGG JSON_OBJECTAGG (STDDEV..., BIT_...).
bool is_aggregate(const Expression& expression);  // itself, not its operands
class Accumulator {
 public:
  static Result<std::unique_ptr<Accumulator>> make(const Expression& aggregate);
  virtual ~Accumulator() = default;
  virtual Status add(const Row& row, EvaluationContext& context) = 0;
  virtual Result<SqlValue> result(EvaluationContext& context) = 0;
  virtual size_t memory_bytes() const = 0;
};

// For sorting and grouping. NULL first, JSON by JSON's order, numbers by value, text bytewise.
std::weak_ordering compare_for_sort(const SqlValue& a, const SqlValue& b);
std::string group_key(std::span<const SqlValue> values);  // equal iff the group is the same

// The type a result column of this expression has (for metadata), as far as it can be told before
// rows are seen.
SqlType static_type(const Expression& expression);

// As a document: what an INSERT's expression or an UPDATE's value puts into JSON.
Result<document::Json> to_json(const SqlValue& value);
// As text: what CONCAT, LIKE or a table cell sees.
std::string to_text(const SqlValue& value);

bool like_matches(std::string_view text, std::string_view pattern, char32_t escape);

}  // namespace wherestar::server
