#include "tools/remote_connection.h"

#include <bit>
#include <charconv>
#include <utility>

#include <fmt/format.h>
#include <mysqlx.pb.h>
#include <mysqlx_crud.pb.h>
#include <mysqlx_notice.pb.h>
#include <mysqlx_resultset.pb.h>
#include <mysqlx_sql.pb.h>

#include "document/value.h"
#include "tools/wire_value.h"
#include "tools/x_client.h"

namespace wherestar::tools {
namespace {

using Mysqlx::Datatypes::Scalar;
using Mysqlx::Resultset::ColumnMetaData;

constexpr uint8_t kStatementExecute = 12, kCrudInsert = 18;
constexpr uint8_t kOk = 0, kError = 1, kNotice = 11, kColumnMetaData = 12, kRow = 13,
                  kFetchDone = 14, kFetchDoneMoreResultsets = 16, kStatementExecuteOk = 17;

std::unexpected<Error> unreadable() {
  return fail(ErrorCode::kIo, "the server's answer cannot be read");
}

// Takes what a notice tells into `end`.
Status read_notice(const std::string& payload, StatementEnd& end) {
  Mysqlx::Notice::Frame frame;
  if (!frame.ParseFromString(payload)) return unreadable();
  if (frame.type() == Mysqlx::Notice::Frame::WARNING) {
    Mysqlx::Notice::Warning warning;
    if (!warning.ParseFromString(frame.payload())) return unreadable();
    end.warnings.push_back(warning.msg());
  } else if (frame.type() == Mysqlx::Notice::Frame::SESSION_STATE_CHANGED) {
    Mysqlx::Notice::SessionStateChanged changed;
    if (!changed.ParseFromString(frame.payload())) return unreadable();
    using Changed = Mysqlx::Notice::SessionStateChanged;
    if (changed.param() == Changed::ROWS_AFFECTED && changed.value_size() > 0) {
      end.rows_affected = changed.value(0).v_unsigned_int();
    } else if (changed.param() == Changed::PRODUCED_MESSAGE && changed.value_size() > 0) {
      end.message = changed.value(0).v_string().value();
    }
  }
  return {};
}

Error error_of(const std::string& payload) {
  Mysqlx::Error error;
  if (!error.ParseFromString(payload)) return {ErrorCode::kIo, "an error that cannot be read"};
  return error_of_server(error.code(), error.msg());
}

class RemoteResult : public ResultStream {
 public:
  explicit RemoteResult(XClient& client) : client_(client) {}
  // What is left of the answer must go, or the next statement would read it.
  ~RemoteResult() override {
    while (!done_) {
      if (auto row = next(); !row) break;
    }
  }

  // Reads to the first row, or to the end of an answer without rows.
  Status begin() {
    while (!done_ && !has_row_) RETURN_IF_ERROR(step());
    return {};
  }

  const std::vector<ColumnInfo>& columns() const override { return columns_; }

  Result<std::optional<CellRow>> next() override {
    while (!has_row_) {
      if (done_) return std::nullopt;
      RETURN_IF_ERROR(step());
    }
    has_row_ = false;
    CellRow cells;
    if (static_cast<size_t>(row_.field_size()) != types_.size()) {
      done_ = true;
      return unreadable();
    }
    for (size_t i = 0; i < types_.size(); ++i) {
      auto cell = wire_to_cell(types_[i], row_.field(static_cast<int>(i)));
      if (!cell) {
        done_ = true;
        return std::unexpected(cell.error());
      }
      cells.push_back(*std::move(cell));
    }
    return cells;
  }

  const StatementEnd& end() const override { return end_; }

 private:
  Status step() {
    auto message = client_.receive();
    if (!message) {
      done_ = true;
      return std::unexpected(std::move(message).error());
    }
    const std::string& payload = message->payload;
    switch (message->type) {
      case kColumnMetaData: {
        ColumnMetaData column;
        if (!column.ParseFromString(payload)) break;
        types_.push_back({column.type(), column.content_type(), column.collation()});
        columns_.push_back({column.name(), is_number(column.type())});
        return {};
      }
      case kRow:
        if (!row_.ParseFromString(payload)) break;
        has_row_ = true;
        return {};
      case kNotice:
        return read_notice(payload, end_);
      case kFetchDone:
      case kFetchDoneMoreResultsets:
        return {};
      case kStatementExecuteOk:
      case kOk:
        done_ = true;
        return {};
      case kError:
        done_ = true;
        return std::unexpected(error_of(payload));
      default:
        break;
    }
    done_ = true;
    return unreadable();
  }

