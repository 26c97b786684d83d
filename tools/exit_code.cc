#include "tools/exit_code.h"

namespace wherestar::tools {

ExitCode exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInternal:
      return ExitCode::kBug;
    case ErrorCode::kIo:
    case ErrorCode::kNoSpace:
    case ErrorCode::kPoisoned:
      return ExitCode::kFile;
    case ErrorCode::kCorruption:
    case ErrorCode::kFormat:
      return ExitCode::kDamage;
    case ErrorCode::kLocked:
    case ErrorCode::kAccessDenied:
      return ExitCode::kNoConnection;
    case ErrorCode::kInvalidJson:
    case ErrorCode::kNotAnObject:
    case ErrorCode::kTooDeep:
    case ErrorCode::kTooLarge:
    case ErrorCode::kInvalidUtf8:
    case ErrorCode::kNumberOutOfRange:
      return ExitCode::kBadInput;
    default:
      return ExitCode::kRefused;
  }
}

}  // namespace wherestar::tools
