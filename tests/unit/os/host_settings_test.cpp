#include "os/host_settings.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "os/temporary_directory.h"

using namespace rooftune;

TEST_CASE("settings are read from the kernel's files, and absent without them") {
  const TemporaryDirectory root;
  const HostSettings nothing = host_settings(root.path());
  CHECK_FALSE(nothing.governor);
  CHECK_FALSE(nothing.boost);
  CHECK_FALSE(nothing.huge_pages);
  CHECK_FALSE(nothing.load);
  const auto write = [&](const std::string& file, const std::string& text) {
    const auto path = root.path() / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  };
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/cpufreq/boost", "0\n");
  write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  write("proc/sys/kernel/numa_balancing", "1\n");
  write("proc/loadavg", "1.25 0.5 0.25 2/345 6789\n");
  HostSettings found = host_settings(root.path());
  CHECK(found.governor == "powersave");
  CHECK(found.boost == false);
  CHECK(found.huge_pages == "madvise");
  CHECK(found.numa_balancing == true);
  CHECK(found.load == 1.25);
  CHECK_FALSE(found.smt);

  // Intel's file says the opposite, and is the one that counts there.
  write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  write("sys/kernel/mm/transparent_hugepage/enabled", "damaged\n");
  found = host_settings(root.path());
  CHECK(found.boost == true);
  CHECK_FALSE(found.huge_pages);
}
