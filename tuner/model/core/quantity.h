// A physical quantity: one double in base units (s, B, flop), its dimension in the type.
// Misuse (adding bytes to seconds) does not compile; see tests/compile_fail.
// And a number with its interval and where it comes from: no figure travels without them.
#pragma once
#include <cmath>
#include <compare>
#include <string>

#include "core/error.h"
#include "core/modules.h"

namespace rooftune::core {

/// Exponents for time [s], bytes [B] and floating-point operations [flop].
template <int T, int B, int F>
class Quantity {
 public:
  static constexpr const char* wanted = "a number";  ///< in documents
  constexpr Quantity() = default;
  explicit constexpr Quantity(double base_units) : value_(base_units) {}
  /// The number in base units: s, B, flop and their products.
  constexpr double value() const { return value_; }
  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator-() const { return Quantity(-value_); }
  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) {
    value_ -= other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.value_ + b.value_);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.value_ - b.value_);
  }
  friend constexpr Quantity operator*(Quantity a, double k) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator*(double k, Quantity a) { return Quantity(a.value_ * k); }
  friend constexpr Quantity operator/(Quantity a, double k) { return Quantity(a.value_ / k); }

 private:
  double value_ = 0;
};

template <int T1, int B1, int F1, int T2, int B2, int F2>
constexpr auto operator*(Quantity<T1, B1, F1> a, Quantity<T2, B2, F2> b) {
  return Quantity<T1 + T2, B1 + B2, F1 + F2>(a.value() * b.value());
}
/// Quantities with one dimension divide to a plain ratio, others to their quotient.
template <int T1, int B1, int F1, int T2, int B2, int F2>
constexpr auto operator/(Quantity<T1, B1, F1> a, Quantity<T2, B2, F2> b) {
  if constexpr (T1 == T2 && B1 == B2 && F1 == F2)
    return a.value() / b.value();
  else
    return Quantity<T1 - T2, B1 - B2, F1 - F2>(a.value() / b.value());
}

using Seconds = Quantity<1, 0, 0>;
using Bytes = Quantity<0, 1, 0>;
using Flops = Quantity<0, 0, 1>;
using Hertz = Quantity<-1, 0, 0>;
using ByteRate = Quantity<-1, 1, 0>;   // B/s
using FlopRate = Quantity<-1, 0, 1>;   // flop/s
using Intensity = Quantity<0, -1, 1>;  // flop/B

/// value within [low, high], all in the owner's base unit.
struct Estimate {
  double value = 0, low = 0, high = 0;
  static Estimate exact(double value) { return {value, value, value}; }
  /// True when the two intervals share a point.
  bool overlaps(const Estimate& other) const { return low <= other.high && other.low <= high; }
  /// Whether the interval holds the value and ends below infinity.
  bool holds() const { return low <= value && value <= high && std::isfinite(high); }
  Estimate& operator+=(const Estimate& other) {
    value += other.value;
    low += other.low;
    high += other.high;
    return *this;
  }
  friend Estimate operator+(Estimate a, const Estimate& b) { return a += b; }
  /// `factor` is not negative.
  friend Estimate operator*(const Estimate& a, double factor) {
    return {a.value * factor, a.low * factor, a.high * factor};
  }
  friend Estimate operator/(const Estimate& a, double divisor) {
    return {a.value / divisor, a.low / divisor, a.high / divisor};
  }
  /// As measured; the interval holds every ratio between numbers in theirs.
  friend Estimate operator/(const Estimate& a, const Estimate& b) {
    return {a.value / b.value, a.low / b.high, a.high / b.low};
  }
  bool operator==(const Estimate&) const = default;
  static void fields(auto& self, auto& visit) {
    visit("value", self.value)("low", self.low)("high", self.high);
  }
};
using Estimates = std::vector<Estimate>;

/// Where a number comes from.
struct Source {
  ROOFTUNE_NESTED_ENUM(Kind, vendor, measured, modelled, counted, instrumented, declared)
  Kind kind = Kind::measured;
  std::string text;  ///< tool, document or rule, readable by a person
  std::string date;  ///< ISO 8601, empty where it has no meaning
  static void fields(auto& self, auto& visit) {
    visit("kind", self.kind)("text", self.text).sparse("date", self.date);
  }
};

}  // namespace rooftune::core
