// The bandwidth micro-kernels: up to three arrays walked by full vectors, strided loads, and chains
// of dependent loads.
#include "probe/memory_kernels.h"

#include <map>

#include "core/list.h"

namespace rooftune::probe {

namespace {

template <class Kernel>
std::vector<int> numbers(const std::map<int, Kernel>& kernels) {
  std::vector<int> all;
  for (const auto& [number, kernel] : kernels) all.push_back(number);
  return all;
}

template <class Kernel>
Kernel kernel_of(const std::map<int, Kernel>& kernels, int number) {
  auto* found = value_at(kernels, number);
  return found ? *found : nullptr;
}

#if defined(__x86_64__)

#define ROOFTUNE_XMM                                                                       \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", \
      "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

// The assembly below names members by offset.
static_assert(offsetof(StreamArguments, bytes) == 24 && offsetof(StreamArguments, scalar) == 64 &&
              offsetof(StreamArguments, sink) == 128);

// rax, rcx, rdx walk the arrays a, b, c; rdi is the end of a. ENTER runs once, LEAVE once.
#define ROOFTUNE_STREAM(NAME, WIDTH, ENTER, BODY, LEAVE)                      \
  void NAME(StreamArguments& arguments) {                                     \
    int64_t passes = arguments.passes;                                        \
    asm volatile(ENTER                                                        \
                 "2:\n\t"                                                     \
                 "mov (%[s]), %%rax\n\t"                                      \
                 "mov 8(%[s]), %%rcx\n\t"                                     \
                 "mov 16(%[s]), %%rdx\n\t"                                    \
                 "mov 24(%[s]), %%rdi\n\t"                                    \
                 "add %%rax, %%rdi\n\t"                                       \
                 ".p2align 6\n"                                               \
                 "1:\n\t" BODY "add $16*" WIDTH                               \
                 ", %%rax\n\t"                                                \
                 "cmp %%rdi, %%rax\n\t"                                       \
                 "jb 1b\n\t"                                                  \
                 "dec %[n]\n\t"                                               \
                 "jnz 2b\n\t" LEAVE                                           \
                 : [n] "+r"(passes)                                           \
                 : [s] "r"(&arguments)                                        \
                 : "cc", "memory", "rax", "rcx", "rdx", "rdi", ROOFTUNE_XMM); \
  }

#define ROOFTUNE_16 "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define ROOFTUNE_EACH(WHAT) ".irp r," ROOFTUNE_16 "\n\t" WHAT "\n\t.endr\n\t"
#define ROOFTUNE_STEP_B(WIDTH) "add $16*" WIDTH ", %%rcx\n\t"
#define ROOFTUNE_STEP_C(WIDTH) "add $16*" WIDTH ", %%rdx\n\t"

// One set of kernels for one vector width. P: register prefix; MOVE and NT: aligned move and
// non-temporal store; UPDATE and TRIAD: the arithmetic on register P\r with the factor in P15.
#define ROOFTUNE_STREAMS(SUFFIX, WIDTH, P, MOVE, NT, UPDATE, TRIAD, LEAVE)                         \
  ROOFTUNE_STREAM(                                                                                 \
      load_##SUFFIX, WIDTH, "", ROOFTUNE_EACH(MOVE " " WIDTH "*\\r(%%rax), %%" P "\\r"),           \
      "mov 128(%[s]), %%rax\n\t" ROOFTUNE_EACH(MOVE " %%" P "\\r, " WIDTH "*\\r(%%rax)") LEAVE)    \
  ROOFTUNE_STREAM(store_##SUFFIX, WIDTH, MOVE " 64(%[s]), %%" P "15\n\t",                          \
                  ROOFTUNE_EACH(MOVE " %%" P "15, " WIDTH "*\\r(%%rax)"), LEAVE)                   \
  ROOFTUNE_STREAM(store_nt_##SUFFIX, WIDTH, MOVE " 64(%[s]), %%" P "15\n\t",                       \
                  ROOFTUNE_EACH(NT " %%" P "15, " WIDTH "*\\r(%%rax)"), "sfence\n\t" LEAVE)        \
  ROOFTUNE_STREAM(copy_##SUFFIX, WIDTH, "",                                                        \
                  ROOFTUNE_EACH(MOVE " " WIDTH "*\\r(%%rcx), %%" P "\\r\n\t" MOVE " %%" P          \
                                     "\\r, " WIDTH "*\\r(%%rax)") ROOFTUNE_STEP_B(WIDTH),          \
                  LEAVE)                                                                           \
  ROOFTUNE_STREAM(copy_nt_##SUFFIX, WIDTH, "",                                                     \
                  ROOFTUNE_EACH(MOVE " " WIDTH "*\\r(%%rcx), %%" P "\\r\n\t" NT " %%" P            \
                                     "\\r, " WIDTH "*\\r(%%rax)") ROOFTUNE_STEP_B(WIDTH),          \
                  "sfence\n\t" LEAVE)                                                              \
  ROOFTUNE_STREAM(triad_##SUFFIX, WIDTH, MOVE " 64(%[s]), %%" P "15\n\t",                          \
                  ROOFTUNE_EACH(TRIAD MOVE " %%" P "14, " WIDTH "*\\r(%%rax)")                     \
                      ROOFTUNE_STEP_B(WIDTH) ROOFTUNE_STEP_C(WIDTH),                               \
                  LEAVE)                                                                           \
  ROOFTUNE_STREAM(triad_nt_##SUFFIX, WIDTH, MOVE " 64(%[s]), %%" P "15\n\t",                       \
                  ROOFTUNE_EACH(TRIAD NT " %%" P "14, " WIDTH "*\\r(%%rax)")                       \
                      ROOFTUNE_STEP_B(WIDTH) ROOFTUNE_STEP_C(WIDTH),                               \
                  "sfence\n\t" LEAVE)                                                              \
  ROOFTUNE_STREAM(move_##SUFFIX, WIDTH, "",                                                        \
                  ROOFTUNE_EACH(MOVE " " WIDTH "*\\r(%%rdx), %%" P "14\n\t" MOVE " " WIDTH         \
                                     "*\\r(%%rcx), %%" P "13\n\t" MOVE " %%" P "14, " WIDTH        \
                                     "*\\r(%%rax)") ROOFTUNE_STEP_B(WIDTH) ROOFTUNE_STEP_C(WIDTH), \
                  LEAVE)                                                                           \
  ROOFTUNE_STREAM(update_##SUFFIX, WIDTH, MOVE " 64(%[s]), %%" P "15\n\t",                         \
                  ROOFTUNE_EACH(UPDATE MOVE " %%" P "14, " WIDTH "*\\r(%%rax)"), LEAVE)

ROOFTUNE_STREAMS(128, "16", "xmm", "movaps", "movntps",
                 "movaps 16*\\r(%%rax), %%xmm14\n\tmulpd %%xmm15, %%xmm14\n\t",
                 "movaps 16*\\r(%%rdx), %%xmm14\n\tmulpd %%xmm15, %%xmm14\n\t"
                 "addpd 16*\\r(%%rcx), %%xmm14\n\t",
                 "")
ROOFTUNE_STREAMS(
    256, "32", "ymm", "vmovaps", "vmovntps", "vmulpd 32*\\r(%%rax), %%ymm15, %%ymm14\n\t",
    "vmovaps 32*\\r(%%rdx), %%ymm14\n\tvfmadd213pd 32*\\r(%%rcx), %%ymm15, %%ymm14\n\t",
    "vzeroupper")
ROOFTUNE_STREAMS(
    512, "64", "zmm", "vmovaps", "vmovntps", "vmulpd 64*\\r(%%rax), %%zmm15, %%zmm14\n\t",
    "vmovaps 64*\\r(%%rdx), %%zmm14\n\tvfmadd213pd 64*\\r(%%rcx), %%zmm15, %%zmm14\n\t",
    "vzeroupper")

#define ROOFTUNE_ROWS(SUFFIX)                                                               \
  {                                                                                         \
    {StreamMix::load, false, SUFFIX, 2 * SUFFIX, 1, 1.0, 1, load_##SUFFIX},                 \
        {StreamMix::store, false, SUFFIX, 2 * SUFFIX, 1, 0.0, 1, store_##SUFFIX},           \
        {StreamMix::copy, false, SUFFIX, 2 * SUFFIX, 2, 0.5, 2, copy_##SUFFIX},             \
        {StreamMix::triad, false, SUFFIX, 2 * SUFFIX, 3, 2.0 / 3, 3, triad_##SUFFIX},       \
        {StreamMix::update, false, SUFFIX, 2 * SUFFIX, 1, 0.5, 2, update_##SUFFIX},         \
        {StreamMix::load2_store1, false, SUFFIX, 2 * SUFFIX, 3, 2.0 / 3, 3, move_##SUFFIX}, \
        {StreamMix::store, true, SUFFIX, 2 * SUFFIX, 1, 0.0, 1, store_nt_##SUFFIX},         \
        {StreamMix::copy, true, SUFFIX, 2 * SUFFIX, 2, 0.5, 2, copy_nt_##SUFFIX}, {         \
      StreamMix::triad, true, SUFFIX, 2 * SUFFIX, 3, 2.0 / 3, 3, triad_nt_##SUFFIX          \
    }                                                                                       \
  }

#define ROOFTUNE_R8_TO_R15 "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"

template <int Stride>
uint64_t strided(const void* base, int64_t groups, int64_t phases, int64_t passes) {
  uint64_t sum = 0;
  asm volatile(R"(
    3:
      mov %[base], %%rsi
      mov %[phases], %%rcx
    2:
      mov %%rsi, %%rax
      mov %[groups], %%rdx
      .p2align 6
    1:
      .irp r,8,9,10,11,12,13,14,15
        mov (\r-8)*%c[stride](%%rax), %%r\r
      .endr
      add $8*%c[stride], %%rax
      dec %%rdx
      jnz 1b
      add $64, %%rsi
      dec %%rcx
      jnz 2b
      dec %[passes]
      jnz 3b
      mov %%r8, %%rax
      .irp r,9,10,11,12,13,14,15
        add %%r\r, %%rax
      .endr
  )"
               : [passes] "+&D"(passes), "=&a"(sum)
               : [base] "m"(base), [groups] "m"(groups), [phases] "m"(phases), [stride] "i"(Stride)
               : "cc", "memory", "rcx", "rdx", "rsi", ROOFTUNE_R8_TO_R15);
  return sum;
}

template <int Misses>
void chase(int64_t steps, void** heads) {
  int64_t left = steps / chase_unroll;
  asm volatile(R"(
      .irp r,8,9,10,11,12,13,14,15
        .if \r-8 < %c[misses]
          mov (\r-8)*8(%[heads]), %%r\r
        .endif
      .endr
      .p2align 6
    1:
      .rept 4
        .irp r,8,9,10,11,12,13,14,15
          .if \r-8 < %c[misses]
            mov (%%r\r), %%r\r
          .endif
        .endr
      .endr
      dec %[n]
      jnz 1b
      .irp r,8,9,10,11,12,13,14,15
        .if \r-8 < %c[misses]
          mov %%r\r, (\r-8)*8(%[heads])
        .endif
      .endr
  )"
               : [n] "+&r"(left)
               : [heads] "r"(heads), [misses] "i"(Misses)
               : "cc", "memory", ROOFTUNE_R8_TO_R15);
}

// Sixteen chains do not fit the integer registers beside counter and frame: twelve live there, four
// pass through r14 from vector registers; their steps are a few cycles of latency longer.
void chase_sixteen(int64_t steps, void** heads) {
  int64_t left = steps / chase_unroll;
  // rsi is loaded last: it holds the heads until then.
  asm volatile(R"(
      movq %%rsi, %%xmm15
      mov %%rdi, %%r15
      mov (%%rsi), %%rax
      mov 8(%%rsi), %%rbx
      mov 16(%%rsi), %%rcx
      mov 24(%%rsi), %%rdx
      mov 40(%%rsi), %%rdi
      .irp r,8,9,10,11,12,13
        mov 48+(\r-8)*8(%%rsi), %%r\r
      .endr
      .irp r,0,1,2,3
        movq 96+8*\r(%%rsi), %%xmm\r
      .endr
      mov 32(%%rsi), %%rsi
      .p2align 6
    1:
      .rept 4
        .irp r,rax,rbx,rcx,rdx,rsi,rdi,r8,r9,r10,r11,r12,r13
          mov (%%\r), %%\r
        .endr
        .irp r,0,1,2,3
          movq %%xmm\r, %%r14
          movq (%%r14), %%xmm\r
        .endr
      .endr
      dec %%r15
      jnz 1b
      movq %%xmm15, %%r15
      mov %%rax, (%%r15)
      mov %%rbx, 8(%%r15)
      mov %%rcx, 16(%%r15)
      mov %%rdx, 24(%%r15)
      mov %%rsi, 32(%%r15)
      mov %%rdi, 40(%%r15)
      .irp r,8,9,10,11,12,13
        mov %%r\r, 48+(\r-8)*8(%%r15)
      .endr
      .irp r,0,1,2,3
        movq %%xmm\r, 96+8*\r(%%r15)
      .endr
  )"
               : "+&S"(heads), "+&D"(left)
               :
               : "cc", "memory", "rax", "rbx", "rcx", "rdx", "xmm0", "xmm1", "xmm2", "xmm3",
                 "xmm15", ROOFTUNE_R8_TO_R15);
}

const std::map<int, StridedKernel> by_stride{
    {64, strided<64>}, {128, strided<128>}, {256, strided<256>}, {4096, strided<4096>}};
const std::map<int, ChaseKernel> by_misses{
    {1, chase<1>}, {2, chase<2>}, {4, chase<4>}, {8, chase<8>}, {most_misses, chase_sixteen}};

#else
const std::map<int, StridedKernel> by_stride;
const std::map<int, ChaseKernel> by_misses;
#endif

}  // namespace

#if defined(__x86_64__)
std::vector<StreamKernel> stream_kernels(const CpuFeatures& features) {
  if (features.avx512) return ROOFTUNE_ROWS(512);
  if (features.avx2 && features.fma) return ROOFTUNE_ROWS(256);
  return ROOFTUNE_ROWS(128);
}
#else
std::vector<StreamKernel> stream_kernels(const CpuFeatures&) { return {}; }
#endif

StridedKernel strided_kernel(int stride) { return kernel_of(by_stride, stride); }
ChaseKernel chase_kernel(int misses) { return kernel_of(by_misses, misses); }
std::vector<int> strides() { return numbers(by_stride); }
std::vector<int> misses_in_flight() { return numbers(by_misses); }

}  // namespace rooftune::probe
