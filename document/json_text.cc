// Writing a Json as text.
#include "document/json.h"

namespace wherestar::document {

namespace {

void append_scalar(const Json& json, std::string& out) {
  if (json.is_number())
    out += json.number_text();
  else if (json.is_string())
    append_json_string(out, json.as_string());
  else if (json.is_null())
    out += "null";
  else
    out += json.as_bool() ? "true" : "false";
}

void append_pretty(const Json& json, std::string& out, size_t indent) {
  const auto new_line = [&out](size_t blanks) {
    out.push_back('\n');
    out.append(blanks, ' ');
  };
  const size_t inner = indent + 2;
  bool first = true;
  if (json.is_array() && !json.elements().empty()) {
    out.push_back('[');
    for (const Json& element : json.elements()) {
      if (!first) out.push_back(',');
      first = false;
      new_line(inner);
      append_pretty(element, out, inner);
    }
    new_line(indent);
    out.push_back(']');
  } else if (json.is_object() && !json.members().empty()) {
    out.push_back('{');
    for (const auto& [name, value] : json.members()) {
      if (!first) out.push_back(',');
      first = false;
      new_line(inner);
      append_json_string(out, name);
      out += ": ";
      append_pretty(value, out, inner);
    }
    new_line(indent);
    out.push_back('}');
  } else {
    json.append_text(out);
  }
}

}  // namespace

std::string Json::to_text(bool spaced) const {
  std::string out;
  append_text(out, spaced);
  return out;
}

void Json::append_text(std::string& out, bool spaced) const {
  bool first = true;
  const auto separate = [&] {
    if (!first) out += spaced ? ", " : ",";
    first = false;
  };
  if (const Array* array = std::get_if<Array>(&value_)) {
    out.push_back('[');
    for (const Json& element : *array) {
      separate();
      element.append_text(out, spaced);
    }
    out.push_back(']');
  } else if (const Object* object = std::get_if<Object>(&value_)) {
    out.push_back('{');
    for (const auto& [name, value] : *object) {
      separate();
      append_json_string(out, name);
      out += spaced ? ": " : ":";
      value.append_text(out, spaced);
    }
    out.push_back('}');
  } else {
    append_scalar(*this, out);
  }
}

std::string Json::to_pretty_text() const {
  std::string out;
  append_pretty(*this, out, 0);
  return out;
}

}  // namespace wherestar::document
