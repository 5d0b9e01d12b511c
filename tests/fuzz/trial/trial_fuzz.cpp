// Damaged trials, as a torn record file holds them, end in an Error or in a trial that can be used.
#include <catch2/catch.hpp>

#include "core/error.h"
#include "support/json_mutation.h"
#include "trial/trial.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

Json document() {
  Trial trial;
  trial.configuration.set("unroll", 4);
  trial.configuration.set("format", "csr");
  trial.measurement = Measurement{};
  trial.measurement->samples = {{1, 1, 0}, {2, 0.5, 1}};
  trial.measurement->seconds = {1.5, 1, 2};
  return encode(trial);
}

void read(const std::function<Trial()>& reader) {
  try {
    const Trial trial = reader();
    History history;
    history.append(trial);
    if (!trial.ok()) return;
    REQUIRE(history.best());
    REQUIRE(history.best()->measurement->seconds.low > 0);
  } catch (const Error& error) {
    REQUIRE_FALSE(std::string(error.what()).empty());
  }
}

}  // namespace

TEST_CASE("damaged members of a trial") {
  const Json good = document();
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed, 2);
    Json json = good;
    for (std::uint64_t i = 0; i < 1 + rng.below(3); ++i) damage(json, rng);
    read([&] { return decoded<Trial>(json, "fuzz"); });
  }
}

TEST_CASE("damaged text of a trial") {
  const std::string good = document().dump();
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    INFO("seed " << seed);
    Rng rng(seed, 3);
    const std::string text = damaged(good, rng);
    read([&] { return decoded<Trial>(parse_json(text, "fuzz"), "fuzz"); });
  }
}
