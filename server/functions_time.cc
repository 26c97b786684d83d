#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "server/conversion.h"
#include "server/functions.h"
#include "server/temporal.h"

namespace wherestar::server {
namespace {

constexpr int64_t kSecondUs = 1'000'000;
constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kDays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                   "Friday", "Saturday", "Sunday"};

Moment now(const Call& call) {
  Moment moment = Moment::from_unix_us(call.context.now_unix_us);
  moment.us -= moment.us % kSecondUs;
  return moment;
}

SqlValue datetime(const Moment& moment) {
  return SqlValue::temporal(SqlType::kDateTime, moment.text());
}

Result<SqlValue> call_now(const Call& call) {
  return datetime(now(call));
}
Result<SqlValue> call_curdate(const Call& call) {
  return SqlValue::temporal(SqlType::kDate, now(call).date_text());
}
Result<SqlValue> call_curtime(const Call& call) {
  return SqlValue::temporal(SqlType::kTime, now(call).time_text());
}

// The moment of the argument; NULL for what is none, with a warning.
Result<std::optional<Moment>> moment_of(const Call& call, size_t i = 0) {
  if (call[i].is_null()) return std::nullopt;
  const std::string text = to_text(call[i]);
  auto moment = Moment::parse(text);
  if (!moment)
    RETURN_IF_ERROR(
        warn(call.context, 1292, "Incorrect datetime value: '" + text.substr(0, 64) + "'"));
  return moment;
}

int weekday(const Moment& moment) {  // 0 Monday
  return static_cast<int>(((moment.days + 3) % 7 + 7) % 7);
}

int64_t day_of_year(const Moment& moment) {
  return moment.days - Moment::from_civil(moment.civil().year, 1, 1)->days + 1;
}

template <int64_t (*part)(const Moment&)>
Result<SqlValue> part_of(const Call& call) {
  ASSIGN_OR_RETURN(const auto moment, moment_of(call));
  return moment ? SqlValue::signed_integer(part(*moment)) : SqlValue::null();
}
int64_t year(const Moment& m) {
  return m.civil().year;
}
int64_t quarter(const Moment& m) {
  return (m.civil().month + 2) / 3;
}
int64_t month(const Moment& m) {
  return m.civil().month;
}
int64_t day(const Moment& m) {
  return m.civil().day;
}
int64_t day_of_week(const Moment& m) {
  return (weekday(m) + 1) % 7 + 1;
}
int64_t weekday_index(const Moment& m) {
  return weekday(m);
}
// Mode 0: weeks begin on Sunday, the first one that is whole is week 1.
int64_t week(const Moment& m) {
  return (day_of_year(m) + 6 - (weekday(m) + 1) % 7) / 7;
}
int64_t to_days(const Moment& m) {
  return m.days + 719'528;
}

// HOUR, MINUTE, SECOND also take a time.
Result<SqlValue> clock(const Call& call, int64_t unit_us, int64_t modulus) {
  if (call[0].is_null()) return SqlValue::null();
  const std::string text = to_text(call[0]);
  std::optional<int64_t> us = parse_time_us(text);
  if (!us)
    if (const auto moment = Moment::parse(text)) us = moment->us;
  if (!us) {
    RETURN_IF_ERROR(warn(call.context, 1292, "Incorrect time value: '" + text.substr(0, 64) + "'"));
    return SqlValue::null();
  }
  return SqlValue::signed_integer(std::abs(*us) / unit_us % modulus);
}
Result<SqlValue> call_hour(const Call& call) {
  return clock(call, 3600 * kSecondUs, 1000);
}
Result<SqlValue> call_minute(const Call& call) {
  return clock(call, 60 * kSecondUs, 60);
}
Result<SqlValue> call_second(const Call& call) {
  return clock(call, kSecondUs, 60);
}
Result<SqlValue> call_microsecond(const Call& call) {
  return clock(call, 1, kSecondUs);
}

Result<SqlValue> call_date(const Call& call) {
  ASSIGN_OR_RETURN(const auto moment, moment_of(call));
  return moment ? SqlValue::temporal(SqlType::kDate, moment->date_text()) : SqlValue::null();
}

Result<SqlValue> call_time(const Call& call) {
  if (call[0].is_null()) return SqlValue::null();
  const std::string text = to_text(call[0]);
  if (const auto us = parse_time_us(text))
    return SqlValue::temporal(SqlType::kTime, time_text(*us));
  ASSIGN_OR_RETURN(const auto moment, moment_of(call));
  return moment ? SqlValue::temporal(SqlType::kTime, moment->time_text()) : SqlValue::null();
}

Result<SqlValue> call_last_day(const Call& call) {
  ASSIGN_OR_RETURN(const auto moment, moment_of(call));
  if (!moment) return SqlValue::null();
  const auto civil = moment->civil();
  for (int last = 31; last > 27; --last)
    if (const auto found = Moment::from_civil(civil.year, civil.month, last))
      return SqlValue::temporal(SqlType::kDate, found->date_text());
  return SqlValue::null();
}

Result<SqlValue> call_datediff(const Call& call) {
  ASSIGN_OR_RETURN(const auto a, moment_of(call, 0));
  ASSIGN_OR_RETURN(const auto b, moment_of(call, 1));
  return a && b ? SqlValue::signed_integer(a->days - b->days) : SqlValue::null();
}

// Whole days and times as one length.
Result<std::optional<int64_t>> length_us(const Call& call, size_t i) {
  if (call[i].is_null()) return std::nullopt;
  const std::string text = to_text(call[i]);
  if (const auto us = parse_time_us(text)) return us;
  ASSIGN_OR_RETURN(const auto moment, moment_of(call, i));
  return moment ? std::optional(moment->unix_us()) : std::nullopt;
}

Result<SqlValue> time_of(const Call& call, int64_t us) {
  constexpr int64_t kMostUs = ((838 * 60 + 59) * 60 + 59) * kSecondUs;
  if (std::abs(us) > kMostUs) {
    RETURN_IF_ERROR(warn(call.context, 1292, "Truncated incorrect time value"));
    us = us < 0 ? -kMostUs : kMostUs;
  }
  return SqlValue::temporal(SqlType::kTime, time_text(us));
}

Result<SqlValue> call_timediff(const Call& call) {
  ASSIGN_OR_RETURN(const auto a, length_us(call, 0));
  ASSIGN_OR_RETURN(const auto b, length_us(call, 1));
  return a && b ? time_of(call, *a - *b) : SqlValue::null();
}

Result<SqlValue> call_time_to_sec(const Call& call) {
  if (call[0].is_null()) return SqlValue::null();
  const std::string text = to_text(call[0]);
  std::optional<int64_t> us = parse_time_us(text);
  if (!us) {
    ASSIGN_OR_RETURN(const auto moment, moment_of(call));
    if (!moment) return SqlValue::null();
    us = moment->us;
  }
  return SqlValue::signed_integer(*us / kSecondUs);
}

Result<SqlValue> call_sec_to_time(const Call& call) {
  ASSIGN_OR_RETURN(const auto seconds, to_real(call[0], call.context));
  if (!seconds) return SqlValue::null();
  return time_of(call, static_cast<int64_t>(std::clamp(*seconds, -1e10, 1e10) * 1e6));
}

Result<SqlValue> call_from_days(const Call& call) {
  ASSIGN_OR_RETURN(const auto days, to_integer(call[0], call.context));
  if (!days || *days < 0 || *days > 3'652'424) return SqlValue::null();
  Moment moment;
  moment.days = *days - 719'528;
  return SqlValue::temporal(SqlType::kDate, moment.date_text());
}

Result<SqlValue> call_makedate(const Call& call) {
  ASSIGN_OR_RETURN(const auto year_number, to_integer(call[0], call.context));
  ASSIGN_OR_RETURN(const auto day_number, to_integer(call[1], call.context));
  if (!year_number || !day_number || *day_number < 1 || *day_number > 4'000'000)
    return SqlValue::null();
  auto moment = Moment::from_civil(*year_number, 1, 1);
  if (!moment) return SqlValue::null();
  moment->days += *day_number - 1;
  if (moment->days > 2'932'896) return SqlValue::null();
  return SqlValue::temporal(SqlType::kDate, moment->date_text());
}

Result<SqlValue> call_monthname(const Call& call) {
  ASSIGN_OR_RETURN(const auto moment, moment_of(call));
  if (!moment) return SqlValue::null();
  return SqlValue::text(std::string(kMonths[static_cast<size_t>(moment->civil().month - 1)]));
}
Result<SqlValue> call_dayname(const Call& call) {
  ASSIGN_OR_RETURN(const auto moment, moment_of(call));
  if (!moment) return SqlValue::null();
  return SqlValue::text(std::string(kDays[static_cast<size_t>(weekday(*moment))]));
}

Result<SqlValue> call_unix_timestamp(const Call& call) {
  if (call.size() == 0) return SqlValue::signed_integer(call.context.now_unix_us / kSecondUs);
  ASSIGN_OR_RETURN(const auto moment, moment_of(call));
  if (!moment) return SqlValue::null();
  const int64_t us = std::max<int64_t>(0, moment->unix_us());
  if (!moment->has_fraction) return SqlValue::signed_integer(us / kSecondUs);
  return SqlValue::decimal(fmt::format("{}.{:06}", us / kSecondUs, us % kSecondUs));
}

std::string format_moment(const Moment& moment, std::string_view pattern) {
  const auto civil = moment.civil();
  const int64_t seconds = moment.us / kSecondUs;
  const int64_t hour = seconds / 3600;
  std::string out;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      out += pattern[i];
      continue;
    }
    switch (const char letter = pattern[++i]; letter) {
      case 'Y':
        out += fmt::format("{:04}", civil.year);
        break;
      case 'y':
        out += fmt::format("{:02}", civil.year % 100);
        break;
      case 'm':
        out += fmt::format("{:02}", civil.month);
        break;
      case 'c':
        out += std::to_string(civil.month);
        break;
      case 'M':
        out += kMonths[static_cast<size_t>(civil.month - 1)];
        break;
      case 'b':
        out += kMonths[static_cast<size_t>(civil.month - 1)].substr(0, 3);
        break;
      case 'd':
        out += fmt::format("{:02}", civil.day);
        break;
      case 'e':
        out += std::to_string(civil.day);
        break;
      case 'j':
        out += fmt::format("{:03}", day_of_year(moment));
        break;
      case 'W':
        out += kDays[static_cast<size_t>(weekday(moment))];
        break;
      case 'a':
        out += kDays[static_cast<size_t>(weekday(moment))].substr(0, 3);
        break;
      case 'w':
        out += std::to_string((weekday(moment) + 1) % 7);
        break;
      case 'H':
        out += fmt::format("{:02}", hour);
        break;
      case 'k':
        out += std::to_string(hour);
        break;
      case 'h':
      case 'I':
        out += fmt::format("{:02}", (hour + 11) % 12 + 1);
        break;
      case 'l':
        out += std::to_string((hour + 11) % 12 + 1);
        break;
      case 'i':
        out += fmt::format("{:02}", seconds / 60 % 60);
        break;
      case 's':
      case 'S':
        out += fmt::format("{:02}", seconds % 60);
        break;
      case 'f':
        out += fmt::format("{:06}", moment.us % kSecondUs);
        break;
      case 'p':
        out += hour < 12 ? "AM" : "PM";
        break;
      case 'T':
        out += fmt::format("{:02}:{:02}:{:02}", hour, seconds / 60 % 60, seconds % 60);
        break;
      default:
        out += letter;
    }
  }
  return out;
}

