// What trials say of values that none of them had.
#include "search/forecast.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace rooftune;

namespace {

SearchSpace blocks() {
  std::vector<Knob> knobs(2);
  knobs[0].name = "block";
  knobs[0].values = {1, 2, 4, 8, 16};
  knobs[1].name = "other";
  knobs[1].values = {0, 1, 2, 3};
  for (Knob& knob : knobs) knob.fallback = knob.values.front();
  return SearchSpace("blocks", knobs, {}, {});
}

Configuration of(int block, int other) {
  Configuration one;
  one.set("block", block);
  one.set("other", other);
  return one;
}

/// Trials of these blocks with all others.
template <class Time>
History tried(const std::vector<int>& sizes, const Time& time) {
  History history;
  for (const int size : sizes)
    for (int other = 0; other < 4; ++other) {
      Trial trial;
      trial.index = history.size();
      trial.configuration = of(size, other);
      trial.outcome = Outcome::ok;
      trial.measurement = Measurement{};
      trial.measurement->seconds = Estimate::exact(time(std::log2(size)) * (1 + 0.05 * other));
      history.append(std::move(trial));
    }
  return history;
}

}  // namespace

TEST_CASE("a value beyond one that was slower is not worth a trial, one downhill is") {
  const auto valley = [](double size) { return 1 + 0.5 * std::abs(size - 2); };
  const auto beyond =
      forecasts(blocks(), tried({2, 4, 8}, valley), {of(1, 0), of(16, 0), of(1, 3)});
  REQUIRE(beyond.size() == 3);
  for (const Forecast& one : beyond) CHECK(one.chance < 0.1);
  const auto slope = [](double size) { return 1 / (1 + size); };
  const auto downhill = forecasts(blocks(), tried({1, 2, 4}, slope), {of(16, 3), of(8, 0)});
  REQUIRE(downhill.size() == 2);
  CHECK(downhill[1].chance > 0.1);
  CHECK(downhill[1].gain > beyond[0].gain);
  CHECK(downhill[1].gain > downhill[0].gain);
}

TEST_CASE("few trials forecast nothing") {
  const auto flat = [](double) { return 1.0; };
  CHECK(forecasts(blocks(), tried({2}, flat), {of(1, 0)}).empty());
  CHECK(forecasts(blocks(), tried({2, 4, 8}, flat), {}).empty());
}
