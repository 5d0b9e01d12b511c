// The bandwidth micro-kernels without unit stride: strided loads, and chains of dependent loads.
#include <map>

#include "probe/memory_kernels.h"

namespace rooftune::probe {

#if defined(__x86_64__)
namespace {

#define ROOFTUNE_R8_TO_R15 "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"

template <int Stride>
std::uint64_t strided(const void* base, std::int64_t groups, std::int64_t phases,
                      std::int64_t passes) {
  std::uint64_t sum = 0;
  asm volatile(
      "3:\n\t"
      "mov %[base], %%rsi\n\t"
      "mov %[phases], %%rcx\n"
      "2:\n\t"
      "mov %%rsi, %%rax\n\t"
      "mov %[groups], %%rdx\n\t"
      ".p2align 6\n"
      "1:\n\t"
      ".irp r,8,9,10,11,12,13,14,15\n\t"
      "mov (\\r-8)*%c[stride](%%rax), %%r\\r\n\t"
      ".endr\n\t"
      "add $8*%c[stride], %%rax\n\t"
      "dec %%rdx\n\t"
      "jnz 1b\n\t"
      "add $64, %%rsi\n\t"
      "dec %%rcx\n\t"
      "jnz 2b\n\t"
      "dec %[passes]\n\t"
      "jnz 3b\n\t"
      "mov %%r8, %%rax\n\t"
      ".irp r,9,10,11,12,13,14,15\n\t"
      "add %%r\\r, %%rax\n\t"
      ".endr\n\t"
      : [passes] "+&D"(passes), "=&a"(sum)
      : [base] "m"(base), [groups] "m"(groups), [phases] "m"(phases), [stride] "i"(Stride)
      : "cc", "memory", "rcx", "rdx", "rsi", ROOFTUNE_R8_TO_R15);
  return sum;
}

template <int Misses>
void chase(std::int64_t steps, void** heads) {
  std::int64_t left = steps / chase_unroll;
  asm volatile(
      ".irp r,8,9,10,11,12,13,14,15\n\t"
      ".if \\r-8 < %c[misses]\n\t"
      "mov (\\r-8)*8(%[heads]), %%r\\r\n\t"
      ".endif\n\t"
      ".endr\n\t"
      ".p2align 6\n"
      "1:\n\t"
      ".rept 4\n\t"
      ".irp r,8,9,10,11,12,13,14,15\n\t"
      ".if \\r-8 < %c[misses]\n\t"
      "mov (%%r\\r), %%r\\r\n\t"
      ".endif\n\t"
      ".endr\n\t"
      ".endr\n\t"
      "dec %[n]\n\t"
      "jnz 1b\n\t"
      ".irp r,8,9,10,11,12,13,14,15\n\t"
      ".if \\r-8 < %c[misses]\n\t"
      "mov %%r\\r, (\\r-8)*8(%[heads])\n\t"
      ".endif\n\t"
      ".endr\n\t"
      : [n] "+&r"(left)
      : [heads] "r"(heads), [misses] "i"(Misses)
      : "cc", "memory", ROOFTUNE_R8_TO_R15);
}

// Sixteen chains do not fit the integer registers beside counter and frame: twelve live there, four
// pass through r14 from vector registers; their steps are a few cycles of latency longer.
#define ROOFTUNE_TWELVE "rax,rbx,rcx,rdx,rsi,rdi,r8,r9,r10,r11,r12,r13"
// rsi comes last: it holds the heads until then.
#define ROOFTUNE_HEADS_IN                                                  \
  "mov (%%rsi), %%rax\n\tmov 8(%%rsi), %%rbx\n\tmov 16(%%rsi), %%rcx\n\t"  \
  "mov 24(%%rsi), %%rdx\n\tmov 40(%%rsi), %%rdi\n\t"                       \
  ".irp r,8,9,10,11,12,13\n\tmov 48+(\\r-8)*8(%%rsi), %%r\\r\n\t.endr\n\t" \
  ".irp r,0,1,2,3\n\tmovq 96+8*\\r(%%rsi), %%xmm\\r\n\t.endr\n\t"          \
  "mov 32(%%rsi), %%rsi\n\t"
#define ROOFTUNE_HEADS_OUT                                                   \
  "mov %%rax, (%%r15)\n\tmov %%rbx, 8(%%r15)\n\tmov %%rcx, 16(%%r15)\n\t"    \
  "mov %%rdx, 24(%%r15)\n\tmov %%rsi, 32(%%r15)\n\tmov %%rdi, 40(%%r15)\n\t" \
  ".irp r,8,9,10,11,12,13\n\tmov %%r\\r, 48+(\\r-8)*8(%%r15)\n\t.endr\n\t"   \
  ".irp r,0,1,2,3\n\tmovq %%xmm\\r, 96+8*\\r(%%r15)\n\t.endr\n\t"

void chase_sixteen(std::int64_t steps, void** heads) {
  std::int64_t left = steps / chase_unroll;
  asm volatile(
      "movq %%rsi, %%xmm15\n\t"
      "mov %%rdi, %%r15\n\t" ROOFTUNE_HEADS_IN
      ".p2align 6\n"
      "1:\n\t"
      ".rept 4\n\t"
      ".irp r," ROOFTUNE_TWELVE
      "\n\t"
      "mov (%%\\r), %%\\r\n\t"
      ".endr\n\t"
      ".irp r,0,1,2,3\n\t"
      "movq %%xmm\\r, %%r14\n\t"
      "movq (%%r14), %%xmm\\r\n\t"
      ".endr\n\t"
      ".endr\n\t"
      "dec %%r15\n\t"
      "jnz 1b\n\t"
      "movq %%xmm15, %%r15\n\t" ROOFTUNE_HEADS_OUT
      : "+&S"(heads), "+&D"(left)
      :
      : "cc", "memory", "rax", "rbx", "rcx", "rdx", "xmm0", "xmm1", "xmm2", "xmm3", "xmm15",
        ROOFTUNE_R8_TO_R15);
}

const std::map<int, StridedKernel> by_stride{
    {64, strided<64>}, {128, strided<128>}, {256, strided<256>}, {4096, strided<4096>}};
const std::map<int, ChaseKernel> by_misses{
    {1, chase<1>}, {2, chase<2>}, {4, chase<4>}, {8, chase<8>}, {most_misses, chase_sixteen}};

}  // namespace
#else
namespace {
const std::map<int, StridedKernel> by_stride;
const std::map<int, ChaseKernel> by_misses;
}  // namespace
#endif

namespace {

template <class Kernel>
std::vector<int> numbers(const std::map<int, Kernel>& kernels) {
  std::vector<int> all;
  for (const auto& [number, kernel] : kernels) all.push_back(number);
  return all;
}

template <class Kernel>
Kernel kernel_of(const std::map<int, Kernel>& kernels, int number) {
  const auto found = kernels.find(number);
  return found == kernels.end() ? nullptr : found->second;
}

}  // namespace

StridedKernel strided_kernel(int stride) { return kernel_of(by_stride, stride); }
ChaseKernel chase_kernel(int misses) { return kernel_of(by_misses, misses); }
std::vector<int> strides() { return numbers(by_stride); }
std::vector<int> misses_in_flight() { return numbers(by_misses); }

}  // namespace rooftune::probe
