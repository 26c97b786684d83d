// A store to talk to: opened in this process, or behind a socket.
//
//   ASSIGN_OR_RETURN(auto result, connection.execute("SELECT _id FROM * WHERE * = ?", args));
//   while (true) {
//     ASSIGN_OR_RETURN(auto row, result->next());
//     if (!row) break;
//   }
//
// One thread. A result must be destroyed before the next statement. Errors are those of the
// statement; of a server also kIo (the connection broke) and kAccessDenied.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/store.h"
#include "tools/cell.h"

namespace wherestar::tools {

// What is known behind the last row.
struct StatementEnd {
  uint64_t rows_affected = 0;
  std::string message;
  std::vector<std::string> warnings;
};

class ResultStream {
 public:
  virtual ~ResultStream() = default;
  virtual const std::vector<ColumnInfo>& columns() const = 0;  // empty: no result set
  virtual Result<std::optional<CellRow>> next() = 0;
  virtual const StatementEnd& end() const = 0;  // complete once next() gave nullopt
};

class Connection {
 public:
  virtual ~Connection() = default;
  virtual Result<std::unique_ptr<ResultStream>> execute(std::string_view sql,
                                                        std::span<const Cell> arguments) = 0;
  // All of them or none.
  virtual Status insert(const std::string& database, const std::string& collection,
                        std::span<const std::string> documents) = 0;
  virtual server::Store* store() { return nullptr; }  // null: behind a socket
};

// All rows of a statement.
Result<std::vector<CellRow>> fetch(Connection& connection, std::string_view sql,
                                   std::span<const Cell> arguments = {});
// Executes and drops the rows.
Result<StatementEnd> run(Connection& connection, std::string_view sql,
                         std::span<const Cell> arguments = {});

}  // namespace wherestar::tools
