#include "tools/local_connection.h"

#include <charconv>
#include <filesystem>
#include <utility>

#include "document/value.h"

namespace wherestar::tools {
namespace {

std::string double_text(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end.ptr};
}

bool is_number(server::SqlType type) {
  switch (type) {
    case server::SqlType::kSigned:
    case server::SqlType::kUnsigned:
    case server::SqlType::kDouble:
    case server::SqlType::kDecimal:
      return true;
    default:
      return false;
  }
}

std::vector<std::string> warning_texts(const server::Session& session) {
  std::vector<std::string> texts;
  for (const server::Warning& warning : session.warnings()) texts.push_back(warning.message);
  return texts;
}

class LocalResult : public ResultStream {
 public:
  LocalResult(server::Session& session, server::ExecuteResult result)
      : session_(session), result_(std::move(result)) {
    for (const server::Column& column : result_.columns) {
      columns_.push_back({column.name, is_number(column.type)});
    }
    end_.rows_affected = result_.rows_affected;
    end_.message = result_.message;
    if (result_.rows == nullptr) end_.warnings = warning_texts(session_);
  }

  const std::vector<ColumnInfo>& columns() const override { return columns_; }

  Result<std::optional<CellRow>> next() override {
    if (result_.rows == nullptr) return std::nullopt;
    ASSIGN_OR_RETURN(std::optional<server::ResultRow> row, result_.rows->next());
    if (!row) {
      end_.warnings = warning_texts(session_);
      return std::nullopt;
    }
    CellRow cells;
    cells.reserve(row->size());
    for (const server::SqlValue& value : *row) cells.push_back(to_cell(value));
    return cells;
  }

  const StatementEnd& end() const override { return end_; }

 private:
  server::Session& session_;
  server::ExecuteResult result_;
  std::vector<ColumnInfo> columns_;
  StatementEnd end_;
};

class LocalConnection : public Connection {
 public:
  LocalConnection(std::unique_ptr<server::Store> store, std::unique_ptr<server::Session> session)
      : store_(std::move(store)), session_(std::move(session)) {}

  Result<std::unique_ptr<ResultStream>> execute(std::string_view sql,
                                                std::span<const Cell> arguments) override {
    std::vector<server::SqlValue> values;
    for (const Cell& cell : arguments) {
      ASSIGN_OR_RETURN(server::SqlValue value, to_sql_value(cell));
      values.push_back(std::move(value));
    }
    ASSIGN_OR_RETURN(server::ExecuteResult result, session_->execute_sql(sql, values));
    return std::unique_ptr<ResultStream>(
        std::make_unique<LocalResult>(*session_, std::move(result)));
  }

  Status insert(const std::string& database, const std::string& collection,
                std::span<const std::string> documents) override {
    server::Insert insert;
    insert.into.database = database;
    insert.into.collection = collection;
    for (const std::string& text : documents) {
      server::Expression literal;
      literal.literal = server::SqlValue::text(text);
      insert.documents.push_back(std::move(literal));
    }
    if (auto result = session_->execute(insert, {}); !result) {
      return std::unexpected(std::move(result).error());
    }
    return {};
  }

  server::Store* store() override { return store_.get(); }

 private:
  std::unique_ptr<server::Store> store_;
  std::unique_ptr<server::Session> session_;  // destroyed first
};

}  // namespace

Cell to_cell(const server::SqlValue& value) {
  using server::SqlType;
  switch (value.type()) {
    case SqlType::kNull:
      return Cell::null();
    case SqlType::kSigned:
      return Cell::number(std::to_string(value.as_signed()));
    case SqlType::kUnsigned:
      return Cell::number(std::to_string(value.as_unsigned()));
    case SqlType::kDouble:
      return Cell::number(double_text(value.as_double()));
    case SqlType::kDecimal:
      return Cell::number(value.string());
    case SqlType::kJson:
      return Cell::json(value.json_as_text());
    case SqlType::kBinary:
      return {CellKind::kBinary, value.string()};
    case SqlType::kText:
    case SqlType::kDate:
    case SqlType::kTime:
    case SqlType::kDateTime:
      return Cell::string(value.string());
  }
  return Cell::null();
}

Result<server::SqlValue> to_sql_value(const Cell& cell) {
  using server::SqlValue;
  switch (cell.kind) {
    case CellKind::kNull:
      return SqlValue::null();
    case CellKind::kText:
      return SqlValue::text(cell.text);
    case CellKind::kBinary:
      return SqlValue::binary(cell.text);
    case CellKind::kJson: {
      ASSIGN_OR_RETURN(document::Json json, document::Json::parse(cell.text));
      return SqlValue::json(std::move(json));
    }
    case CellKind::kNumber:
      break;
  }
  ASSIGN_OR_RETURN(const document::Number number, document::Number::from_text(cell.text));
  if (!number.is_integer()) return SqlValue::real(number.as_double());
  return number.fits_int64() ? SqlValue::signed_integer(number.as_int64())
                             : SqlValue::unsigned_integer(number.as_uint64());
}

Result<std::unique_ptr<Connection>> open_local(const std::string& directory,
                                               const LocalOptions& options) {
  std::error_code ignored;
  if (options.read_only && !std::filesystem::is_directory(directory, ignored)) {
    return fail(ErrorCode::kIo, directory + ": no such directory");
  }
  server::StoreOptions store_options;
  store_options.read_only = options.read_only;
  store_options.log_line = options.log_line;
  ASSIGN_OR_RETURN(auto store, server::Store::open(directory, store_options));
  server::SessionOptions session_options;
  session_options.connection_id = 1;
  ASSIGN_OR_RETURN(auto session, store->make_session(session_options));
  return std::unique_ptr<Connection>(
      std::make_unique<LocalConnection>(std::move(store), std::move(session)));
}

}  // namespace wherestar::tools
