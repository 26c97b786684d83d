// Dates and times: civil time without zones; NOW() is UTC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "server/evaluator.h"

namespace wherestar::server {

struct Moment {
  int64_t days = 0;  // since 1970-01-01
  int64_t us = 0;    // of the day
  bool has_time = false;
  bool has_fraction = false;

  static std::optional<Moment> parse(std::string_view text);  // date, or date and time
  static Moment from_unix_us(int64_t us);
  int64_t unix_us() const { return days * 86'400'000'000 + us; }
  struct Civil {
    int64_t year = 0;
    int month = 1;
    int day = 1;
  };
  Civil civil() const;
  static std::optional<Moment> from_civil(int64_t year, int month, int day);
  std::string date_text() const;
  std::string time_text() const;
  std::string text() const;  // date and time
};

std::optional<int64_t> parse_time_us(std::string_view text);  // "[-]hh:mm:ss[.f]"
std::string time_text(int64_t us);
// value + sign * interval; `unit` upper case. NULL with a warning for what is no date.
Result<SqlValue> date_add(const SqlValue& value, const SqlValue& interval, std::string_view unit,
                          int sign, EvaluationContext& context);

}  // namespace wherestar::server
