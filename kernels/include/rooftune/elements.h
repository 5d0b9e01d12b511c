// Elements of arrays that not every compiler has a type for: short numbers, complex ones,
// structures. A source declares its own type of their size (_Float16, __half, std::complex<float>,
// float2, Particle) and gets that.
// SPDX-License-Identifier: MIT-0
#pragma once
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

namespace rooftune {

/// A number of 16 bits as it lies in memory; made from a double it is the nearest, even where two
/// are.
template <int exponent_bits, int fraction_bits>
struct ShortReal {
  ShortReal() = default;
  explicit ShortReal(double value) : bits(rounded(value)) {}
  explicit operator float() const { return static_cast<float>(double(*this)); }
  explicit operator double() const {
    const int exponent = (bits >> fraction_bits) & all_ones, fraction = bits & (one - 1);
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == all_ones)
      return sign * (fraction ? std::numeric_limits<double>::quiet_NaN()
                              : std::numeric_limits<double>::infinity());
    if (exponent == 0) return sign * std::ldexp(fraction, least_exponent - fraction_bits);
    return sign * std::ldexp(one + fraction, exponent - bias - fraction_bits);
  }

  static constexpr int digits = fraction_bits + 1, all_ones = (1 << exponent_bits) - 1,
                       one = 1 << fraction_bits;
  static constexpr int bias = all_ones / 2, least_exponent = 1 - bias;
  std::uint16_t bits = 0;

 private:
  static std::uint16_t rounded(double value) {
    const int sign = std::signbit(value) ? 1 << 15 : 0, infinite = all_ones << fraction_bits;
    if (value != value) return static_cast<std::uint16_t>(sign | infinite | one / 2);
    const double size = std::fabs(value);
    if (size >= std::ldexp(1, bias + 1)) return static_cast<std::uint16_t>(sign | infinite);
    const int exponent = size > 0 ? std::max(std::ilogb(size), least_exponent) : least_exponent;
    // Rounded up to the next power of two, the carry is the next exponent.
    const int fraction =
        static_cast<int>(std::nearbyint(std::ldexp(size, fraction_bits - exponent)));
    return static_cast<std::uint16_t>(sign | ((exponent + bias - 1) * one + fraction));
  }
};
using Half = ShortReal<5, 10>;
using BFloat16 = ShortReal<8, 7>;

/// A bool that may hold what no bool is.
struct Truth {
  Truth() = default;
  explicit Truth(double number) : value(number != 0) {}
  explicit operator double() const { return value; }
  unsigned char value = 0;
};

/// A structure of which only the size is known.
template <std::size_t size>
struct Structure {
  unsigned char bytes[size] = {};
};

/// An array for a parameter `T*`, where T is any type of the elements' size.
template <std::size_t size, bool is_written>
struct AnyArray {
  const void* start;
  template <class T>
  operator T*() const {
    static_assert(is_written || std::is_const_v<T>,
                  "kernel.json says that this array is only read: const T*");
    if constexpr (!std::is_void_v<T>)
      static_assert(sizeof(T) == size, "kernel.json gives the elements of this array another size");
    return static_cast<T*>(const_cast<void*>(start));
  }
};

/// A number for a parameter of any type of its size.
template <class Number>
struct AnyValue {
  Number number;
  template <class T>
  operator T() const {
    static_assert(sizeof(T) == sizeof(Number),
                  "kernel.json gives this scalar a type of another size");
    T value;
    std::memcpy(static_cast<void*>(&value), &number, sizeof value);
    return value;
  }
};

/// A real number as an element: integers are rounded down, and wrap beyond their range; whatever
/// rounds down to another number than 0 is true.
template <class T>
T element_from(double value) {
  if constexpr (requires(T complex) { complex.imag(); })
    return T(static_cast<typename T::value_type>(value));
  else if constexpr (std::is_same_v<T, Truth>)
    return T(std::floor(value));
  else if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::int64_t>(std::floor(value)));
  else
    return static_cast<T>(value);
}

/// Half of the numbers of 64 bits have no double.
template <class T>
auto exact(T value) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<long double>(value);
  else if constexpr (requires { value.imag(); })
    return std::complex<double>(value);
  else
    return static_cast<double>(value);
}

/// A type's word in kernel.json; of an unknown one its size: "bytes:24".
template <class T>
std::string element_word() {
  const std::string bits = std::to_string(8 * sizeof(T));
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, Truth>)
    return "bool";
  else if constexpr (std::is_integral_v<T>)
    return (std::is_signed_v<T> ? "int" : "uint") + bits;
  else if constexpr (std::is_same_v<T, float>)
    return "float";
  else if constexpr (std::is_same_v<T, double>)
    return "double";
  else if constexpr (std::is_same_v<T, Half>)
    return "half";
  else if constexpr (std::is_same_v<T, BFloat16>)
    return "bfloat16";
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return "complex<float>";
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return "complex<double>";
  else
    return "bytes:" + std::to_string(sizeof(T));
}

}  // namespace rooftune
