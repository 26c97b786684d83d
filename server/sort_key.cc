// Orders and groups: total over all types, so that sorting never depends on the data.
#include <algorithm>
#include <cmath>

#include "base/coding.h"
#include "server/conversion.h"

namespace wherestar::server {

using document::Json;
using document::JsonType;

namespace {

int rank(const SqlValue& value) {
  switch (value.type()) {
    case SqlType::kNull:
      return 0;
    case SqlType::kSigned:
    case SqlType::kUnsigned:
    case SqlType::kDouble:
    case SqlType::kDecimal:
      return 1;
    case SqlType::kJson:
      return 3;
    default:
      return 2;
  }
}

// Of a value that is no JSON and not NULL, without conversions that can fail.
Numeric number_of(const SqlValue& value) {
  switch (value.type()) {
    case SqlType::kSigned:
      return value.as_signed();
    case SqlType::kUnsigned:
      return value.as_unsigned();
    case SqlType::kDouble:
      return value.as_double();
    default:
      return Decimal::parse(value.string()).value_or(Decimal());
  }
}

// One text for equal numbers.
std::string number_key(const Numeric& number) {
  if (const auto* whole = std::get_if<int64_t>(&number)) return std::to_string(*whole);
  const auto decimal = worth(number);
  if (!decimal) return std::get<double>(number) < 0 ? "-inf" : "inf";
  std::string text = decimal->to_text();
  if (text.find('.') != std::string::npos) {
    while (text.ends_with('0')) text.pop_back();
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

void append_json_key(const Json& json, std::string& out) {
  switch (json.type()) {
    case JsonType::kNull:
      out += 'n';
      break;
    case JsonType::kBoolean:
      out += json.as_bool() ? 't' : 'f';
      break;
    case JsonType::kInteger:
    case JsonType::kDouble: {
      out += 'd';
      const document::Number number = json.as_number();
      if (!number.is_integer())
        put_bytes(out, double_text(number.as_double()));
      else
        put_bytes(out, number.fits_int64() ? std::to_string(number.as_int64())
                                           : std::to_string(number.as_uint64()));
      break;
    }
    case JsonType::kString:
      out += 's';
      put_bytes(out, json.as_string());
      break;
    case JsonType::kArray:
      out += 'a';
      put_varint(out, json.elements().size());
      for (const Json& element : json.elements()) append_json_key(element, out);
      break;
    case JsonType::kObject: {
      std::vector<const Json::Member*> members;
      for (const auto& member : json.members()) members.push_back(&member);
      std::ranges::sort(members, {}, [](const auto* member) { return member->first; });
      out += 'o';
      put_varint(out, members.size());
      for (const auto* member : members) {
        put_bytes(out, member->first);
        append_json_key(member->second, out);
      }
    }
  }
}

}  // namespace

std::weak_ordering compare_for_sort(const SqlValue& a, const SqlValue& b) {
  const int x = rank(a);
  const int y = rank(b);
  if (x != y) return x <=> y;
  switch (x) {
    case 0:
      return std::weak_ordering::equivalent;
    case 1:
      return compare_numeric(number_of(a), number_of(b));
    case 2:
      return a.string() <=> b.string();
    default:
      return a.as_json().compare(b.as_json());
  }
}

std::string group_key(std::span<const SqlValue> values) {
  std::string out;
  for (const SqlValue& value : values) {
    switch (rank(value)) {
      case 0:
        out += 'N';
        break;
      case 1:
        out += 'D';
        put_bytes(out, number_key(number_of(value)));
        break;
      case 2:
        out += 'S';
        put_bytes(out, value.string());
        break;
      default:
        out += 'J';
        append_json_key(value.as_json(), out);
    }
  }
  return out;
}

}  // namespace wherestar::server
