// Damaged output of other profilers ends in an Error or in finite numbers.
#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.h"
#include "counters/cuda/nvidia.h"
#include "counters/likwid.h"
#include "support/json_mutation.h"

using namespace rooftune;
using namespace rooftune::test;

TEST_CASE("damaged tables of ncu") {
  const std::string wide =
      "==PROF== x\n\"ID\",\"Kernel Name\",\"a__b.sum\",\"c__d.sum\"\n\"\",\"\",\"byte\",\"ns\"\n"
      "\"0\",\"k\",\"1,234,567\",\"5.25\"\n";
  const std::string commas =
      "\"ID\",\"Kernel Name\",\"a__b.sum\",\"c__d.sum\"\n\"\",\"\",\"byte\",\"ns\"\n"
      "\"0\",\"k\",\"9,00\",\"n/a\"\n";
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed, 11);
    try {
      const NcuSums sums =
          ncu_sums(damaged(seed % 2 ? wide : commas, rng), {"a__b.sum", "c__d.sum"});
      REQUIRE(sums.kernels > 0);
      for (const double value : sums.values) REQUIRE_FALSE(std::isinf(value));
    } catch (const Error& error) {
      REQUIRE_FALSE(std::string(error.what()).empty());
    }
  }
}

TEST_CASE("damaged tables of likwid") {
  const std::string good =
      "TABLE,Group 1 Raw,L2,1,\nEvent,Counter,HWThread 0,HWThread 1\nX,PMC0,1,2\n"
      "TABLE,Group 1 Metric,L2,1,\nMetric,HWThread 0,HWThread 1\nRuntime (RDTSC) [s],0.5,0.5\n"
      "L2 load data volume [GBytes],0.25,-\n";
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed, 12);
    try {
      const auto groups = read_likwid_csv(damaged(good, rng));
      for (const auto& [name, amount] : likwid_difference(groups, groups, 2).quantities)
        REQUIRE_FALSE(std::isnan(amount.value));
    } catch (const Error& error) {
      REQUIRE_FALSE(std::string(error.what()).empty());
    }
  }
}

TEST_CASE("damaged descriptions of a processor") {
  const std::string good = "vendor_id : GenuineIntel\ncpu family : 6\nmodel : 143\nstepping : 8\n";
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Rng rng(seed, 13);
    REQUIRE_FALSE(cpu_identity(damaged(good, rng)).text().empty());
  }
}
