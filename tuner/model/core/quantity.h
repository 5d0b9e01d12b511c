// A physical quantity: one double in base units (s, B, flop), its dimension in the type.
// Misuse (adding bytes to seconds) does not compile; see tests/compile_fail.
#pragma once
#include <compare>

#include "core/modules.h"

namespace rooftune::core {

/// Exponents of time [s], bytes [B] and floating-point operations [flop].
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
/// Quantities of one dimension divide to a plain ratio, others to their quotient.
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

}  // namespace rooftune::core
