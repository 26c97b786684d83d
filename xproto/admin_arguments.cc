#include "xproto/admin_arguments.h"

#include "xproto/error_map.h"
#include "xproto/values.h"

namespace wherestar::xproto {
namespace {

using Mysqlx::Datatypes::Any;
using Mysqlx::Datatypes::Scalar;

std::optional<uint64_t> number_of(const Any& any) {
  if (any.type() != Any::SCALAR) return std::nullopt;
  const Scalar& scalar = any.scalar();
  if (scalar.type() == Scalar::V_UINT && scalar.has_v_unsigned_int()) {
    return scalar.v_unsigned_int();
  }
  if (scalar.type() == Scalar::V_SINT && scalar.has_v_signed_int() && scalar.v_signed_int() >= 0) {
    return static_cast<uint64_t>(scalar.v_signed_int());
  }
  return std::nullopt;
}

}  // namespace

void AdminArguments::fail(uint32_t number, std::string message) {
  if (failed()) return;
  error_ = {.code = number, .message = std::move(message)};
}

bool AdminArguments::has(std::string_view name) const {
  if (object_ == nullptr) return false;
  for (const auto& field : object_->fld()) {
    if (field.key() == name) return true;
  }
  return false;
}

const Any* AdminArguments::find(std::string_view name) {
  taken_.emplace(name);
  if (object_ == nullptr || failed()) return nullptr;
  const Any* found = nullptr;
  for (const auto& field : object_->fld()) {
    if (field.key() == name) found = &field.value();
  }
  return found;
}

const Any* AdminArguments::required(std::string_view name) {
  const Any* found = find(name);
  if (found == nullptr) {
    fail(code::kAdminArgumentCount,
         "Invalid number of arguments, expected value for '" + prefix_ + std::string(name) + "'");
  }
  return found;
}

std::optional<std::string> AdminArguments::text_of(std::string_view name, const Any& any) {
  std::optional<std::string> text;
  if (any.type() == Any::SCALAR) {
    const Scalar& scalar = any.scalar();
    if (scalar.type() == Scalar::V_STRING) text = scalar.v_string().value();
    if (scalar.type() == Scalar::V_OCTETS) text = scalar.v_octets().value();
  }
  if (!text) {
    fail(code::kAdminArgumentType,
         "Invalid type of argument '" + prefix_ + std::string(name) + "', expected a string");
    return std::nullopt;
  }
  if (!is_utf8(*text) || text->find('\0') != std::string::npos) {
    fail(code::kAdminArgumentValue,
         "Invalid value for argument '" + prefix_ + std::string(name) + "'");
    return std::nullopt;
  }
  return text;
}

std::string AdminArguments::string(std::string_view name) {
  const Any* found = required(name);
  if (found == nullptr) return {};
  auto text = text_of(name, *found);
  if (text && text->empty()) {
    fail(code::kAdminArgumentValue,
         "Invalid empty value for argument '" + prefix_ + std::string(name) + "'");
  }
  return text.value_or("");
}

std::optional<std::string> AdminArguments::optional_string(std::string_view name) {
  const Any* found = find(name);
  return found == nullptr ? std::nullopt : text_of(name, *found);
}

bool AdminArguments::optional_boolean(std::string_view name, bool otherwise) {
  const Any* found = find(name);
  if (found == nullptr) return otherwise;
  if (found->type() == Any::SCALAR && found->scalar().type() == Scalar::V_BOOL) {
    return found->scalar().v_bool();
  }
  if (auto number = number_of(*found); number && *number <= 1) return *number == 1;
  fail(code::kAdminArgumentType,
       "Invalid type of argument '" + prefix_ + std::string(name) + "', expected a boolean");
  return otherwise;
}

bool AdminArguments::boolean(std::string_view name) {
  return required(name) != nullptr && optional_boolean(name, false);
}

std::optional<uint64_t> AdminArguments::optional_unsigned_integer(std::string_view name) {
  const Any* found = find(name);
  if (found == nullptr) return std::nullopt;
  auto number = number_of(*found);
  if (!number) {
    fail(code::kAdminArgumentType, "Invalid type of argument '" + prefix_ + std::string(name) +
                                       "', expected an unsigned integer");
  }
  return number;
}

uint64_t AdminArguments::unsigned_integer(std::string_view name) {
  if (required(name) == nullptr) return 0;
  return optional_unsigned_integer(name).value_or(0);
}

const AdminArguments::Object* AdminArguments::optional_object(std::string_view name) {
  const Any* found = find(name);
  if (found == nullptr) return nullptr;
  if (found->type() == Any::OBJECT) return &found->obj();
  fail(code::kAdminArgumentType,
       "Invalid type of argument '" + prefix_ + std::string(name) + "', expected an object");
  return nullptr;
}

const AdminArguments::Object* AdminArguments::object(std::string_view name) {
  return required(name) == nullptr ? nullptr : optional_object(name);
}

std::vector<const AdminArguments::Object*> AdminArguments::objects(std::string_view name) {
  const Any* found = required(name);
  if (found == nullptr) return {};
  if (found->type() == Any::OBJECT) return {&found->obj()};
  std::vector<const Object*> result;
  if (found->type() == Any::ARRAY) {
    for (const Any& element : found->array().value()) {
      if (element.type() != Any::OBJECT) break;
      result.push_back(&element.obj());
    }
  }
  bool whole = found->type() == Any::ARRAY &&
               result.size() == static_cast<size_t>(found->array().value_size());
  if (!whole || result.empty()) {
    fail(code::kAdminArgumentType, "Invalid type of argument '" + prefix_ + std::string(name) +
                                       "', expected a list of objects");
    return {};
  }
  return result;
}

std::vector<std::string> AdminArguments::strings(std::string_view name) {
  const Any* found = required(name);
  if (found == nullptr) return {};
  std::vector<std::string> result;
  if (found->type() == Any::ARRAY) {
    for (const Any& element : found->array().value()) {
      if (auto text = text_of(name, element)) result.push_back(*std::move(text));
    }
  } else if (auto text = text_of(name, *found)) {
    result.push_back(*std::move(text));
  }
  return result;
}

XStatus AdminArguments::finish() {
  if (!failed() && object_ != nullptr) {
    for (const auto& field : object_->fld()) {
      if (!taken_.contains(field.key())) {
        fail(code::kAdminArgumentUnknown,
             "Invalid argument: unknown field '" + prefix_ + field.key() + "'");
      }
    }
  }
  if (failed()) return std::unexpected(error_);
  return {};
}

}  // namespace wherestar::xproto
