#include "probe/clocks.h"

#include <cstdint>

#include "run/sampler.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace rooftune::probe {

double now() { return run::raw_clock(); }

namespace {
// Iterations (15 us) of so many additions each.
[[maybe_unused]] constexpr int64_t iterations = 768, chain = 64;

#if defined(__x86_64__)
/// Register + register, for recent cores add small constants at rename, in no time.
template <int Bits>
void clock_chain() {
  int64_t left = iterations;
  asm volatile(R"(
      .p2align 6
    1:
      .rept 16
        .rept 4
          add %%rax, %%rax
        .endr
        .if %c[bits] == 512
          vmulpd %%zmm1, %%zmm1, %%zmm0
        .elseif %c[bits] == 256
          vmulpd %%ymm1, %%ymm1, %%ymm0
        .endif
      .endr
      dec %[n]
      jnz 1b
      .if %c[bits] > 64
        vzeroupper
      .endif
  )"
               : [n] "+r"(left)
               : [bits] "i"(Bits)
               : "rax", "cc", "xmm0", "xmm1");
}
#endif

}  // namespace

#if defined(__x86_64__)
double core_clock(int simd_bits) {
  const double start = now();
  if (simd_bits >= 512)
    clock_chain<512>();
  else if (simd_bits == 256)
    clock_chain<256>();
  else
    clock_chain<64>();
  return double(iterations * chain) / (now() - start);
}

void flush_denormals() { _mm_setcsr(_mm_getcsr() | 0x8040U); }
#elif defined(__aarch64__)
double core_clock(int) {
  int64_t left = iterations;
  const double start = now();
  asm volatile(R"(
      .p2align 6
    1:
      .rept 64
        add x9, x9, x9
      .endr
      subs %[n], %[n], #1
      b.ne 1b
  )"
               : [n] "+r"(left)
               :
               : "x9", "cc");
  return double(iterations * chain) / (now() - start);
}

void flush_denormals() {
  uint64_t control = 0;
  constexpr uint64_t to_zero = 1U << 24;  // FPCR.FZ
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | to_zero));
}
#else
double core_clock(int) { return 0; }
void flush_denormals() {}
#endif

}  // namespace rooftune::probe
