// REGEXP_LIKE and its relatives. The last argument is match types: 'i' folds case, 'c' does not.
#include <algorithm>

#include "server/conversion.h"
#include "server/functions.h"
#include "server/text_match.h"

namespace wherestar::server {
namespace {

Result<std::shared_ptr<const Regexp>> regexp_of(const Call& call, size_t match_types) {
  bool fold = false;
  if (call.size() > match_types)
    for (const char c : to_text(call[match_types])) fold = c == 'i' || (fold && c != 'c');
  return Regexp::cached(to_text(call[1]), fold, call.context);
}

Result<int64_t> integer_or(const Call& call, size_t i, int64_t otherwise) {
  if (call.size() <= i) return otherwise;
  ASSIGN_OR_RETURN(const auto value, to_integer(call[i], call.context));
  return value.value_or(otherwise);
}

Result<SqlValue> call_like(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto regexp, regexp_of(call, 2));
  ASSIGN_OR_RETURN(const bool found, regexp->found_in(to_text(call[0])));
  return SqlValue::boolean(found);
}

// REGEXP_SUBSTR(text, pattern[, position[, occurrence[, match types]]]).
Result<SqlValue> call_substr(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto regexp, regexp_of(call, 4));
  ASSIGN_OR_RETURN(const int64_t from, integer_or(call, 2, 1));
  ASSIGN_OR_RETURN(const int64_t nth, integer_or(call, 3, 1));
  ASSIGN_OR_RETURN(auto match, regexp->find(to_text(call[0]), from, nth));
  return match ? SqlValue::text(std::move(match->text)) : SqlValue::null();
}

// REGEXP_INSTR(text, pattern[, position[, occurrence[, 1 for the end[, match types]]]]).
Result<SqlValue> call_instr(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto regexp, regexp_of(call, 5));
  ASSIGN_OR_RETURN(const int64_t from, integer_or(call, 2, 1));
  ASSIGN_OR_RETURN(const int64_t nth, integer_or(call, 3, 1));
  ASSIGN_OR_RETURN(const int64_t end, integer_or(call, 4, 0));
  ASSIGN_OR_RETURN(const auto match, regexp->find(to_text(call[0]), from, nth));
  if (!match) return SqlValue::signed_integer(0);
  return SqlValue::signed_integer(end == 1 ? match->end : match->position);
}

// REGEXP_REPLACE(text, pattern, replacement[, position[, occurrence[, match types]]]).
Result<SqlValue> call_replace(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  ASSIGN_OR_RETURN(const auto regexp, regexp_of(call, 5));
  ASSIGN_OR_RETURN(const int64_t from, integer_or(call, 3, 1));
  ASSIGN_OR_RETURN(const int64_t nth, integer_or(call, 4, 0));
  ASSIGN_OR_RETURN(std::string out, regexp->replace(to_text(call[0]), to_text(call[2]), from, nth));
  return SqlValue::text(std::move(out));
}

constexpr Function kFunctions[] = {
    {"REGEXP_LIKE", 2, 3, SqlType::kSigned, call_like},
    {"REGEXP_SUBSTR", 2, 5, SqlType::kText, call_substr},
    {"REGEXP_INSTR", 2, 6, SqlType::kSigned, call_instr},
    {"REGEXP_REPLACE", 3, 6, SqlType::kText, call_replace},
};

}  // namespace

std::span<const Function> regexp_functions() {
  return kFunctions;
}

}  // namespace wherestar::server
