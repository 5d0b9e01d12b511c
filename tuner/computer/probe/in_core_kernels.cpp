// The in-core micro-kernels, and the clocks.
#include "probe/in_core_kernels.h"

#include <time.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "core/rng.h"
#include "roofline/machine.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

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
    for (Real& lane : lanes) lane = static_cast<Real>(0.25 + 0.5 * rng.unit());
    std::memcpy(vector.data(), lanes.data(), vector.size());
  }
  return result;
}

/// An instruction mix, and its operands for timing: finite, neither 0 nor denormal, and bounded for
/// any number of iterations (fma: x -> 1 - x; add: +c, -c; mul, div: 5/4, 4/5; the others draw near
/// to a value).
struct InCoreMix {
  const char* name;  ///< as in a ceiling
  int fused, parts;  ///< multiply-adds, of so many instructions
  double c, d;
};
/// The last one stands for a mix unknown here.
constexpr InCoreMix mixes[] = {{"fma", 1, 1, -1, 1},
                               {"add", 0, 2, 0.8125, -0.8125},
                               {"mul", 0, 2, 1.25, 0.8},
                               {"add_mul", 0, 2, 0.8125, 0.5},
                               {"fma_add", 1, 2, -0.5, 0.8125},
                               {"fma2_add", 2, 3, -0.5, 0.8125},
                               {"fma_mul", 1, 2, -0.5, 0.8125},
                               {"div", 0, 2, 1.25, 0.8},
                               {"sqrt", 0, 2, 0.8125, 0.5}};

const InCoreMix& mix_named(const std::string& name) {
  const auto found = std::ranges::find(mixes, name, &InCoreMix::name);
  return found == std::end(mixes) ? *std::prev(std::end(mixes)) : *found;
}

#if defined(__x86_64__)

/// Per iteration: whole passes over the chains, a multiple of the periods of all mixes.
constexpr int instructions_for(int chains) { return chains > 12 ? 6 * chains : 48; }

// The assembler unrolls: `.irp r` names the chains, `.if` keeps the first `ilp` of them. FIRST
// advances FIRSTS of every PERIOD neighbours and SECOND the others, one further in each pass, so
// each chain gets both.
#define ROOFTUNE_STEP(SYMBOL, PERIOD)                                               \
  ".set " SYMBOL ", " SYMBOL " + 1\n\t.if " SYMBOL " == " PERIOD "\n\t.set " SYMBOL \
  ", 0\n\t.endif\n\t"
#define ROOFTUNE_PASS(REGISTERS, PERIOD, FIRSTS, FIRST, SECOND)                            \
  ".set .Lrt_turn, .Lrt_pass\n\t.irp r," REGISTERS                                         \
  "\n\t.if \\r < %c[ilp]\n\t.if .Lrt_turn < " FIRSTS "\n\t" FIRST "\n\t.else\n\t" SECOND   \
  "\n\t.endif\n\t" ROOFTUNE_STEP(".Lrt_turn", PERIOD) ".endif\n\t.endr\n\t" ROOFTUNE_STEP( \
      ".Lrt_pass", PERIOD)
#define ROOFTUNE_EACH(REGISTERS, WHAT) \
  ".irp r," REGISTERS "\n\t.if \\r < %c[ilp]\n\t" WHAT "\n\t.endif\n\t.endr\n\t"

#if defined(__AVX512F__)
#define ROOFTUNE_HIGH_REGISTERS                                                               \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31"
#else
#define ROOFTUNE_HIGH_REGISTERS
#endif

