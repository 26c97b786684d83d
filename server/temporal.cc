#include "server/temporal.h"

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <vector>

#include <fmt/format.h>

#include "server/conversion.h"

namespace wherestar::server {
namespace {

constexpr int64_t kSecondUs = 1'000'000;
constexpr int64_t kDayUs = 86'400 * kSecondUs;
constexpr int64_t kFirstDay = -719'528;  // 0000-01-01
constexpr int64_t kLastDay = 2'932'896;  // 9999-12-31
constexpr int64_t kMaxTimeUs = ((838 * 60 + 59) * 60 + 59) * kSecondUs;

// Reads digits, at most `most`; nullopt if there are none.
std::optional<int> digits(std::string_view& text, size_t most) {
  size_t n = 0;
  int value = 0;
  while (n < most && n < text.size() && text[n] >= '0' && text[n] <= '9')
    value = value * 10 + (text[n++] - '0');
  if (n == 0) return std::nullopt;
  text.remove_prefix(n);
  return value;
}

bool skip(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// ".123456" as microseconds.
int64_t fraction(std::string_view& text, bool& has) {
  if (!skip(text, ".")) return 0;
  int64_t us = 0;
  int64_t unit = 100'000;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    us += (text.front() - '0') * unit;
    unit /= 10;
    text.remove_prefix(1);
  }
  has = us != 0;
  return us;
}

}  // namespace

std::optional<Moment> Moment::from_civil(int64_t year, int month, int day) {
  using namespace std::chrono;
  if (year < 0 || year > 9999) return std::nullopt;
  const year_month_day date{std::chrono::year(static_cast<int>(year)),
                            std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  Moment out;
  out.days = sys_days(date).time_since_epoch().count();
  return out;
}

std::optional<Moment> Moment::parse(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const auto year = digits(text, 4);
  if (!year || !skip(text, "-/.")) return std::nullopt;
  const auto month = digits(text, 2);
  if (!month || !skip(text, "-/.")) return std::nullopt;
  const auto day = digits(text, 2);
  if (!day) return std::nullopt;
  auto out = from_civil(*year, *month, *day);
  if (!out || text.empty()) return out;
  if (!skip(text, " T")) return std::nullopt;
  out->has_time = true;
  const auto hour = digits(text, 2);
  int minute = 0;
  int second = 0;
  if (!hour) return std::nullopt;
  if (skip(text, ":")) {
    const auto m = digits(text, 2);
    if (!m) return std::nullopt;
    minute = *m;
    if (skip(text, ":")) {
      const auto s = digits(text, 2);
      if (!s) return std::nullopt;
      second = *s;
    }
  }
  const int64_t us = fraction(text, out->has_fraction);
  skip(text, "Z");
  if (!text.empty() || *hour > 23 || minute > 59 || second > 59) return std::nullopt;
  out->us = ((*hour * 60LL + minute) * 60 + second) * kSecondUs + us;
  return out;
}

Moment Moment::from_unix_us(int64_t us) {
  Moment out;
  out.days = us / kDayUs;
  out.us = us % kDayUs;
  if (out.us < 0) {
    out.us += kDayUs;
    --out.days;
  }
  out.has_time = true;
  out.has_fraction = out.us % kSecondUs != 0;
  return out;
}

Moment::Civil Moment::civil() const {
  using namespace std::chrono;
  const year_month_day date{sys_days(std::chrono::days(days))};
  return {static_cast<int>(date.year()), static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day()))};
}

std::string Moment::date_text() const {
  const Civil c = civil();
  return fmt::format("{:04}-{:02}-{:02}", c.year, c.month, c.day);
}

std::string Moment::time_text() const {
  return server::time_text(us);
}
std::string Moment::text() const {
  return date_text() + " " + time_text();
}

std::string time_text(int64_t us) {
  const bool negative = us < 0;
  us = std::abs(us);
  const int64_t seconds = us / kSecondUs;
  std::string out = fmt::format("{}{:02}:{:02}:{:02}", negative ? "-" : "", seconds / 3600,
                                seconds / 60 % 60, seconds % 60);
  if (us % kSecondUs != 0) out += fmt::format(".{:06}", us % kSecondUs);
  return out;
}

std::optional<int64_t> parse_time_us(std::string_view text) {
  const bool negative = skip(text, "-");
  const auto hours = digits(text, 3);
  if (!hours || !skip(text, ":")) return std::nullopt;
  const auto minutes = digits(text, 2);
  if (!minutes) return std::nullopt;
  int seconds = 0;
  if (skip(text, ":")) {
    const auto s = digits(text, 2);
    if (!s) return std::nullopt;
    seconds = *s;
  }
  bool has = false;
  const int64_t part = fraction(text, has);
  if (!text.empty() || *minutes > 59 || seconds > 59) return std::nullopt;
  const int64_t us = ((*hours * 60LL + *minutes) * 60 + seconds) * kSecondUs + part;
  if (us > kMaxTimeUs) return std::nullopt;
  return negative ? -us : us;
}

