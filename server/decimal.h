// Exact decimal numbers of SQL: an integer and how many of its digits are a fraction.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include <boost/multiprecision/cpp_int.hpp>

namespace wherestar::server {

class Decimal {
 public:
  using Units = boost::multiprecision::cpp_int;
  static constexpr int kMaxScale = 30;
  static constexpr size_t kMaxDigits = 65;

  Decimal() = default;
  Decimal(Units units, int scale) : units_(std::move(units)), scale_(scale) {}
  // "-12.50", also "1e3" within the limits; nullopt for anything else.
  static std::optional<Decimal> parse(std::string_view text);

  const Units& units() const { return units_; }
  int scale() const { return scale_; }
  bool is_zero() const { return units_ == 0; }
  bool fits() const;  // within kMaxDigits
  double to_double() const;
  std::string to_text() const;

  Decimal rounded(int scale) const;    // half away from zero; fewer digits only
  Decimal truncated(int scale) const;  // toward zero
  friend Decimal operator+(const Decimal& a, const Decimal& b);
  friend Decimal operator-(const Decimal& a, const Decimal& b);
  friend Decimal operator*(const Decimal& a, const Decimal& b);
  static Decimal divide(const Decimal& a, const Decimal& b, int scale);  // b is not zero
  static Decimal remainder(const Decimal& a, const Decimal& b);          // sign of a
  friend std::weak_ordering operator<=>(const Decimal& a, const Decimal& b);

 private:
  Units scaled(int scale) const;
  Units units_ = 0;
  int scale_ = 0;
};

}  // namespace wherestar::server
