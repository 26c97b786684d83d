// The one place where protocol error numbers are chosen.
//
// Numbers below 5000 are MySQL's, from 5000 the X plugin's: clients act on them
// (docs/xprotocol.md lists which).
#pragma once

#include <cstdint>

#include "base/result.h"
#include "xproto/x_error.h"

namespace wherestar::xproto {

namespace code {
inline constexpr uint32_t kTooManyConnections = 1040;
inline constexpr uint32_t kAccessDenied = 1045;
inline constexpr uint32_t kUnknownMessage = 1047;
inline constexpr uint32_t kUnknownDatabase = 1049;
inline constexpr uint32_t kServerShutdown = 1053;
inline constexpr uint32_t kWrongName = 1102;
inline constexpr uint32_t kPacketTooLarge = 1153;
inline constexpr uint32_t kBadAuthenticationMethod = 1251;
inline constexpr uint32_t kInvalidUtf8 = 1300;
inline constexpr uint32_t kPreparedStatementLimit = 1461;
inline constexpr uint32_t kIdleTooLong = 1810;
inline constexpr uint32_t kKilled = 3169;
inline constexpr uint32_t kWildcardPath = 3149;
inline constexpr uint32_t kPathIsRoot = 3153;
inline constexpr uint32_t kTooDeep = 3157;
inline constexpr uint32_t kPathNotCell = 3165;
inline constexpr uint32_t kBadMessage = 5000;
inline constexpr uint32_t kCapabilityPrepareFailed = 5001;
inline constexpr uint32_t kUnknownCapability = 5002;
inline constexpr uint32_t kAttributeValueLength = 5004;
inline constexpr uint32_t kAttributeKeyLength = 5005;
inline constexpr uint32_t kAttributeEmptyKey = 5006;
inline constexpr uint32_t kAttributeTotalLength = 5007;
inline constexpr uint32_t kAttributeType = 5008;
inline constexpr uint32_t kCapabilityNotAllowed = 5009;
inline constexpr uint32_t kInvalidArgument = 5012;
inline constexpr uint32_t kMissingArgument = 5013;
inline constexpr uint32_t kBadInsertData = 5014;
inline constexpr uint32_t kAdminArgumentCount = 5015;
inline constexpr uint32_t kAdminArgumentType = 5016;
inline constexpr uint32_t kAdminArgumentValue = 5017;
inline constexpr uint32_t kDuplicateCapability = 5019;
inline constexpr uint32_t kAdminArgumentEmpty = 5020;
inline constexpr uint32_t kAdminArgumentUnknown = 5021;
inline constexpr uint32_t kBadUpdateData = 5050;
inline constexpr uint32_t kBadUpdateType = 5051;
inline constexpr uint32_t kBadUpdateColumn = 5052;
inline constexpr uint32_t kBadUpdateMember = 5053;
inline constexpr uint32_t kBadStatementId = 5110;
inline constexpr uint32_t kBadSchema = 5112;
inline constexpr uint32_t kBadTable = 5113;
inline constexpr uint32_t kBadProjection = 5114;
inline constexpr uint32_t kProjectionKeyName = 5120;
inline constexpr uint32_t kExecuteArgument = 5133;
inline constexpr uint32_t kExecuteArgumentMissing = 5134;
inline constexpr uint32_t kExpressionBadOperator = 5150;
inline constexpr uint32_t kExpressionBadArity = 5151;
inline constexpr uint32_t kExpressionMissingArgument = 5152;
inline constexpr uint32_t kExpressionBadType = 5153;
inline constexpr uint32_t kExpressionBadValue = 5154;
inline constexpr uint32_t kUnknownCommand = 5157;
inline constexpr uint32_t kExpectNotOpen = 5158;
inline constexpr uint32_t kExpectFailed = 5159;
inline constexpr uint32_t kExpectBadCondition = 5160;
inline constexpr uint32_t kExpectBadValue = 5161;
inline constexpr uint32_t kUnknownNamespace = 5162;
inline constexpr uint32_t kUnknownNotice = 5163;
inline constexpr uint32_t kNoticeNotSwitchable = 5164;
inline constexpr uint32_t kFieldMissing = 5168;
inline constexpr uint32_t kLockingOptions = 5169;
}  // namespace code

// Where an error came from: some kinds have different numbers in different commands.
enum class ErrorContext : uint8_t {
  kSql,
  kFind,
  kInsert,
  kUpdate,
  kDelete,
  kCreateCollection,
  kModifyCollection,
  kCollectionOptions,
  kDropCollection,
  kCreateIndex,
  kDropIndex,
};

XError to_x_error(Error error, ErrorContext context);

}  // namespace wherestar::xproto
