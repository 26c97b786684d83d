#include "xproto/error_map.h"

namespace wherestar::xproto {
namespace {

struct Number {
  uint32_t code;
  const char* sql_state = "HY000";
};

bool is_crud(ErrorContext context) {
  return context == ErrorContext::kFind || context == ErrorContext::kInsert ||
         context == ErrorContext::kUpdate || context == ErrorContext::kDelete;
}

Number object_number(ErrorCode error, ErrorContext context) {
  switch (error) {
    case ErrorCode::kUnknownDatabase:
      return {code::kUnknownDatabase, "42000"};
    case ErrorCode::kDatabaseExists:
      return {1007};
    case ErrorCode::kNoDatabaseToDrop:
      return {1008};
    case ErrorCode::kNoCollectionToDrop:
      return {1051, "42S02"};
    case ErrorCode::kWrongName:
      return {code::kWrongName, "42000"};
    case ErrorCode::kUnknownOption:
      return {5181};
    case ErrorCode::kUnknownIndex:
      return {1091, "42000"};
    case ErrorCode::kIndexExists:
      return {1061, "42000"};
    case ErrorCode::kUnknownCollection:
      if (context == ErrorContext::kDropCollection) return {1051, "42S02"};
      if (context == ErrorContext::kCreateIndex) return {code::kBadTable};
      return {1146, "42S02"};
    case ErrorCode::kCollectionExists:
      return {1050, "42S01"};
    case ErrorCode::kNoDatabase:
      return {1046, "3D000"};
    case ErrorCode::kNotFound:
      return {1091, "42000"};
    case ErrorCode::kAlreadyExists:
      return {1061, "42000"};
    default:
      return {0};
  }
}

Number document_number(ErrorCode error, ErrorContext context) {
  switch (error) {
    case ErrorCode::kInvalidJson:
      return is_crud(context) && context == ErrorContext::kUpdate ? Number{code::kBadUpdateData}
                                                                  : Number{3140, "22032"};
    case ErrorCode::kNotAnObject:
      return {5115};
    case ErrorCode::kMissingId:
      return {5115};
    case ErrorCode::kTooDeep:
      return {code::kTooDeep, "22032"};
    case ErrorCode::kTooLarge:
      return {3150, "22032"};
    case ErrorCode::kInvalidUtf8:
      return {code::kInvalidUtf8};
    case ErrorCode::kInvalidPath:
      return {3143, "42000"};
    case ErrorCode::kNumberOutOfRange:
      return {1690, "22003"};
    case ErrorCode::kSchemaViolation:
      return {5180};
    case ErrorCode::kDuplicateId:
      return context == ErrorContext::kSql ? Number{1062, "23000"} : Number{5116};
    case ErrorCode::kIdImmutable:
      return {code::kBadUpdateMember};
    case ErrorCode::kWrongPathKind:
      return {code::kWildcardPath, "42000"};
    case ErrorCode::kInvalidData:
      return {1292, "22007"};
    case ErrorCode::kDivisionByZero:
      return {1365, "22012"};
    default:
      return {0};
  }
}

Number statement_number(ErrorCode error, ErrorContext context) {
  switch (error) {
    case ErrorCode::kSqlSyntax:
      return {1064, "42000"};
    case ErrorCode::kUnknownFunction:
      return {1305, "42000"};
    case ErrorCode::kWrongArgumentCount:
      return {1582, "42000"};
    case ErrorCode::kUnknownColumn:
      return {1054, "42S22"};
    case ErrorCode::kUnknownVariable:
      return {1193};
    case ErrorCode::kInvalidExpression:
      return is_crud(context) ? Number{code::kExpressionBadValue} : Number{1210};
    case ErrorCode::kMissingArgument:
      return is_crud(context) ? Number{code::kExpressionBadValue} : Number{2031};
    case ErrorCode::kAccessDenied:
      return {1142, "42000"};
    case ErrorCode::kReadOnly:
      return {1792, "25006"};
    case ErrorCode::kUnknownSavepoint:
      return {1305, "42000"};
    case ErrorCode::kLockTimeout:
      return {1205};
    case ErrorCode::kDeadlock:
      return {1213, "40001"};
    case ErrorCode::kLockNowait:
      return {3572};
    default:
      return {0};
  }
}

Number general_number(ErrorCode error, ErrorContext context) {
  switch (error) {
    case ErrorCode::kInvalidArgument:
      if (context == ErrorContext::kModifyCollection ||
          context == ErrorContext::kCreateCollection) {
        return {5182};
      }
      if (context == ErrorContext::kCollectionOptions) return {5181};
      if (context == ErrorContext::kCreateIndex) return {code::kAdminArgumentValue};
      return {code::kInvalidArgument};
    case ErrorCode::kLimitExceeded:
      return {1038, "HY001"};
    case ErrorCode::kTimeout:
      return {3024};
    case ErrorCode::kUnsupported:
      return {1235, "42000"};
    case ErrorCode::kCancelled:
      return {1317, "70100"};
    case ErrorCode::kNoSpace:
      return {1021};
    case ErrorCode::kIo:
      return {1030};
    case ErrorCode::kCorruption:
      return {1034};
    case ErrorCode::kPoisoned:
      return {1836};
    case ErrorCode::kLocked:
      return {1105};
    case ErrorCode::kFormat:
      return {1105};
    default:
      return {1105};
  }
}

}  // namespace

XError to_x_error(Error error, ErrorContext context) {
  Number number = object_number(error.code, context);
  if (number.code == 0) number = document_number(error.code, context);
  if (number.code == 0) number = statement_number(error.code, context);
  if (number.code == 0) number = general_number(error.code, context);
  return XError{
      .code = number.code, .message = std::move(error.message), .sql_state = number.sql_state};
}

}  // namespace wherestar::xproto
