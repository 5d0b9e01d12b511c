// Limits of containers and batch systems, from made-up hierarchies.

#include <unistd.h>

#include <catch2/catch.hpp>

#include "os/topology.h"
#include "support/scratch_folder.h"

using namespace rooftune;
using Catch::Contains;

TEST_CASE("a group is limited by every group above it, in both versions") {
  const testing::ScratchFolder folder;
  folder.write("own", "0::/batch/job\n");
  folder.write("two/batch/cpu.max", "250000 100000\n");
  folder.write("two/batch/memory.max", "2000000000\n");
  folder.write("two/batch/job/cpu.max", "max 100000\n");
  folder.write("two/batch/job/memory.max", "max\n");
  const GroupLimits second = group_limits(folder.path() / "two", folder.path() / "own");
  CHECK(second.cpus.value() == 2.5);
  CHECK(second.memory_bytes.value() == 2'000'000'000);
  folder.write("old", "4:memory:/box\n1:cpu,cpuacct:/box\n");
  folder.write("one/cpu,cpuacct/box/cpu.cfs_quota_us", "150000\n");
  folder.write("one/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
  folder.write("one/memory/box/memory.limit_in_bytes", "1073741824\n");
  const GroupLimits first = group_limits(folder.path() / "one", folder.path() / "old");
  CHECK(first.cpus.value() == 1.5);
  CHECK(first.memory_bytes.value() == 1'073'741'824);
}

TEST_CASE("no limit, no file and no group limit nothing") {
  const testing::ScratchFolder folder;
  folder.write("own", "0::/\n");
  folder.write("one/cpu/cpu.cfs_quota_us", "-1\n");
  folder.write("one/cpu/cpu.cfs_period_us", "100000\n");
  for (const char* list : {"own", "absent"}) {
    const GroupLimits limits = group_limits(folder.path() / "one", folder.path() / list);
    CHECK_FALSE(limits.cpus);
    CHECK_FALSE(limits.memory_bytes);
  }
}

TEST_CASE("what is not allowed is not used, and said") {
  Topology host;
  const auto online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  for (int cpu = 0; cpu < online; ++cpu) host.cpus.push_back(cpu);
  host.cores = online;
  host.memory_bytes = std::uint64_t{8} << 30;
  limit(host, {});
  CHECK(host.limited_by.empty());
  limit(host, {0.5, std::uint64_t{2} << 30});
  CHECK(host.cpus.size() == 1);
  CHECK(host.cores == 1);
  CHECK(host.memory_bytes == std::uint64_t{2} << 30);
  REQUIRE(host.limited_by.size() == 2);
  CHECK_THAT(host.limited_by[0], Contains("quota of the control group is 0.5 of"));
  CHECK_THAT(host.limited_by[1], Contains("allows 2 GiB of memory"));
  host.limited_by.clear();
  host.cpus.clear();
  limit(host, {});
  CHECK_THAT(host.limited_by.at(0), Contains("affinity mask") && Contains("leaves 0 of"));
}
