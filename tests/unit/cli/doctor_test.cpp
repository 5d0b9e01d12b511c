// Checks of this computer's settings, from files of /sys and /proc.
#include "host/doctor.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "host/host_platform.h"
#include "os/temporary_directory.h"

using namespace rooftune;

TEST_CASE("settings are read from the kernel's files, and absent without them") {
  const TemporaryDirectory root;
  const auto found = [&](const std::string& what) {
    for (const HostCheck& check : setting_checks(8, root.path()))
      if (check.what == what) return word(check.state) + (": " + check.found);
    return std::string();
  };
  CHECK(found("clock") == "unknown: no governor can be read");
  CHECK(setting_checks(8, root.path()).size() == 1);
  const Json json = json_of(setting_checks(8, root.path()));
  CHECK(json.at("schema") == "rooftune-doctor-1");
  CHECK(json.at("checks").size() == 1);
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
  CHECK(found("clock") == "limits: governor powersave");
  CHECK(found("boost") == "good: off");
  CHECK(found("huge pages") == "good: madvise");
  CHECK(found("NUMA pages") == "limits: numa_balancing is on");
  CHECK(found("load") == "good: 1.25 in the last minute on 8 cores");

  // Intel's file says the opposite, and is the one that counts there.
  write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  write("sys/kernel/mm/transparent_hugepage/enabled", "damaged\n");
  CHECK(found("boost") == "limits: on");
  CHECK(found("huge pages").empty());
}