namespace {

struct Interval {
  int64_t months = 0;
  int64_t us = 0;
  bool has_time = false;
};

// The numbers of a compound interval, "1:30" or "1-6".
std::vector<int64_t> numbers(std::string_view text) {
  std::vector<int64_t> out;
  const bool negative = text.starts_with('-');
  for (size_t i = 0; i < text.size();) {
    if (text[i] < '0' || text[i] > '9') {
      ++i;
      continue;
    }
    std::string_view rest = text.substr(i);
    const auto value = digits(rest, 9);
    out.push_back(negative ? -*value : *value);
    i = text.size() - rest.size();
  }
  return out;
}

std::optional<Interval> simple_interval(std::string_view unit, double amount) {
  Interval out;
  const double whole = std::round(amount);
  if (!(std::fabs(amount) < 1e12)) return std::nullopt;
  const auto n = static_cast<int64_t>(whole);
  if (unit == "YEAR") {
    out.months = n * 12;
  } else if (unit == "QUARTER") {
    out.months = n * 3;
  } else if (unit == "MONTH") {
    out.months = n;
  } else if (unit == "WEEK" || unit == "DAY") {
    const int64_t days = unit == "WEEK" ? n * 7 : n;
    if (std::abs(days) > 4'000'000) return std::nullopt;
    out.us = days * kDayUs;
  } else {
    out.has_time = true;
    int64_t scale = 0;
    if (unit == "HOUR") scale = 3600 * kSecondUs;
    if (unit == "MINUTE") scale = 60 * kSecondUs;
    if (unit == "SECOND") {
      out.us = static_cast<int64_t>(std::llround(amount * 1e6));
      return out;
    }
    if (unit == "MICROSECOND") scale = 1;
    if (scale == 0 || std::abs(n) > INT64_MAX / 4 / scale) return std::nullopt;
    out.us = n * scale;
  }
  return out;
}

// DAY_HOUR, MINUTE_SECOND, YEAR_MONTH, ...: the last numbers of the list belong to the last units.
std::optional<Interval> compound_interval(std::string_view unit, std::string_view text) {
  static constexpr std::string_view kUnits[] = {"DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND"};
  const size_t bar = unit.find('_');
  const std::string_view first = unit.substr(0, bar);
  const std::string_view last = unit.substr(bar + 1);
  const std::vector<int64_t> parts = numbers(text);
  Interval out;
  if (first == "YEAR") {
    if (parts.size() > 2 || parts.empty()) return std::nullopt;
    out.months = parts.back() + (parts.size() == 2 ? parts[0] * 12 : 0);
    return out;
  }
  const auto begin = std::find(std::begin(kUnits), std::end(kUnits), first);
  const auto end = std::find(std::begin(kUnits), std::end(kUnits), last);
  if (begin >= end || end == std::end(kUnits)) return std::nullopt;
  if (parts.empty() || parts.size() > static_cast<size_t>(end - begin) + 1) return std::nullopt;
  auto at = end;
  for (size_t i = parts.size(); i-- > 0; --at) {
    const auto one = simple_interval(*at, static_cast<double>(parts[i]));
    if (!one) return std::nullopt;
    out.us += one->us;
  }
  out.has_time = true;
  return out;
}

Moment add_months(const Moment& moment, int64_t months, bool& out_of_range) {
  Moment::Civil civil = moment.civil();
  const int64_t index = civil.year * 12 + civil.month - 1 + months;
  const int64_t year = index / 12;
  const int month = static_cast<int>(index % 12) + 1;
  for (int day = civil.day; index >= 0 && day > 0; --day) {
    if (auto found = Moment::from_civil(year, month, day)) {
      found->us = moment.us;
      found->has_time = moment.has_time;
      found->has_fraction = moment.has_fraction;
      return *found;
    }
    if (day < 28) break;
  }
  out_of_range = true;
  return moment;
}

}  // namespace

Result<SqlValue> date_add(const SqlValue& value, const SqlValue& interval, std::string_view unit,
                          int sign, EvaluationContext& context) {
  if (value.is_null() || interval.is_null()) return SqlValue::null();
  const std::string text = to_text(value);
  const auto moment = Moment::parse(text);
  if (!moment) {
    RETURN_IF_ERROR(warn(context, 1292, "Incorrect datetime value: '" + text.substr(0, 64) + "'"));
    return SqlValue::null();
  }
  std::optional<Interval> amount;
  if (unit.find('_') != std::string_view::npos) {
    amount = compound_interval(unit, to_text(interval));
  } else {
    ASSIGN_OR_RETURN(const auto number, to_real(interval, context));
    amount = simple_interval(unit, *number);
  }
  bool out_of_range = !amount;
  Moment out = *moment;
  if (amount) {
    out = add_months(*moment, sign * amount->months, out_of_range);
    const bool with_time = out.has_time || amount->has_time;
    const int64_t us = out.unix_us() + sign * amount->us;
    out = Moment::from_unix_us(us);
    out.has_time = with_time;
    if (out.days < kFirstDay || out.days > kLastDay) out_of_range = true;
  }
  if (out_of_range) {
    RETURN_IF_ERROR(warn(context, 1441, "Datetime function: datetime field overflow"));
    return SqlValue::null();
  }
  std::string result = out.has_time ? out.text() : out.date_text();
  if (!is_temporal(value)) return SqlValue::text(std::move(result));
  return SqlValue::temporal(out.has_time ? SqlType::kDateTime : SqlType::kDate, std::move(result));
}

}  // namespace wherestar::server
