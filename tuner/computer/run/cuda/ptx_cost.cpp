// What the assembler is known to make of each instruction of PTX.
#include "run/cuda/ptx_code.h"

namespace rooftune::run::ptx {
namespace {

/// Cycles until a result is there (compute capability 7.0 to 9.0).
constexpr double latency_short = 4.5, latency_fp64 = 8, latency_special = 20, latency_barrier = 20;

}  // namespace

void weigh(Instruction& one, bool is_fast, bool is_barrier) {
  roofline::ThreadWork& cost = one.cost;
  const bool wide = one.type.bits == 64, real = one.type.kind == 'f';
  const auto take = [&](double roofline::ThreadWork::*pipe, double count, double latency) {
    cost.*pipe += count;
    cost.issued += count;
    one.latency += latency;
  };
  const auto whole = [&](double count) {
    take(&roofline::ThreadWork::integer, count, latency_short);
  };
  const auto arithmetic = [&](double count) {
    if (real && wide)
      take(&roofline::ThreadWork::fp64, count, count * latency_fp64);
    else if (real)
      take(&roofline::ThreadWork::fp32, count, count * latency_short);
    else
      whole(count);
  };
  const auto special = [&](double refinements) {
    take(&roofline::ThreadWork::special, 1, latency_special);
    if (wide && !is_fast) {
      arithmetic(refinements);
      whole(4);  // tests for the slow path, which is left out
    }
  };
  switch (one.op) {
    case Op::add:
    case Op::sub:
    case Op::neg:
    case Op::abs:
      // Signs of reals are part of the instruction that reads them.
      if (real && (one.op == Op::neg || one.op == Op::abs)) return;
      arithmetic(real || !wide ? 1 : 2);
      return;
    case Op::mul:
    case Op::mad:
    case Op::mul_hi:
    case Op::mad_hi:
      arithmetic(real || !wide ? 1 : 4);
      return;
    case Op::mul_wide:
    case Op::mad_wide:
      whole(1);
      return;
    case Op::div:
      if (real)
        special(8);
      else
        whole(wide ? 60 : 20);
      return;
    case Op::rem:
      whole(wide ? 65 : 22);
      return;
    case Op::sqrt:
      special(7);
      return;
    case Op::rcp:
      special(5);
      return;
    case Op::rsqrt:
      special(6);
      return;
    case Op::min:
    case Op::max:
      arithmetic(1);
      if (wide) whole(real ? 2 : 3);
      return;
    case Op::setp:
      if (one.from.kind == 'f' && one.from.bits == 64)
        take(&roofline::ThreadWork::fp64, 1, latency_fp64);
      else
        whole(one.from.bits == 64 ? 2 : 1);
      return;
    case Op::cvt:
      if (real || one.from.kind == 'f')
        take(&roofline::ThreadWork::special, 1, latency_special);
      else if (one.type.bits < 32 || (wide && one.from.bits < 64 && one.from.kind == 's'))
        whole(1);
      return;
    case Op::mov:
    case Op::join:
    case Op::split:
    case Op::nothing:
    case Op::ballot:
      if (is_barrier) {
        cost.issued = 1;
        one.latency = latency_barrier;
      }
      return;
    case Op::ld:
    case Op::st:
      if (one.space == Space::param) return;
      [[fallthrough]];
    case Op::atom:
    case Op::copy:
    case Op::shfl:
      take(&roofline::ThreadWork::memory, 1, 0);
      return;
    case Op::bra:
    case Op::ret:
    case Op::call:
    case Op::vote:
      cost.issued = 1;
      one.latency = latency_short;
      return;
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::bit_not:
      // Three operands at once; those of predicates are part of comparisons.
      if (one.type.kind != 'p') whole(wide ? 1.5 : 0.75);
      return;
    case Op::shl:
    case Op::shr:
    case Op::selp:
    case Op::popc:
    case Op::clz:
    case Op::bfe:
      whole(wide ? 2 : 1);
      return;
  }
}

}  // namespace rooftune::run::ptx
