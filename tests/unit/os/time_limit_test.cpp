// Limits of time: they end what is waited for as a signal does, and nothing else.
#include <catch2/catch.hpp>
#include <cmath>
#include <thread>

#include "core/seconds_since.h"
#include "os/interruption.h"
#include "os/subprocess.h"

using namespace rooftune;

namespace {

Finished sleeper(const char* seconds) {
  Command command;
  command.argv = {"sleep", seconds};
  return execute(command);
}

}  // namespace

TEST_CASE("a command is ended with the time for it, and later ones run") {
  const auto begin = SteadyClock::now();
  CHECK_FALSE(in_time(0.05, [] { sleeper("600"); }));
  CHECK(SteadyClock::now() - begin < std::chrono::seconds(300));
  CHECK_FALSE(interrupted());
  CHECK(in_time(HUGE_VAL, [] { CHECK(sleeper("0").status.ok()); }));
  CHECK(TimeLimit::end() == SteadyClock::time_point::max());
}

TEST_CASE("waits of other threads end as well") {
  bool cut = false;
  const TimeLimit limit(0.05);
  std::thread([&] {
    try {
      sleeper("600");
    } catch (const Interrupted&) {
      cut = true;
    }
  }).join();
  CHECK(cut);
}

TEST_CASE("of nested limits the earlier one counts, and is told by its own scope") {
  bool inner = true;
  CHECK_FALSE(in_time(0, [&] { inner = in_time(1000, [] { sleeper("600"); }); }));
  CHECK(inner);
  CHECK(in_time(1000, [&] { inner = in_time(0, [] { sleeper("600"); }); }));
  CHECK_FALSE(inner);
  // What the user ended is no lack of time.
  CHECK_THROWS_AS(in_time(1000, [] { throw Interrupted{}; }), Interrupted);
}
