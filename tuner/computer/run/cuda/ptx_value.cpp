// The table of operations: what each computes from its operands, and what the assembler is known to
// make from it.
#include "run/cuda/ptx_value.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <sstream>

#include "core/list.h"

namespace rooftune::run::ptx {

uint64_t whole(uint64_t bits, const Type& type) {
  if (type.bits >= 64) return bits;
  const int unused = 64 - std::max(type.bits, 1);
  bits <<= unused;
  return type.kind == 's' ? uint64_t(int64_t(bits) >> unused) : bits >> unused;
}

namespace {

using Bits = uint64_t;

int64_t with_sign(Bits bits) { return int64_t(bits); }

double real(uint64_t bits, const Type& type) {
  return type.bits == 64 ? std::bit_cast<double>(bits)
                         : double(std::bit_cast<float>(unsigned(bits)));
}
uint64_t bits_of(double value, const Type& type) {
  return type.bits == 64 ? std::bit_cast<uint64_t>(value) : std::bit_cast<unsigned>(float(value));
}

__extension__ using Uint128 = unsigned __int128;

/// The high half of a product: the bits above the operands' own.
uint64_t high_half(uint64_t a, uint64_t b, const Type& type) {
  const bool is_signed = type.kind == 's';
  if (type.bits < 64 && is_signed) return uint64_t(int64_t(a * b) >> type.bits);
  // Without signs the upper half has b too much for a negative a, and a for a negative b.
  const auto half = uint64_t(Uint128{a} * b >> type.bits);
  return half - (is_signed && int64_t(a) < 0 ? b : 0) - (is_signed && int64_t(b) < 0 ? a : 0);
}

uint64_t quotient(uint64_t a, uint64_t b, const Type& type, bool remainder) {
  if (b == 0) return 0;
  const auto x = int64_t(a), y = int64_t(b);
  if (type.kind != 's') return remainder ? a % b : a / b;
  if (y == -1) return remainder ? 0 : 0 - a;
  return uint64_t(remainder ? x % y : x / y);
}

bool less(Bits a, Bits b, const Type& type) {
  return type.kind == 's' ? with_sign(a) < with_sign(b) : a < b;
}

Bits shifted_right(Bits a, Bits b, const Type& type) {
  const auto bits = static_cast<Bits>(type.bits);
  if (type.kind == 's') return static_cast<Bits>(with_sign(a) >> std::min(b, bits - 1));
  return b >= bits ? 0 : a >> b;
}

Bits reversed(Bits a, const Type& type) {
  Bits all = 0;
  for (int k = 0; k < type.bits; ++k) all |= (a >> k & 1) << (type.bits - 1 - k);
  return all;
}

/// Bytes from two words, each chosen by four bits in the third.
Bits permuted(Bits a, Bits b, Bits choice) {
  const Bits both = (b & 0xffffffff) << 32 | (a & 0xffffffff);
  Bits all = 0;
  for (int k = 0; k < 4; ++k) {
    const Bits of = choice >> 4 * k & 15, byte = both >> 8 * (of & 7) & 255;
    all |= (of & 8 ? (byte & 128 ? Bits{255} : 0) : byte) << 8 * k;
  }
  return all;
}

// The value for operands a, b, c; t is their type.
#define ROOFTUNE_REAL(VALUE) \
  [](double a, [[maybe_unused]] double b, [[maybe_unused]] double c) { return VALUE; }
#define ROOFTUNE_WHOLE(VALUE)                                  \
  [](Bits a, [[maybe_unused]] Bits b, [[maybe_unused]] Bits c, \
     [[maybe_unused]] const Type& t) -> Bits { return VALUE; }
constexpr Operation operations[] = {
    {"add", Op::arithmetic, ROOFTUNE_REAL(a + b), ROOFTUNE_WHOLE(a + b)},
    {"sub", Op::arithmetic, ROOFTUNE_REAL(a - b), ROOFTUNE_WHOLE(a - b)},
    {"mul", Op::arithmetic, ROOFTUNE_REAL((a * b)), ROOFTUNE_WHOLE((a * b)), 1, 1, 4},
    {"mul.hi", Op::arithmetic, nullptr, ROOFTUNE_WHOLE(high_half(a, b, t)), 1, 1, 4},
    {"mul.wide", Op::wide, nullptr, ROOFTUNE_WHOLE((a * b)), 1, 1, 1},
    {"mad fma", Op::arithmetic, ROOFTUNE_REAL(std::fma(a, b, c)), ROOFTUNE_WHOLE(c + a * b), 1, 1,
     4},
    {"mad.hi", Op::arithmetic, nullptr, ROOFTUNE_WHOLE(high_half(a, b, t) + c), 1, 1, 4},
    {"mad.wide", Op::wide, nullptr, ROOFTUNE_WHOLE(c + a * b), 1, 1, 1},
    {"div", Op::arithmetic, ROOFTUNE_REAL(a / b), ROOFTUNE_WHOLE(quotient(a, b, t, false)), 0, 20,
     60, 8},
    {"rem", Op::arithmetic, nullptr, ROOFTUNE_WHOLE(quotient(a, b, t, true)), 0, 22, 65},
    // The instruction that reads reals also takes their signs.
    {"neg", Op::arithmetic, ROOFTUNE_REAL(-a), ROOFTUNE_WHOLE(0 - a), 0},
    {"abs", Op::arithmetic, ROOFTUNE_REAL(std::fabs(a)),
     ROOFTUNE_WHOLE(with_sign(a) < 0 ? 0 - a : a), 0},
    {"min", Op::choice, ROOFTUNE_REAL(std::fmin(a, b)), ROOFTUNE_WHOLE(less(a, b, t) ? a : b), 1, 1,
     1},
    {"max", Op::choice, ROOFTUNE_REAL(std::fmax(a, b)), ROOFTUNE_WHOLE(less(a, b, t) ? b : a), 1, 1,
     1},
    {"sqrt", Op::arithmetic, ROOFTUNE_REAL(std::sqrt(a)), nullptr, 0, 1, 1, 7},
    {"rcp", Op::arithmetic, ROOFTUNE_REAL(1 / a), nullptr, 0, 1, 1, 5},
    {"rsqrt", Op::arithmetic, ROOFTUNE_REAL(1 / std::sqrt(a)), nullptr, 0, 1, 1, 6},
    // Three operands at once.
    {"and", Op::arithmetic, nullptr, ROOFTUNE_WHOLE((a & b)), 0, 0.75, 1.5},
    {"or", Op::arithmetic, nullptr, ROOFTUNE_WHOLE(a | b), 0, 0.75, 1.5},
    {"xor", Op::arithmetic, nullptr, ROOFTUNE_WHOLE(a ^ b), 0, 0.75, 1.5},
    {"not", Op::arithmetic, nullptr, ROOFTUNE_WHOLE(~a), 0, 0.75, 1.5},
    {"shl", Op::shift, nullptr, ROOFTUNE_WHOLE(b >= static_cast<Bits>(t.bits) ? 0 : a << b)},
    {"shr", Op::shift, nullptr, ROOFTUNE_WHOLE(shifted_right(a, b, t))},
    {"bfe", Op::shift, nullptr, ROOFTUNE_WHOLE(c >= 64 ? a >> b : (a >> b) & ((Bits{1} << c) - 1))},
    {"bfi", Op::insert},
    {"brev", Op::arithmetic, nullptr, ROOFTUNE_WHOLE(reversed(a, t)), 1, 1, 2},
    {"prmt", Op::arithmetic, nullptr, ROOFTUNE_WHOLE(permuted(a, b, c))},
    {"shf.l", Op::arithmetic, nullptr, ROOFTUNE_WHOLE((b << 32 | a) << (c & 31) >> 32)},
    {"shf.r", Op::arithmetic, nullptr, ROOFTUNE_WHOLE((b << 32 | a) >> (c & 31))},
    // Approximations: one special-pipe instruction each.
    {"ex2", Op::arithmetic, ROOFTUNE_REAL(std::exp2(a)), nullptr, 0, 1, 1, 1},
    {"lg2", Op::arithmetic, ROOFTUNE_REAL(std::log2(a)), nullptr, 0, 1, 1, 1},
    {"sin", Op::arithmetic, ROOFTUNE_REAL(std::sin(a)), nullptr, 0, 1, 1, 1},
    {"cos", Op::arithmetic, ROOFTUNE_REAL(std::cos(a)), nullptr, 0, 1, 1, 1},
    {"tanh", Op::arithmetic, ROOFTUNE_REAL(std::tanh(a)), nullptr, 0, 1, 1, 1},
    {"mma wgmma", Op::tensor},
    {"popc", Op::bits, nullptr, ROOFTUNE_WHOLE(std::popcount(a))},
    {"clz", Op::bits, nullptr, ROOFTUNE_WHOLE(std::countl_zero(a) - (64 - t.bits))},
    {"setp", Op::setp},
    {"selp", Op::selp},
    {"mov cvta", Op::mov},
    {"cvt", Op::cvt},
    {"ld ldu", Op::ld},
    {"st", Op::st},
    {"atom red", Op::atom},
    {"shfl", Op::shfl},
    {"vote", Op::vote},
    {"activemask", Op::ballot},
    {"bra", Op::bra},
    {"call", Op::call},
    {"ret exit trap", Op::ret},
    {"bar barrier", Op::barrier},
    {"membar fence nanosleep prefetch", Op::nothing},
};
#undef ROOFTUNE_REAL
#undef ROOFTUNE_WHOLE

/// Cycles until a result is there (compute capability 7.0 to 9.0).
constexpr double latency_short = 4.5, latency_fp64 = 8, latency_special = 20, latency_barrier = 20;

/// Whether a comparison between two numbers of one kind holds.
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

uint64_t converted(const Instruction& one, uint64_t bits) {
  if (one.from.kind != 'f') {
    const uint64_t value = whole(bits, one.from);
    if (one.type.kind != 'f') return whole(value, one.type);
    return bits_of(one.from.kind == 's' ? double(int64_t(value)) : double(value), one.type);
  }
  double value = real(bits, one.from);
  if (one.mode == nearest) value = std::nearbyint(value);
  if (one.mode == zero) value = std::trunc(value);
  if (one.mode == down) value = std::floor(value);
  if (one.mode == up) value = std::ceil(value);
  if (one.type.kind == 'f') return bits_of(value, one.type);
  constexpr double most = 9.2e18;
  const double limited = std::isnan(value) ? 0 : std::clamp(value, -most, most);
  return whole(uint64_t(int64_t(limited)), one.type);
}

bool holds(const Instruction& one, uint64_t a, uint64_t b) {
  const Type& type = one.from;
  if (type.kind == 'f') return compares(one.mode, real(a, type), real(b, type));
  if (type.kind == 's') return compares(one.mode, int64_t(whole(a, type)), int64_t(whole(b, type)));
  return compares(one.mode, whole(a, type), whole(b, type));
}

const Operation* operation(const std::string& word) {
  static const auto known = [] {
    std::map<std::string, const Operation*> all;
    for (const Operation& one : operations) {
      std::istringstream words(one.words);
      for (std::string each; words >> each;) all[each] = &one;
    }
    return all;
  }();
  return copy_at(known, word).value_or(nullptr);
}

uint64_t result(const Instruction& one, uint64_t a, uint64_t b, uint64_t c) {
  Type type = one.type;
  if (type.kind == 'f') {
    const double first = real(a, type);
    return bits_of(one.does->real ? one.does->real(first, real(b, type), real(c, type)) : first,
                   type);
  }
  a = whole(a, type);
  b = one.op == Op::shift ? b & 0xffffffff : whole(b, type);
  if (one.does->whole) a = one.does->whole(a, b, c, type);
  if (one.op == Op::wide) type.bits *= 2;
  if (one.op == Op::bits) type = {'u', 32};
  return whole(a, type);
}

void weigh(Instruction& one, bool is_fast) {
  ThreadWork& cost = one.cost;
  const bool wide = one.type.bits == 64, real = one.type.kind == 'f';
  const auto take = [&](double ThreadWork::*pipe, double count, double latency) {
    cost.*pipe += count;
    cost.issued += count;
    one.latency += latency;
  };
  const auto whole = [&](double count) { take(&ThreadWork::integer, count, latency_short); };
  const auto arithmetic = [&](double count) {
    if (wide)
      take(&ThreadWork::fp64, count, count * latency_fp64);
    else
      take(&ThreadWork::fp32, count, count * latency_short);
  };
  switch (one.op) {
    case Op::arithmetic:
    case Op::wide:
    case Op::choice:
    case Op::shift:
    case Op::bits:
      // Those on predicates are part of comparisons.
      if (one.type.kind == 'p') return;
      if (real && one.does->refinements > 0) {
        take(&ThreadWork::special, 1, latency_special);
        if (!wide || is_fast) return;
        arithmetic(one.does->refinements);
        one.branches_inside = true;
        return whole(4);  // tests for the slow path, which is left out
      }
      real ? arithmetic(one.does->reals) : whole(wide ? one.does->wides : one.does->wholes);
      if (wide && one.op == Op::choice) whole(real ? 2 : 3);
      return;
    case Op::setp:
      if (one.from.kind == 'f' && one.from.bits == 64)
        take(&ThreadWork::fp64, 1, latency_fp64);
      else
        whole(one.from.bits == 64 ? 2 : 1);
      return;
    case Op::selp:
    case Op::insert:
      return whole(wide ? 2 : 1);
    case Op::unknown:
      return whole(1);
    case Op::cvt:
      if (real || one.from.kind == 'f')
        take(&ThreadWork::special, 1, latency_special);
      else if (one.type.bits < 32 || (wide && one.from.bits < 64 && one.from.kind == 's'))
        whole(1);
      return;
    case Op::ld:
    case Op::st:
      if (one.space == Space::param) return;
      [[fallthrough]];
    case Op::atom:
      // fp64 sums in shared memory are compare-and-swap loops up to compute capability 9.0.
      if (one.op == Op::atom && one.space == Space::shared && real && wide) cost.issued = 7;
      [[fallthrough]];
    case Op::copy:
    case Op::shfl:
      return take(&ThreadWork::memory, 1, 0);
    case Op::bra:
    case Op::ret:
    case Op::call:
    case Op::vote:
    case Op::barrier:
    case Op::tensor:
      cost.issued = 1;
      one.latency = one.op == Op::barrier ? latency_barrier : latency_short;
      return;
    case Op::mov:
    case Op::join:
    case Op::split:
    case Op::ballot:
    case Op::nothing:
      return;
  }
}

}  // namespace rooftune::run::ptx
