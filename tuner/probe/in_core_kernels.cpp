#include "probe/in_core_kernels.h"

#include <cstring>

#include "core/rng.h"

namespace rooftune::microbench {
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
  if (mix == "mul") return operands<Real>(Real(1.25), Real(0.8));
  return operands<Real>(Real(0.8125), Real(0.5));
}

}  // namespace

InCoreOperands timing_operands(const InCoreKernel& kernel) {
  return kernel.precision == "fp64" ? operands_of<double>(kernel.mix)
                                    : operands_of<float>(kernel.mix);
}

#if defined(__x86_64__)
namespace {

// The assembler unrolls: `.irp r` names the chains, `.if` keeps the first `ilp` of them and
// alternates FIRST and SECOND between neighbours and between passes, so that each chain sees both.
#define ROOFTUNE_PASS(REGISTERS, EVEN, ODD)                                                      \
  ".irp r," REGISTERS "\n\t.if \\r < %c[ilp]\n\t.if (\\r & 1) == 0\n\t" EVEN "\n\t.else\n\t" ODD \
  "\n\t.endif\n\t.endif\n\t.endr\n\t"
#define ROOFTUNE_EACH(REGISTERS, WHAT) \
  ".irp r," REGISTERS "\n\t.if \\r < %c[ilp]\n\t" WHAT "\n\t.endif\n\t.endr\n\t"

#if defined(__AVX512F__)
#define ROOFTUNE_HIGH_REGISTERS                                                               \
  , "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25", \
      "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31"
#else
#define ROOFTUNE_HIGH_REGISTERS
#endif

#define ROOFTUNE_KERNEL(NAME, REGISTERS, MOVE, R, C, D, FIRST, SECOND, LEAVE)                       \
  template <int Ilp>                                                                                \
  void NAME(std::int64_t iterations, InCoreOperands& operands) {                                    \
    asm volatile(MOVE " (%[o]), %%" R C "\n\t" MOVE " 64(%[o]), %%" R D "\n\t"                    \
                 ROOFTUNE_EACH(REGISTERS, MOVE " 128+64*\\r(%[o]), %%" R "\\r")                   \
                 ".p2align 6\n"                                                                   \
                 "1:\n\t"                                                                         \
                 ".rept %c[passes]\n\t"                                                           \
                 ROOFTUNE_PASS(REGISTERS, FIRST, SECOND) ROOFTUNE_PASS(REGISTERS, SECOND, FIRST)  \
                 ".endr\n\t"                                                                      \
                 "dec %[n]\n\t"                                                                   \
                 "jnz 1b\n\t"                                                                     \
                 ROOFTUNE_EACH(REGISTERS, MOVE " %%" R "\\r, 128+64*\\r(%[o])") LEAVE             \
                 : [n] "+r"(iterations)                                                           \
                 : [o] "r"(&operands), [ilp] "i"(Ilp),                                            \
                   [passes] "i"(InCoreKernel::instructions / 2 / Ilp)                             \
                 : "cc", "memory", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",        \
                   "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",           \
                   "xmm15" ROOFTUNE_HIGH_REGISTERS); \
  }

#define ROOFTUNE_LOW "0,1,2,3,4,5,6,7,8,9,10,11"
#define ROOFTUNE_ALL ROOFTUNE_LOW ",12,13,14,15,16,17,18,19,20,21,22,23"

// Two-operand forms run on every x86-64; three-operand forms need AVX and leave with vzeroupper.
#define ROOFTUNE_SSE(NAME, FIRST, SECOND)                                                      \
  ROOFTUNE_KERNEL(NAME, ROOFTUNE_LOW, "movups", "xmm", "14", "15", FIRST " %%xmm14, %%xmm\\r", \
                  SECOND " %%xmm15, %%xmm\\r", "")
#define ROOFTUNE_AVX(NAME, FIRST, SECOND)                                                      \
  ROOFTUNE_KERNEL(NAME, ROOFTUNE_LOW, "vmovups", "ymm", "14", "15",                            \
                  FIRST " %%ymm14, %%ymm\\r, %%ymm\\r", SECOND " %%ymm15, %%ymm\\r, %%ymm\\r", \
                  "vzeroupper")
#define ROOFTUNE_AVX512(NAME, FIRST, SECOND)                                                   \
  ROOFTUNE_KERNEL(NAME, ROOFTUNE_ALL, "vmovups", "zmm", "30", "31",                            \
                  FIRST " %%zmm30, %%zmm\\r, %%zmm\\r", SECOND " %%zmm31, %%zmm\\r, %%zmm\\r", \
                  "vzeroupper")
// vfmadd213: x = c x + d.
#define ROOFTUNE_FMA(NAME, REGISTERS, R, C, D, OPERATION)        \
  ROOFTUNE_KERNEL(NAME, REGISTERS, "vmovups", R, C, D,           \
                  OPERATION " %%" R D ", %%" R C ", %%" R "\\r", \
                  OPERATION " %%" R D ", %%" R C ", %%" R "\\r", "vzeroupper")

ROOFTUNE_SSE(add_d64, "addsd", "addsd")
ROOFTUNE_SSE(mul_d64, "mulsd", "mulsd")
ROOFTUNE_SSE(mix_d64, "addsd", "mulsd")
ROOFTUNE_SSE(add_d128, "addpd", "addpd")
ROOFTUNE_SSE(mul_d128, "mulpd", "mulpd")
ROOFTUNE_SSE(mix_d128, "addpd", "mulpd")
ROOFTUNE_SSE(add_s64, "addss", "addss")
ROOFTUNE_SSE(mul_s64, "mulss", "mulss")
ROOFTUNE_SSE(mix_s64, "addss", "mulss")
ROOFTUNE_SSE(add_s128, "addps", "addps")
ROOFTUNE_SSE(mul_s128, "mulps", "mulps")
ROOFTUNE_SSE(mix_s128, "addps", "mulps")
ROOFTUNE_AVX(add_d256, "vaddpd", "vaddpd")
ROOFTUNE_AVX(mul_d256, "vmulpd", "vmulpd")
ROOFTUNE_AVX(mix_d256, "vaddpd", "vmulpd")
ROOFTUNE_AVX(add_s256, "vaddps", "vaddps")
ROOFTUNE_AVX(mul_s256, "vmulps", "vmulps")
ROOFTUNE_AVX(mix_s256, "vaddps", "vmulps")
ROOFTUNE_AVX512(add_d512, "vaddpd", "vaddpd")
ROOFTUNE_AVX512(mul_d512, "vmulpd", "vmulpd")
ROOFTUNE_AVX512(mix_d512, "vaddpd", "vmulpd")
ROOFTUNE_AVX512(add_s512, "vaddps", "vaddps")
ROOFTUNE_AVX512(mul_s512, "vmulps", "vmulps")
ROOFTUNE_AVX512(mix_s512, "vaddps", "vmulps")
ROOFTUNE_FMA(fma_d64, ROOFTUNE_LOW, "xmm", "14", "15", "vfmadd213sd")
ROOFTUNE_FMA(fma_s64, ROOFTUNE_LOW, "xmm", "14", "15", "vfmadd213ss")
ROOFTUNE_FMA(fma_d128, ROOFTUNE_LOW, "xmm", "14", "15", "vfmadd213pd")
ROOFTUNE_FMA(fma_s128, ROOFTUNE_LOW, "xmm", "14", "15", "vfmadd213ps")
ROOFTUNE_FMA(fma_d256, ROOFTUNE_LOW, "ymm", "14", "15", "vfmadd213pd")
ROOFTUNE_FMA(fma_s256, ROOFTUNE_LOW, "ymm", "14", "15", "vfmadd213ps")
ROOFTUNE_FMA(fma_d512, ROOFTUNE_ALL, "zmm", "30", "31", "vfmadd213pd")
ROOFTUNE_FMA(fma_s512, ROOFTUNE_ALL, "zmm", "30", "31", "vfmadd213ps")

struct Family {
  const char* precision;
  const char* mix;
  int bits;
};

void add_rung(std::vector<InCoreKernel>& kernels, const Family& family, int ilp,
              decltype(InCoreKernel::run) run) {
  const bool is_double = std::string(family.precision) == "fp64";
  const int lanes = family.bits == 64 ? 1 : family.bits / (is_double ? 64 : 32);
  const int flops = std::string(family.mix) == "fma" ? 2 : 1;
  kernels.push_back({family.precision, family.mix, family.bits, ilp, lanes, flops, run});
}

#define ROOFTUNE_LADDER(PRECISION, MIX, BITS, NAME)      \
  add_rung(kernels, {PRECISION, MIX, BITS}, 1, NAME<1>); \
  add_rung(kernels, {PRECISION, MIX, BITS}, 2, NAME<2>); \
  add_rung(kernels, {PRECISION, MIX, BITS}, 4, NAME<4>); \
  add_rung(kernels, {PRECISION, MIX, BITS}, 8, NAME<8>); \
  add_rung(kernels, {PRECISION, MIX, BITS}, 12, NAME<12>)
#define ROOFTUNE_LADDERS(MIX, BITS, DOUBLE, SINGLE) \
  ROOFTUNE_LADDER("fp64", MIX, BITS, DOUBLE);       \
  ROOFTUNE_LADDER("fp32", MIX, BITS, SINGLE)
#define ROOFTUNE_LONG_LADDERS(MIX, BITS, DOUBLE, SINGLE)  \
  ROOFTUNE_LADDERS(MIX, BITS, DOUBLE, SINGLE);            \
  add_rung(kernels, {"fp64", MIX, BITS}, 24, DOUBLE<24>); \
  add_rung(kernels, {"fp32", MIX, BITS}, 24, SINGLE<24>)

}  // namespace

std::vector<InCoreKernel> in_core_kernels(const CpuFeatures& features) {
  std::vector<InCoreKernel> kernels;
  ROOFTUNE_LADDERS("add", 64, add_d64, add_s64);
  ROOFTUNE_LADDERS("mul", 64, mul_d64, mul_s64);
  ROOFTUNE_LADDERS("add_mul", 64, mix_d64, mix_s64);
  ROOFTUNE_LADDERS("add", 128, add_d128, add_s128);
  ROOFTUNE_LADDERS("mul", 128, mul_d128, mul_s128);
  ROOFTUNE_LADDERS("add_mul", 128, mix_d128, mix_s128);
  if (features.fma) {
    ROOFTUNE_LADDERS("fma", 64, fma_d64, fma_s64);
    ROOFTUNE_LADDERS("fma", 128, fma_d128, fma_s128);
  }
  if (features.avx2) {
    ROOFTUNE_LADDERS("add", 256, add_d256, add_s256);
    ROOFTUNE_LADDERS("mul", 256, mul_d256, mul_s256);
    ROOFTUNE_LADDERS("add_mul", 256, mix_d256, mix_s256);
    if (features.fma) {
      ROOFTUNE_LADDERS("fma", 256, fma_d256, fma_s256);
    }
  }
  if (features.avx512) {
    ROOFTUNE_LONG_LADDERS("add", 512, add_d512, add_s512);
    ROOFTUNE_LONG_LADDERS("mul", 512, mul_d512, mul_s512);
    ROOFTUNE_LONG_LADDERS("add_mul", 512, mix_d512, mix_s512);
    ROOFTUNE_LONG_LADDERS("fma", 512, fma_d512, fma_s512);
  }
  return kernels;
}

#else
std::vector<InCoreKernel> in_core_kernels(const CpuFeatures&) { return {}; }
#endif

}  // namespace rooftune::microbench
