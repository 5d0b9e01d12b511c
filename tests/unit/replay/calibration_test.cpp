// Searches that end because they are sure: when they do, and how often they are wrong.
#include <catch2/catch.hpp>
#include <cmath>

#include "replay/replay.h"
#include "support/synthetic_study.h"

using namespace rooftune;
using namespace rooftune::test;

namespace {

double steep_bowl(const Configuration& c) {
  const double x = c.at("x").real() - 6, y = c.at("y").real() - 5;
  return std::exp(0.02 * x * x + 0.03 * y * y + (c.at("kind") == Value("b") ? 0 : 0.5));
}

/// As fast as a hash has it: nothing to be learnt.
double lottery(const Configuration& c) { return 1 + noise(c, 5); }

Declared searched(double (*time)(const Configuration&), std::uint64_t seed) {
  const SearchSpace s = wide();
  double optimum = HUGE_VAL;
  for (std::uint64_t i = 0; i < s.size(); ++i)
    optimum = std::min(optimum, time(s.configuration(i)));
  const BenchmarkSpace benchmark{
      s, [time](const Configuration& c, std::uint64_t) { return timed(c, time(c)); },
      [&](std::uint64_t index) { return std::optional(time(s.configuration(index))); }, optimum};
  return convergence(benchmark, *make_strategy("roofline"), seed, 70, Certainty{0.05, 0.95});
}

}  // namespace

TEST_CASE("a search of a smooth space ends sure and right, one of a lottery goes on") {
  std::vector<Declared> smooth, rugged;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    smooth.push_back(searched(steep_bowl, seed));
    rugged.push_back(searched(lottery, seed));
  }
  const Calibration sure = calibration(smooth, 0.05), unsure = calibration(rugged, 0.05);
  CHECK(sure.searches == 5);
  CHECK(sure.ended >= 4);
  CHECK(sure.wrong == 0);
  CHECK(sure.median < 70);
  CHECK(unsure.ended == 0);
  CHECK(rugged.front().trace.size() == 70);
}

TEST_CASE("declarations are counted") {
  const std::vector<Declared> searches{
      {{0.5, 0.97}, true}, {{0.4, 0.5, 0.6, 0.94}, true}, {{0.3, 0.3, 0.3}, false}};
  const Calibration some = calibration(searches, 0.05);
  CHECK(some.searches == 3);
  CHECK(some.ended == 2);
  CHECK(some.wrong == 1);  // 1.05 x 0.94 is below 1
  CHECK(some.median == 3);
  CHECK(calibration(searches, 0.1).wrong == 0);
  const Calibration none = calibration({searches.back()}, 0.05);
  CHECK(none.ended == 0);
}
