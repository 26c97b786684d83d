// Formats of strings: what JSON Schema's `format` names, decided without allocation or regex.
#include <algorithm>

#include "schema_stats/schema_stats.h"

namespace wherestar::schema_stats {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit);
}

// The number of two digits at `at`; -1 if there is none.
int two_digits(std::string_view text, size_t at) {
  if (text.size() < at + 2 || !is_digit(text[at]) || !is_digit(text[at + 1])) return -1;
  return (text[at] - '0') * 10 + (text[at + 1] - '0');
}

bool is_date(std::string_view text) {  // RFC 3339 full-date
  if (text.size() != 10 || text[4] != '-' || text[7] != '-' || !all_digits(text.substr(0, 4)))
    return false;
  const int year = two_digits(text, 0) * 100 + two_digits(text, 2);
  const int month = two_digits(text, 5);
  const int day = two_digits(text, 8);
  if (month < 1 || month > 12 || day < 1) return false;
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

bool is_time(std::string_view text) {  // RFC 3339 full-time, with its offset; no leap seconds
  if (text.size() < 9 || text[2] != ':' || text[5] != ':') return false;
  const int hour = two_digits(text, 0), minute = two_digits(text, 3), second = two_digits(text, 6);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59) return false;
  size_t at = 8;
  if (text[at] == '.') {
    const size_t fraction = ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at == fraction) return false;
  }
  if (at == text.size()) return false;
  if (text[at] == 'Z' || text[at] == 'z') return at + 1 == text.size();
  if ((text[at] != '+' && text[at] != '-') || text.size() != at + 6 || text[at + 3] != ':')
    return false;
  const int offset_hour = two_digits(text, at + 1), offset_minute = two_digits(text, at + 4);
  return offset_hour >= 0 && offset_hour <= 23 && offset_minute >= 0 && offset_minute <= 59;
}

bool is_date_time(std::string_view text) {
  return text.size() > 11 && (text[10] == 'T' || text[10] == 't') && is_date(text.substr(0, 10)) &&
         is_time(text.substr(11));
}

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

bool is_host_name(std::string_view text) {  // labels of letters, digits and inner dashes
  if (text.empty() || text.size() > 253) return false;
  size_t label = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || text[i] == '.') {
      if (label == 0 || label > 63 || text[i - 1] == '-') return false;
      label = 0;
    } else if (is_letter(text[i]) || is_digit(text[i]) || (text[i] == '-' && label > 0)) {
      ++label;
    } else {
      return false;
    }
  }
  return true;
}

bool is_email(std::string_view text) {  // RFC 5321 with a dot-atom in front of the @
  const size_t at = text.find('@');
  if (at == text.npos || at == 0 || at > 64) return false;
  const std::string_view local = text.substr(0, at);
  constexpr std::string_view kAtomMarks = "!#$%&'*+-/=?^_`{|}~";
  for (size_t i = 0; i < local.size(); ++i) {
    const char c = local[i];
    if (c == '.') {
      if (i == 0 || i + 1 == local.size() || local[i - 1] == '.') return false;
    } else if (!is_letter(c) && !is_digit(c) && kAtomMarks.find(c) == kAtomMarks.npos) {
      return false;
    }
  }
  const std::string_view domain = text.substr(at + 1);
  return domain.find('.') != domain.npos && is_host_name(domain);
}

bool is_uri(std::string_view text) {  // RFC 3986, only with an authority: "note: x" is no URI
  const size_t colon = text.find(':');
  if (colon == text.npos || colon == 0 || !is_letter(text[0])) return false;
  for (const char c : text.substr(0, colon))
    if (!is_letter(c) && !is_digit(c) && c != '+' && c != '-' && c != '.') return false;
  const std::string_view rest = text.substr(colon + 1);
  if (!rest.starts_with("//") || rest.size() == 2) return false;
  constexpr std::string_view kMarks = "-._~:/?#[]@!$&'()*+,;=%";
  for (size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (!is_letter(c) && !is_digit(c) && kMarks.find(c) == kMarks.npos) return false;
    if (c == '%' && (i + 2 >= rest.size() || !is_hex(rest[i + 1]) || !is_hex(rest[i + 2])))
      return false;
  }
  return true;
}

bool is_ipv4(std::string_view text) {
  if (text.size() < 7 || text.size() > 15) return false;
  int parts = 0;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('.', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    if (part.size() > 3 || !all_digits(part) || (part.size() > 1 && part[0] == '0')) return false;
    int value = 0;
    for (const char c : part) value = value * 10 + (c - '0');
    if (value > 255) return false;
    ++parts;
    begin = end + 1;
  }
  return parts == 4;
}

bool is_ipv6(std::string_view text) {  // RFC 4291, 2.2, all three forms
  if (text.size() < 2 || text.size() > 45) return false;
  size_t groups = 0;
  bool gap = false;
  size_t at = 0;
  if (text.starts_with("::")) {
    gap = true;
    at = 2;
  }
  while (at < text.size()) {
    const size_t end = std::min(text.find(':', at), text.size());
    const std::string_view group = text.substr(at, end - at);
    if (end == text.size() && group.find('.') != group.npos) {
      if (!is_ipv4(group)) return false;
      groups += 2;
      at = end;
      break;
    }
    if (group.empty() || group.size() > 4 || !std::all_of(group.begin(), group.end(), is_hex))
      return false;
    ++groups;
    at = end;
    if (at == text.size()) break;
    ++at;  // the colon
    if (at == text.size()) return false;
    if (text[at] == ':') {
      if (gap) return false;
      gap = true;
      ++at;
    }
  }
  return gap ? groups <= 7 : groups == 8;
}

bool is_integer_text(std::string_view text) {  // as JSON writes one; more than 64 bits is no number
  if (text.starts_with('-')) text.remove_prefix(1);
  return all_digits(text) && text.size() <= 20 && (text.size() == 1 || text[0] != '0');
}

}  // namespace

std::string_view format_name(Format format) {
  switch (format) {
    case Format::kDate:
      return "date";
    case Format::kDateTime:
      return "date-time";
    case Format::kTime:
      return "time";
    case Format::kUuid:
      return "uuid";
    case Format::kEmail:
      return "email";
    case Format::kUri:
      return "uri";
    case Format::kIpv4:
      return "ipv4";
    case Format::kIpv6:
      return "ipv6";
    case Format::kIntegerText:
      return "integer-in-string";
  }
  return "";
}

std::optional<Format> detect_format(std::string_view text) {
  constexpr size_t kLongestFormatBytes = 2048;  // a longer URI is not worth the look
  if (text.empty() || text.size() > kLongestFormatBytes) return std::nullopt;
  const char first = text[0];
  if (is_digit(first) || first == '-') {
    if (is_integer_text(text)) return Format::kIntegerText;
    if (is_date(text)) return Format::kDate;
    if (is_date_time(text)) return Format::kDateTime;
    if (is_time(text)) return Format::kTime;
    if (is_ipv4(text)) return Format::kIpv4;
  }
  if (is_hex(first) && is_uuid(text)) return Format::kUuid;
  if ((is_hex(first) || first == ':') && is_ipv6(text)) return Format::kIpv6;
  if (is_uri(text)) return Format::kUri;
  if (is_email(text)) return Format::kEmail;
  return std::nullopt;
}

}  // namespace wherestar::schema_stats
