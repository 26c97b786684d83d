#include "server/decimal.h"

#include <algorithm>
#include <cstdlib>

namespace wherestar::server {
namespace {

Decimal::Units power_of_ten(int exponent) {
  Decimal::Units out = 1;
  for (int i = 0; i < exponent; ++i) out *= 10;
  return out;
}

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
  Decimal out;
  bool negative = false;
  size_t i = 0;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) negative = text[i++] == '-';
  size_t digits = 0;
  bool fraction = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '.' && !fraction) {
      fraction = true;
    } else if (c >= '0' && c <= '9') {
      if (++digits > 400) return std::nullopt;
      out.units_ = out.units_ * 10 + (c - '0');
      if (fraction) ++out.scale_;
    } else {
      break;
    }
  }
  if (digits == 0) return std::nullopt;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
    const std::string exponent(text.substr(i + 1));
    char* end = nullptr;
    const long power = std::strtol(exponent.c_str(), &end, 10);
    if (exponent.empty() || *end != '\0' || power > 400 || power < -400) return std::nullopt;
    out.scale_ -= static_cast<int>(power);
    if (out.scale_ < 0) {
      out.units_ *= power_of_ten(-out.scale_);
      out.scale_ = 0;
    }
  }
  if (negative) out.units_ = -out.units_;
  return out;
}

bool Decimal::fits() const {
  return abs(units_) < power_of_ten(static_cast<int>(kMaxDigits));
}

double Decimal::to_double() const {
  return std::strtod(to_text().c_str(), nullptr);
}

std::string Decimal::to_text() const {
  std::string digits = Units(abs(units_)).str();
  const auto scale = static_cast<size_t>(scale_);
  if (digits.size() <= scale) digits.insert(0, scale + 1 - digits.size(), '0');
  if (scale > 0) digits.insert(digits.size() - scale, 1, '.');
  if (units_ < 0) digits.insert(0, 1, '-');
  return digits;
}

Decimal::Units Decimal::scaled(int scale) const {
  return units_ * power_of_ten(scale - scale_);
}

Decimal Decimal::rounded(int scale) const {
  if (scale >= scale_) return *this;
  const Units unit = power_of_ten(scale_ - scale);
  const Units magnitude = (abs(units_) + unit / 2) / unit;
  Decimal out{units_ < 0 ? Units(-magnitude) : magnitude, scale};
  if (scale < 0) out = {out.units_ * power_of_ten(-scale), 0};
  return out;
}

Decimal Decimal::truncated(int scale) const {
  if (scale >= scale_) return *this;
  Decimal out{units_ / power_of_ten(scale_ - scale), scale};
  if (scale < 0) out = {out.units_ * power_of_ten(-scale), 0};
  return out;
}

Decimal operator+(const Decimal& a, const Decimal& b) {
  const int scale = std::max(a.scale_, b.scale_);
  return {a.scaled(scale) + b.scaled(scale), scale};
}

Decimal operator-(const Decimal& a, const Decimal& b) {
  const int scale = std::max(a.scale_, b.scale_);
  return {a.scaled(scale) - b.scaled(scale), scale};
}

Decimal operator*(const Decimal& a, const Decimal& b) {
  return Decimal{a.units_ * b.units_, a.scale_ + b.scale_}.rounded(Decimal::kMaxScale);
}

Decimal Decimal::divide(const Decimal& a, const Decimal& b, int scale) {
  // One digit more than asked for, then rounded.
  const int shift = scale + 1 + b.scale_ - a.scale_;
  const Units numerator =
      shift >= 0 ? Units(a.units_ * power_of_ten(shift)) : Units(a.units_ / power_of_ten(-shift));
  return Decimal{numerator / b.units_, scale + 1}.rounded(scale);
}

Decimal Decimal::remainder(const Decimal& a, const Decimal& b) {
  const int scale = std::max(a.scale_, b.scale_);
  return {a.scaled(scale) % b.scaled(scale), scale};
}

std::weak_ordering operator<=>(const Decimal& a, const Decimal& b) {
  const int scale = std::max(a.scale_, b.scale_);
  const int order = a.scaled(scale).compare(b.scaled(scale));
  return order < 0   ? std::weak_ordering::less
         : order > 0 ? std::weak_ordering::greater
                     : std::weak_ordering::equivalent;
}

}  // namespace wherestar::server
