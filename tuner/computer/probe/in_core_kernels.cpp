// The in-core micro-kernels.
#include "probe/in_core_kernels.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "core/list.h"
#include "core/rng.h"
#include "roofline/machine.h"

namespace rooftune::probe {
namespace {

template <class Real>
void fill(std::array<std::byte, 64>& vector, Real value) {
  std::array<Real, 64 / sizeof(Real)> lanes;
  lanes.fill(value);
  std::memcpy(vector.data(), lanes.data(), vector.size());
}

template <class Real>
InCoreOperands operands(Real c, Real d) {
  InCoreOperands result;
  fill<Real>(result.c, c);
  fill<Real>(result.d, d);
  Rng rng(20261121, 0);
  for (auto& vector : result.x) {
    std::array<Real, 64 / sizeof(Real)> lanes;
    for (Real& lane : lanes) lane = Real(0.25 + 0.5 * rng.unit());
    std::memcpy(vector.data(), lanes.data(), vector.size());
  }
  return result;
}

/// An instruction, as the assembly below numbers them.
enum class Step { fused, add, mul, div, sqrt, shift, compare };

/// An instruction mix: its instructions in turn, and its operands for timing: finite, neither 0 nor
/// denormal, and bounded for any number of iterations (fma: x -> 1 - x; add: +c, -c; mul, div: 5/4,
/// 4/5; the others draw near to a value).
struct InCoreMix {
  const char* name;  ///< as in a ceiling
  int fused, parts;  ///< multiply-adds, of so many instructions
  Step first, second;
  double c, d;
};
/// In the order of `mixes`.
enum class Mix { fma, add, mul, add_mul, fma_add, fma2_add, fma_mul, div, shift, compare, sqrt };
/// The last one stands for a mix unknown here.
constexpr InCoreMix mixes[] = {{"fma", 1, 1, Step::fused, Step::fused, -1, 1},
                               {"add", 0, 2, Step::add, Step::add, 0.8125, -0.8125},
                               {"mul", 0, 2, Step::mul, Step::mul, 1.25, 0.8},
                               {"add_mul", 0, 2, Step::add, Step::mul, 0.8125, 0.5},
                               {"fma_add", 1, 2, Step::fused, Step::add, -0.5, 0.8125},
                               {"fma2_add", 2, 3, Step::fused, Step::add, -0.5, 0.8125},
                               {"fma_mul", 1, 2, Step::fused, Step::mul, -0.5, 0.8125},
                               {"div", 0, 2, Step::div, Step::div, 1.25, 0.8},
                               {"shift", 0, 1, Step::shift, Step::shift, 0, 0},
                               {"compare", 0, 1, Step::compare, Step::compare, 0, 0},
                               {"sqrt", 0, 2, Step::sqrt, Step::sqrt, 0.8125, 0.5}};

const InCoreMix& mix_named(const std::string& name) {
  const auto* const found = first_with(mixes, &InCoreMix::name, name);
  return found ? *found : *std::prev(std::end(mixes));
}

#if defined(__x86_64__)

/// Per iteration: whole passes over the chains, a multiple of the periods of all mixes.
constexpr int instructions_for(int chains) { return chains > 12 ? 6 * chains : 48; }

/// The elements of a vector, as the assembly numbers them.
enum class Element { fp64, fp32, int64, int32, int8 };
struct ElementRow {
  const char* precision;
  int bits;
};
constexpr ElementRow elements[] = {
    {double_precision, 64}, {single_precision, 32}, {"int64", 64}, {"int32", 32}, {"int8", 8}};

#if defined(__AVX512F__)
#define ROOFTUNE_HIGH_REGISTERS                                                               \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31"
#else
#define ROOFTUNE_HIGH_REGISTERS
#endif

/// A mix on vectors of `Bits`, 64 for one element. The assembler unrolls: `.irp r` names the
/// chains, `.if` keeps the first `ilp` of them. Of every `period` neighbours the `firsts` take the
/// mix's first step and the others its second, one further in each pass, so each chain gets both.
/// Vectors of 128 bits without multiply-adds run on every x86-64; the others need AVX.
template <Element Type, int Bits, Mix Which, int Ilp>
void vectors(int64_t iterations, InCoreOperands& operands) {
  constexpr InCoreMix mix = mixes[int(Which)];
  constexpr bool floating = Type <= Element::fp32, mixed = mix.fused > 0 && mix.parts > 1;
  // Other instructions beside multiply-adds keep more chains in flight than 16 registers hold with
  // both operands: d stays in memory.
  constexpr bool high = floating && Bits == 512, spilled = mixed && !high;
  constexpr int c = high ? 30 : spilled ? 15 : 14, d = high ? 31 : spilled || !floating ? 14 : 15;
  asm volatile(
      R"(
    .macro rt_move from, to
      .if %c[vex]
        vmovups \from, \to
      .else
        movups \from, \to
      .endif
    .endm
    .macro rt_real op, operands:vararg
      .if %c[bits] == 64 && %c[type] == 0
        \op\()sd \operands
      .elseif %c[bits] == 64
        \op\()ss \operands
      .elseif %c[type] == 0
        \op\()pd \operands
      .else
        \op\()ps \operands
      .endif
    .endm
    .macro rt_reals op, from, to
      .if %c[vex]
        rt_real v\op, \from, \to, \to
      .else
        rt_real \op, \from, \to
      .endif
    .endm
    .macro rt_whole of_64, of_32, of_8, operands:vararg
      .if %c[type] == 2
        \of_64 \operands
      .elseif %c[type] == 3
        \of_32 \operands
      .else
        \of_8 \operands
      .endif
    .endm
    # A step of chain r with another register; v begins the names of both.
    .macro rt_step v, step, other, r
      .if \step == 0 && %c[spilled]
        rt_real vfmadd213, 64(%[o]), %%\v\()%c[c], %%\v\r
      .elseif \step == 0
        rt_real vfmadd213, %%\v\()%c[d], %%\v\()%c[c], %%\v\r
      .elseif \step == 1 && %c[type] > 1
        rt_whole vpaddq, vpaddd, vpaddb, %%\v\other, %%\v\r, %%\v\r
      .elseif \step == 1
        rt_reals add, %%\v\other, %%\v\r
      .elseif \step == 2 && %c[type] > 1
        rt_whole vpmuludq, vpmulld, vpmullw, %%\v\other, %%\v\r, %%\v\r
      .elseif \step == 2
        rt_reals mul, %%\v\other, %%\v\r
      .elseif \step == 3
        rt_reals div, %%\v\other, %%\v\r
      .elseif \step == 4 && %c[vex]
        rt_real vsqrt, %%\v\r, %%\v\r
      .elseif \step == 4
        rt_real sqrt, %%\v\r, %%\v\r
      .elseif \step == 5
        rt_whole vpsllq, vpslld, vpsllw, $1, %%\v\r, %%\v\r
      .elseif %c[bits] == 512
        rt_whole vpcmpeqq, vpcmpeqd, vpcmpeqb, %%\v\other, %%\v\r, %%k1
      .else
        rt_whole vpcmpeqq, vpcmpeqd, vpcmpeqb, %%\v\other, %%\v\r, %%\v\r
      .endif
    .endm
    .macro rt_next turn
      .set \turn, \turn + 1
      .if \turn == %c[period]
        .set \turn, 0
      .endif
    .endm
    .macro rt_kernel v
      rt_move (%[o]), %%\v\()%c[c]
      rt_move 64(%[o]), %%\v\()%c[d]
      .irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23
        .if \r < %c[ilp]
          rt_move 128+64*\r(%[o]), %%\v\r
        .endif
      .endr
      .p2align 6
    1:
      .set .Lrt_pass, 0
      .rept %c[passes]
        .set .Lrt_turn, .Lrt_pass
        .irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23
          .if \r < %c[ilp]
            .if .Lrt_turn < %c[firsts]
              rt_step \v, %c[first], %c[c], \r
            .else
              rt_step \v, %c[second], %c[other], \r
            .endif
            rt_next .Lrt_turn
          .endif
        .endr
        rt_next .Lrt_pass
      .endr
      dec %[n]
      jnz 1b
      .irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23
        .if \r < %c[ilp]
          rt_move %%\v\r, 128+64*\r(%[o])
        .endif
      .endr
      .if %c[vex]
        vzeroupper
      .endif
    .endm
    .if %c[bits] == 512
      rt_kernel zmm
    .elseif %c[bits] == 256
      rt_kernel ymm
    .else
      rt_kernel xmm
    .endif
    .irp name,rt_move,rt_real,rt_reals,rt_whole,rt_step,rt_next,rt_kernel
      .purgem \name
    .endr
  )"
      : [n] "+r"(iterations)
      : [o] "r"(&operands), [bits] "i"(Bits), [type] "i"(int(Type)), [ilp] "i"(Ilp),
        [passes] "i"(instructions_for(Ilp) / Ilp), [first] "i"(int(mix.first)),
        [second] "i"(int(mix.second)), [period] "i"(mix.parts),
        [firsts] "i"(std::max(mix.fused, 1)), [c] "i"(c), [d] "i"(d), [other] "i"(mixed ? c : d),
        [spilled] "i"(spilled), [vex] "i"(Bits > 128 || mix.fused > 0)
      : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
        "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15" ROOFTUNE_HIGH_REGISTERS);
}

/// Kernels of these mixes on vectors of `Bits`.
template <Element Type, int Bits, Mix... Which>
struct Kernels {
  template <int Ilp, Mix One>
  static InCoreKernel kernel() {
    constexpr InCoreMix mix = mixes[int(One)];
    constexpr ElementRow element = elements[int(Type)];
    return {element.precision,
            mix.name,
            Bits,
            Ilp,
            Bits == 64 ? 1 : Bits / element.bits,
            instructions_for(Ilp),
            instructions_for(Ilp) / mix.parts * mix.fused,
            vectors<Type, Bits, One, Ilp>};
  }
  template <int Ilp>
  static void add(InCoreKernels& kernels) {
    (kernels.push_back(kernel<Ilp, Which>()), ...);
  }
  /// The whole ladder of chains.
  static void add_ladder(InCoreKernels& kernels) {
    add<1>(kernels), add<2>(kernels), add<4>(kernels), add<8>(kernels), add<12>(kernels);
  }
};
template <Element Type, int Bits>
void add_precision(InCoreKernels& kernels, bool fma) {
  Kernels<Type, Bits, Mix::add, Mix::mul, Mix::add_mul>::add_ladder(kernels);
  // For throughput only: as many chains as registers.
  Kernels<Type, Bits, Mix::div, Mix::sqrt>::template add<12>(kernels);
  if (fma) Kernels<Type, Bits, Mix::fma>::add_ladder(kernels);
  if (!fma && Bits < 512) return;
  // The last rungs, where there are registers for them, and multiply-adds beside others.
  constexpr int chains = Bits == 512 ? 24 : 15;
  if constexpr (Bits == 512)
    Kernels<Type, Bits, Mix::add, Mix::mul, Mix::add_mul, Mix::fma>::template add<chains>(kernels);
  Kernels<Type, Bits, Mix::fma_add, Mix::fma2_add, Mix::fma_mul>::template add<chains>(kernels);
}
template <int Bits>
void add_width(InCoreKernels& kernels, bool fma) {
  add_precision<Element::fp64, Bits>(kernels, fma);
  add_precision<Element::fp32, Bits>(kernels, fma);
}
template <int Bits, Element... Types>
void add_integers(InCoreKernels& kernels) {
  (Kernels<Types, Bits, Mix::add, Mix::mul, Mix::shift, Mix::compare>::template add<12>(kernels),
   ...);
}

/// An instruction on registers for whole numbers; `issue` copies them, which costs no unit: of
/// empty instructions some cores take two for one.
enum class ScalarStep { add, shift, mul, compare, issue };
/// Six registers, each pass a step on each of the first `Ilp`.
template <ScalarStep Step, int Ilp>
void scalars(int64_t iterations, InCoreOperands&) {
  asm volatile(R"(
      mov $5, %%eax
      .p2align 6
    1:
      .rept %c[passes]
        .irp r,8,9,10,11,12,13
          .if \r < 8 + %c[ilp]
            .if %c[step] == 0
              add %%rax, %%r\r
            .elseif %c[step] == 1
              shl $1, %%r\r
            .elseif %c[step] == 2
              imul %%rax, %%r\r
            .elseif %c[step] == 3
              cmp %%rax, %%r\r
            .elseif \r & 1
              mov %%rax, %%r\r
            .else
              movaps %%xmm0, %%xmm\r
            .endif
          .endif
        .endr
      .endr
      dec %[n]
      jnz 1b
  )"
               : [n] "+r"(iterations)
               : [step] "i"(int(Step)), [ilp] "i"(Ilp), [passes] "i"(48 / Ilp)
               : "cc", "rax", "r8", "r9", "r10", "r11", "r12", "r13", "xmm8", "xmm10", "xmm12");
}
template <ScalarStep Step, int Ilp>
InCoreKernel scalar(const char* precision, const char* mix) {
  return {precision, mix, 64, Ilp, 1, 48, 0, scalars<Step, Ilp>};
}

