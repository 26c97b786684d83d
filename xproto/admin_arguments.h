// The arguments of an administrative command: one object, taken apart field by field.
//
//   AdminArguments arguments(fields);
//   std::string schema = arguments.string("schema");
//   auto options = arguments.optional_object("options");
//   if (auto status = arguments.finish(); !status) ...
//
// The first error is kept and reported by finish(); values taken after it are empty.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <mysqlx_datatypes.pb.h>

#include "xproto/x_error.h"

namespace wherestar::xproto {

class AdminArguments {
 public:
  using Any = Mysqlx::Datatypes::Any;
  using Object = Mysqlx::Datatypes::Object;

  // `object` may be null: no arguments. It must outlive this.
  explicit AdminArguments(const Object* object, std::string prefix = "")
      : object_(object), prefix_(std::move(prefix)) {}

  std::string string(std::string_view name);  // required
  std::optional<std::string> optional_string(std::string_view name);
  bool boolean(std::string_view name);
  bool optional_boolean(std::string_view name, bool otherwise);
  uint64_t unsigned_integer(std::string_view name);
  std::optional<uint64_t> optional_unsigned_integer(std::string_view name);
  const Object* object(std::string_view name);
  const Object* optional_object(std::string_view name);
  // Objects of a list (one object alone counts as a list).
  std::vector<const Object*> objects(std::string_view name);
  // Strings of a list (one string alone counts as a list).
  std::vector<std::string> strings(std::string_view name);
  const Any* find(std::string_view name);  // any type; null when absent
  bool has(std::string_view name) const;
  void fail(uint32_t number, std::string message);
  bool failed() const { return error_.code != 0; }
  // 5021 for fields that nobody took.
  XStatus finish();

 private:
  const Any* required(std::string_view name);
  std::optional<std::string> text_of(std::string_view name, const Any& any);

  const Object* object_;
  std::string prefix_;
  std::set<std::string, std::less<>> taken_;
  XError error_;
};

}  // namespace wherestar::xproto
