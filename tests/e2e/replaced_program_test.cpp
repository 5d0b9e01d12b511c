// A study goes on when the program is built anew, or removed, while it runs.
#include <catch2/catch.hpp>

#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("a study ends well when its program is taken away while it runs") {
  const User user;
  const std::string copy = user.path("tune").string();
  std::filesystem::copy_file(ROOFTUNE_TUNE, copy);
  // The first thing that is compiled, before any worker has started, takes it away.
  Command command;
  command.environment = user.environment();
  command.environment.merge(
      installed(user, "c++", "#!/bin/sh\nrm -f '" + copy + "'\nexec g++ \"$@\"\n"));
  command.argv = {copy,         "--kernel",  "triad",      "--problem",      "n=1000",
                  "--strategy", "random",    "--counters", "none",           "--budget",
                  "2",          "--threads", "1",          "--no-staircase", "--no-anchors"};
  command.directory = user.path(".");
  command.limit = std::chrono::minutes(5);
  command.without = {"CXX", "ROOFTUNE_CXX", "ROOFTUNE_WORKER"};
  const Finished finished = execute(command);
  INFO(finished.output);
  CHECK(finished.status.code == 0);
  CHECK_FALSE(std::filesystem::exists(copy));
  CHECK(user.files("results/records", ".jsonl").size() == 1);
}
