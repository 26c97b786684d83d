#include "server/sql_value.h"

#include <bit>
#include <utility>

namespace wherestar::server {

SqlValue SqlValue::boolean(bool value) {
  SqlValue out = signed_integer(value ? 1 : 0);
  out.is_boolean_ = true;
  return out;
}

SqlValue SqlValue::signed_integer(int64_t value) {
  SqlValue out;
  out.type_ = SqlType::kSigned;
  out.bits_ = static_cast<uint64_t>(value);
  return out;
}

SqlValue SqlValue::unsigned_integer(uint64_t value) {
  SqlValue out;
  out.type_ = SqlType::kUnsigned;
  out.bits_ = value;
  return out;
}

SqlValue SqlValue::real(double value) {
  SqlValue out;
  out.type_ = SqlType::kDouble;
  out.bits_ = std::bit_cast<uint64_t>(value);
  return out;
}

SqlValue SqlValue::decimal(std::string digits) {
  return temporal(SqlType::kDecimal, std::move(digits));
}

SqlValue SqlValue::text(std::string value) {
  return temporal(SqlType::kText, std::move(value));
}

SqlValue SqlValue::binary(std::string value) {
  return temporal(SqlType::kBinary, std::move(value));
}

SqlValue SqlValue::temporal(SqlType type, std::string text) {
  SqlValue out;
  out.type_ = type;
  out.text_ = std::move(text);
  return out;
}

SqlValue SqlValue::json(document::Json value) {
  SqlValue out;
  out.type_ = SqlType::kJson;
  out.json_ = std::make_shared<const document::Json>(std::move(value));
  return out;
}

SqlValue SqlValue::json_text(std::string text) {
  return temporal(SqlType::kJson, std::move(text));
}

double SqlValue::as_double() const {
  return std::bit_cast<double>(bits_);
}

const document::Json& SqlValue::as_json() const {
  if (!json_) {
    auto parsed = document::Json::parse(text_);
    json_ = std::make_shared<const document::Json>(parsed ? *std::move(parsed)
                                                          : document::Json::null());
  }
  return *json_;
}

std::string SqlValue::json_as_text() const {
  return text_.empty() ? json_->to_text() : text_;
}

}  // namespace wherestar::server
