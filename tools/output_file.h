// A file made by a command, packed by its name (.gz, .zst).
//
// It never follows a symbolic link and never replaces a file unless told so; what is not finished
// is removed again. Only its owner may read a new one. One thread. Errors: kAlreadyExists, kIo,
// kNoSpace; each names the file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace wherestar::tools {

class OutputFile {
 public:
  static Result<std::unique_ptr<OutputFile>> create(const std::string& name, bool overwrite);
  virtual ~OutputFile() = default;  // removes the file unless finish() succeeded
  virtual Status write(std::string_view text) = 0;
  virtual Status finish() = 0;  // durable when it returns
};

}  // namespace wherestar::tools
