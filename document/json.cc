// The tree is our own and not RapidJSON's, whose DOM turns number text into machine numbers and so
// would rewrite 18446744073709551616 or 0.10 in a document of which another member was edited.
#include "document/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "document/json_members.h"
#include "document/scanner.h"

namespace wherestar::document {

namespace {

// Puts a tree together from the scanner's events.
class Builder {
 public:
  void null() { add(Json::null()); }
  void boolean(bool value) { add(Json::boolean(value)); }
  void number(std::string_view text) { add(Json::number_text(std::string(text))); }
  void string(std::string_view text) { add(Json::string(std::string(text))); }
  void begin_array() { open_.push_back({Json::array(), {}}); }
  void begin_object() { open_.push_back({Json::object(), {}}); }
  void key(std::string_view name) { open_.back().name = name; }
  void end_array() { close(); }
  void end_object() {
    drop_shadowed_members(open_.back().container.members());
    close();
  }
  Json take() { return std::move(root_); }

 private:
  struct Open {
    Json container;
    std::string name;  // of the member whose value comes next
  };
  void add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    Open& parent = open_.back();
    if (parent.container.is_array())
      parent.container.elements().push_back(std::move(value));
    else
      parent.container.members().emplace_back(std::move(parent.name), std::move(value));
  }
  void close() {
    Json closed = std::move(open_.back().container);
    open_.pop_back();
    add(std::move(closed));
  }
  std::vector<Open> open_;
  Json root_;
};

}  // namespace

Json Json::boolean(bool value) {
  Json json;
  json.value_ = value;
  return json;
}
Json Json::integer(int64_t value) {
  return number_text(std::to_string(value));
}
Json Json::unsigned_integer(uint64_t value) {
  return number_text(std::to_string(value));
}

Json Json::real(double value) {
  CHECK(std::isfinite(value));
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, end);
  // Without a point or an exponent it would read as an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return number_text(std::move(text));
}

Json Json::number_text(std::string text) {
  Json json;
  json.value_ = NumberText{std::move(text)};
  return json;
}
Json Json::string(std::string value) {
  Json json;
  json.value_ = std::move(value);
  return json;
}
Json Json::array(Array elements) {
  Json json;
  json.value_ = std::move(elements);
  return json;
}
Json Json::object(Object members) {
  Json json;
  json.value_ = std::move(members);
  return json;
}

Result<Json> Json::parse(std::string_view text) {
  if (text.size() > kMaxDocumentBytes)
    return fail(ErrorCode::kTooLarge, "the text has " + std::to_string(text.size()) +
                                          " bytes, over the limit of " +
                                          std::to_string(kMaxDocumentBytes));
  Builder builder;
  RETURN_IF_ERROR(Scanner(text, builder).scan(kMaxDepth));
  return builder.take();
}

JsonType Json::type() const {
  if (const NumberText* number = std::get_if<NumberText>(&value_))
    return number->text.find_first_of(".eE") == std::string::npos ? JsonType::kInteger
                                                                  : JsonType::kDouble;
  if (std::holds_alternative<bool>(value_)) return JsonType::kBoolean;
  if (std::holds_alternative<std::string>(value_)) return JsonType::kString;
  if (std::holds_alternative<Array>(value_)) return JsonType::kArray;
  if (std::holds_alternative<Object>(value_)) return JsonType::kObject;
  return JsonType::kNull;
}

bool Json::is_number() const {
  return std::holds_alternative<NumberText>(value_);
}

bool Json::as_bool() const {
  const bool* value = std::get_if<bool>(&value_);
  CHECK(value != nullptr);
  return *value;
}
Number Json::as_number() const {
  const Result<Number> number = Number::from_text(number_text());
  CHECK(number.has_value());
  return *number;
}
const std::string& Json::number_text() const {
  const NumberText* value = std::get_if<NumberText>(&value_);
  CHECK(value != nullptr);
  return value->text;
}
const std::string& Json::as_string() const {
  const std::string* value = std::get_if<std::string>(&value_);
  CHECK(value != nullptr);
  return *value;
}
const Json::Array& Json::elements() const {
  const Array* value = std::get_if<Array>(&value_);
  CHECK(value != nullptr);
  return *value;
}
Json::Array& Json::elements() {
  Array* value = std::get_if<Array>(&value_);
  CHECK(value != nullptr);
  return *value;
}
const Json::Object& Json::members() const {
  const Object* value = std::get_if<Object>(&value_);
  CHECK(value != nullptr);
  return *value;
}
Json::Object& Json::members() {
  Object* value = std::get_if<Object>(&value_);
  CHECK(value != nullptr);
  return *value;
}

const Json* Json::member(std::string_view name) const {
  const Object* object = std::get_if<Object>(&value_);
  if (!object) return nullptr;
  for (const Member& entry : *object)
    if (entry.first == name) return &entry.second;
  return nullptr;
}

void Json::set_member(std::string_view name, Json value) {
  for (Member& entry : members()) {
    if (entry.first != name) continue;
    entry.second = std::move(value);
    return;
  }
  members().emplace_back(name, std::move(value));
}

bool Json::remove_member(std::string_view name) {
  Object* object = std::get_if<Object>(&value_);
  if (!object) return false;
  const auto found = std::find_if(object->begin(), object->end(),
                                  [name](const Member& entry) { return entry.first == name; });
  if (found == object->end()) return false;
  object->erase(found);
  return true;
}

size_t Json::depth() const {
  size_t deepest = 0;
  if (const Array* array = std::get_if<Array>(&value_)) {
    for (const Json& element : *array) deepest = std::max(deepest, element.depth());
  } else if (const Object* object = std::get_if<Object>(&value_)) {
    for (const Member& entry : *object) deepest = std::max(deepest, entry.second.depth());
  }
  return deepest + 1;
}

}  // namespace wherestar::document
