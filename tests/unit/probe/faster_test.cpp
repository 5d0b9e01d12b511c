// Tests that a ceiling is a running maximum over the probes of one machine.
#include <catch2/catch.hpp>

#include "probe/self_check.h"
#include "roofline/machine_json.h"
#include "support/named_ceiling.h"
#include "support/sample_machine.h"

using namespace rooftune;
using namespace rooftune;

TEST_CASE("A ceiling that was faster before stays, with its source and date") {
  Machine now = sample::machine();
  Machine before = sample::machine();
  Ceiling& fast = test::named(before, "L3 load 2t");
  fast.rate = {70e9, 68e9, 71e9};
  fast.source.date = "2026-01-01T00:00:00Z";
  test::named(before, "L2 load 1t").rate = Estimate::exact(1e9);
  test::named(before, "L1 load 1t").rate = Estimate::exact(1e15);
  test::named(before, "L1 load 1t").shown_only = true;
  const double l2 = test::named(now, "L2 load 1t").rate.value;
  const double l1 = test::named(now, "L1 load 1t").rate.value;
  keep_faster(now, before);
  CHECK(test::named(now, "L3 load 2t").rate == Estimate{70e9, 68e9, 71e9});
  CHECK(test::named(now, "L3 load 2t").source.date == "2026-01-01T00:00:00Z");
  CHECK(test::named(now, "L2 load 1t").rate.value == l2);
  CHECK(test::named(now, "L1 load 1t").rate.value == l1);
  CHECK(now.notes.back().find("1 of ") == 0);
  // one thread reaches half of what two did
  CHECK(test::named(now, "L3 load 1t").rate.value == 35e9);
}

TEST_CASE("What only an earlier probe measured stays, levels included") {
  Machine now = sample::machine();
  const Machine before = sample::machine();
  std::erase_if(now.ceilings, [](const Ceiling& c) { return c.level == "L3"; });
  std::erase_if(now.levels, [](const MemoryLevel& level) { return level.name == "L3"; });
  now.levels[0].capacity = 40e3;
  now.levels[1].instances = 1;
  keep_faster(now, before);
  REQUIRE(now.levels.size() == 4);
  CHECK(now.levels[2].name == "L3");
  CHECK(now.levels[0].capacity == before.levels[0].capacity);
  CHECK(now.levels[1].instances == 2);
  CHECK(test::named(now, "L3 load 2t").rate.value == 62e9);
  CHECK(now.ceilings.size() == before.ceilings.size());
  const Machine back = machine_from_json(to_json(now), "now.json");
  CHECK(back.ceilings.size() == now.ceilings.size());
}
