// How many calls make a sample, whatever the first ones met: against a clock of the test's own.
#include "run/sampler.h"

#include <catch2/catch.hpp>
#include <functional>

using namespace rooftune;

namespace {

/// Windows of calls of `seconds` each; the first `disturbed` of them last `longer` [s] more.
struct Clock {
  double seconds, longer = 0;
  int disturbed = 0;
  int windows = 0;
  double operator()(int calls) { return calls * seconds + (++windows <= disturbed ? longer : 0); }
};

}  // namespace

TEST_CASE("calls of microseconds fill the window") {
  Clock clock{1e-6};
  const int repeats = calibrated_repeats(std::ref(clock), 1e-6, 0.001);
  CHECK(repeats >= 1000);
  CHECK(repeats <= 1200);
}

TEST_CASE("a short call whose first times were disturbed still fills its window") {
  // The very first call, before calibration, took 30 times the wanted window, too.
  Clock clock{1e-6, 0.02, 2};
  CHECK(calibrated_repeats(std::ref(clock), 0.03, 0.001) >= 1000);
}

TEST_CASE("a call longer than the window is a sample of its own") {
  Clock clock{0.003};
  CHECK(calibrated_repeats(std::ref(clock), 0.003, 0.001) == 1);
  CHECK(clock.windows == 3);
}

TEST_CASE("long calls are not repeated for their calibration") {
  Clock clock{0.1};
  CHECK(calibrated_repeats(std::ref(clock), 0.1, 0.001) == 1);
  CHECK(clock.windows == 1);
  CHECK(calibrated_repeats(std::ref(clock), 2, 0.001) == 1);
  CHECK(clock.windows == 1);
}

TEST_CASE("a call as long as the very first is believed at once") {
  Clock clock{0.02};
  CHECK(calibrated_repeats(std::ref(clock), 0.021, 0.001) == 1);
  CHECK(clock.windows == 1);
}

TEST_CASE("what is behind the best is left when its time is over, what is near it is not") {
  const Timing timing{0.001, 0.25, 11, 101, 0.1};
  const auto samples = [](double seconds) { return std::vector<Sample>(4, Sample{seconds, 1, 0}); };
  CHECK(are_enough(samples(0.12), timing, 0.3));
  CHECK_FALSE(are_enough(samples(0.12), timing, 0.2));
  CHECK_FALSE(are_enough(samples(0.105), timing, 0.3));
  CHECK(cannot_win(samples(0.16), timing));
  CHECK_FALSE(cannot_win(samples(0.12), timing));
}
