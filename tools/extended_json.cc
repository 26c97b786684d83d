#include "tools/extended_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

#include "document/document.h"
#include "tools/iso_date.h"
#include "tools/json_text.h"
#include "tools/text.h"

namespace wherestar::tools {
namespace {

using document::Json;

constexpr std::array<std::string_view, 16> kWrappers = {
    "$oid",          "$date",          "$numberInt", "$numberLong",
    "$numberDouble", "$numberDecimal", "$binary",    "$uuid",
    "$symbol",       "$code",          "$timestamp", "$minKey",
    "$maxKey",       "$undefined",     "$dbPointer", "$regularExpression",
};
constexpr size_t kObjectIdDigits = 24;
constexpr size_t kUuidBytes = 16;
constexpr size_t kShownColumns = 30;

bool is_hex(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string quoted(std::string_view text) {
  std::string out;
  document::append_json_string(out, text);
  return out;
}

// The bytes of base64 text with or without padding; nullopt: it is none.
std::optional<std::string> base64_bytes(std::string_view text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
  if (text.size() % 4 == 1) return std::nullopt;
  std::string bytes;
  uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    bits = (bits << 6 | static_cast<uint32_t>(digit)) & 0xffffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xff);
  }
  return bytes;
}

std::string uuid_text(std::string_view bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
  }
  return out;
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

// As JSON writes it, and within the range of doubles.
bool is_number(std::string_view text) {
  if (text.empty() || (text[0] != '-' && (text[0] < '0' || text[0] > '9'))) return false;
  if (text.back() < '0' || text.back() > '9') return false;
  const auto parsed = Json::parse(text);
  return parsed && parsed->is_number();
}

bool is_beyond_doubles(std::string_view text) {
  const auto parsed = Json::parse(text);
  return !parsed && parsed.error().code == ErrorCode::kNumberOutOfRange;
}

std::optional<int64_t> integer_of(std::string_view text) {
  int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

// A date that ISO 8601 has no text for is its number.
std::string date_json(int64_t milliseconds) {
  const auto text = iso_date_text(milliseconds);
  return text ? quoted(*text) : std::to_string(milliseconds);
}

// Converts one document; `text_` is valid JSON.
class Converter {
 public:
  explicit Converter(std::string_view text) : text_(text) {}

  Status convert(TextSpan span, std::string& out) {
    size_t at = span.begin;
    size_t copied = at;  // up to here `out` has it
    while (at < span.end) {
      if (text_[at] == '"') {
        at = skip_string(text_, at);
        continue;
      }
      if (text_[at] != '{' || !may_be_wrapper(at)) {
        ++at;
        continue;
      }
      const std::vector<TextMember> members = members_of(text_, at);
      if (!is_wrapper(members)) {
        ++at;
        continue;
      }
      out += text_.substr(copied, at - copied);
      RETURN_IF_ERROR(unwrap(members, out));
      at = copied = skip_value(text_, at);
    }
    out += text_.substr(copied, span.end - copied);
    return {};
  }

  // The offset of the first object that is a right wrapper.
  std::optional<size_t> find_wrapper() {
    for (size_t at = 0; at < text_.size();) {
      if (text_[at] == '"') {
        at = skip_string(text_, at);
        continue;
      }
      if (text_[at] == '{' && may_be_wrapper(at)) {
        const std::vector<TextMember> members = members_of(text_, at);
        std::string ignored;
        if (is_wrapper(members) && unwrap(members, ignored)) return at;
      }
      ++at;
    }
    return std::nullopt;
  }

 private:
  // A look at the first name, before all members are taken apart.
  bool may_be_wrapper(size_t at) const {
    at = skip_blanks(text_, at + 1);
    return at + 1 < text_.size() && text_[at] == '"' &&
           (text_[at + 1] == '$' || text_[at + 1] == '\\');
  }

  static bool is_wrapper(const std::vector<TextMember>& members) {
    const auto has = [&](std::string_view name) {
      return std::ranges::find(members, name, &TextMember::name) != members.end();
    };
    if (members.empty()) return false;
    return std::ranges::find(kWrappers, members[0].name) != kWrappers.end() ||
           (members[0].name == "$type" && has("$binary")) ||
           (members[0].name == "$scope" && has("$code"));
  }

  std::string_view token(TextSpan value) const { return value.of(text_); }
  bool is_string(TextSpan value) const { return text_[value.begin] == '"'; }
  bool is_object(TextSpan value) const { return text_[value.begin] == '{'; }

  std::unexpected<Error> wrong(TextSpan value, std::string_view what) const {
    const document::Position place = document::locate(text_, value.begin);
    return fail(ErrorCode::kInvalidJson,
                fmt::format("line {}, column {}: {}, found {}", place.line, place.column, what,
                            cut_to_width(token(value), kShownColumns)));
  }

  // `{"$binary": "...", "$type": "00"}` and `$code` with `$scope` are the only ones with two.
  Status unwrap(const std::vector<TextMember>& members, std::string& out) {
    const TextMember* main = &members[0];
    const TextMember* second = members.size() > 1 ? &members[1] : nullptr;
    if (main->name == "$type" || main->name == "$scope") std::swap(main, second);
    const std::string_view partner = main->name == "$binary" ? "$type"
                                     : main->name == "$code" ? "$scope"
                                                             : "";
    if (members.size() > 2 || (second != nullptr && second->name != partner)) {
      const TextMember& extra =
          members.size() > 2 && second->name == partner ? members[2] : *second;
      return wrong(extra.value, fmt::format("\"{}\" stands with no member but its own; expected no "
                                            "\"{}\"",
                                            main->name, extra.name));
    }
    if (second != nullptr && main->name == "$code") {
      if (!is_string(main->value)) return wrong(main->value, "\"$code\": expected a string");
      if (!is_object(second->value)) return wrong(second->value, "\"$scope\": expected an object");
      out.append("{\"code\":").append(token(main->value)).append(",\"scope\":");
      RETURN_IF_ERROR(convert(second->value, out));
      out += '}';
      return {};
    }
    if (main->name == "$binary") {
      return is_object(main->value) && second == nullptr ? binary_object(main->value, out)
                                                         : binary(main->value, second, out);
    }
    if (is_string(main->value)) return text(main->name, main->value, out);
    return no_text(main->name, main->value, out);
  }

  // Wrappers of a string.
  Status text(std::string_view name, TextSpan value, std::string& out) {
    const std::string inside = string_value(token(value));
    if (name == "$oid") {
      if (inside.size() != kObjectIdDigits || !std::ranges::all_of(inside, is_hex)) {
        return wrong(value, "\"$oid\": expected 24 hexadecimal digits");
      }
      out += quoted(lower_case(inside));
    } else if (name == "$uuid") {
      if (!is_uuid(inside)) return wrong(value, "\"$uuid\": expected a UUID");
      out += quoted(lower_case(inside));
    } else if (name == "$date") {
      const auto time = parse_iso_date(inside);
      if (!time) return wrong(value, "\"$date\": expected a date like \"2026-02-01T10:00:00Z\"");
      out += date_json(*time);
    } else if (name == "$symbol" || name == "$code") {
      out += token(value);
    } else if (name.starts_with("$number")) {
      return number(name, value, inside, out);
    } else {
      return no_text(name, value, out);
    }
    return {};
  }

  Status number(std::string_view name, TextSpan value, const std::string& inside,
                std::string& out) {
    if (name == "$numberInt" || name == "$numberLong") {
      const auto integer = is_number(inside) ? integer_of(inside) : std::nullopt;
      const bool fits =
          integer && (name == "$numberLong" || (*integer >= INT32_MIN && *integer <= INT32_MAX));
      if (!fits) {
        return wrong(value, fmt::format("\"{}\": expected an integer of {} bits in quotes", name,
                                        name == "$numberInt" ? 32 : 64));
      }
      out += inside;
    } else if (inside == "Infinity" || inside == "-Infinity" || inside == "NaN" ||
               (name == "$numberDecimal" && is_beyond_doubles(inside))) {
      out += quoted(inside);
    } else if (is_number(inside)) {
      out += inside;
    } else {
      return wrong(value, fmt::format("\"{}\": expected a number in quotes", name));
    }
    return {};
  }

  // {"base64": "...", "subType": "04"}
  Status binary_object(TextSpan value, std::string& out) {
    const std::vector<TextMember> members = members_of(text_, value.begin);
    if (members.size() == 2) {
      const bool first = members[0].name == "base64";
      const TextMember& text = members[first ? 0 : 1];
      const TextMember& type = members[first ? 1 : 0];
      if (text.name == "base64" && type.name == "subType") return binary(text.value, &type, out);
    }
    return wrong(value, "\"$binary\": expected \"base64\" and \"subType\"");
  }

  Status binary(TextSpan value, const TextMember* type, std::string& out) {
    if (!is_string(value)) return wrong(value, "\"$binary\": expected base64 text");
    if (type == nullptr) return wrong(value, "\"$binary\": expected \"base64\" and \"subType\"");
    const std::string digits =
        is_string(type->value) ? string_value(token(type->value)) : std::string();
    if (digits.empty() || digits.size() > 2 || !std::ranges::all_of(digits, is_hex)) {
      return wrong(type->value, "the subtype of \"$binary\": expected two hexadecimal digits");
    }
    const auto bytes = base64_bytes(string_value(token(value)));
    if (!bytes) return wrong(value, "\"$binary\": expected base64 text");
    const bool uuid = (digits == "04" || digits == "4") && bytes->size() == kUuidBytes;
    out += uuid ? quoted(uuid_text(*bytes)) : std::string(token(value));
    return {};
  }

  // Wrappers of something else than a string, and whatever is wrong.
  Status no_text(std::string_view name, TextSpan value, std::string& out) {
    if (name == "$date") return date(value, out);
    if (name == "$minKey" || name == "$maxKey") {
      if (token(value) != "1") return wrong(value, fmt::format("\"{}\": expected 1", name));
      out += name == "$minKey" ? "\"MinKey\"" : "\"MaxKey\"";
    } else if (name == "$undefined") {
      if (token(value) != "true") return wrong(value, "\"$undefined\": expected true");
      out += "null";
    } else if (name == "$timestamp") {
      return inner(value, "\"$timestamp\": expected {\"t\": seconds, \"i\": count}", "t", "i", out);
    } else if (name == "$regularExpression") {
      return inner(value, "\"$regularExpression\": expected \"pattern\" and \"options\"", "pattern",
                   "options", out);
    } else if (name == "$dbPointer") {
      return inner(value, "\"$dbPointer\": expected \"$ref\" and \"$id\"", "$ref", "$id", out);
    } else if (name == "$oid") {
      return wrong(value, "\"$oid\": expected 24 hexadecimal digits in quotes");
    } else if (name.starts_with("$number")) {
      return wrong(value, fmt::format("\"{}\": expected a number in quotes", name));
    } else {
      return wrong(value, fmt::format("\"{}\": expected a string", name));
    }
    return {};
  }

  Status date(TextSpan value, std::string& out) {
    std::optional<int64_t> milliseconds;
    if (is_object(value)) {
      const std::vector<TextMember> members = members_of(text_, value.begin);
      if (members.size() == 1 && members[0].name == "$numberLong" && is_string(members[0].value)) {
        milliseconds = integer_of(string_value(token(members[0].value)));
      }
    } else {
      milliseconds = integer_of(token(value));
    }
    if (!milliseconds) {
      return wrong(value, "\"$date\": expected a date in quotes or {\"$numberLong\": \"...\"}");
    }
    out += date_json(*milliseconds);
    return {};
  }

  // The object inside, which must have these two members and no other; `t` and `i` are numbers,
  // `$id` anything, the others strings.
  Status inner(TextSpan value, std::string_view what, std::string_view first,
               std::string_view second, std::string& out) {
    if (!is_object(value)) return wrong(value, what);
    const std::vector<TextMember> members = members_of(text_, value.begin);
    bool right = members.size() == 2 && members[0].name != members[1].name;
    for (const TextMember& member : members) {
      if (member.name != first && member.name != second) right = false;
      const std::string_view inside = token(member.value);
      if (first == "t") {
        right = right && integer_of(inside).value_or(-1) >= 0;
      } else if (member.name != "$id") {
        right = right && is_string(member.value);
      }
    }
    if (!right) return wrong(value, what);
    return convert_members(value, out);
  }

  // As convert(), but the object itself is known to be no wrapper.
  Status convert_members(TextSpan value, std::string& out) {
    out += '{';
    return convert({value.begin + 1, value.end}, out);
  }

  std::string_view text_;
};

bool may_have_wrappers(std::string_view document) {
  return document.find('$') != std::string_view::npos ||
         document.find("\\u0024") != std::string_view::npos;
}

}  // namespace

Result<std::string> plain_json(std::string_view document) {
  if (!may_have_wrappers(document)) return std::string(document);
  std::string out;
  out.reserve(document.size());
  RETURN_IF_ERROR(Converter(document).convert({0, document.size()}, out));
  return out;
}

std::optional<std::string> find_type_wrapper(std::string_view document) {
  if (!may_have_wrappers(document)) return std::nullopt;
  const std::optional<size_t> at = Converter(document).find_wrapper();
  if (!at) return std::nullopt;
  const std::string wrapper = "{" + quoted(members_of(document, *at)[0].name) + ": " + "...}";
  // The name before it, unless it is an element of an array.
  size_t before = *at;
  const auto step_back = [&] {
    while (before > 0 && skip_blanks(document, before - 1) > before - 1) --before;
  };
  step_back();
  if (before == 0 || document[before - 1] != ':') return wrapper;
  --before;
  step_back();
  size_t quote = before == 0 ? std::string_view::npos : document.rfind('"', before - 2);
  if (quote == std::string_view::npos || (quote > 0 && document[quote - 1] == '\\')) return wrapper;
  return std::string(document.substr(quote, before - quote)) + ": " + wrapper;
}

}  // namespace wherestar::tools
