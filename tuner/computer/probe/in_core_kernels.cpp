#include "probe/in_core_kernels.h"

#include <cstring>

#include "core/rng.h"

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

template <class Real>
InCoreOperands operands_of(const std::string& mix) {
  if (mix == "fma") return operands<Real>(Real(-1), Real(1));
  if (mix == "add") return operands<Real>(Real(0.8125), Real(-0.8125));
  if (mix == "mul" || mix == "div") return operands<Real>(Real(1.25), Real(0.8));
  if (mix.starts_with("fma")) return operands<Real>(Real(-0.5), Real(0.8125));
  return operands<Real>(Real(0.8125), Real(0.5));
}

/// Fused parts of a mix, and all its parts.
std::pair<int, int> fused_share(const std::string& mix) {
  if (mix == "fma") return {1, 1};
  if (mix == "fma2_add") return {2, 3};
  return {mix == "fma_add" || mix == "fma_mul" ? 1 : 0, 2};
}

}  // namespace

double flops_per_instruction(const std::string& mix) {
  const auto [fused, of] = fused_share(mix);
  return 1 + double(fused) / of;
}

InCoreOperands timing_operands(const InCoreKernel& kernel) {
  return kernel.precision == "fp64" ? operands_of<double>(kernel.mix)
                                    : operands_of<float>(kernel.mix);
}

