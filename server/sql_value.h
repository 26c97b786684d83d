// A value of an expression: SQL's scalars and JSON, with SQL NULL apart from JSON null.
//
// JSON that comes from a document and only goes out again stays text (json_text) and is parsed when
// an expression looks into it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "document/json.h"

namespace wherestar::server {

enum class SqlType : uint8_t {
  kNull,
  kSigned,
  kUnsigned,
  kDouble,
  kDecimal,  // text() holds its digits: "-12.50"
  kText,     // UTF-8
  kBinary,
  kJson,
  kDate,      // text(): YYYY-MM-DD
  kTime,      // [-]hhh:mm:ss[.ffffff]
  kDateTime,  // YYYY-MM-DD hh:mm:ss[.ffffff]
};

class SqlValue {
 public:
  SqlValue() = default;  // SQL NULL
  static SqlValue null() { return {}; }
  static SqlValue boolean(bool value);  // kSigned 0 or 1 that becomes a JSON boolean inside JSON
  static SqlValue signed_integer(int64_t value);
  static SqlValue unsigned_integer(uint64_t value);
  static SqlValue real(double value);
  static SqlValue decimal(std::string digits);
  static SqlValue text(std::string value);
  static SqlValue binary(std::string value);
  static SqlValue json(document::Json value);
  static SqlValue json_text(std::string text);  // trusted JSON text, parsed when looked into
  static SqlValue temporal(SqlType type, std::string text);

  SqlType type() const { return type_; }
  bool is_null() const { return type_ == SqlType::kNull; }
  bool is_boolean() const { return is_boolean_; }
  int64_t as_signed() const { return static_cast<int64_t>(bits_); }
  uint64_t as_unsigned() const { return bits_; }
  double as_double() const;                            // kDouble only
  const std::string& string() const { return text_; }  // decimal, text, binary, temporal
  const document::Json& as_json() const;               // kJson; parses json_text on first use
  std::string json_as_text() const;  // kJson: its text, without parsing if it is text

 private:
  SqlType type_ = SqlType::kNull;
  bool is_boolean_ = false;
  uint64_t bits_ = 0;
  std::string text_;
  mutable std::shared_ptr<const document::Json> json_;
};

}  // namespace wherestar::server
