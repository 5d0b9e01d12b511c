// The functions on numbers.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>

#include "core/scalar.h"

namespace rooftune::core {
namespace {

using Reason = Scalar::Reason;
using Arguments = std::span<const Scalar>;

/// A real as a 64-bit integer; undefined from a magnitude of 2^63 on.
Scalar whole(double real) {
  if (std::isnan(real) || real >= 0x1p63 || real < -0x1p63)
    return Scalar::undefined(Reason::overflow);
  return Scalar::integer(static_cast<std::int64_t>(real));
}

/// Half to even.
double rounded(double real) {
  const double floor = std::floor(real);
  const double rest = real - floor;
  if (rest != 0.5) return rest < 0.5 ? floor : floor + 1;
  return std::fmod(floor, 2) == 0 ? floor : floor + 1;
}

/// round(whole, -digits): to a multiple of 10^digits, half to even.
Scalar rounded_whole(std::int64_t value, std::int64_t digits) {
  if (digits > 18) return Scalar::integer(0);
  std::int64_t step = 1;
  for (std::int64_t i = 0; i < digits; ++i) step *= 10;
  std::int64_t rest = value % step;
  if (rest < 0) rest += step;
  std::int64_t down = 0;
  if (__builtin_sub_overflow(value, rest, &down)) return Scalar::undefined(Reason::overflow);
  const bool odd = (down / step) % 2 != 0;
  if (rest < step - rest || (rest == step - rest && !odd)) return Scalar::integer(down);
  if (__builtin_add_overflow(down, step, &down)) return Scalar::undefined(Reason::overflow);
  return Scalar::integer(down);
}

Scalar round_function(Arguments a) {
  const bool digits_given = a.size() == 2;
  if (digits_given && !a[1].is_whole()) return Scalar::undefined(Reason::type);
  const std::int64_t digits = digits_given ? a[1].bits : 0;
  if (a[0].is_whole())
    return digits >= 0 ? Scalar::integer(a[0].bits)
                       : rounded_whole(a[0].bits, digits < -18 ? 19 : -digits);
  const double real = a[0].as_real();
  if (!digits_given) return whole(rounded(real));
  if (digits < 0) return Scalar::undefined(Reason::domain);
  // Beyond 324 decimals nothing is left to round; the text of the exact value rounds correctly.
  if (digits > 324 || !std::isfinite(real)) return a[0];
  return Scalar::real(std::strtod(fmt::format("{:.{}f}", real, digits).c_str(), nullptr));
}

/// The first of equals, as Python's min and max.
Scalar extreme(Arguments a, Operator better) {
  Scalar best = a[0];
  for (const Scalar& candidate : a.subspan(1)) {
    const Scalar wins = apply(better, candidate, best);
    if (wins.is_undefined()) return wins;
    if (wins.truth()) best = candidate;
  }
  return best;
}

Scalar logarithm(const Scalar& a, double (*function)(double)) {
  if (a.as_real() <= 0) return Scalar::undefined(Reason::domain);
  return Scalar::real(function(a.as_real()));
}

double natural(double x) { return std::log(x); }
double binary(double x) { return std::log2(x); }

Scalar log_function(Arguments a) {
  const Scalar upper = logarithm(a[0], natural);
  return a.size() == 1 ? upper : apply(Operator::divide, upper, logarithm(a[1], natural));
}

Scalar exponential(double x) {
  const double result = std::exp(x);
  return std::isinf(result) && std::isfinite(x) ? Scalar::undefined(Reason::overflow)
                                                : Scalar::real(result);
}

Scalar real_function(Function function, const Scalar& a) {
  const double x = a.as_real();
  switch (function) {
    case Function::sqrt:
      return x < 0 ? Scalar::undefined(Reason::domain) : Scalar::real(std::sqrt(x));
    case Function::log2:
      return logarithm(a, binary);
    case Function::exp:
      return exponential(x);
    case Function::sin:
      return std::isinf(x) ? Scalar::undefined(Reason::domain) : Scalar::real(std::sin(x));
    case Function::cos:
      return std::isinf(x) ? Scalar::undefined(Reason::domain) : Scalar::real(std::cos(x));
    default:
      return Scalar::undefined(Reason::type);
  }
}

Scalar to_whole(Function function, const Scalar& a) {
  if (a.is_whole()) return Scalar::integer(a.bits);
  const double x = a.as_real();
  return whole(function == Function::ceil    ? std::ceil(x)
               : function == Function::floor ? std::floor(x)
                                             : std::trunc(x));
}

}  // namespace

Scalar call(Function function, Arguments a) {
  for (const Scalar& argument : a)
    if (argument.is_undefined()) return argument;
  if (function == Function::min || function == Function::max)
    return a.size() < 2
               ? Scalar::undefined(Reason::type)
               : extreme(a, function == Function::min ? Operator::less : Operator::greater);
  if (function == Function::truth) return Scalar::boolean(a[0].truth());
  for (const Scalar& argument : a)
    if (!argument.is_number()) return Scalar::undefined(Reason::type);
  switch (function) {
    case Function::abs:
      return a[0].tag == Scalar::Tag::real ? Scalar::real(std::abs(a[0].as_real()))
             : a[0].bits < 0               ? negated(a[0])
                                           : plus(a[0]);
    case Function::round:
      return round_function(a);
    case Function::integer:
    case Function::ceil:
    case Function::floor:
      return to_whole(function, a[0]);
    case Function::real:
      return Scalar::real(a[0].as_real());
    case Function::log:
      return log_function(a);
    case Function::pow:
      return apply(Operator::power, a[0], a[1]);
    default:
      return real_function(function, a[0]);
  }
}

}  // namespace rooftune::core
