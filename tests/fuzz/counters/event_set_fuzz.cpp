// Damaged event sets end in an Error or in a set whose formulas can be evaluated.
#include <catch2/catch.hpp>

#include "core/error.h"
#include "counters/event_set.h"
#include "counters/hardware_count.h"
#include "support/json_mutation.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

const std::filesystem::path directory =
    std::filesystem::path(ROOFTUNE_SOURCE_DIR) / "machines" / "events";

void read(const std::function<EventSet()>& reader) {
  try {
    const EventSet set = reader();
    EventCounts counts;
    for (const CounterEvent& event : set.events) counts.totals[event.id] = {Estimate::exact(3), 1};
    const HardwareCounts all = evaluated(set, counts);
    REQUIRE(all.quantities.size() + all.missing.size() == set.quantities.size());
    for (const auto& [name, amount] : all.quantities) REQUIRE(amount.value >= 0);
    REQUIRE_FALSE(event_groups({}, set.counters).size() > 0);
  } catch (const Error& error) {
    REQUIRE_FALSE(std::string(error.what()).empty());
  }
}

}  // namespace

TEST_CASE("damaged event sets") {
  for (const char* name : {"sapphirerapids", "zen2", "a64fx"}) {
    const auto file = directory / (std::string(name) + ".json");
    const Json good = read_json(file);
    const std::string text = good.dump();
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      INFO(name << " seed " << seed);
      Rng rng(seed, 7);
      Json json = good;
      for (std::uint64_t i = 0; i < 1 + rng.below(3); ++i) damage(json, rng);
      read([&] { return event_set_from_json(json, "fuzz"); });
      const std::string broken = damaged(text, rng);
      read([&] { return event_set_from_json(parse_json(broken, "fuzz"), "fuzz"); });
    }
  }
}
