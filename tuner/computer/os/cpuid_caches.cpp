#include "os/cpuid_caches.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace rooftune::os {

#if defined(__x86_64__)
namespace {

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Registers cpuid(unsigned leaf, unsigned part = 0) {
  Registers result;
  if (!__get_cpuid_count(leaf, part, &result.a, &result.b, &result.c, &result.d)) return {};
  return result;
}

constexpr unsigned bits(unsigned word, int low, int count) {
  return word >> low & ((1U << count) - 1);
}

/// One subleaf for each cache: geometry, and the most CPUs on one instance.
std::vector<ReportedCache> by_geometry(unsigned leaf, int cpus) {
  constexpr unsigned data = 1, unified = 3;
  std::vector<ReportedCache> caches;
  for (unsigned part = 0;; ++part) {
    const Registers cache = cpuid(leaf, part);
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
  const unsigned l1 = cpuid(0x80000005).c;
  const Registers outer = cpuid(0x80000006);
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

std::vector<ReportedCache> cpuid_caches(int cpus) {
  for (const unsigned leaf : {4U, 0x8000001dU})
    if (auto caches = by_geometry(leaf, cpus); !caches.empty()) return caches;
  return by_size(cpus);
}

#else

std::vector<ReportedCache> cpuid_caches(int) { return {}; }

#endif

}  // namespace rooftune::os