Result<SqlValue> formatted(const Moment& moment, const std::string& pattern) {
  RETURN_IF_ERROR(check_text_size(pattern.size() * 5));  // %W, two bytes, may give nine
  return SqlValue::text(format_moment(moment, pattern));
}

Result<SqlValue> call_date_format(const Call& call) {
  ASSIGN_OR_RETURN(const auto moment, moment_of(call));
  if (!moment || call[1].is_null()) return SqlValue::null();
  return formatted(*moment, to_text(call[1]));
}

Result<SqlValue> call_from_unixtime(const Call& call) {
  ASSIGN_OR_RETURN(const auto seconds, to_real(call[0], call.context));
  if (!seconds || *seconds < 0 || *seconds > 253'402'300'799.0) return SqlValue::null();
  const Moment moment = Moment::from_unix_us(static_cast<int64_t>(*seconds * 1e6));
  if (call.size() == 1) return datetime(moment);
  if (call[1].is_null()) return SqlValue::null();
  return formatted(moment, to_text(call[1]));
}

// Reads a number of at most `digits` digits.
bool read_number(std::string_view& text, size_t digits, int& value) {
  size_t n = 0;
  value = 0;
  while (n < digits && n < text.size() && text[n] >= '0' && text[n] <= '9')
    value = value * 10 + (text[n++] - '0');
  text.remove_prefix(n);
  return n > 0;
}

bool read_month(std::string_view& text, bool whole, int& value) {
  for (size_t i = 0; i < kMonths.size(); ++i) {
    const std::string_view name = whole ? kMonths[i] : kMonths[i].substr(0, 3);
    if (upper_case(text.substr(0, name.size())) != upper_case(name)) continue;
    text.remove_prefix(name.size());
    value = static_cast<int>(i) + 1;
    return true;
  }
  return false;
}

struct ReadDate {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  bool pm = false, has_pm = false, has_date = false, has_time = false;
};

bool read_field(char letter, std::string_view& text, ReadDate& date) {
  switch (letter) {
    case 'Y':
      date.has_date = true;
      return read_number(text, 4, date.year);
    case 'y':
      date.has_date = true;
      if (!read_number(text, 2, date.year)) return false;
      date.year += date.year < 70 ? 2000 : 1900;
      return true;
    case 'm':
    case 'c':
      date.has_date = true;
      return read_number(text, 2, date.month);
    case 'M':
      date.has_date = true;
      return read_month(text, true, date.month);
    case 'b':
      date.has_date = true;
      return read_month(text, false, date.month);
    case 'd':
    case 'e':
      date.has_date = true;
      return read_number(text, 2, date.day);
    case 'H':
    case 'k':
    case 'h':
    case 'I':
    case 'l':
      date.has_time = true;
      return read_number(text, 2, date.hour);
    case 'i':
      date.has_time = true;
      return read_number(text, 2, date.minute);
    case 's':
    case 'S':
      date.has_time = true;
      return read_number(text, 2, date.second);
    case 'T':
      date.has_time = true;
      if (!read_number(text, 2, date.hour) || !text.starts_with(':')) return false;
      text.remove_prefix(1);
      if (!read_number(text, 2, date.minute) || !text.starts_with(':')) return false;
      text.remove_prefix(1);
      return read_number(text, 2, date.second);
    case 'p':
      date.has_pm = true;
      date.pm = upper_case(text.substr(0, 2)) == "PM";
      text.remove_prefix(std::min<size_t>(2, text.size()));
      return true;
    default:
      return false;
  }
}

std::optional<ReadDate> read_date(std::string_view text, std::string_view pattern) {
  ReadDate date;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '%' && i + 1 < pattern.size()) {
      if (!read_field(pattern[++i], text, date)) return std::nullopt;
    } else if (pattern[i] == ' ') {
      while (text.starts_with(' ')) text.remove_prefix(1);
    } else {
      if (!text.starts_with(pattern[i])) return std::nullopt;
      text.remove_prefix(1);
    }
  }
  if (date.has_pm) date.hour = date.hour % 12 + (date.pm ? 12 : 0);
  if (date.hour > 23 || date.minute > 59 || date.second > 59) return std::nullopt;
  return date;
}

