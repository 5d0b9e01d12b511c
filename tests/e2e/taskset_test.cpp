// Two tunes side by side on a machine, each bound to a core of its own.
#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <set>

#include "core/file.h"
#include "os/topology.h"
#include "rogue.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

std::vector<std::string> study_on(const std::string& kernel) {
  return {"--kernel", kernel, "--threads", "1", "--budget", "2", "--strategy", "exhaustive"};
}

/// As `taskset -c CPU` does: programs started by this thread are bound as it is.
class Taskset {
 public:
  explicit Taskset(int cpu) { REQUIRE(bind_thread({cpu})); }
  ~Taskset() { bind_thread(before_); }
  Taskset(const Taskset&) = delete;
  Taskset& operator=(const Taskset&) = delete;

 private:
  std::vector<int> before_ = usable_cpus();
};

}  // namespace

TEST_CASE("two tunes share a machine on cores of their own, and as studies of their own") {
  const Topology host = topology();
  if (host.cores < 2) {
    WARN("skipped: there is one core");
    return;
  }
  const User user;
  write_rogue(user, "first", {"well", "held"});
  write_rogue(user, "second", {"well", "print"});
  hold(user);
  pid_t first = 0;
  {
    const Taskset bound(host.cpus[0]);
    first = start(user, study_on("./first"));
    REQUIRE(wait_until_held(user));
    // On the same core a tune waits its turn.
    const Ran same = user.tune(study_on("./second"));
    CHECK(same.code == 75);
    CHECK(same.says("taskset"));
  }
  {
    const Taskset bound(host.cpus[1]);
    const Ran second = user.tune(study_on("./second"));
    INFO(second.output);
    CHECK(second.code == 0);
  }
  CHECK(user.tune(study_on("./second")).code == 75);
  let_go(user);
  int status = 0;
  waitpid(first, &status, 0);
  CHECK(status == 0);
  // The same threads with the machine to themselves are another study, of another series.
  CHECK(user.tune(study_on("./second")).code == 0);
  std::set<std::string> machines;
  for (const auto& file : user.files("results/records", ".jsonl")) {
    const std::string text = read_text(file);
    machines.insert(
        parse_json(text.substr(0, text.find('\n')), file.string()).at("body").at("machine_id"));
  }
  CHECK(machines.size() == 2);
  CHECK(machines.contains("imagined"));
}
