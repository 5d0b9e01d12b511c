// CPUID and XCR0: features of the CPU, as far as the operating system saves their state, and its
// caches. Model names play no part.
#include <array>
#include <cstring>
#include <map>

#include "os/topology.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace rooftune::os {

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
std::uint64_t saved_states() {
  if (!bit(leaf(1).c, 27)) return 0;
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return std::uint64_t{high} << 32 | low;
}

struct Level {
  bool v2 = false, v3 = false, v4 = false;
};

/// The micro-architecture levels of the x86-64 psABI.
Level level(bool ymm, bool zmm) {
  const Leaf one = leaf(1), seven = leaf(7), extended = leaf(0x80000001);
  Level result;
  // CX16 SSE3 SSSE3 SSE4.1 SSE4.2 POPCNT and LAHF.
  result.v2 = bit(one.c, 13) && bit(one.c, 0) && bit(one.c, 9) && bit(one.c, 19) &&
              bit(one.c, 20) && bit(one.c, 23) && bit(extended.c, 0);
  // AVX AVX2 FMA F16C MOVBE BMI1 BMI2 and LZCNT.
  result.v3 = result.v2 && ymm && bit(one.c, 28) && bit(seven.b, 5) && bit(one.c, 12) &&
              bit(one.c, 29) && bit(one.c, 22) && bit(seven.b, 3) && bit(seven.b, 8) &&
              bit(extended.c, 5);
  // AVX-512 F DQ CD BW VL.
  result.v4 = result.v3 && zmm && bit(seven.b, 16) && bit(seven.b, 17) && bit(seven.b, 28) &&
              bit(seven.b, 30) && bit(seven.b, 31);
  return result;
}

constexpr unsigned bits(unsigned word, int low, int count) {
  return word >> low & ((1U << count) - 1);
}

/// One subleaf for each cache: geometry, and the most CPUs on one instance.
std::vector<ReportedCache> by_geometry(unsigned number, int cpus) {
  constexpr unsigned data = 1, unified = 3;
  std::vector<ReportedCache> caches;
  for (unsigned part = 0;; ++part) {
    const Leaf cache = leaf(number, part);
    const unsigned type = bits(cache.a, 0, 5);
    if (type == 0) return caches;
    if (type != data && type != unified) continue;
    const unsigned ways = bits(cache.b, 22, 10) + 1;
    const std::uint64_t bytes = std::uint64_t{ways} * (bits(cache.b, 12, 10) + 1) *
                                (bits(cache.b, 0, 12) + 1) * (std::uint64_t{cache.c} + 1);
    const int sharing = static_cast<int>(bits(cache.a, 14, 12)) + 1;
    caches.push_back({"L" + std::to_string(bits(cache.a, 5, 3)), bytes,
                      (cpus + sharing - 1) / sharing, static_cast<int>(ways)});
  }
}

std::vector<ReportedCache> by_size(int cpus) {
  // AMD APM, associativity of L2 and L3 as a code; 0: not a plain number of ways.
  constexpr int ways[] = {0, 1, 2, 0, 4, 0, 8, 0, 16, 0, 32, 48, 64, 96, 128, 0};
  const unsigned l1 = leaf(0x80000005).c;
  const Leaf outer = leaf(0x80000006);
  const std::uint64_t kibibyte = 1024;
  std::vector<ReportedCache> caches;
  const auto add = [&](const char* name, std::uint64_t bytes, int ways_of_set) {
    if (bytes > 0) caches.push_back({name, bytes, cpus, ways_of_set});
  };
  add("L1", bits(l1, 24, 8) * kibibyte, static_cast<int>(bits(l1, 16, 8)));
  add("L2", bits(outer.c, 16, 16) * kibibyte, ways[bits(outer.c, 12, 4)]);
  add("L3", bits(outer.d, 18, 14) * 512 * kibibyte, ways[bits(outer.d, 12, 4)]);
  return caches;
}

}  // namespace

CpuFeatures cpu_features() {
  const std::uint64_t saved = saved_states();
  const bool ymm = (saved & 0x6) == 0x6, zmm = (saved & 0xe6) == 0xe6;
  const bool tiles = (saved >> 17 & 3) == 3;
  const Leaf one = leaf(1), seven = leaf(7), seven_one = leaf(7, 1);
  const Level isa = level(ymm, zmm);
  CpuFeatures features;
  features.fma = ymm && bit(one.c, 12);
  features.avx2 = ymm && bit(seven.b, 5);
  features.avx512 = isa.v4;
  features.avx512_fp16 = isa.v4 && bit(seven.d, 23);
  features.avx512_bf16 = isa.v4 && bit(seven_one.a, 5);
  features.amx_bf16 = tiles && bit(seven.d, 22) && bit(seven.d, 24);
  features.amx_int8 = tiles && bit(seven.d, 25) && bit(seven.d, 24);
  features.simd_bits = isa.v4 ? 512 : ymm && bit(one.c, 28) ? 256 : 128;
  const std::pair<bool, const char*> all[] = {{bit(one.c, 20), "sse4_2"},
                                              {ymm && bit(one.c, 28), "avx"},
                                              {features.fma, "fma"},
                                              {features.avx2, "avx2"},
                                              {features.avx512, "avx512f"},
                                              {features.avx512_fp16, "avx512_fp16"},
                                              {features.avx512_bf16, "avx512_bf16"},
                                              {features.amx_bf16, "amx_bf16"},
                                              {features.amx_int8, "amx_int8"}};
  for (const auto& [has, text] : all)
    if (has) features.names.emplace_back(text);
  if (isa.v2)
    features.compiler_flags = {isa.v4   ? "-march=x86-64-v4"
                               : isa.v3 ? "-march=x86-64-v3"
                                        : "-march=x86-64-v2"};
  return features;
}

std::string hypervisor() {
  if (!bit(leaf(1).c, 31)) return {};
  unsigned a = 0;
  std::array<unsigned, 3> words{};
  // Leaves of hypervisors lie beyond the range accepted by __get_cpuid_count.
  __cpuid(0x40000000, a, words[0], words[1], words[2]);
  std::array<char, 13> signature{};
  std::memcpy(signature.data(), words.data(), 12);
  static const std::map<std::string, std::string> names = {{"KVMKVMKVM", "KVM"},
                                                           {"VMwareVMware", "VMware"},
                                                           {"Microsoft Hv", "Hyper-V"},
                                                           {"XenVMMXenVMM", "Xen"},
                                                           {"TCGTCGTCGTCG", "QEMU"}};
  const std::string text(signature.data());
  const auto known = names.find(text);
  return known != names.end() ? known->second : text.empty() ? "unknown" : text;
}

std::vector<ReportedCache> cpuid_caches(int cpus) {
  for (const unsigned number : {4U, 0x8000001dU})
    if (auto caches = by_geometry(number, cpus); !caches.empty()) return caches;
  return by_size(cpus);
}

#else

// Other architectures: the compiler's own default is the only safe choice.
CpuFeatures cpu_features() { return {}; }

std::string hypervisor() { return {}; }

std::vector<ReportedCache> cpuid_caches(int) { return {}; }

#endif

}  // namespace rooftune::os