Result<SqlValue> call_str_to_date(const Call& call) {
  if (call.has_null()) return SqlValue::null();
  const std::string text = to_text(call[0]);
  const auto date = read_date(text, to_text(call[1]));
  if (date) {
    const int64_t us = ((date->hour * 60LL + date->minute) * 60 + date->second) * kSecondUs;
    if (!date->has_date) return SqlValue::temporal(SqlType::kTime, time_text(us));
    if (auto moment = Moment::from_civil(date->year, date->month, date->day)) {
      moment->us = us;
      return date->has_time ? datetime(*moment)
                            : SqlValue::temporal(SqlType::kDate, moment->date_text());
    }
  }
  RETURN_IF_ERROR(
      warn(call.context, 1292,
           "Incorrect datetime value: '" + text.substr(0, 64) + "' for function str_to_date"));
  return SqlValue::null();
}

constexpr auto kSigned = SqlType::kSigned;
constexpr auto kDateTime = SqlType::kDateTime;

constexpr Function kFunctions[] = {
    {"NOW", 0, 1, kDateTime, call_now},
    {"CURRENT_TIMESTAMP", 0, 1, kDateTime, call_now},
    {"LOCALTIME", 0, 1, kDateTime, call_now},
    {"LOCALTIMESTAMP", 0, 1, kDateTime, call_now},
    {"SYSDATE", 0, 1, kDateTime, call_now},
    {"UTC_TIMESTAMP", 0, 1, kDateTime, call_now},
    {"CURDATE", 0, 0, SqlType::kDate, call_curdate},
    {"CURRENT_DATE", 0, 0, SqlType::kDate, call_curdate},
    {"UTC_DATE", 0, 0, SqlType::kDate, call_curdate},
    {"CURTIME", 0, 1, SqlType::kTime, call_curtime},
    {"CURRENT_TIME", 0, 1, SqlType::kTime, call_curtime},
    {"UTC_TIME", 0, 1, SqlType::kTime, call_curtime},
    {"YEAR", 1, 1, kSigned, part_of<year>},
    {"QUARTER", 1, 1, kSigned, part_of<quarter>},
    {"MONTH", 1, 1, kSigned, part_of<month>},
    {"DAY", 1, 1, kSigned, part_of<day>},
    {"DAYOFMONTH", 1, 1, kSigned, part_of<day>},
    {"DAYOFWEEK", 1, 1, kSigned, part_of<day_of_week>},
    {"WEEKDAY", 1, 1, kSigned, part_of<weekday_index>},
    {"DAYOFYEAR", 1, 1, kSigned, part_of<day_of_year>},
    {"WEEK", 1, 1, kSigned, part_of<week>},
    {"TO_DAYS", 1, 1, kSigned, part_of<to_days>},
    {"HOUR", 1, 1, kSigned, call_hour},
    {"MINUTE", 1, 1, kSigned, call_minute},
    {"SECOND", 1, 1, kSigned, call_second},
    {"MICROSECOND", 1, 1, kSigned, call_microsecond},
    {"DATE", 1, 1, SqlType::kDate, call_date},
    {"TIME", 1, 1, SqlType::kTime, call_time},
    {"LAST_DAY", 1, 1, SqlType::kDate, call_last_day},
    {"TIMEDIFF", 2, 2, SqlType::kTime, call_timediff},
    {"TIME_TO_SEC", 1, 1, kSigned, call_time_to_sec},
    {"SEC_TO_TIME", 1, 1, SqlType::kTime, call_sec_to_time},
    {"FROM_DAYS", 1, 1, SqlType::kDate, call_from_days},
    {"MAKEDATE", 2, 2, SqlType::kDate, call_makedate},
    {"DATEDIFF", 2, 2, kSigned, call_datediff},
    {"MONTHNAME", 1, 1, SqlType::kText, call_monthname},
    {"DAYNAME", 1, 1, SqlType::kText, call_dayname},
    {"UNIX_TIMESTAMP", 0, 1, kSigned, call_unix_timestamp},
    {"FROM_UNIXTIME", 1, 2, kDateTime, call_from_unixtime},
    {"DATE_FORMAT", 2, 2, SqlType::kText, call_date_format},
    {"STR_TO_DATE", 2, 2, kDateTime, call_str_to_date},
};

}  // namespace

std::span<const Function> time_functions() {
  return kFunctions;
}

}  // namespace wherestar::server
