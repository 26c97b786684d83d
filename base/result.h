// How a function of Wherestar reports failure.
//
// `Result<T>` holds a T or an Error; `Status` is Result<void>. Absence that is normal is
// std::optional, never an error. Exceptions come from libraries alone and are caught in the file
// that calls the library. CHECK is for programmers' errors only: nothing that a client or a disk
// can cause may reach one.
//
//   Result<Header> read_header(File& file) {
//     ASSIGN_OR_RETURN(std::string bytes, file.read_at(0, kHeaderBytes));
//     RETURN_IF_ERROR(check_magic(bytes));
//     return Header{...};
//   }
#pragma once

#include <cstdlib>
#include <expected>
#include <string>
#include <string_view>
#include <utility>

namespace wherestar {

// What kind of failure it was. Layers above translate it (xproto picks protocol error numbers), so
// a code is added here when, and only when, somebody must tell it apart.
enum class ErrorCode {
  // Any layer.
  kInvalidArgument,  // the caller's input is wrong; the message says what and where
  kNotFound,
  kAlreadyExists,
  kLimitExceeded,  // a documented limit (size, depth, count, memory)
  kTimeout,
  kUnsupported,
  kCancelled,
  kInternal,
  // Files and the storage engine.
  kIo,          // the system refused a read, write, sync, ...
  kNoSpace,     // disk or quota full
  kCorruption,  // bytes on disk that cannot be right; names file and block
  kLocked,      // the data directory is open in another process
  kPoisoned,    // the engine refuses writes after a failed log write or sync
  kFormat,      // a format version or feature bit this program does not know
  // Documents.
  kInvalidJson,  // message has line and column
  kNotAnObject,
  kTooDeep,
  kTooLarge,
  kInvalidUtf8,
  kInvalidPath,
  kNumberOutOfRange,
  kSchemaViolation,
  // Statements.
  kSqlSyntax,
  kUnknownDatabase,
  kDatabaseExists,
  kNoDatabaseToDrop,
  kUnknownCollection,
  kNoCollectionToDrop,
  kCollectionExists,
  kWrongName,      // of a database or collection
  kUnknownOption,  // of a collection
  kUnknownIndex,
  kIndexExists,
  kUnknownFunction,
  kWrongArgumentCount,
  kUnknownColumn,
  kUnknownVariable,
  kDuplicateId,        // _id already in the collection
  kMissingId,          // a document lost its _id
  kIdImmutable,        // a path that would change _id
  kInvalidExpression,  // operator or operand not acceptable there
  kMissingArgument,    // placeholder without a bound value
  kNoDatabase,         // no default database chosen
  kAccessDenied,
  kReadOnly,
  kUnknownSavepoint,
  kLockTimeout,
  kDeadlock,
  kLockNowait,
  kInvalidData,  // strict mode: value cannot be converted
  kDivisionByZero,
  kWrongPathKind,  // wildcard where one place is needed, `$` not allowed, no array cell ...
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // names the file, block, offset, document, path or position
};

template <class T>
struct [[nodiscard]] Result : std::expected<T, Error> {
  using std::expected<T, Error>::expected;
};
using Status = Result<void>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

// Prefixes the message, as in "wherestar.log.3: short read".
inline std::unexpected<Error> fail_in(std::string_view where, Error error) {
  error.message = std::string(where) + ": " + error.message;
  return std::unexpected(std::move(error));
}

[[noreturn]] void check_failed(const char* expression, const char* file, int line);

}  // namespace wherestar

#define WHERESTAR_CONCAT_INNER(a, b) a##b
#define WHERESTAR_CONCAT(a, b) WHERESTAR_CONCAT_INNER(a, b)

#define RETURN_IF_ERROR(expression)                             \
  do {                                                          \
    if (auto returned_ = (expression); !returned_) [[unlikely]] \
      return std::unexpected(std::move(returned_).error());     \
  } while (false)

#define ASSIGN_OR_RETURN(declaration, expression) \
  ASSIGN_OR_RETURN_INNER(WHERESTAR_CONCAT(result_, __LINE__), declaration, expression)
#define ASSIGN_OR_RETURN_INNER(result, declaration, expression) \
  auto result = (expression);                                   \
  if (!result) [[unlikely]]                                     \
    return std::unexpected(std::move(result).error());          \
  declaration = *std::move(result)

#ifndef CHECK  // doctest has one of this name, and a test that includes it means that one
#define CHECK(condition)                                         \
  do {                                                           \
    if (!(condition)) [[unlikely]]                               \
      ::wherestar::check_failed(#condition, __FILE__, __LINE__); \
  } while (false)
#endif
