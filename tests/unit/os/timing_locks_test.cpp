#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "core/error.h"
#include "os/file_lock.h"
#include "os/temporary_directory.h"
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
      CHECK(error.hint().find("taskset") != std::string::npos);
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

TEST_CASE("cores are locked where nobody but root can put a file or a link") {
  const std::string core = "/sys/devices/system/cpu/cpu0";
  if (!std::filesystem::exists(core)) return;
  const testing::EnvironmentVariable locks{"ROOFTUNE_LOCKS", ""};
  std::string refused;
  try {
    const TimingLocks mine = lock_for_timing({"cpu0"}, false, {});
    CHECK(mine.locks.size() == 1);
    CHECK(mine.open_because == "");
    lock_for_timing({"cpu0"}, false, {});
  } catch (const Error& busy) {
    // By us, or by somebody who times there now.
    CHECK(busy.code() == ExitCode::busy);
    refused = busy.where();
  }
  CHECK(refused == core);
}

TEST_CASE("CPUs of one core are one name") {
  CHECK(core_names({0, 0}).size() == 1);
  CHECK(core_names({4000, 4001}) == std::vector<std::string>{"cpu4000", "cpu4001"});
}
