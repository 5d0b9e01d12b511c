// What trials say of values that none of them had.
#include "search/forecast.h"

#include <catch2/catch.hpp>
#include <cmath>

using namespace rooftune;

namespace {

SearchSpace block_space() {
  std::vector<Knob> knobs(2);
  knobs[0].name = "block";
  knobs[0].values = {1, 2, 4, 8, 16};
  knobs[1].name = "other";
  knobs[1].values = {0, 1, 2, 3};
  for (Knob& knob : knobs) knob.fallback = knob.values.front();
  return SearchSpace("blocks", knobs, {}, {});
}

Configuration sized(int block, int other) {
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
      trial.configuration = sized(size, other);
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
  const auto beyond = expected_gains(block_space(), tried({2, 4, 8}, valley),
                                     {sized(1, 0), sized(16, 0), sized(1, 3)});
  REQUIRE(beyond.size() == 3);
  for (const double gain : beyond) CHECK(gain < 0.001);
  const auto slope = [](double size) { return 1 / (1 + size); };
  const auto downhill =
      expected_gains(block_space(), tried({1, 2, 4}, slope), {sized(16, 3), sized(8, 0)});
  REQUIRE(downhill.size() == 2);
  CHECK(downhill[1] > 0.01);
  CHECK(downhill[1] > downhill[0]);
}

TEST_CASE("few trials forecast nothing") {
  const auto flat = [](double) { return 1.0; };
  CHECK(expected_gains(block_space(), tried({2}, flat), {sized(1, 0)}).empty());
  CHECK(expected_gains(block_space(), tried({2, 4, 8}, flat), {}).empty());
}
