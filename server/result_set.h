// Results of a statement: columns, and rows pulled one by one.
//
// Rows are made as they are pulled; a RowSource holds its snapshot while it lives and must be
// destroyed before its session. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/sql_value.h"

namespace wherestar::server {

struct Column {
  std::string name;
  std::string original_name;
  std::string table;
  std::string original_table;
  std::string database;
  SqlType type = SqlType::kText;  // kNull: every value is NULL
  uint32_t length = 0;            // 0: unknown
  uint32_t decimals = 0;          // of kDecimal
};

using ResultRow = std::vector<SqlValue>;

class RowSource {
 public:
  virtual ~RowSource() = default;
  // The next row, or nullopt behind the last. After an error the source is at its end.
  virtual Result<std::optional<ResultRow>> next() = 0;
};

struct ExecuteResult {
  std::vector<Column> columns;      // empty: no result set
  std::unique_ptr<RowSource> rows;  // set iff columns are
  uint64_t rows_affected = 0;
  std::vector<std::string> generated_ids;  // of documents that came without _id, in order
  std::string message;                     // "Records: 3  Duplicates: 0  Warnings: 0"
};

}  // namespace wherestar::server
