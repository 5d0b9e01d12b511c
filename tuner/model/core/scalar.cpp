// Python's operators on scalars. An operation without a result is an undefined scalar.
#include "core/scalar.h"

#include <cmath>
#include <cstdlib>

#include "core/error.h"
#include "core/expression.h"

namespace rooftune::core {
namespace {

using Reason = Scalar::Reason;
using Tag = Scalar::Tag;

constexpr Scalar division_by_zero = Scalar::undefined(Reason::division_by_zero),
                 overflow = Scalar::undefined(Reason::overflow),
                 outside_domain = Scalar::undefined(Reason::domain),
                 wrong_type = Scalar::undefined(Reason::type);

/// Exact: if the integer were rounded to a double, 2^53 + 1 would equal 2^53.
std::partial_ordering order_mixed(int64_t whole, double real) {
  if (std::isnan(real)) return std::partial_ordering::unordered;
  if (real >= 0x1p63) return std::partial_ordering::less;
  if (real < -0x1p63) return std::partial_ordering::greater;
  const double floor = std::floor(real);
  const auto below = int64_t(floor);
  if (whole != below) return whole <=> below;
  return floor < real ? std::partial_ordering::less : std::partial_ordering::equivalent;
}

/// Quotient of two integers rounded once, as Python's / does; b != 0.
double quotient(int64_t a, int64_t b) {
  constexpr int64_t exact = int64_t{1} << 53;
  if (std::abs(a / 2) < exact / 2 && std::abs(b / 2) < exact / 2) return double(a) / double(b);
  __extension__ using Wide = unsigned __int128;
  const auto size = [](int64_t v) { return v < 0 ? 0 - uint64_t(v) : uint64_t(v); };
  const uint64_t n = size(a), d = size(b);
  // A 62-bit quotient plus a sticky bit leave the rounding to one conversion.
  const int shift = std::max(0, 62 - (int(std::bit_width(n)) - int(std::bit_width(d))));
  const Wide scaled = Wide{n} << shift;
  auto bits = uint64_t(scaled / d);
  if (scaled % d != 0) bits |= 1;
  const double result = std::ldexp(double(bits), -shift);
  return (a < 0) == (b < 0) ? result : -result;
}

Scalar whole_power(int64_t base, int64_t exponent) {
  int64_t result = 1, square = base;
  for (int64_t left = exponent; left > 0;) {
    if ((left & 1) != 0 && __builtin_mul_overflow(result, square, &result)) return overflow;
    left >>= 1;
    if (left > 0 && __builtin_mul_overflow(square, square, &square)) return overflow;
  }
  return Scalar::integer(result);
}

Scalar real_power(double base, double exponent) {
  if (base == 0 && exponent < 0) return division_by_zero;
  if (base < 0 && std::isfinite(base) && std::isfinite(exponent) &&
      exponent != std::trunc(exponent))
    return outside_domain;
  const double result = std::pow(base, exponent);
  if (std::isinf(result) && std::isfinite(base) && std::isfinite(exponent)) return overflow;
  return Scalar::real(result);
}

Scalar whole_operation(Operator op, int64_t a, int64_t b) {
  using enum Operator;
  int64_t result = 0;
  const auto checked = [&](bool too_large) {
    return too_large ? overflow : Scalar::integer(result);
  };
  switch (op) {
    case add:
      return checked(__builtin_add_overflow(a, b, &result));
    case subtract:
      return checked(__builtin_sub_overflow(a, b, &result));
    case multiply:
      return checked(__builtin_mul_overflow(a, b, &result));
    case power:
      return b >= 0 ? whole_power(a, b) : real_power(double(a), double(b));
    default:
      break;
  }
  if (b == 0) return division_by_zero;
  if (op == divide) return Scalar::real(quotient(a, b));
  if (op == modulo) {
    if (b == -1) return Scalar::integer(0);
    const int64_t rest = a % b;
    return Scalar::integer(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
  }
  if (a == INT64_MIN && b == -1) return overflow;
  const int64_t towards_zero = a / b;
  return Scalar::integer(a % b != 0 && (a < 0) != (b < 0) ? towards_zero - 1 : towards_zero);
}

/// Floor division and remainder of reals as CPython computes them (Objects/floatobject.c describes
/// the rule: the remainder has the divisor's sign, the quotient is snapped to an integer).
Scalar real_floor_operation(Operator op, double a, double b) {
  double rest = std::fmod(a, b);
  double floored = (a - rest) / b;
  if (rest != 0) {
    if ((b < 0) != (rest < 0)) {
      rest += b;
      floored -= 1;
    }
  } else {
    rest = std::copysign(0.0, b);
  }
  if (op == Operator::modulo) return Scalar::real(rest);
  if (floored == 0) return Scalar::real(std::copysign(0.0, a / b));
  const double snapped = std::floor(floored);
  return Scalar::real(floored - snapped > 0.5 ? snapped + 1 : snapped);
}

Scalar real_operation(Operator op, double a, double b) {
  using enum Operator;
  switch (op) {
    case add:
      return Scalar::real(a + b);
    case subtract:
      return Scalar::real(a - b);
    case multiply:
      return Scalar::real(a * b);
    case power:
      return real_power(a, b);
    default:
      break;
  }
  if (b == 0) return division_by_zero;
  return op == divide ? Scalar::real(a / b) : real_floor_operation(op, a, b);
}

Scalar bit_operation(Operator op, const Scalar& a, const Scalar& b) {
  using enum Operator;
  if (!a.is_whole() || !b.is_whole()) return wrong_type;
  const int64_t bits = op == bit_or    ? a.bits | b.bits
                       : op == bit_xor ? a.bits ^ b.bits
                                       : a.bits & b.bits;
  const bool truths = a.tag == Tag::boolean && b.tag == Tag::boolean;
  return truths ? Scalar::boolean(bits != 0) : Scalar::integer(bits);
}

Scalar comparison(Operator op, const Scalar& a, const Scalar& b) {
  using enum Operator;
  const std::partial_ordering found = order(a, b);
  if (op == equal) return Scalar::boolean(found == 0);
  if (op == not_equal) return Scalar::boolean(found != 0);
  if (a.is_number() != b.is_number()) return wrong_type;
  switch (op) {
    case less:
      return Scalar::boolean(found < 0);
    case less_equal:
      return Scalar::boolean(found <= 0);
    case greater:
      return Scalar::boolean(found > 0);
    default:
      return Scalar::boolean(found >= 0);
  }
}

using Arguments = std::span<const Scalar>;

/// A real as a 64-bit integer; undefined from a magnitude of 2^63 on.
Scalar whole(double real) {
  if (std::isnan(real) || real >= 0x1p63 || real < -0x1p63) return overflow;
  return Scalar::integer(int64_t(real));
}

/// Among equals the first, as Python's min and max.
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
  if (a.as_real() <= 0) return outside_domain;
  return Scalar::real(function(a.as_real()));
}

Scalar log_function(Arguments a) {
  const auto natural = [](double value) { return std::log(value); };
  const Scalar upper = logarithm(a[0], natural);
  return a.size() == 1 ? upper : apply(Operator::divide, upper, logarithm(a[1], natural));
}

Scalar exponential(double x) {
  const double result = std::exp(x);
  return std::isinf(result) && std::isfinite(x) ? overflow : Scalar::real(result);
}

Scalar real_function(MathFunction function, const Scalar& a) {
  using enum MathFunction;
  const double x = a.as_real();
  switch (function) {
    case sqrt:
      return x < 0 ? outside_domain : Scalar::real(std::sqrt(x));
    case log2:
      return logarithm(a, [](double value) { return std::log2(value); });
    case exp:
      return exponential(x);
    case sin:
      return std::isinf(x) ? outside_domain : Scalar::real(std::sin(x));
    case cos:
      return std::isinf(x) ? outside_domain : Scalar::real(std::cos(x));
    default:
      return wrong_type;
  }
}

Scalar to_whole(MathFunction function, const Scalar& a) {
  using enum MathFunction;
  if (a.is_whole()) return Scalar::integer(a.bits);
  const double x = a.as_real();
  // Rounded half to even.
  return whole(function == ceil    ? std::ceil(x)
               : function == floor ? std::floor(x)
               : function == round ? std::nearbyint(x)
                                   : std::trunc(x));
}

}  // namespace

const char* to_text(Reason reason) {
  // In the order of Reason.
  static constexpr const char* words[] = {"division by zero", "number out of range",
                                          "outside the domain of the function",
                                          "operation on the wrong types"};
  return words[size_t(reason)];
}

std::partial_ordering order(const Scalar& a, const Scalar& b) {
  if (a.is_number() != b.is_number()) return std::partial_ordering::unordered;
  if (a.tag != Tag::real && b.tag != Tag::real) return a.bits <=> b.bits;
  if (a.tag != Tag::real) return order_mixed(a.bits, b.as_real());
  if (b.tag == Tag::real) return a.as_real() <=> b.as_real();
  const std::partial_ordering reversed = order_mixed(b.bits, a.as_real());
  if (reversed == std::partial_ordering::unordered) return reversed;
  return 0 <=> reversed;
}

Scalar apply(Operator op, const Scalar& a, const Scalar& b) {
  if (a.is_undefined()) return a;
  if (b.is_undefined()) return b;
  if (op >= Operator::in) return wrong_type;
  if (op >= Operator::less) return comparison(op, a, b);
  if (!a.is_number() || !b.is_number()) return wrong_type;
  if (op >= Operator::bit_or) return bit_operation(op, a, b);
  if (a.is_whole() && b.is_whole()) return whole_operation(op, a.bits, b.bits);
  return real_operation(op, a.as_real(), b.as_real());
}

Scalar negated(const Scalar& a) {
  if (a.is_undefined()) return a;
  if (!a.is_number()) return wrong_type;
  if (a.tag == Tag::real) return Scalar::real(-a.as_real());
  return whole_operation(Operator::subtract, 0, a.bits);
}

Scalar plus(const Scalar& a) {
  if (a.tag == Tag::boolean) return Scalar::integer(a.bits);
  return a.tag == Tag::text ? wrong_type : a;
}

Scalar call(MathFunction function, Arguments a) {
  using enum MathFunction;
  for (const Scalar& argument : a)
    if (argument.is_undefined()) return argument;
  if (function == min || function == max)
    return a.size() < 2 ? wrong_type
                        : extreme(a, function == min ? Operator::less : Operator::greater);
  if (function == truth) return Scalar::boolean(a[0].truth());
  for (const Scalar& argument : a)
    if (!argument.is_number()) return wrong_type;
  switch (function) {
    case abs:
      return a[0].tag == Tag::real ? Scalar::real(std::abs(a[0].as_real()))
             : a[0].bits < 0       ? negated(a[0])
                                   : plus(a[0]);
    case round:
    case integer:
    case ceil:
    case floor:
      return to_whole(function, a[0]);
    case real:
      return Scalar::real(a[0].as_real());
    case log:
      return log_function(a);
    case pow:
      return apply(Operator::power, a[0], a[1]);
    default:
      return real_function(function, a[0]);
  }
}

Scalar as_scalar(const Value& number) {
  if (number.is_bool()) return Scalar::boolean(number.truth());
  if (number.is_integer()) return Scalar::integer(number.integer());
  return Scalar::real(number.real());
}

Value value(const Scalar& number) {
  using enum Tag;
  switch (number.tag) {
    case boolean:
      return number.bits != 0;
    case integer:
      return number.bits;
    case real:
      return number.as_real();
    case undefined:
      throw Error(to_text(number.reason()));
    case text:
      break;
  }
  throw Error("a text is no number");
}

}  // namespace rooftune::core
