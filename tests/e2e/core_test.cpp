// The engine alone, linked without any extension.
#include <catch2/catch.hpp>

#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("the engine without extensions tunes, answers and exports") {
  const User user;
  const Ran study =
      user.run(ROOFTUNE_TUNE_CORE, {"--kernel", "triad", "--problem", "n=100000", "--budget", "2"});
  INFO(study.output);
  CHECK(study.code == 0);
  CHECK(study.says("go on "));
  const Ran exported = user.run(ROOFTUNE_TUNE_CORE, {"export", "--kernel", "triad", "--format",
                                                     "json", "-o", "best.json", "--as-recorded"});
  INFO(exported.output);
  CHECK(exported.code == 0);
  for (const char* command : {"sweep", "replay", "baseline"}) {
    const Ran refused = user.run(ROOFTUNE_TUNE_CORE, {command});
    INFO(refused.output);
    CHECK(refused.code == 2);
    CHECK(refused.says(std::string("unknown command \"") + command));
  }
}
