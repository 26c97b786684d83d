#include "index/folding.h"

#include <algorithm>
#include <map>

namespace wherestar::index {
namespace {

constexpr size_t kSignatureNameBytes = 64;  // more of a name does not tell more

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_uuid(std::string_view name) {
  if (name.size() != 36) return false;
  for (size_t i = 0; i < name.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? name[i] != '-' : !is_hex(name[i])) return false;
  }
  return true;
}

// A run of digits and letters: 9 digits, a letters (with length), b letters then digits, x mixed
// (with length).
void append_token(std::string& signature, std::string_view token) {
  size_t turns = 0;
  for (size_t i = 1; i < token.size(); ++i)
    turns += is_digit(token[i]) != is_digit(token[i - 1]) ? 1 : 0;
  if (turns == 0 && is_digit(token[0])) {
    signature += '9';
  } else if (turns == 0) {
    signature += 'a' + std::to_string(token.size());
  } else if (turns == 1 && is_letter(token[0])) {
    signature += 'b';
  } else {
    signature += 'x' + std::to_string(token.size());
  }
}

}  // namespace

std::string name_signature(std::string_view name) {
  if (is_uuid(name)) return "U";
  if (name.size() >= 16 && std::all_of(name.begin(), name.end(), is_hex) &&
      std::any_of(name.begin(), name.end(), is_digit))
    return "H" + std::to_string(name.size());
  name = name.substr(0, kSignatureNameBytes);
  std::string signature;
  for (size_t i = 0; i < name.size();) {
    size_t end = i;
    while (end < name.size() && (is_digit(name[end]) || is_letter(name[end]))) ++end;
    if (end > i) {
      append_token(signature, name.substr(i, end - i));
      i = end;
    } else {
      signature += name[i++];
    }
  }
  return signature;
}

std::optional<std::string> common_signature(std::span<const std::string_view> names) {
  std::map<std::string, size_t> counts;
  for (const std::string_view name : names) ++counts[name_signature(name)];
  for (const auto& [signature, count] : counts)
    if (count * 10 >= names.size() * 9) return signature;
  return std::nullopt;
}

}  // namespace wherestar::index
