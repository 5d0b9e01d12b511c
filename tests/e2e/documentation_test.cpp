// Every block of the documentation is executed, in a user's folder, by documentation/blocks.py.
#include <catch2/catch.hpp>

#include "os/subprocess.h"
#include "support/recorded_samples.h"
#include "user.h"

using namespace rooftune;
using namespace rooftune::e2e;

TEST_CASE("every block of the documentation does what it says") {
  const User user;
  user.write("cache.json", test::cachefile_sample);
  if (!find_program("python3")) {
    WARN("skipped: python3 is not installed");
    return;
  }
  WARN(
      output_of(user,
                {"python3", std::string(ROOFTUNE_SOURCE_DIR) + "/tests/e2e/documentation/blocks.py",
                 ROOFTUNE_SOURCE_DIR, ROOFTUNE_RUNTIME},
                {{"DOCUMENTED_TUNE", ROOFTUNE_TUNE}, {"DOCUMENTED_PARSER", ROOFTUNE_PARSE_WORDS}}));
}
