// Damaged descriptions of a processor end in an identity.
#include <catch2/catch.hpp>

#include "counters/event_set.h"
#include "counters/hardware_count.h"
#include "support/json_mutation.h"

using namespace rooftune;
using namespace rooftune::test;

TEST_CASE("damaged descriptions of a processor") {
  const std::string good = "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 143\nstepping : 8\n";
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed, 13);
    REQUIRE_FALSE(cpu_identity(damaged(good, rng)).text().empty());
  }
}
