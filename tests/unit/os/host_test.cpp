// What the host says about itself, and the small services of the operating system.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>

#include "core/error.h"
#include "os/dynamic_library.h"
#include "os/machine_identity.h"
#include "os/mapping.h"
#include "os/paths.h"
#include "os/sysfs_topology.h"
#include "os/temporary_directory.h"
#include "os/topology.h"
#include "support/environment_variable.h"

using namespace rooftune;

namespace {

/// A computer with two CPUs, ordinary memory and a node of high-bandwidth memory, as hwloc exports
/// it.
constexpr const char* computer_with_hbm = R"(<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x3" complete_cpuset="0x3" allowed_cpuset="0x3" nodeset="0x3" complete_nodeset="0x3" allowed_nodeset="0x3" gp_index="1">
    <object type="NUMANode" os_index="0" cpuset="0x3" complete_cpuset="0x3" nodeset="0x1" complete_nodeset="0x1" gp_index="6" local_memory="96000000000"></object>
    <object type="NUMANode" os_index="1" subtype="HBM" cpuset="0x3" complete_cpuset="0x3" nodeset="0x2" complete_nodeset="0x2" gp_index="8" local_memory="16000000000"></object>
    <object type="Core" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x3" complete_nodeset="0x3" gp_index="3">
      <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x3" complete_nodeset="0x3" gp_index="2"></object>
    </object>
    <object type="Core" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x3" complete_nodeset="0x3" gp_index="5">
      <object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x3" complete_nodeset="0x3" gp_index="4"></object>
    </object>
  </object>
</topology>
)";

}  // namespace

TEST_CASE("nodes of high-bandwidth memory are told from ordinary ones") {
  const TemporaryDirectory folder("rooftune-hbm");
  const auto file = folder.path() / "computer.xml";
  std::ofstream(file) << computer_with_hbm;
  const testing::EnvironmentVariable variable("HWLOC_XMLFILE", file.string());
  const Topology host = topology();
  CHECK(host.fast_nodes == std::vector<int>{1});
  CHECK(host.numa_nodes.size() == 1);
}

TEST_CASE("a host is the same with hwloc and without it") {
  const Topology with = topology(), without = sysfs_topology();
  CHECK(with.cores == without.cores);
  CHECK(with.cpus == without.cpus);
  CHECK(with.numa_nodes == without.numa_nodes);
  CHECK(caches_text(with) == caches_text(without));
  for (std::size_t i = 0; i < std::min(with.caches.size(), without.caches.size()); ++i)
    CHECK(with.caches[i].ways == without.caches[i].ways);
  const CpuFeatures features = cpu_features();
  CHECK(machine_identity(with, features) == machine_identity(without, features));
}

TEST_CASE("the id of a machine changes with every fact of it") {
  const MachineIdentity identity = machine_identity(topology(), cpu_features());
  for (const auto& [name, value] : identity) {
    MachineIdentity other = identity;
    other[name] = value + "?";
    INFO(name);
    CHECK(machine_id(other) != machine_id(identity));
  }
  CHECK(machine_id(identity).size() == 32);
}

TEST_CASE("pages are placed on the nodes that are named, or the reason is told") {
  const Mapping mapping(1 << 20, page_bytes());
  CHECK(mapping.place_on({}) == "there are no such nodes");
  const std::string refused = mapping.place_on({0});
  if (refused.empty()) {
    mapping.start()[0] = 1;
    CHECK(mapping.start()[0] == 1);
  } else {
    WARN("placing on node 0 was refused: " + refused);
  }
  CHECK_FALSE(mapping.place_on({999}).empty());
}

TEST_CASE("the topology is consistent with itself and the affinity mask") {
  const Topology host = topology();
  REQUIRE_FALSE(host.cpus.empty());
  CHECK(host.cores >= 1);
  CHECK(static_cast<std::size_t>(host.cores) <= host.cpus.size());
  const std::set<int> cpus(host.cpus.begin(), host.cpus.end());
  CHECK(cpus.size() == host.cpus.size());
  std::size_t in_nodes = 0;
  for (const auto& node : host.numa_nodes)
    for (const int cpu : node) in_nodes += cpus.count(cpu);
  CHECK(in_nodes == cpus.size());
  CHECK(host.memory_bytes > (std::uint64_t{1} << 20));
  CHECK_FALSE(host.kernel.empty());
  CHECK_FALSE(host.hostname.empty());
  for (const auto& cache : host.caches) {
    CHECK(cache.bytes > 0);
    CHECK(cache.instances >= 1);
  }
}

TEST_CASE("features, width and compiler flags agree") {
  const CpuFeatures features = cpu_features();
  CHECK((features.simd_bits == 128 || features.simd_bits == 256 || features.simd_bits == 512));
  CHECK(features.avx512 == (features.simd_bits == 512));
  if (features.avx512) CHECK(features.avx2);
#if defined(__x86_64__)
  REQUIRE(features.compiler_flags.size() == 1);
  CHECK(features.compiler_flags[0].rfind("-march=x86-64-v", 0) == 0);
  // The compiler's own reading of CPUID is an independent witness.
  CHECK(features.avx2 == static_cast<bool>(__builtin_cpu_supports("avx2")));
  CHECK(features.fma == static_cast<bool>(__builtin_cpu_supports("fma")));
  CHECK(features.avx512 ==
        (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd")));
#endif
}

TEST_CASE("a dynamic library gives symbols, and the linker's words when there is none") {
  CHECK_THROWS_AS(DynamicLibrary("/nowhere/lib.so"), Error);
  const DynamicLibrary library("libm.so.6");
  const auto cosine = reinterpret_cast<double (*)(double)>(library.symbol("cos"));
  CHECK(cosine(0) == 1);
  CHECK(library.find("no_such_symbol_of_rooftune") == nullptr);
  CHECK_THROWS_AS(library.symbol("no_such_symbol_of_rooftune"), Error);
}

TEST_CASE("home comes from the environment, else from the source tree") {
  CHECK(std::filesystem::is_directory(home() / "kernels"));
  CHECK(std::filesystem::exists(variant_include_directory() / "rooftune" / "problem.h"));
  const TemporaryDirectory folder;
  const testing::EnvironmentVariable chosen("ROOFTUNE_HOME", folder.path());
  CHECK_THROWS_AS(home(), Error);
  std::filesystem::create_directories(folder.path() / "kernels");
  std::filesystem::create_directories(folder.path() / "search_spaces");
  CHECK(home() == folder.path());
  CHECK(machine_directories().at(0) == folder.path() / "machines");
}

TEST_CASE("caches and machine files go where the user says") {
  const TemporaryDirectory folder;
  const testing::EnvironmentVariable cache("ROOFTUNE_CACHE", folder.path() / "cache");
  CHECK(cache_directory() == folder.path() / "cache");
  const testing::EnvironmentVariable machines("ROOFTUNE_MACHINES", folder.path() / "machines");
  CHECK(writable_machine_directory() == folder.path() / "machines");
  CHECK(std::filesystem::is_directory(folder.path() / "machines"));
}

TEST_CASE("a mapping is aligned, zeroed and as large as asked") {
  const Mapping small(1, page_bytes());
  CHECK(small.size() == page_bytes());
  const Mapping large(3u << 20, huge_page_bytes());
  CHECK(reinterpret_cast<std::uintptr_t>(large.start()) % huge_page_bytes() == 0);
  CHECK(std::accumulate(large.start(), large.start() + large.size(), 0) == 0);
  CHECK(large.advise_huge_pages(false));
  CHECK_THROWS_AS(Mapping(std::size_t{1} << 60, page_bytes()), std::bad_alloc);
}
