// What perf says and shows, in words and as files.
#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>

#include "counters/hardware_count.h"
#include "counters/perf.h"
#include "os/temporary_directory.h"
#include "os/topology.h"

using namespace rooftune;

TEST_CASE("refusals of perf_event_open name the event, the reason and the cure") {
  const auto text = [](int error, bool socket, int paranoid) {
    return std::string(perf_refusal(error, "DRAM reads", socket, paranoid).what());
  };
  CHECK_THAT(text(EACCES, true, 1), Catch::Contains("DRAM reads") &&
                                        Catch::Contains("whole socket") &&
                                        Catch::Contains("perf_event_paranoid=0"));
  CHECK_THAT(text(EACCES, false, 4), Catch::Contains("perf_event_paranoid = 4") &&
                                         Catch::Contains("perf_event_paranoid=2"));
  CHECK_THAT(text(EPERM, false, 2), Catch::Contains("seccomp"));
  CHECK_THAT(text(ENOENT, false, 2), Catch::Contains("virtual machines"));
  CHECK_THAT(text(EINVAL, false, 2), Catch::Contains("machines/events"));
  CHECK_THAT(text(EBUSY, false, 2), Catch::Contains("another profiler"));
  CHECK_THAT(text(EMFILE, false, 2), Catch::Contains("ulimit"));
  CHECK_THAT(text(E2BIG, false, 2), Catch::Contains("DRAM reads"));
}

TEST_CASE("lists of processors are read as the kernel writes them") {
  CHECK(listed_cpus("0-2,8") == std::vector<int>{0, 1, 2, 8});
  CHECK(listed_cpus("") == std::vector<int>{});
  CHECK(listed_cpus("3\n") == std::vector<int>{3});
  CHECK(listed_cpus("x,1,5-") == std::vector<int>{1});
}

TEST_CASE("devices outside the cores are found by pattern, with type and processors") {
  TemporaryDirectory root;
  const auto device = [&](const std::string& name, const std::string& type,
                          const std::string& cpus) {
    std::filesystem::create_directories(root.path() / name);
    std::ofstream(root.path() / name / "type") << type << "\n";
    std::ofstream(root.path() / name / "cpumask") << cpus << "\n";
  };
  device("uncore_imc_1", "18", "0,24");
  device("uncore_imc_0", "17", "0,24");
  device("uncore_imc_free_running_0", "19", "0");
  device("uncore_imc_2", "none", "0");
  device("cpu", "4", "0-47");
  const auto devices = perf_devices("uncore_imc_[0-9]+", root.path());
  REQUIRE(devices.size() == 2);
  CHECK(devices[0].name == "uncore_imc_0");
  CHECK(devices[0].type == 17);
  CHECK(devices[0].cpus == std::vector<int>{0, 24});
  CHECK(perf_devices("uncore_imc_[0-9]+", root.path() / "absent").empty());
}
