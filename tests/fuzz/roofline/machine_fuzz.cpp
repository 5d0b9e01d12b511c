// Damaged machine files end in an Error or in a machine that can be used; nothing else.
#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.h"
#include "roofline/machine_json.h"
#include "roofline/roofline.h"
#include "support/json_mutation.h"
#include "support/machine_builder.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

Json document() {
  Rng rng(1, 1);
  Machine machine = random_machine(rng);
  machine.ceilings[0].clock = 3.4e9;
  machine.ceilings[0].samples = {1, 2};
  machine.ceilings[9].working_set = 1024;
  machine.identity["cpu"] = "x";
  return to_json(machine);
}

/// Whether the reader accepts; what it accepts must have rates that can be computed with.
bool accepted(const std::function<Machine()>& read) {
  Machine machine;
  try {
    machine = read();
  } catch (const Error& error) {
    REQUIRE_FALSE(std::string(error.what()).empty());
    return false;
  }
  REQUIRE_FALSE(machine.ceilings.empty());
  for (const auto& ceiling : machine.ceilings) {
    REQUIRE(ceiling.rate.low > 0);
    REQUIRE(ceiling.rate.low <= ceiling.rate.value);
    REQUIRE(ceiling.rate.value <= ceiling.rate.high);
  }
  try {
    REQUIRE(Roofline{flops(1e3), moved(1e4, 1e4), machine, 2}.bound().time.value() > 0);
  } catch (const Error&) {
    // No ceiling may be left that applies.
  }
  return true;
}

}  // namespace

TEST_CASE("damaged members of a machine file") {
  const Json good = document();
  int kept = 0;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed, 2);
    Json json = good;
    for (std::uint64_t i = 0; i < 1 + rng.below(3); ++i) damage(json, rng);
    kept += accepted([&] { return machine_from_json(json, "fuzz"); });
  }
  CHECK(kept > 0);
  CHECK(kept < 3000);
}

TEST_CASE("damaged text of a machine file") {
  const std::string good = document().dump();
  for (std::uint64_t seed = 0; seed < 1500; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed, 3);
    const std::string text = damaged(good, rng);
    accepted([&] { return machine_from_json(parse_json(text, "fuzz"), "fuzz"); });
  }
}
