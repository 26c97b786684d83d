// What a client asks for, whatever language it asked in: one tree for SQL and X Protocol's CRUD.
//
// The SQL parser and the translator of CRUD messages both make a Statement; session, planner and
// executor see nothing else. Trees are values; depth is at most kMaxExpressionDepth, counted by
// whoever builds them, so every walker may recurse.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "document/path.h"
#include "server/sql_value.h"

namespace wherestar::server {

inline constexpr size_t kMaxExpressionDepth = 100;

enum class Operator : uint8_t {
  kOr,
  kAnd,
  kXor,
  kNot,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIs,
  kIsNot,  // right operand: literal NULL, TRUE or FALSE
  kLike,
  kNotLike,  // optional third operand: escape
  kRegexp,
  kNotRegexp,
  kBetween,
  kNotBetween,
  kIn,
  kNotIn,  // first operand, then the list
  kContainedIn,
  kNotContainedIn,  // x IN [..], x IN path: JSON_CONTAINS(right, left)
  kOverlaps,
  kNotOverlaps,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kIntegerDivide,
  kModulo,
  kNegate,
  kPlus,  // unary
  kBitAnd,
  kBitOr,
  kBitXor,
  kBitNot,
  kShiftLeft,
  kShiftRight,
  kCast,  // Expression::name: upper-case type text, "DECIMAL(10,2)"
  kDateAdd,
  kDateSub,  // Expression::name: upper-case unit, "DAY"
};

struct Expression {
  enum class Kind : uint8_t {
    kLiteral,
    kPath,        // a place in the document: `path`; `unquote` for ->>
    kAnyPath,     // the `*` of `* = v`
    kIdentifier,  // SQL name not resolved yet: `path` (all legs kMember or array cells), `bare`
    kColumn,      // resolved: a pseudo-column or a view's column, `name`, `slot`
    kOperator,
    kFunction,  // `name` as written, `qualifier` schema if any
    kObject,    // `keys` beside `operands`
    kArray,
    kPlaceholder,  // `slot` = position in the arguments, from 0
    kStar,         // COUNT(*), SELECT *
    kDefault,
    kCase,      // operands: when, then, ..., [else]; simple CASE x is rewritten by the parser
    kVariable,  // @@name
  };
  Kind kind = Kind::kLiteral;
  Operator op = Operator::kAnd;
  bool unquote = false;
  bool distinct = false;  // COUNT(DISTINCT x)
  bool has_else = false;
  bool case_insensitive = false;  // LIKE ... COLLATE ci
  uint32_t slot = 0;
  SqlValue literal;
  document::PathExpression path;
  std::string name;
  std::string qualifier;  // collection alias before the path, function's schema
  std::vector<std::string> keys;
  std::vector<Expression> operands;
  std::string text;  // as written in the statement, for default column names; may be empty
};

// Which collections. `FROM *`: any database and collection; `FROM db.*`: any collection of db.
struct CollectionRef {
  std::string database;  // empty: the session's default
  std::string collection;
  std::string alias;
  bool any_database = false;
  bool any_collection = false;
};

struct Projection {
  Expression expression;
  std::string alias;  // empty: the expression's text
};

struct OrderItem {
  Expression expression;
  bool descending = false;
};

struct Limit {
  std::optional<Expression> row_count;  // literal or placeholder
  std::optional<Expression> offset;
};

enum class Lock : uint8_t { kNone, kShared, kExclusive };
enum class LockWait : uint8_t { kWait, kNowait, kSkipLocked };

struct Select {
  std::optional<CollectionRef> from;  // absent: SELECT 1
  // SQL: at least one (a kStar for `*`). Documents mode: empty is the whole document; one kObject
  // without alias is that object; else an object of alias -> value.
  std::vector<Projection> projections;
  bool document_mode = false;  // CRUD find on a collection: one JSON column `doc`
  bool distinct = false;
  std::optional<Expression> where;
  std::vector<Expression> group_by;
  std::optional<Expression> having;
  std::vector<OrderItem> order_by;
  Limit limit;
  Lock lock = Lock::kNone;
  LockWait lock_wait = LockWait::kWait;
};

struct Insert {
  CollectionRef into;
  std::vector<Expression> documents;  // object, or literal/placeholder holding JSON text
  bool upsert = false;                // same _id: replace the document (counts 2)
  bool ignore = false;
};

struct UpdateOperation {
  enum class Kind : uint8_t {
    kSet,
    kReplace,
    kRemove,
    kMergePreserve,
    kMergePatch,
    kArrayInsert,
    kArrayAppend
  };
  Kind kind = Kind::kSet;
  document::PathExpression path;  // root: the whole document
  Expression value;               // not of kRemove
};

struct Update {
  CollectionRef target;
  std::vector<UpdateOperation> operations;  // in order, each on the result of the one before
  std::optional<Expression> where;
  std::vector<OrderItem> order_by;
  Limit limit;
};

struct Delete {
  CollectionRef target;
  std::optional<Expression> where;
  std::vector<OrderItem> order_by;
  Limit limit;
};

struct Explain {
  Select select;
  bool analyze = false;
};

struct Validation {
  std::optional<std::string> schema_json;
  std::optional<std::string> level;  // "strict" or "off"
};

struct CreateDatabase {
  std::string name;
  bool if_not_exists = false;
};
struct DropDatabase {
  std::string name;
  bool if_exists = false;
};
struct CreateCollection {
  CollectionRef collection;
  bool if_not_exists = false;
  std::optional<Validation> validation;
  bool ensure = false;  // replaces the validation of an existing one
};
struct ModifyCollection {
  CollectionRef collection;
  Validation validation;
};
struct GetCollectionOptions {
  CollectionRef collection;
  std::vector<std::string> options;
};
struct DropCollection {
  CollectionRef collection;
  bool if_exists = false;
};
struct IndexMember {
  document::PathExpression path;
  std::string type;
  bool required = false;
  bool array = false;
};
struct CreateIndex {
  CollectionRef collection;
  std::string name;
  bool unique = false;
  std::string type;  // "INDEX", "SPATIAL", "FULLTEXT"
  std::vector<IndexMember> members;
};
struct DropIndex {
  CollectionRef collection;
  std::string name;
};
struct ListObjects {
  std::string database;
  std::optional<std::string> pattern;
};
struct Use {
  std::string database;
};
struct Show {
  enum class Kind : uint8_t {
    kDatabases,
    kCollections,
    kVariables,
    kStatus,
    kWarnings,
    kIndexes,
    kColumns,
    kProcesslist,
    kCreateCollection,
    kGrants,
    kEngines,
    kCollation
  };
  Kind kind = Kind::kDatabases;
  CollectionRef collection;  // kIndexes, kColumns, kCreateCollection; database of kCollections
  bool full = false;
  std::optional<Expression> like;  // pattern
  std::optional<Expression> where;
};
struct Begin {
  bool read_only = false;
};
struct Commit {};
struct Rollback {
  std::optional<std::string> savepoint;
};
struct Savepoint {
  std::string name;
};
struct ReleaseSavepoint {
  std::string name;
};
struct SetVariables {
  struct Assignment {
    std::string name;
    Expression value;
  };  // without @@ and scope
  std::vector<Assignment> assignments;
};
struct SetPassword {
  std::optional<std::string> user;  // absent: the session's own
  std::string password;
};
struct Analyze {
  CollectionRef collection;
};

using Statement =
    std::variant<Select, Insert, Update, Delete, Explain, CreateDatabase, DropDatabase,
                 CreateCollection, ModifyCollection, GetCollectionOptions, DropCollection,
                 CreateIndex, DropIndex, ListObjects, Use, Show, Begin, Commit, Rollback, Savepoint,
                 ReleaseSavepoint, SetVariables, SetPassword, Analyze>;

}  // namespace wherestar::server
