// Registers as numbers, and what instructions make of them.
#include "run/cuda/ptx_value.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace rooftune::run::ptx {

std::uint64_t whole(std::uint64_t bits, const Type& type) {
  if (type.bits >= 64) return bits;
  const int unused = 64 - std::max(type.bits, 1);
  bits <<= unused;
  return type.kind == 's' ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits) >> unused)
                          : bits >> unused;
}

namespace {

double real(std::uint64_t bits, const Type& type) {
  return type.bits == 64 ? std::bit_cast<double>(bits)
                         : static_cast<double>(std::bit_cast<float>(static_cast<unsigned>(bits)));
}
std::uint64_t bits_of(double value, const Type& type) {
  return type.bits == 64 ? std::bit_cast<std::uint64_t>(value)
                         : std::bit_cast<unsigned>(static_cast<float>(value));
}

std::uint64_t real_result(const Instruction& one, double a, double b, double c) {
  const auto value = [&]() -> double {
    switch (one.op) {
      case Op::add:
        return a + b;
      case Op::sub:
        return a - b;
      case Op::mul:
        return a * b;
      case Op::mad:
        return std::fma(a, b, c);
      case Op::div:
        return a / b;
      case Op::neg:
        return -a;
      case Op::abs:
        return std::fabs(a);
      case Op::min:
        return std::fmin(a, b);
      case Op::max:
        return std::fmax(a, b);
      case Op::sqrt:
        return std::sqrt(a);
      case Op::rcp:
        return 1 / a;
      case Op::rsqrt:
        return 1 / std::sqrt(a);
      default:
        return a;
    }
  };
  return bits_of(value(), one.type);
}

__extension__ using Uint128 = unsigned __int128;

/// Of a multiplication: the bits above the operands' own.
std::uint64_t high_half(std::uint64_t a, std::uint64_t b, const Type& type) {
  const bool is_signed = type.kind == 's';
  if (type.bits < 64 && is_signed)
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(a * b) >> type.bits);
  // Without signs the upper half has b too much for a negative a, and a for a negative b.
  const auto half = static_cast<std::uint64_t>(Uint128{a} * b >> type.bits);
  return half - (is_signed && static_cast<std::int64_t>(a) < 0 ? b : 0) -
         (is_signed && static_cast<std::int64_t>(b) < 0 ? a : 0);
}

std::uint64_t quotient(std::uint64_t a, std::uint64_t b, bool is_signed, bool remainder) {
  if (b == 0) return 0;
  const auto x = static_cast<std::int64_t>(a), y = static_cast<std::int64_t>(b);
  if (!is_signed) return remainder ? a % b : a / b;
  if (y == -1) return remainder ? 0 : 0 - a;
  return static_cast<std::uint64_t>(remainder ? x % y : x / y);
}

std::uint64_t whole_result(const Instruction& one, std::uint64_t a, std::uint64_t b,
                           std::uint64_t c) {
  const bool is_signed = one.type.kind == 's';
  const auto less = [&] {
    return is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
  };
  const auto bits = static_cast<std::uint64_t>(one.type.bits);
  switch (one.op) {
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
    case Op::mul_wide:
      return a * b;
    case Op::mad:
    case Op::mad_wide:
      return a * b + c;
    case Op::mul_hi:
      return high_half(a, b, one.type);
    case Op::mad_hi:
      return high_half(a, b, one.type) + c;
    case Op::div:
      return quotient(a, b, is_signed, false);
    case Op::rem:
      return quotient(a, b, is_signed, true);
    case Op::neg:
      return 0 - a;
    case Op::abs:
      return static_cast<std::int64_t>(a) < 0 ? 0 - a : a;
    case Op::min:
      return less() ? a : b;
    case Op::max:
      return less() ? b : a;
    case Op::bit_and:
      return a & b;
    case Op::bit_or:
      return a | b;
    case Op::bit_xor:
      return a ^ b;
    case Op::bit_not:
      return ~a;
    case Op::shl:
      return b >= bits ? 0 : a << b;
    case Op::shr:
      if (is_signed)
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> std::min(b, bits - 1));
      return b >= bits ? 0 : a >> b;
    case Op::popc:
      return static_cast<std::uint64_t>(std::popcount(a));
    case Op::clz:
      return static_cast<std::uint64_t>(std::countl_zero(a)) - (64 - bits);
    case Op::bfe:
      return c >= 64 ? a >> b : (a >> b) & ((std::uint64_t{1} << c) - 1);
    default:
      return a;
  }
}

/// Of two numbers of one kind.
template <class T>
bool compares(int mode, T a, T b) {
  if (a != a || b != b) return (mode & unordered) != 0 || (mode & 7) == nan;
  switch (mode & 7) {
    case eq:
      return a == b;
    case ne:
      return a != b;
    case lt:
      return a < b;
    case le:
      return a <= b;
    case gt:
      return a > b;
    case ge:
      return a >= b;
    default:
      return (mode & 7) == num;
  }
}

}  // namespace

std::uint64_t converted(const Instruction& one, std::uint64_t bits) {
  if (one.from.kind != 'f') {
    const std::uint64_t value = whole(bits, one.from);
    if (one.type.kind != 'f') return whole(value, one.type);
    return bits_of(one.from.kind == 's' ? static_cast<double>(static_cast<std::int64_t>(value))
                                        : static_cast<double>(value),
                   one.type);
  }
  double value = real(bits, one.from);
  if (one.mode == nearest) value = std::nearbyint(value);
  if (one.mode == zero) value = std::trunc(value);
  if (one.mode == down) value = std::floor(value);
  if (one.mode == up) value = std::ceil(value);
  if (one.type.kind == 'f') return bits_of(value, one.type);
  constexpr double most = 9.2e18;
  const double limited = std::isnan(value) ? 0 : std::clamp(value, -most, most);
  return whole(static_cast<std::uint64_t>(static_cast<std::int64_t>(limited)), one.type);
}

bool holds(const Instruction& one, std::uint64_t a, std::uint64_t b) {
  const Type& type = one.from;
  if (type.kind == 'f') return compares(one.mode, real(a, type), real(b, type));
  if (type.kind == 's')
    return compares(one.mode, static_cast<std::int64_t>(whole(a, type)),
                    static_cast<std::int64_t>(whole(b, type)));
  return compares(one.mode, whole(a, type), whole(b, type));
}

std::uint64_t result(const Instruction& one, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  if (one.type.kind == 'f')
    return real_result(one, real(a, one.type), real(b, one.type), real(c, one.type));
  const bool shifts = one.op == Op::shl || one.op == Op::shr || one.op == Op::bfe;
  const std::uint64_t second = shifts ? b & 0xffffffff : whole(b, one.type);
  Type type = one.type;
  if (one.op == Op::mul_wide || one.op == Op::mad_wide) type.bits *= 2;
  if (one.op == Op::popc || one.op == Op::clz) type = {'u', 32};
  return whole(whole_result(one, whole(a, one.type), second, c), type);
}

}  // namespace rooftune::run::ptx
