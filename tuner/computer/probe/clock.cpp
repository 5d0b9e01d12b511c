#include "probe/clock.h"

#include <time.h>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace rooftune::probe {

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

#if defined(__x86_64__)
namespace {

constexpr std::int64_t chain = 64;  // additions per iteration

// register + register: additions of small constants are done at rename on recent cores, in no time
#define ROOFTUNE_CHAIN(NAME, VECTOR, LEAVE) \
  void NAME(std::int64_t iterations) {      \
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

}  // namespace

double core_clock(int simd_bits) {
  constexpr std::int64_t iterations = 768;  // 15 us
  const double start = now();
  if (simd_bits >= 512)
    chain_512(iterations);
  else if (simd_bits == 256)
    chain_256(iterations);
  else
    scalar_chain(iterations);
  return static_cast<double>(iterations * chain) / (now() - start);
}

void flush_denormals() { _mm_setcsr(_mm_getcsr() | 0x8040U); }
#else
double core_clock(int) { return 0; }
void flush_denormals() {}
#endif

}  // namespace rooftune::probe