#if defined(__x86_64__)
namespace {

/// Per iteration: whole passes over the chains, a multiple of the periods of all mixes.
constexpr int instructions_for(int chains) { return chains > 12 ? 6 * chains : 48; }

// The assembler unrolls: `.irp r` names the chains, `.if` keeps the first `ilp` of them. Of every
// PERIOD neighbours, FIRSTS are advanced by FIRST and the others by SECOND, one further in each
// pass, so each chain gets both.
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

#define ROOFTUNE_KERNEL(NAME, REGISTERS, MOVE, R, C, D, PERIOD, FIRSTS, FIRST, SECOND, LEAVE)       \
  template <int Ilp>                                                                                \
  void NAME(std::int64_t iterations, InCoreOperands& operands) {                                    \
    asm volatile(MOVE " (%[o]), %%" R C "\n\t" MOVE " 64(%[o]), %%" R D "\n\t"                    \
                 ROOFTUNE_EACH(REGISTERS, MOVE " 128+64*\\r(%[o]), %%" R "\\r")                   \
                 ".p2align 6\n"                                                                   \
                 "1:\n\t"                                                                         \
                 ".set .Lrt_pass, 0\n\t.rept %c[passes]\n\t"                                      \
                 ROOFTUNE_PASS(REGISTERS, PERIOD, FIRSTS, FIRST, SECOND)                          \
                 ".endr\n\t"                                                                      \
                 "dec %[n]\n\t"                                                                   \
                 "jnz 1b\n\t"                                                                     \
                 ROOFTUNE_EACH(REGISTERS, MOVE " %%" R "\\r, 128+64*\\r(%[o])") LEAVE             \
                 : [n] "+r"(iterations)                                                           \
                 : [o] "r"(&operands), [ilp] "i"(Ilp),                                            \
                   [passes] "i"(instructions_for(Ilp) / Ilp)                             \
                 : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",        \
                   "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",           \
                   "xmm15" ROOFTUNE_HIGH_REGISTERS); \
  }

#define ROOFTUNE_LOW "0,1,2,3,4,5,6,7,8,9,10,11,12,13"
#define ROOFTUNE_ALL ROOFTUNE_LOW ",14,15,16,17,18,19,20,21,22,23"

// Two-operand forms run on every x86-64; three-operand forms need AVX and leave with vzeroupper.
#define ROOFTUNE_SSE(NAME, FIRST, SECOND)                                    \
  ROOFTUNE_KERNEL(NAME, ROOFTUNE_LOW, "movups", "xmm", "14", "15", "2", "1", \
                  FIRST " %%xmm14, %%xmm\\r", SECOND " %%xmm15, %%xmm\\r", "")
#define ROOFTUNE_AVX(NAME, FIRST, SECOND)                                                      \
  ROOFTUNE_KERNEL(NAME, ROOFTUNE_LOW, "vmovups", "ymm", "14", "15", "2", "1",                  \
                  FIRST " %%ymm14, %%ymm\\r, %%ymm\\r", SECOND " %%ymm15, %%ymm\\r, %%ymm\\r", \
                  "vzeroupper")
#define ROOFTUNE_AVX512(NAME, FIRST, SECOND)                                                   \
  ROOFTUNE_KERNEL(NAME, ROOFTUNE_ALL, "vmovups", "zmm", "30", "31", "2", "1",                  \
                  FIRST " %%zmm30, %%zmm\\r, %%zmm\\r", SECOND " %%zmm31, %%zmm\\r, %%zmm\\r", \
                  "vzeroupper")
#define ROOFTUNE_ROOT(NAME, REGISTERS, MOVE, R, C, D, OPERATION, LEAVE)                          \
  ROOFTUNE_KERNEL(NAME, REGISTERS, MOVE, R, C, D, "2", "1", OPERATION " %%" R "\\r, %%" R "\\r", \
                  OPERATION " %%" R "\\r, %%" R "\\r", LEAVE)
// vfmadd213: x = c x + d; OTHER: x with c.
#define ROOFTUNE_FUSED(NAME, REGISTERS, R, C, D, PERIOD, FIRSTS, FUSED, OTHER) \
  ROOFTUNE_KERNEL(NAME, REGISTERS, "vmovups", R, C, D, PERIOD, FIRSTS,         \
                  FUSED " %%" R D ", %%" R C ", %%" R "\\r",                   \
                  OTHER " %%" R C ", %%" R "\\r, %%" R "\\r", "vzeroupper")
#define ROOFTUNE_FMA(NAME, REGISTERS, R, C, D, FUSED) \
  ROOFTUNE_FUSED(NAME, REGISTERS, R, C, D, "1", "1", FUSED, FUSED)
// Additions beside multiply-adds keep more chains in flight than 16 registers hold with both
// operands: d stays in memory.
#define ROOFTUNE_MIXED(NAME, R, PERIOD, FIRSTS, FUSED, OTHER)                         \
  ROOFTUNE_KERNEL(NAME, ROOFTUNE_LOW ",14", "vmovups", R, "15", "14", PERIOD, FIRSTS, \
                  FUSED " 64(%[o]), %%" R "15, %%" R "\\r",                           \
                  OTHER " %%" R "15, %%" R "\\r, %%" R "\\r", "vzeroupper")
#define ROOFTUNE_FMAS(SUFFIX, R, TYPE)                                          \
  ROOFTUNE_FMA(fma_##SUFFIX, ROOFTUNE_LOW, R, "14", "15", "vfmadd213" TYPE)     \
  ROOFTUNE_MIXED(fma_add_##SUFFIX, R, "2", "1", "vfmadd213" TYPE, "vadd" TYPE)  \
  ROOFTUNE_MIXED(fma2_add_##SUFFIX, R, "3", "2", "vfmadd213" TYPE, "vadd" TYPE) \
  ROOFTUNE_MIXED(fma_mul_##SUFFIX, R, "2", "1", "vfmadd213" TYPE, "vmul" TYPE)
#define ROOFTUNE_FMAS_512(SUFFIX, TYPE)                                                          \
  ROOFTUNE_FMA(fma_##SUFFIX, ROOFTUNE_ALL, "zmm", "30", "31", "vfmadd213" TYPE)                  \
  ROOFTUNE_FUSED(fma_add_##SUFFIX, ROOFTUNE_ALL, "zmm", "30", "31", "2", "1", "vfmadd213" TYPE,  \
                 "vadd" TYPE)                                                                    \
  ROOFTUNE_FUSED(fma2_add_##SUFFIX, ROOFTUNE_ALL, "zmm", "30", "31", "3", "2", "vfmadd213" TYPE, \
                 "vadd" TYPE)                                                                    \
  ROOFTUNE_FUSED(fma_mul_##SUFFIX, ROOFTUNE_ALL, "zmm", "30", "31", "2", "1", "vfmadd213" TYPE,  \
                 "vmul" TYPE)
#define ROOFTUNE_LEGACY(SUFFIX, TYPE)                                                      \
  ROOFTUNE_SSE(add_##SUFFIX, "add" TYPE, "add" TYPE)                                       \
  ROOFTUNE_SSE(mul_##SUFFIX, "mul" TYPE, "mul" TYPE)                                       \
  ROOFTUNE_SSE(mix_##SUFFIX, "add" TYPE, "mul" TYPE)                                       \
  ROOFTUNE_SSE(div_##SUFFIX, "div" TYPE, "div" TYPE)                                       \
  ROOFTUNE_ROOT(sqrt_##SUFFIX, ROOFTUNE_LOW, "movups", "xmm", "14", "15", "sqrt" TYPE, "") \
  ROOFTUNE_FMAS(SUFFIX, "xmm", TYPE)
#define ROOFTUNE_WIDE(SUFFIX, FORM, REGISTERS, R, C, D, TYPE) \
  FORM(add_##SUFFIX, "vadd" TYPE, "vadd" TYPE)                \
  FORM(mul_##SUFFIX, "vmul" TYPE, "vmul" TYPE)                \
  FORM(mix_##SUFFIX, "vadd" TYPE, "vmul" TYPE)                \
  FORM(div_##SUFFIX, "vdiv" TYPE, "vdiv" TYPE)                \
  ROOFTUNE_ROOT(sqrt_##SUFFIX, REGISTERS, "vmovups", R, C, D, "vsqrt" TYPE, "vzeroupper")

ROOFTUNE_LEGACY(d64, "sd")
ROOFTUNE_LEGACY(s64, "ss")
ROOFTUNE_LEGACY(d128, "pd")
ROOFTUNE_LEGACY(s128, "ps")
ROOFTUNE_WIDE(d256, ROOFTUNE_AVX, ROOFTUNE_LOW, "ymm", "14", "15", "pd")
ROOFTUNE_FMAS(d256, "ymm", "pd")
ROOFTUNE_WIDE(s256, ROOFTUNE_AVX, ROOFTUNE_LOW, "ymm", "14", "15", "ps")
ROOFTUNE_FMAS(s256, "ymm", "ps")
ROOFTUNE_WIDE(d512, ROOFTUNE_AVX512, ROOFTUNE_ALL, "zmm", "30", "31", "pd")
ROOFTUNE_FMAS_512(d512, "pd")
ROOFTUNE_WIDE(s512, ROOFTUNE_AVX512, ROOFTUNE_ALL, "zmm", "30", "31", "ps")
ROOFTUNE_FMAS_512(s512, "ps")

struct Family {
  const char* precision;
  int bits;
};

void add_rung(std::vector<InCoreKernel>& kernels, const Family& family, const char* mix, int ilp,
              decltype(InCoreKernel::run) run) {
  const bool is_double = std::string(family.precision) == "fp64";
  const int lanes = family.bits == 64 ? 1 : family.bits / (is_double ? 64 : 32);
  const auto [fused, of] = fused_share(mix);
  const int instructions = instructions_for(ilp);
  kernels.push_back({family.precision, mix, family.bits, ilp, lanes, instructions,
                     instructions / of * fused, run});
}

// The whole ladder of chains; for mixes of throughput only, as many chains as registers.
#define ROOFTUNE_LADDER(FAMILY, MIX, NAME)    \
  add_rung(kernels, FAMILY, MIX, 1, NAME<1>); \
  add_rung(kernels, FAMILY, MIX, 2, NAME<2>); \
  add_rung(kernels, FAMILY, MIX, 4, NAME<4>); \
  add_rung(kernels, FAMILY, MIX, 8, NAME<8>); \
  add_rung(kernels, FAMILY, MIX, 12, NAME<12>)
#define ROOFTUNE_LADDERS(FAMILY, SUFFIX)                    \
  ROOFTUNE_LADDER(FAMILY, "add", add_##SUFFIX);             \
  ROOFTUNE_LADDER(FAMILY, "mul", mul_##SUFFIX);             \
  ROOFTUNE_LADDER(FAMILY, "add_mul", mix_##SUFFIX);         \
  add_rung(kernels, FAMILY, "div", 12, div_##SUFFIX<12>);   \
  add_rung(kernels, FAMILY, "sqrt", 12, sqrt_##SUFFIX<12>); \
  if (features.fma) {                                       \
    ROOFTUNE_LADDER(FAMILY, "fma", fma_##SUFFIX);           \
  }
#define ROOFTUNE_MIXES(FAMILY, SUFFIX, CHAINS)                              \
  add_rung(kernels, FAMILY, "fma_add", CHAINS, fma_add_##SUFFIX<CHAINS>);   \
  add_rung(kernels, FAMILY, "fma2_add", CHAINS, fma2_add_##SUFFIX<CHAINS>); \
  add_rung(kernels, FAMILY, "fma_mul", CHAINS, fma_mul_##SUFFIX<CHAINS>)
#define ROOFTUNE_LAST_RUNGS(FAMILY, SUFFIX)                   \
  add_rung(kernels, FAMILY, "add", 24, add_##SUFFIX<24>);     \
  add_rung(kernels, FAMILY, "mul", 24, mul_##SUFFIX<24>);     \
  add_rung(kernels, FAMILY, "add_mul", 24, mix_##SUFFIX<24>); \
  add_rung(kernels, FAMILY, "fma", 24, fma_##SUFFIX<24>)

}  // namespace

std::vector<InCoreKernel> in_core_kernels(const CpuFeatures& features) {
  std::vector<InCoreKernel> kernels;
  const auto doubles = [](int bits) { return Family{"fp64", bits}; };
  const auto singles = [](int bits) { return Family{"fp32", bits}; };
#define ROOFTUNE_BOTH(BITS)                     \
  do {                                          \
    ROOFTUNE_LADDERS(doubles(BITS), d##BITS);   \
    ROOFTUNE_LADDERS(singles(BITS), s##BITS);   \
    if (!features.fma || (BITS) == 512) break;  \
    ROOFTUNE_MIXES(doubles(BITS), d##BITS, 15); \
    ROOFTUNE_MIXES(singles(BITS), s##BITS, 15); \
  } while (false)
  ROOFTUNE_BOTH(64);
  ROOFTUNE_BOTH(128);
  if (features.avx2) ROOFTUNE_BOTH(256);
  if (features.avx512) {
    ROOFTUNE_BOTH(512);
    ROOFTUNE_LAST_RUNGS(doubles(512), d512);
    ROOFTUNE_LAST_RUNGS(singles(512), s512);
    ROOFTUNE_MIXES(doubles(512), d512, 24);
    ROOFTUNE_MIXES(singles(512), s512, 24);
  }
  return kernels;
}

#else
std::vector<InCoreKernel> in_core_kernels(const CpuFeatures&) { return {}; }
#endif

}  // namespace rooftune::probe
