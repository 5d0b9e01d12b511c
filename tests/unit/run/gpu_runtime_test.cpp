// The table of GPU runtimes, and what asks it when a second runtime stands in it.
#include "run/gpu_runtime.h"

#include <array>
#include <catch2/catch.hpp>

#include "core/error.h"
#include "kernel/kernel.h"

using namespace rooftune;
using Catch::Contains;

namespace {

std::vector<InstalledCard> no_cards() {
  throw Error("there is no driver of abacus", "libabacus.so", "buy beads", ExitCode::unavailable);
}

std::vector<InstalledCard> two_waves() {
  InstalledCard card;
  card.runtime = "waves";
  card.name = "Wave 64";
  card.uuid = "GPU-0001";
  card.facts.warp = 64;
  InstalledCard second = card;
  second.index = 1;
  second.uuid = "GPU-0002";
  return {card, second};
}

std::unique_ptr<GpuMachine> planned(const InstalledCard& card) {
  GpuSetup setup;
  setup.facts = card.facts;
  return std::make_unique<PlannedGpu>(setup);
}

int no_driver() { return 0; }
std::string words(int driver) { return "Waves " + std::to_string(driver); }

constexpr GpuRuntime abacus{"abacus", no_driver, words, no_cards, planned};
constexpr GpuRuntime waves{"waves", no_driver, words, two_waves, planned};

}  // namespace

TEST_CASE("cards are those of the first runtime that has any") {
  const std::array<GpuRuntime, 2> both{abacus, waves};
  CHECK(installed_cards(both).size() == 2);
  CHECK(installed_card("", both).uuid == "GPU-0001");
  CHECK(installed_card("1", both).uuid == "GPU-0002");
  CHECK(installed_card("GPU-0002", both).index == 1);
  CHECK(waves.open(installed_card("1", both))->properties().warp == 64);
  CHECK_THROWS_WITH(installed_card("7", both), Contains("there is no card \"7\""));
  const std::array<GpuRuntime, 1> none{abacus};
  CHECK_THROWS_WITH(installed_cards(none), Contains("there is no driver of abacus"));
}

TEST_CASE("a runtime on whose cards nothing counts says so") {
  CHECK_FALSE(waves.counters().available);
  CHECK_THAT(waves.counters().reason, Contains("nothing counts on cards of waves"));
}

TEST_CASE(
    "every runtime has a back end, a compiler and a counter of its name, and nobody else has") {
  for (const GpuRuntime& runtime : gpu_runtimes()) {
    INFO(runtime.name);
    CHECK(backend_row(runtime.name).builder == Builder::gpu_compiler);
    CHECK(runtime.compiler().runtime == std::string(runtime.name));
    CHECK(std::any_of(counter_providers().begin(), counter_providers().end(), [&](const auto& row) {
      return row.on_card() && row.runtime == std::string(runtime.name);
    }));
  }
  for (const BackendRow& row : backend_table())
    if (row.builder == Builder::gpu_compiler) CHECK_NOTHROW(gpu_runtime(row.name));
  CHECK_THROWS_WITH(gpu_runtime("abacus"), Contains("no GPU runtime \"abacus\""));
}
