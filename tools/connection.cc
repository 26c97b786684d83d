#include "tools/connection.h"

namespace wherestar::tools {

Result<std::vector<CellRow>> fetch(Connection& connection, std::string_view sql,
                                   std::span<const Cell> arguments) {
  ASSIGN_OR_RETURN(auto result, connection.execute(sql, arguments));
  std::vector<CellRow> rows;
  while (true) {
    ASSIGN_OR_RETURN(std::optional<CellRow> row, result->next());
    if (!row) return rows;
    rows.push_back(*std::move(row));
  }
}

Result<StatementEnd> run(Connection& connection, std::string_view sql,
                         std::span<const Cell> arguments) {
  ASSIGN_OR_RETURN(auto result, connection.execute(sql, arguments));
  while (true) {
    ASSIGN_OR_RETURN(const std::optional<CellRow> row, result->next());
    if (!row) return result->end();
  }
}

}  // namespace wherestar::tools
