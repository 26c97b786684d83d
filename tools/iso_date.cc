#include "tools/iso_date.h"

#include <chrono>

#include <fmt/format.h>

namespace wherestar::tools {
namespace {

using Milliseconds = std::chrono::sys_time<std::chrono::milliseconds>;

// Takes `count` digits off the front.
std::optional<int> take_digits(std::string_view& text, size_t count) {
  if (text.size() < count) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// "Z", "+01:00", "-0800".
std::optional<std::chrono::minutes> take_zone(std::string_view& text) {
  if (take(text, 'Z')) return std::chrono::minutes(0);
  const bool west = text.starts_with('-');
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const auto hours = take_digits(text, 2);
  take(text, ':');
  const auto minutes = take_digits(text, 2);
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::chrono::minutes ahead(*hours * 60 + *minutes);
  return west ? -ahead : ahead;
}

}  // namespace

std::optional<int64_t> parse_iso_date(std::string_view text) {
  namespace chrono = std::chrono;
  const auto year = take_digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || !take(text, 'T')) return std::nullopt;
  const chrono::year_month_day date(chrono::year(*year),
                                    chrono::month(static_cast<unsigned>(*month)),
                                    chrono::day(static_cast<unsigned>(*day)));
  const auto hour = take_digits(text, 2);
  if (!date.ok() || !hour || !take(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  const auto second = take(text, ':') ? take_digits(text, 2) : std::optional<int>(0);
  if (!minute || !second || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  int milliseconds = 0;
  if (take(text, '.')) {
    int unit = 100;
    size_t digits = 0;
    for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; ++digits, unit /= 10) {
      milliseconds += unit * *take_digits(text, 1);
    }
    if (digits == 0) return std::nullopt;
  }
  const auto ahead = take_zone(text);
  if (!ahead || !text.empty()) return std::nullopt;
  const Milliseconds time = chrono::sys_days(date) + chrono::hours(*hour) +
                            chrono::minutes(*minute) - *ahead + chrono::seconds(*second) +
                            chrono::milliseconds(milliseconds);
  return time.time_since_epoch().count();
}

std::optional<std::string> iso_date_text(int64_t milliseconds) {
  namespace chrono = std::chrono;
  constexpr int64_t kFirst = -62'167'219'200'000;  // the beginning of the year 0
  constexpr int64_t kEnd = 253'402'300'800'000;    // of the year 10000
  if (milliseconds < kFirst || milliseconds >= kEnd) return std::nullopt;
  const Milliseconds time{chrono::milliseconds(milliseconds)};
  const auto days = chrono::floor<chrono::days>(time);
  const chrono::year_month_day date(days);
  const chrono::hh_mm_ss clock(time - days);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

}  // namespace wherestar::tools
