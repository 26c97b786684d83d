#include "xproto/values.h"

#include <cmath>
#include <limits>
#include <string>

#include <doctest/doctest.h>

using namespace wherestar::xproto;
using Mysqlx::Datatypes::Any;
using Mysqlx::Datatypes::Scalar;
using wherestar::server::SqlType;

namespace {

Scalar real(double value) {
  Scalar scalar;
  scalar.set_type(Scalar::V_DOUBLE);
  scalar.set_v_double(value);
  return scalar;
}

Scalar text(const std::string& value) {
  Scalar scalar;
  scalar.set_type(Scalar::V_STRING);
  scalar.mutable_v_string()->set_value(value);
  return scalar;
}

uint32_t error_of(const Scalar& scalar) {
  auto value = to_sql_value(scalar);
  return value ? 0 : value.error().code;
}

}  // namespace

TEST_CASE("integers keep every bit") {
  Scalar scalar;
  scalar.set_type(Scalar::V_UINT);
  scalar.set_v_unsigned_int(UINT64_MAX);
  auto value = to_sql_value(scalar);
  REQUIRE(value);
  CHECK(value->type() == SqlType::kUnsigned);
  CHECK(value->as_unsigned() == UINT64_MAX);
  scalar.set_v_unsigned_int(static_cast<uint64_t>(INT64_MAX));
  value = to_sql_value(scalar);
  CHECK(value->type() == SqlType::kSigned);
  scalar.set_type(Scalar::V_SINT);
  scalar.set_v_signed_int(INT64_MIN);
  value = to_sql_value(scalar);
  CHECK(value->as_signed() == INT64_MIN);
}

TEST_CASE("doubles arrive as the number they are written as") {
  CHECK(to_sql_value(real(1.0))->type() == SqlType::kSigned);
  CHECK(to_sql_value(real(-0.0))->as_signed() == 0);
  CHECK(to_sql_value(real(6.25))->type() == SqlType::kDecimal);
  CHECK(to_sql_value(real(6.25))->string() == "6.25");
  CHECK(to_sql_value(real(1e300))->type() == SqlType::kDouble);
  CHECK(error_of(real(std::nan(""))) == 5012);
  CHECK(error_of(real(std::numeric_limits<double>::infinity())) == 5012);
}

TEST_CASE("a type without its value is an error, never a guess") {
  for (auto type : {Scalar::V_SINT, Scalar::V_UINT, Scalar::V_OCTETS, Scalar::V_DOUBLE,
                    Scalar::V_FLOAT, Scalar::V_BOOL, Scalar::V_STRING}) {
    Scalar scalar;
    scalar.set_type(type);
    CHECK(error_of(scalar) == 5012);
  }
  CHECK(error_of(Scalar()) == 5154);
}

TEST_CASE("strings must be UTF-8") {
  CHECK(error_of(text("Grüße, 日本, 𝄞")) == 0);
  for (const char* wrong : {"\x80", "\xc0\xaf", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                            "\xf0\x80\x80\x80", "a\xffz"}) {
    CHECK(error_of(text(wrong)) == 1300);
  }
}

TEST_CASE("octets are JSON, text or bytes") {
  Scalar scalar;
  scalar.set_type(Scalar::V_OCTETS);
  scalar.mutable_v_octets()->set_value("{\"a\":1}");
  CHECK(to_sql_value(scalar)->type() == SqlType::kText);
  scalar.mutable_v_octets()->set_content_type(2);
  CHECK(to_sql_value(scalar)->type() == SqlType::kJson);
  scalar.mutable_v_octets()->set_value("{\"a\":");
  CHECK(error_of(scalar) == 3140);
  scalar.mutable_v_octets()->set_content_type(0);
  scalar.mutable_v_octets()->set_value("\xff\xfe");
  CHECK(to_sql_value(scalar)->type() == SqlType::kBinary);
}

TEST_CASE("administrative options become JSON text") {
  Any any;
  any.set_type(Any::OBJECT);
  auto* field = any.mutable_obj()->add_fld();
  field->set_key("type");
  field->mutable_value()->set_type(Any::SCALAR);
  *field->mutable_value()->mutable_scalar() = text("object\n");
  field = any.mutable_obj()->add_fld();
  field->set_key("required");
  field->mutable_value()->set_type(Any::ARRAY);
  field->mutable_value()->mutable_array();
  std::string out;
  REQUIRE(append_json(out, any));
  CHECK(out == R"({"type":"object\n","required":[]})");
}

TEST_CASE("JSON of 100 levels passes and of 101 does not") {
  auto nest = [](int levels) {
    Any any;
    Any* inner = &any;
    for (int i = 0; i < levels; ++i) {
      inner->set_type(Any::ARRAY);
      inner = inner->mutable_array()->add_value();
    }
    inner->set_type(Any::SCALAR);
    inner->mutable_scalar()->set_type(Scalar::V_NULL);
    return any;
  };
  std::string out;
  CHECK(append_json(out, nest(100)));
  auto status = append_json(out, nest(101));
  REQUIRE_FALSE(status);
  CHECK(status.error().code == 3157);
}
