// A Connection to a data directory, opened in this process.
#pragma once

#include <memory>
#include <string>

#include "tools/connection.h"

namespace wherestar::tools {

struct LocalOptions {
  bool read_only = false;
  std::function<void(std::string_view)> log_line;
};

// Creates the store when the directory holds none, unless read_only. kLocked: in use.
Result<std::unique_ptr<Connection>> open_local(const std::string& directory,
                                               const LocalOptions& options);

// A value as a cell, numbers as they are written.
Cell to_cell(const server::SqlValue& value);
Result<server::SqlValue> to_sql_value(const Cell& cell);

}  // namespace wherestar::tools