#endif

}  // namespace

double flops_per_instruction(const std::string& mix) {
  return 1 + double(mix_named(mix).fused) / mix_named(mix).parts;
}

InCoreOperands timing_operands(const InCoreKernel& kernel) {
  const InCoreMix& mix = mix_named(kernel.mix);
  if (kernel.precision == double_precision) return operands<double>(mix.c, mix.d);
  return operands<float>(float(mix.c), float(mix.d));
}

#if defined(__x86_64__)
InCoreKernels integer_kernels(const CpuFeatures& features) {
  using enum ScalarStep;
  InCoreKernels kernels{
      scalar<add, 6>("int64", "add"),         scalar<add, 1>("int64", "add"),
      scalar<mul, 6>("int64", "mul"),         scalar<mul, 1>("int64", "mul"),
      scalar<shift, 6>("int64", "shift"),     scalar<compare, 6>("int64", "compare"),
      scalar<issue, 6>(Ceiling::issue, "any")};
  if (features.avx512)
    add_integers<512, Element::int64, Element::int32, Element::int8>(kernels);
  else if (features.avx2)
    add_integers<256, Element::int64, Element::int32, Element::int8>(kernels);
  return kernels;
}

InCoreKernels in_core_kernels(const CpuFeatures& features) {
  InCoreKernels kernels;
  add_width<64>(kernels, features.fma);
  add_width<128>(kernels, features.fma);
  if (features.avx2) add_width<256>(kernels, features.fma);
  if (features.avx512) add_width<512>(kernels, features.fma);
  return kernels;
}
#else
InCoreKernels in_core_kernels(const CpuFeatures&) { return {}; }
InCoreKernels integer_kernels(const CpuFeatures&) { return {}; }
#endif

}  // namespace rooftune::probe
