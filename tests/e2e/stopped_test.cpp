// Time that `tune` does not have: it is stopped and goes on, or its control group has a quota. What
// it measures stays true, and who is to blame is told. A real suspend cannot be made here: of the
// clocks only the one that counts through it would jump.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "core/file.h"
#include "rogue.h"

using namespace rooftune;
using namespace rooftune::e2e;
using namespace std::chrono_literals;

namespace {

/// A group of its own, of this or the other version, that may use so much of a CPU; empty where
/// none can be made.
class ThrottledGroup {
 public:
  explicit ThrottledGroup(double cpus) {
    const std::string quota = std::to_string(static_cast<int>(100'000 * cpus));
    for (const char* root :
         {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup"}) {
      const std::filesystem::path group =
          std::filesystem::path(root) / ("rooftune-test-" + std::to_string(getpid()));
      std::error_code fault;
      if (!std::filesystem::create_directory(group, fault)) continue;
      group_ = group;
      if (written("cpu.cfs_quota_us", quota) || written("cpu.max", quota + " 100000")) return;
      std::filesystem::remove(group, fault);
      group_.clear();
    }
  }
  ~ThrottledGroup() {
    std::error_code ignored;
    if (!group_.empty()) std::filesystem::remove(group_, ignored);
  }
  ThrottledGroup(const ThrottledGroup&) = delete;
  ThrottledGroup& operator=(const ThrottledGroup&) = delete;
  bool made() const { return !group_.empty(); }
  /// `tune` with these words in it.
  Ran tune(const User& user, const std::vector<std::string>& words) const {
    std::vector<std::string> all{"-c", "echo $$ > \"$0\" && exec \"$@\"",
                                 (group_ / "cgroup.procs").string(), ROOFTUNE_TUNE};
    all.insert(all.end(), words.begin(), words.end());
    return user.run("/bin/sh", all, {{"COLUMNS", "300"}});
  }

 private:
  bool written(const char* name, const std::string& text) const {
    const std::filesystem::path file = group_ / name;
    std::ofstream stream(file);
    return std::filesystem::exists(file) && (stream << text << std::flush).good();
  }
  std::filesystem::path group_;
};

}  // namespace

TEST_CASE("a study that is stopped and goes on blames no variant and mismeasures none") {
  const User user;
  write_rogue(user, "rogue", {"well", "late"});
  const pid_t child = start(user, {"--kernel", "./rogue", "--strategy", "exhaustive", "--budget",
                                   "10", "--json", user.path("out.json").string()});
  int status = 0, stops = 0;
  bool ended = false;
  for (int n = 0; n < 6 && !ended; ++n) {
    std::this_thread::sleep_for(300ms);
    std::vector<pid_t> all = processes(user);
    for (const pid_t each : all) kill(each, SIGSTOP);
    std::this_thread::sleep_for(700ms);
    ended = waitpid(child, &status, WNOHANG) == child;
    stops += ended ? 0 : 1;
    for (const pid_t each : all) kill(each, SIGCONT);
  }
  if (!ended) REQUIRE(waitpid(child, &status, 0) == child);
  INFO(read_text(user.path("log")));
  REQUIRE(stops > 0);
  REQUIRE((WIFEXITED(status) && WEXITSTATUS(status) == 0));
  const Json result = parse_json(read_text(user.path("out.json")), "out.json");
  CHECK(result.at("trials").at("ok") == 2);
  CHECK(result.at("best").at("configuration").at("mode") == "well");
  // "late" sleeps 2 ms; a stop of 700 ms in a few hundred calls would show.
  CHECK(result.at("best").at("seconds").at("value") < 1e-3);
}

TEST_CASE("a control group's quota of CPU time is told, and no bound of the whole machine used") {
  const ThrottledGroup group(0.5);
  if (!group.made()) {
    WARN("skipped: no control group can be made here");
    return;
  }
  const User user;
  const Ran doctor = group.tune(user, {"doctor"});
  INFO(doctor.output);
  CHECK(doctor.says("the quota of the control group is 0.5 of"));
  write_rogue(user, "good", {"well"});
  const Ran ran = group.tune(user, {"--kernel", "./good", "--budget", "1", "-v"});
  INFO(ran.output);
  // Bounds of the whole machine are none of this part of it.
  CHECK(ran.code == 3);
  CHECK(ran.says("1 are usable now: the quota of the control group is 0.5 of"));
  CHECK(ran.says("tune probe --machine NAME measures what is usable here now"));
}
