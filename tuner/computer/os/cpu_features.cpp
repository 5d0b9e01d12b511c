// CPU features whose state the operating system saves: from CPUID and XCR0, on Arm from the
// kernel's bits and the SVE vector length. Model names play no part.
#include "os/cpu_features.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "core/list.h"
#include "os/topology.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

namespace rooftune::os {

CpuFeatures arm_features(uint64_t capabilities, uint64_t more, int sve_bytes) {
  // The features for which numeric code is compiled, in compilers' words; from 64 on they are bits
  // in `more`.
  constexpr int sve = 22, sve2 = 65;
  static constexpr std::pair<int, const char*> rows[] = {
      {1, "simd"},  {8, "lse"},     {10, "fp16"}, {20, "dotprod"},
      {sve, "sve"}, {sve2, "sve2"}, {77, "i8mm"}, {78, "bf16"}};
  const int sve_bits = 8 * sve_bytes;
  const std::string length = std::to_string(sve_bits);
  CpuFeatures features;
  features.simd_bits = std::max(features.simd_bits, sve_bits);
  features.compiler_flags = {"-march=armv8-a"};
  for (const auto& [bit, word] : rows) {
    const std::string name = word;
    if (((bit < 64 ? capabilities : more) >> bit % 64 & 1) == 0) continue;
    if ((bit == sve || bit == sve2) && sve_bits == 0) continue;
    features.names.push_back(bit == sve ? name + length : name);
    features.compiler_flags[0] += "+" + name;
  }
  features.fma = contains(features.names, "simd");
  // Only then do short C++ vectors use more than the lowest 128 bits.
  if (sve_bits > 128) features.compiler_flags.push_back("-msve-vector-bits=" + length);
  return features;
}

#if defined(__x86_64__)
namespace {

struct Leaf {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

/// All zero when the CPU has no such leaf.
Leaf leaf(unsigned number, unsigned part = 0) {
  Leaf result;
  if (!__get_cpuid_count(number, part, &result.a, &result.b, &result.c, &result.d)) return {};
  return result;
}

constexpr bool bit(unsigned word, int position) { return (word >> position & 1U) != 0; }

/// Register states saved by the operating system (XCR0); 0 without XSAVE.
uint64_t saved_states() {
  if (!bit(leaf(1).c, 27)) return 0;
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

constexpr bool bits_of(unsigned word, std::initializer_list<int> positions) {
  return all_of(positions, [&](int position) { return bit(word, position); });
}

/// The micro-architecture level of the x86-64 psABI, 1 to 4.
int level(bool ymm, bool zmm) {
  const Leaf one = leaf(1), seven = leaf(7), extended = leaf(0x80000001);
  // CX16 SSE3 SSSE3 SSE4.1 SSE4.2 POPCNT and LAHF.
  if (!bits_of(one.c, {13, 0, 9, 19, 20, 23}) || !bit(extended.c, 0)) return 1;
  // AVX FMA F16C MOVBE, AVX2 BMI1 BMI2, and LZCNT.
  if (!ymm || !bits_of(one.c, {28, 12, 29, 22}) || !bits_of(seven.b, {5, 3, 8}) ||
      !bit(extended.c, 5))
    return 2;
  // AVX-512 F DQ CD BW VL.
  return zmm && bits_of(seven.b, {16, 17, 28, 30, 31}) ? 4 : 3;
}

}  // namespace

CpuFeatures cpu_features() {
  const uint64_t saved = saved_states();
  const bool ymm = (saved & 0x6) == 0x6, zmm = (saved & 0xe6) == 0xe6;
  const bool tiles = (saved >> 17 & 3) == 3;
  const Leaf one = leaf(1), seven = leaf(7), seven_one = leaf(7, 1);
  const int isa = level(ymm, zmm);
  CpuFeatures features;
  features.fma = ymm && bit(one.c, 12);
  features.avx2 = ymm && bit(seven.b, 5);
  features.avx512 = isa == 4;
  features.simd_bits = isa == 4 ? 512 : ymm && bit(one.c, 28) ? 256 : 128;
  const std::pair<bool, const char*> all[] = {{bit(one.c, 20), "sse4_2"},
                                              {ymm && bit(one.c, 28), "avx"},
                                              {features.fma, "fma"},
                                              {features.avx2, "avx2"},
                                              {features.avx512, "avx512f"},
                                              {isa == 4 && bit(seven.d, 23), "avx512_fp16"},
                                              {isa == 4 && bit(seven_one.a, 5), "avx512_bf16"},
                                              {tiles && bits_of(seven.d, {22, 24}), "amx_bf16"},
                                              {tiles && bits_of(seven.d, {25, 24}), "amx_int8"}};
  for (const auto& [has, text] : all)
    if (has) features.names.emplace_back(text);
  if (isa > 1) features.compiler_flags = {"-march=x86-64-v" + std::to_string(isa)};
  return features;
}

std::string hypervisor() {
  if (!bit(leaf(1).c, 31)) return {};
  unsigned a = 0;
  std::array<unsigned, 3> words{};
  // Hypervisor leaves lie beyond the range that __get_cpuid_count accepts.
  __cpuid(0x40000000, a, words[0], words[1], words[2]);
  std::array<char, 13> signature{};
  std::memcpy(signature.data(), words.data(), 12);
  static const NamedTexts names = {{"KVMKVMKVM", "KVM"},
                                   {"VMwareVMware", "VMware"},
                                   {"Microsoft Hv", "Hyper-V"},
                                   {"XenVMMXenVMM", "Xen"},
                                   {"TCGTCGTCGTCG", "QEMU"}};
  const std::string text(signature.data());
  return copy_at(names, text).value_or(text.empty() ? "unknown" : text);
}

#else

#if defined(__aarch64__)
CpuFeatures cpu_features() {
  const int length = prctl(PR_SVE_GET_VL);
  return arm_features(getauxval(AT_HWCAP), getauxval(AT_HWCAP2),
                      length < 0 ? 0 : length & PR_SVE_VL_LEN_MASK);
}
#else
// Other architectures: the compiler's own default is the only safe choice.
CpuFeatures cpu_features() { return {}; }
#endif

std::string hypervisor() { return {}; }

#endif

}  // namespace rooftune::os
