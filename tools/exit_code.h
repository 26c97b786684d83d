// What the program's exit status means; docs/cli.md lists them for scripts.
#pragma once

#include "base/result.h"

namespace wherestar::tools {

enum class ExitCode : int {
  kDone = 0,
  kNo = 1,            // nothing found
  kUsage = 2,         // wrong arguments or configuration
  kBadInput = 3,      // the input had bad documents
  kNoConnection = 4,  // cannot connect, not allowed, or the directory is in use
  kRefused = 5,       // the statement or the target was refused
  kDamage = 6,        // verify found damage
  kFile = 7,          // disk full or a file error
  kBug = 70,
};

ExitCode exit_code_of(ErrorCode code);

}  // namespace wherestar::tools
