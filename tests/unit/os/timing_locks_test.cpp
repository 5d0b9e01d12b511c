#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/error.h"
#include "os/file_lock.h"
#include "os/temporary_directory.h"
#include "os/topology.h"
#include "support/environment_variable.h"

using namespace rooftune;

TEST_CASE("who times on a core keeps others from it, and no longer than that") {
  const TemporaryDirectory folder;
  const testing::EnvironmentVariable locks{"ROOFTUNE_LOCKS", folder.path().string()};
  {
    const auto mine = lock_for_timing({"cpu0", "cpu1"}, false, {});
    CHECK(mine.locks.size() == 2);
    CHECK(mine.open_because == "");
    CHECK_NOTHROW(lock_for_timing({"cpu2"}, false, {}));
    try {
      lock_for_timing({"cpu1"}, false, {});
      FAIL("locked twice");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::busy);
      CHECK(std::string(error.what()).find("timing on cpu1 is being run by process") !=
            std::string::npos);
      CHECK(error.hint().find("--share-machine") != std::string::npos);
    }
  }
  CHECK(lock_for_timing({"cpu1"}, false, {}).locks.size() == 1);
}

TEST_CASE("where no lock can be made nobody is kept out, and it is said") {
  const testing::EnvironmentVariable locks{"ROOFTUNE_LOCKS", "/proc/nowhere"};
  const TimingLocks none = lock_for_timing({"cpu0"}, false, {});
  CHECK(none.locks.empty());
  CHECK(none.open_because.starts_with(
      "nobody is kept from timing on the same cores: /proc/nowhere/"));
}

TEST_CASE("a link in the place of a lock keeps nobody out, and root removes it") {
  const TemporaryDirectory folder;
  const testing::EnvironmentVariable locks{"ROOFTUNE_LOCKS", folder.path().string()};
  const auto lock = folder.path() / "rooftune.cpu0.lock";
  std::filesystem::create_symlink("elsewhere", lock);
  const TimingLocks mine = lock_for_timing({"cpu0"}, false, {});
  CHECK(!std::filesystem::exists(folder.path() / "elsewhere"));
  CHECK(mine.open_because.empty() == (geteuid() == 0));
  CHECK(std::filesystem::is_symlink(lock) == !mine.open_because.empty());
}

TEST_CASE("CPUs of one core are one name") {
  CHECK(core_names({0, 0}).size() == 1);
  CHECK(core_names({4000, 4001}) == std::vector<std::string>{"cpu4000", "cpu4001"});
}

TEST_CASE("a process takes cores that nobody times on, keeps to them, and gives them back") {
  const TemporaryDirectory folder;
  const testing::EnvironmentVariable locks{"ROOFTUNE_LOCKS", folder.path().string()};
  const Topology host = topology();
  const std::vector<int> all = usable_cpus();
  const std::vector<std::string> cores = core_names(host.cpus);
  {
    const OwnCores mine(host, 1, false, {});
    REQUIRE(mine.names().size() == 1);
    CHECK(core_names(usable_cpus()) == mine.names());
    try {
      const OwnCores others(host, host.cores, false, {});
      FAIL("taken twice");
    } catch (const Error& error) {
      CHECK(error.code() == ExitCode::busy);
      const std::string what = error.what();
      CHECK(what.find(std::to_string(host.cores - 1) + " of ") != std::string::npos);
      CHECK(what.find("timing on " + mine.names()[0] + " is being run by") != std::string::npos);
    }
    if (host.cores > 1) {
      const OwnCores rest(host, 0, false, {});
      CHECK(rest.names().size() == cores.size() - 1);
      CHECK(std::find(rest.names().begin(), rest.names().end(), mine.names()[0]) ==
            rest.names().end());
    }
  }
  CHECK(usable_cpus() == all);
  CHECK(lock_for_timing(cores, false, {}).locks.size() == cores.size());
}

TEST_CASE("cores are not shared out where no lock can be made") {
  const testing::EnvironmentVariable locks{"ROOFTUNE_LOCKS", "/proc/nowhere"};
  CHECK_THROWS_AS(OwnCores(topology(), 1, false, {}), Error);
}
