// Other processes on the cores of a study: they make no winner.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <vector>

#include "core/file.h"
#include "os/topology.h"
#include "rogue.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

namespace {

/// So many busy processes, for its life.
class Burners {
 public:
  explicit Burners(int count) {
    for (int i = 0; i < count; ++i) {
      pids_.push_back(fork());
      if (pids_.back() == 0)
        for (volatile unsigned turns = 0;;) turns = turns + 1;
    }
  }
  ~Burners() {
    for (const pid_t pid : pids_) {
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }

 private:
  std::vector<pid_t> pids_;
};

/// A short parallel loop; both values of its knob are the same code.
void write_even(const User& user) {
  write_rogue(user, "even", {"well", "as_well"});
  user.write("even/openmp.cpp", R"(#include <cstdint>
void even(std::int64_t n, const double* x, double* y) {
#pragma omp parallel for
  for (std::int64_t i = 0; i < n; ++i) y[i] = 2 * x[i];
}
)");
}

}  // namespace

TEST_CASE("beside busy processes no variant of the same code is faster, and no export says so") {
  const User user;
  write_even(user);
  const int cores = topology().cores;
  const Burners burners(cores);
  const Ran ran = user.tune({"--kernel", "./even", "--threads", std::to_string(cores), "--budget",
                             "2", "--json", "even.json"});
  INFO(ran.output);
  REQUIRE(ran.code == 0);
  CHECK(ran.says("the machine is busy, in shares of a core: "));
  CHECK(ran.says("(pid "));
  const Json result = read_json(user.path("even.json"));
  const bool stands = result.at("baseline_stands").get<bool>();
  CHECK((stands || result.at("speedup").at("low").get<double>() < 1.1));
  const Ran exported = user.tune({"export", "--kernel", "./even", "--format", "header"});
  INFO(exported.output);
  if (result.at("busy").get<bool>()) {
    CHECK(ran.says("The machine was busy: not decided"));
    CHECK(exported.code != 0);
    CHECK(exported.says("--as-recorded"));
    CHECK(user.tune({"export", "--kernel", "./even", "--format", "header", "--as-recorded"})
              .says("not conclusive"));
  }
}
