// A card as its vendor's library tells of it, through a library of our own (support/fake_nvml.cpp).
#include <unistd.h>

#include <catch2/catch.hpp>

#include "run/gpu_runtime.h"
#include "support/environment_variable.h"

using namespace rooftune;

namespace {

/// How the card fared while nothing happened. `fake`: how the library behaves.
std::optional<CardSpan> watched(const std::string& fake, const std::string& uuid = "GPU-a0a0a0a0",
                                const char* library = ROOFTUNE_FAKE_DRIVER) {
  const testing::EnvironmentVariable chosen("ROOFTUNE_NVML", library), behaves("FAKE_CUDA", fake);
  InstalledCard card;
  card.uuid = uuid;
  const auto ended = gpu_runtime("cuda").watch(card);
  // Beside the time between two questions.
  usleep(20000);
  return ended();
}

}  // namespace

TEST_CASE("without the library, or where it does not know the card, nothing is known of it") {
  CHECK_FALSE(watched("nvml=1", "GPU-a0a0a0a0", "/nowhere/libnvidia-ml.so.1"));
  CHECK_FALSE(watched("nvml=1", "GPU-a0a0a0a0", "libm.so.6"));
  CHECK_FALSE(watched("nvml=0"));
  CHECK_FALSE(watched("nvml=1", "GPU-ffffffff"));
}

TEST_CASE("a quiet card has its clock and no more, and this process is no other") {
  const auto span = watched("nvml=1");
  REQUIRE(span);
  CHECK(span->clock == 1410e6);
  CHECK(span->most_clock == 1410e6);
  CHECK(span->slowed.empty());
  CHECK(span->slowing.empty());
  CHECK(span->others.empty());
  // Idle, by clocks that somebody has set, by a sibling: none of these is a fault of the card.
  CHECK(watched("nvml=1 reasons=19")->slowing.empty());
}

TEST_CASE("what keeps its clock down is told by its kind, with its share of the time") {
  CHECK(watched("nvml=1 reasons=4")->slowing == std::vector<std::string>{"power"});
  CHECK(watched("nvml=1 reasons=32")->slowing == std::vector<std::string>{"heat"});
  CHECK(watched("nvml=1 reasons=72")->slowing == std::vector<std::string>{"heat", "hardware"});
  CHECK(watched("nvml=1 reasons=128")->slowing == std::vector<std::string>{"hardware"});
  const auto span = watched("nvml=1 held_power=40 held_heat=10 clock=900");
  CHECK(span->clock == 900e6);
  CHECK(span->slowed.at("power") == Approx(0.4).epsilon(0.5));
  CHECK(span->slowed.at("heat") == Approx(0.1).epsilon(0.5));
}

TEST_CASE("other processes are those that exist, and not of this program") {
  const auto others = watched("nvml=1 other=1")->others;
  REQUIRE(others.size() == 1);
  CHECK(others.front().ends_with("pid 1)"));
  // As where a container's processes have the numbers of their host.
  CHECK(watched("nvml=1 other=2000000000")->others.empty());
}

TEST_CASE("a slice has the clock of its card") {
  const auto span = watched("nvml=1 clock=1200 reasons=32", "MIG-a0a0a0a0");
  REQUIRE(span);
  CHECK(span->clock == 1200e6);
  CHECK(span->slowing == std::vector<std::string>{"heat"});
}

TEST_CASE("a library that refuses, or answers what cannot be, says nothing") {
  for (const char* fake : {"nvml=1 unsupported=1 reasons=32 other=1", "nvml=1 garbage=1"}) {
    const auto span = watched(fake);
    INFO(fake);
    REQUIRE(span);
    CHECK_FALSE(span->clock);
    CHECK_FALSE(span->most_clock);
    CHECK(span->slowed.empty());
    CHECK(span->slowing.empty());
    CHECK(span->others.empty());
    CHECK(card_doubts(*span).empty());
  }
}
