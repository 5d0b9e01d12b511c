// What the host says about itself, and the small services of the operating system.
#include <fmt/format.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>

#include "core/error.h"
#include "os/dynamic_library.h"
#include "os/mapping.h"
#include "os/paths.h"
#include "os/temporary_directory.h"
#include "os/topology.h"
#include "support/environment_variable.h"

using namespace rooftune;

TEST_CASE("nodes of high-bandwidth memory are told from ordinary ones") {
  const TemporaryDirectory folder("rooftune-hbm");
  const auto write = [&](const std::string& file, const std::string& text) {
    const auto path = folder.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << "\n";
  };
  write("online", "0-3");
  write("node0/cpulist", "0-1");
  write("node0/access0/initiators/read_bandwidth", "200000");
  for (const auto& [node, bandwidth] : {std::pair(1, "700000"), {2, "50000"}}) {
    write(fmt::format("node{}/cpulist", node), "");
    write(fmt::format("node{}/access0/initiators/read_bandwidth", node), bandwidth);
  }
  write("node3/cpulist", "");
  CHECK(fast_nodes(folder.path()) == std::vector<int>{1});
  CHECK(fast_nodes(folder.path() / "nothing").empty());
}

TEST_CASE("the id of a machine changes with every fact of its hardware, and with no other") {
  MachineIdentity identity = machine_identity(topology(), cpu_features());
  identity["microcode"] = "1";
  const std::set<std::string> updated{"hostname", "kernel", "microcode"};
  for (const auto& [name, value] : identity) {
    MachineIdentity other = identity;
    other[name] = value + "?";
    INFO(name);
    CHECK((machine_id(other) == machine_id(identity)) == updated.contains(name));
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
  CHECK(features.simd_bits >= 128);
  if (features.avx512) CHECK(features.avx2);
#if defined(__x86_64__)
  CHECK((features.simd_bits == 128 || features.simd_bits == 256 || features.simd_bits == 512));
  CHECK(features.avx512 == (features.simd_bits == 512));
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