  static bool is_number(ColumnMetaData::FieldType type) {
    return type == ColumnMetaData::SINT || type == ColumnMetaData::UINT ||
           type == ColumnMetaData::DOUBLE || type == ColumnMetaData::FLOAT ||
           type == ColumnMetaData::DECIMAL;
  }

  XClient& client_;
  std::vector<ColumnInfo> columns_;
  std::vector<WireType> types_;
  Mysqlx::Resultset::Row row_;
  StatementEnd end_;
  bool has_row_ = false;
  bool done_ = false;
};

Status set_scalar(Scalar& scalar, const Cell& cell) {
  switch (cell.kind) {
    case CellKind::kNull:
      scalar.set_type(Scalar::V_NULL);
      return {};
    case CellKind::kText:
      scalar.set_type(Scalar::V_STRING);
      scalar.mutable_v_string()->set_value(cell.text);
      return {};
    case CellKind::kBinary:
    case CellKind::kJson:
      scalar.set_type(Scalar::V_OCTETS);
      scalar.mutable_v_octets()->set_value(cell.text);
      if (cell.kind == CellKind::kJson) scalar.mutable_v_octets()->set_content_type(2);
      return {};
    case CellKind::kNumber:
      break;
  }
  ASSIGN_OR_RETURN(const document::Number number, document::Number::from_text(cell.text));
  if (!number.is_integer()) {
    scalar.set_type(Scalar::V_DOUBLE);
    scalar.set_v_double(number.as_double());
  } else if (number.fits_int64()) {
    scalar.set_type(Scalar::V_SINT);
    scalar.set_v_signed_int(number.as_int64());
  } else {
    scalar.set_type(Scalar::V_UINT);
    scalar.set_v_unsigned_int(number.as_uint64());
  }
  return {};
}

class RemoteConnection : public Connection {
 public:
  explicit RemoteConnection(std::unique_ptr<XClient> client) : client_(std::move(client)) {}

  Result<std::unique_ptr<ResultStream>> execute(std::string_view sql,
                                                std::span<const Cell> arguments) override {
    Mysqlx::Sql::StmtExecute statement;
    statement.set_stmt(std::string(sql));
    for (const Cell& cell : arguments) {
      auto* any = statement.add_args();
      any->set_type(Mysqlx::Datatypes::Any::SCALAR);
      RETURN_IF_ERROR(set_scalar(*any->mutable_scalar(), cell));
    }
    RETURN_IF_ERROR(client_->send(kStatementExecute, statement));
    auto result = std::make_unique<RemoteResult>(*client_);
    RETURN_IF_ERROR(result->begin());
    return std::unique_ptr<ResultStream>(std::move(result));
  }

  Status insert(const std::string& database, const std::string& collection,
                std::span<const std::string> documents) override {
    Mysqlx::Crud::Insert insert;
    insert.mutable_collection()->set_name(collection);
    insert.mutable_collection()->set_schema(database);
    insert.set_data_model(Mysqlx::Crud::DOCUMENT);
    for (const std::string& text : documents) {
      // A string, not octets of JSON: the server then keeps the text as it is.
      auto* field = insert.add_row()->add_field();
      field->set_type(Mysqlx::Expr::Expr::LITERAL);
      field->mutable_literal()->set_type(Scalar::V_STRING);
      field->mutable_literal()->mutable_v_string()->set_value(text);
    }
    RETURN_IF_ERROR(client_->send(kCrudInsert, insert));
    RemoteResult result(*client_);
    return result.begin();
  }

 private:
  std::unique_ptr<XClient> client_;
};

}  // namespace

Result<std::unique_ptr<Connection>> open_remote(const ServerUri& uri) {
  ASSIGN_OR_RETURN(auto client, XClient::connect(uri));
  return std::unique_ptr<Connection>(std::make_unique<RemoteConnection>(std::move(client)));
}

}  // namespace wherestar::tools