#define ROOFTUNE_KERNEL(NAME, REGISTERS, MOVE, R, C, D, PERIOD, FIRSTS, FIRST, SECOND, LEAVE) \
  struct NAME {                                                                               \
    template <int Ilp>                                                                        \
    static void run(int64_t iterations, InCoreOperands& operands) {                           \
      asm volatile(MOVE " (%[o]), %%" R C "\n\t" MOVE " 64(%[o]), %%" R D "\n\t" \
                 ROOFTUNE_EACH(REGISTERS, MOVE " 128+64*\\r(%[o]), %%" R "\\r") \
                 ".p2align 6\n" \
                 "1:\n\t" \
                 ".set .Lrt_pass, 0\n\t.rept %c[passes]\n\t" \
                 ROOFTUNE_PASS(REGISTERS, PERIOD, FIRSTS, FIRST, SECOND) \
                 ".endr\n\t" \
                 "dec %[n]\n\t" \
                 "jnz 1b\n\t" \
                 ROOFTUNE_EACH(REGISTERS, MOVE " %%" R "\\r, 128+64*\\r(%[o])") LEAVE \
                 : [n] "+r"(iterations) \
                 : [o] "r"(&operands), [ilp] "i"(Ilp), \
                   [passes] "i"(instructions_for(Ilp) / Ilp) \
                 : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", \
                   "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", \
                   "xmm15" ROOFTUNE_HIGH_REGISTERS);            \
    }                                                                                         \
  };

#define ROOFTUNE_LOW "0,1,2,3,4,5,6,7,8,9,10,11,12,13"
#define ROOFTUNE_ALL ROOFTUNE_LOW ",14,15,16,17,18,19,20,21,22,23"

// Two-operand forms run on every x86-64; three-operand forms need AVX and leave with vzeroupper.
#define ROOFTUNE_TWO(NAME, FIRST, SECOND)                                    \
  ROOFTUNE_KERNEL(NAME, ROOFTUNE_LOW, "movups", "xmm", "14", "15", "2", "1", \
                  FIRST " %%xmm14, %%xmm\\r", SECOND " %%xmm15, %%xmm\\r", "")
#define ROOFTUNE_THREE(NAME, REGISTERS, R, C, D, FIRST, SECOND)  \
  ROOFTUNE_KERNEL(NAME, REGISTERS, "vmovups", R, C, D, "2", "1", \
                  FIRST " %%" R C ", %%" R "\\r, %%" R "\\r",    \
                  SECOND " %%" R D ", %%" R "\\r, %%" R "\\r", "vzeroupper")
#define ROOFTUNE_ROOT(REGISTERS, MOVE, R, C, D, OPERATION, LEAVE)                                \
  ROOFTUNE_KERNEL(sqrt, REGISTERS, MOVE, R, C, D, "2", "1", OPERATION " %%" R "\\r, %%" R "\\r", \
                  OPERATION " %%" R "\\r, %%" R "\\r", LEAVE)
// vfmadd213: x = c x + D; OTHER: x with c.
#define ROOFTUNE_FUSED(NAME, REGISTERS, R, C, D, ADDEND, PERIOD, FIRSTS, FUSED, OTHER) \
  ROOFTUNE_KERNEL(NAME, REGISTERS, "vmovups", R, C, D, PERIOD, FIRSTS,                 \
                  FUSED " " ADDEND ", %%" R C ", %%" R "\\r",                          \
                  OTHER " %%" R C ", %%" R "\\r, %%" R "\\r", "vzeroupper")
#define ROOFTUNE_MIXED(TYPE, REGISTERS, R, C, D, ADDEND)                                        \
  ROOFTUNE_FUSED(fma_add, REGISTERS, R, C, D, ADDEND, "2", "1", "vfmadd213" TYPE, "vadd" TYPE)  \
  ROOFTUNE_FUSED(fma2_add, REGISTERS, R, C, D, ADDEND, "3", "2", "vfmadd213" TYPE, "vadd" TYPE) \
  ROOFTUNE_FUSED(fma_mul, REGISTERS, R, C, D, ADDEND, "2", "1", "vfmadd213" TYPE, "vmul" TYPE)
// Additions beside multiply-adds keep more chains in flight than 16 registers hold with both
// operands: d stays in memory.
#define ROOFTUNE_FMAS(R, TYPE)                                                              \
  ROOFTUNE_FUSED(fma, ROOFTUNE_LOW, R, "14", "15", "%%" R "15", "1", "1", "vfmadd213" TYPE, \
                 "vfmadd213" TYPE)                                                          \
  ROOFTUNE_MIXED(TYPE, ROOFTUNE_LOW ",14", R, "15", "14", "64(%[o])")
#define ROOFTUNE_FMAS_512(TYPE)                                                               \
  ROOFTUNE_FUSED(fma, ROOFTUNE_ALL, "zmm", "30", "31", "%%zmm31", "1", "1", "vfmadd213" TYPE, \
                 "vfmadd213" TYPE)                                                            \
  ROOFTUNE_MIXED(TYPE, ROOFTUNE_ALL, "zmm", "30", "31", "%%zmm31")
#define ROOFTUNE_LEGACY(TYPE)                                               \
  ROOFTUNE_TWO(add, "add" TYPE, "add" TYPE)                                 \
  ROOFTUNE_TWO(mul, "mul" TYPE, "mul" TYPE)                                 \
  ROOFTUNE_TWO(add_mul, "add" TYPE, "mul" TYPE)                             \
  ROOFTUNE_TWO(div, "div" TYPE, "div" TYPE)                                 \
  ROOFTUNE_ROOT(ROOFTUNE_LOW, "movups", "xmm", "14", "15", "sqrt" TYPE, "") \
  ROOFTUNE_FMAS("xmm", TYPE)
#define ROOFTUNE_WIDE(REGISTERS, R, C, D, TYPE)                         \
  ROOFTUNE_THREE(add, REGISTERS, R, C, D, "vadd" TYPE, "vadd" TYPE)     \
  ROOFTUNE_THREE(mul, REGISTERS, R, C, D, "vmul" TYPE, "vmul" TYPE)     \
  ROOFTUNE_THREE(add_mul, REGISTERS, R, C, D, "vadd" TYPE, "vmul" TYPE) \
  ROOFTUNE_THREE(div, REGISTERS, R, C, D, "vdiv" TYPE, "vdiv" TYPE)     \
  ROOFTUNE_ROOT(REGISTERS, "vmovups", R, C, D, "vsqrt" TYPE, "vzeroupper")
#define ROOFTUNE_FAMILY(NAME, PRECISION, BITS, KERNELS) \
  struct NAME {                                         \
    static constexpr const char* precision = PRECISION; \
    static constexpr int bits = BITS;                   \
    KERNELS                                             \
  };

ROOFTUNE_FAMILY(d64, double_precision, 64, ROOFTUNE_LEGACY("sd"))
ROOFTUNE_FAMILY(s64, single_precision, 64, ROOFTUNE_LEGACY("ss"))
ROOFTUNE_FAMILY(d128, double_precision, 128, ROOFTUNE_LEGACY("pd"))
ROOFTUNE_FAMILY(s128, single_precision, 128, ROOFTUNE_LEGACY("ps"))
ROOFTUNE_FAMILY(d256, double_precision, 256,
                ROOFTUNE_WIDE(ROOFTUNE_LOW, "ymm", "14", "15", "pd") ROOFTUNE_FMAS("ymm", "pd"))
ROOFTUNE_FAMILY(s256, single_precision, 256,
                ROOFTUNE_WIDE(ROOFTUNE_LOW, "ymm", "14", "15", "ps") ROOFTUNE_FMAS("ymm", "ps"))
ROOFTUNE_FAMILY(d512, double_precision, 512,
                ROOFTUNE_WIDE(ROOFTUNE_ALL, "zmm", "30", "31", "pd") ROOFTUNE_FMAS_512("pd"))
ROOFTUNE_FAMILY(s512, single_precision, 512,
                ROOFTUNE_WIDE(ROOFTUNE_ALL, "zmm", "30", "31", "ps") ROOFTUNE_FMAS_512("ps"))

/// Adds kernels of one mix with these numbers of chains.
template <class Family, class Kernel, int... Ilp>
void add(std::vector<InCoreKernel>& kernels, const char* mix) {
  const int element = std::string_view(Family::precision) == double_precision ? 64 : 32;
  const int lanes = Family::bits == 64 ? 1 : Family::bits / element;
  const InCoreMix& parts = mix_named(mix);
  (kernels.push_back({Family::precision, mix, Family::bits, Ilp, lanes, instructions_for(Ilp),
                      instructions_for(Ilp) / parts.parts * parts.fused,
                      Kernel::template run<Ilp>}),
   ...);
}

// The whole ladder of chains; for mixes of throughput only, as many chains as registers.
template <class F>
void add_ladders(std::vector<InCoreKernel>& kernels, bool fma) {
  add<F, typename F::add, 1, 2, 4, 8, 12>(kernels, "add");
  add<F, typename F::mul, 1, 2, 4, 8, 12>(kernels, "mul");
  add<F, typename F::add_mul, 1, 2, 4, 8, 12>(kernels, "add_mul");
  add<F, typename F::div, 12>(kernels, "div");
  add<F, typename F::sqrt, 12>(kernels, "sqrt");
  if (fma) add<F, typename F::fma, 1, 2, 4, 8, 12>(kernels, "fma");
}

template <class F, int Chains>
void add_mixes(std::vector<InCoreKernel>& kernels) {
  add<F, typename F::fma_add, Chains>(kernels, "fma_add");
  add<F, typename F::fma2_add, Chains>(kernels, "fma2_add");
  add<F, typename F::fma_mul, Chains>(kernels, "fma_mul");
}

template <class F>
void add_last_rungs(std::vector<InCoreKernel>& kernels) {
  add<F, typename F::add, 24>(kernels, "add");
  add<F, typename F::mul, 24>(kernels, "mul");
  add<F, typename F::add_mul, 24>(kernels, "add_mul");
  add<F, typename F::fma, 24>(kernels, "fma");
}

template <class Doubles, class Singles>
void add_width(std::vector<InCoreKernel>& kernels, bool fma) {
  add_ladders<Doubles>(kernels, fma);
  add_ladders<Singles>(kernels, fma);
  if constexpr (Doubles::bits == 512) {
    add_last_rungs<Doubles>(kernels);
    add_last_rungs<Singles>(kernels);
    add_mixes<Doubles, 24>(kernels);
    add_mixes<Singles, 24>(kernels);
  } else if (fma) {
    add_mixes<Doubles, 15>(kernels);
    add_mixes<Singles, 15>(kernels);
  }
}

/// Six registers, each pass STEP on each of the first `ilp`.
#define ROOFTUNE_SCALAR(NAME, STEP)                                                         \
  struct NAME {                                                                             \
    template <int Ilp>                                                                      \
    static void run(int64_t iterations, InCoreOperands&) {                                  \
      asm volatile(                                                                         \
          "mov $5, %%eax\n\t.p2align 6\n1:\n\t.rept %c[passes]\n\t"                         \
          ".irp r,8,9,10,11,12,13\n\t.if \\r < 8 + %c[ilp]\n\t" STEP                        \
          "\n\t.endif\n\t.endr\n\t.endr\n\tdec %[n]\n\tjnz 1b"                              \
          : [n] "+r"(iterations)                                                            \
          : [ilp] "i"(Ilp), [passes] "i"(48 / Ilp)                                          \
          : "cc", "rax", "r8", "r9", "r10", "r11", "r12", "r13", "xmm8", "xmm10", "xmm12"); \
    }                                                                                       \
  };
ROOFTUNE_SCALAR(alu_add, "add %%rax, %%r\\r")
ROOFTUNE_SCALAR(alu_shift, "shl $1, %%r\\r")
ROOFTUNE_SCALAR(alu_mul, "imul %%rax, %%r\\r")
ROOFTUNE_SCALAR(alu_compare, "cmp %%rax, %%r\\r")
// Copies of registers, which cost no unit; of empty instructions some cores take two for one.
ROOFTUNE_SCALAR(issue,
                ".if \\r & 1\n\tmov %%rax, %%r\\r\n\t.else\n\tmovaps %%xmm0, %%xmm\\r\n\t.endif")

#define ROOFTUNE_VECTORS(NAME, REGISTERS, R, C, TO, OPERATION, OPERAND) \
  ROOFTUNE_KERNEL(NAME, REGISTERS, "vmovups", R, C, C, "1", "1",        \
                  OPERATION " " OPERAND ", %%" R "\\r, %%" TO, OPERATION, "vzeroupper")
#define ROOFTUNE_INTEGERS(FAMILY, REGISTERS, R, C, MASK, ADD, MUL, SHIFT, COMPARE) \
  struct FAMILY {                                                                  \
    ROOFTUNE_VECTORS(add, REGISTERS, R, C, R "\\r", ADD, "%%" R C)                 \
    ROOFTUNE_VECTORS(mul, REGISTERS, R, C, R "\\r", MUL, "%%" R C)                 \
    ROOFTUNE_VECTORS(shift, REGISTERS, R, C, R "\\r", SHIFT, "$1")                 \
    ROOFTUNE_VECTORS(compare, REGISTERS, R, C, MASK, COMPARE, "%%" R C)            \
  };
#define ROOFTUNE_EACH_SIZE(BITS, REGISTERS, R, C, MASK)                                  \
  ROOFTUNE_INTEGERS(quads##BITS, REGISTERS, R, C, MASK, "vpaddq", "vpmuludq", "vpsllq",  \
                    "vpcmpeqq")                                                          \
  ROOFTUNE_INTEGERS(doubles##BITS, REGISTERS, R, C, MASK, "vpaddd", "vpmulld", "vpslld", \
                    "vpcmpeqd")                                                          \
  ROOFTUNE_INTEGERS(bytes##BITS, REGISTERS, R, C, MASK, "vpaddb", "vpmullw", "vpsllw", "vpcmpeqb")
ROOFTUNE_EACH_SIZE(256, ROOFTUNE_LOW, "ymm", "14", "ymm\\r")
// Compares of 512 bits write a mask.
ROOFTUNE_EACH_SIZE(512, ROOFTUNE_LOW, "zmm", "14", "k1")

template <class Kernel, int Ilp>
InCoreKernel scalar(const char* precision, const char* mix) {
  return {precision, mix, 64, Ilp, 1, 48, 0, Kernel::template run<Ilp>};
}

template <class Family>
void add_integers(std::vector<InCoreKernel>& kernels, const char* precision, int bits, int size) {
  constexpr int chains = 12;
  const auto one = [&](const char* mix, auto* run) {
    kernels.push_back(
        {precision, mix, bits, chains, bits / size, instructions_for(chains), 0, run});
  };
  one("add", Family::add::template run<chains>);
  one("mul", Family::mul::template run<chains>);
  one("shift", Family::shift::template run<chains>);
  one("compare", Family::compare::template run<chains>);
}

constexpr int64_t chain = 64;  // additions per iteration

// register + register: additions of small constants are done at rename on recent cores, in no time
#define ROOFTUNE_CHAIN(NAME, VECTOR, LEAVE) \
  void NAME(int64_t iterations) {           \
    asm volatile(                           \
        ".p2align 6\n"                      \
        "1:\n\t"                            \
        ".rept 16\n\t"                      \
        ".rept 4\n\t"                       \
        "add %%rax, %%rax\n\t"              \
        ".endr\n\t" VECTOR                  \
        "\n\t"                              \
        ".endr\n\t"                         \
        "dec %[n]\n\t"                      \
        "jnz 1b\n\t" LEAVE                  \
        : [n] "+r"(iterations)              \
        :                                   \
        : "rax", "cc", "xmm0", "xmm1");     \
  }

ROOFTUNE_CHAIN(scalar_chain, "", "")
ROOFTUNE_CHAIN(chain_256, "vmulpd %%ymm1, %%ymm1, %%ymm0", "vzeroupper")
ROOFTUNE_CHAIN(chain_512, "vmulpd %%zmm1, %%zmm1, %%zmm0", "vzeroupper")

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

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

#if defined(__x86_64__)
std::vector<InCoreKernel> integer_kernels(const CpuFeatures& features) {
  std::vector<InCoreKernel> kernels{
      scalar<alu_add, 6>("int64", "add"),     scalar<alu_add, 1>("int64", "add"),
      scalar<alu_mul, 6>("int64", "mul"),     scalar<alu_mul, 1>("int64", "mul"),
      scalar<alu_shift, 6>("int64", "shift"), scalar<alu_compare, 6>("int64", "compare"),
      scalar<issue, 6>(Ceiling::issue, "any")};
  if (features.avx512) {
    add_integers<quads512>(kernels, "int64", 512, 64);
    add_integers<doubles512>(kernels, "int32", 512, 32);
    add_integers<bytes512>(kernels, "int8", 512, 8);
  } else if (features.avx2) {
    add_integers<quads256>(kernels, "int64", 256, 64);
    add_integers<doubles256>(kernels, "int32", 256, 32);
    add_integers<bytes256>(kernels, "int8", 256, 8);
  }
  return kernels;
}

std::vector<InCoreKernel> in_core_kernels(const CpuFeatures& features) {
  std::vector<InCoreKernel> kernels;
  add_width<d64, s64>(kernels, features.fma);
  add_width<d128, s128>(kernels, features.fma);
  if (features.avx2) add_width<d256, s256>(kernels, features.fma);
  if (features.avx512) add_width<d512, s512>(kernels, features.fma);
  return kernels;
}

double core_clock(int simd_bits) {
  constexpr int64_t iterations = 768;  // 15 us
  const double start = now();
  if (simd_bits >= 512)
    chain_512(iterations);
  else if (simd_bits == 256)
    chain_256(iterations);
  else
    scalar_chain(iterations);
  return double(iterations * chain) / (now() - start);
}

void flush_denormals() { _mm_setcsr(_mm_getcsr() | 0x8040U); }
#else
std::vector<InCoreKernel> in_core_kernels(const CpuFeatures&) { return {}; }
std::vector<InCoreKernel> integer_kernels(const CpuFeatures&) { return {}; }
double core_clock(int) { return 0; }
void flush_denormals() {}
#endif

}  // namespace rooftune::probe
