#include <catch2/catch.hpp>
#include <cmath>

#include "core/rng.h"
#include "sweep/series.h"

using namespace rooftune;

namespace {

/// Times of `nights` nights at a level, with noise that only slows and a spike in every twentieth.
void add_level(std::vector<double>& times, double level, int nights, std::uint64_t seed) {
  for (int i = 0; i < nights; ++i) {
    Rng rng(seed, times.size());
    const double spike = rng.unit() < 0.05 ? 1.2 : 1;
    times.push_back(level * spike * (1 + 0.01 * std::abs(rng.unit())));
  }
}

}  // namespace

TEST_CASE("a steady series has no change points, whatever its noise") {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::vector<double> times;
    add_level(times, 2e-3, 30, seed);
    found += static_cast<int>(change_points(times).size());
  }
  CHECK(found <= 1);
}

TEST_CASE("a level that lasts is found where it begins, with its size") {
  int told = 0, exact = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::vector<double> times;
    add_level(times, 2e-3, 15, seed);
    add_level(times, 2.1e-3, 15, seed);
    const auto points = change_points(times);
    if (points.size() != 1) continue;
    ++told;
    CHECK(points[0].ratio() == Approx(1.05).margin(0.01));
    exact += points[0].at == 15 ? 1 : 0;
  }
  INFO(told << " told, " << exact << " at their night");
  CHECK(told >= 45);
  CHECK(exact >= 40);  // a spike beside the step may belong to either level
}

TEST_CASE("slower and faster levels are told in their order") {
  std::vector<double> times;
  add_level(times, 1e-3, 12, 3);
  add_level(times, 1.3e-3, 8, 3);
  add_level(times, 0.8e-3, 10, 3);
  const auto points = change_points(times);
  REQUIRE(points.size() == 2);
  CHECK(points[0].at == 12);
  CHECK(points[1].at == 20);
  CHECK(points[1].ratio() < 0.65);
}

TEST_CASE("one slow night, too few nights and small changes are no change points") {
  std::vector<double> times(20, 1e-3);
  times[10] = times[19] = 5e-3;
  CHECK(change_points(times).empty());
  CHECK(change_points(std::vector<double>{1, 1, 2, 2, 2}).empty());
  CHECK(change_points(std::vector<double>{}).empty());
  std::vector<double> step(20, 1e-3);
  std::fill(step.begin() + 10, step.end(), 1.015e-3);
  CHECK(change_points(step).empty());
}

TEST_CASE("of a long series the newest nights are looked at") {
  std::vector<double> times;
  add_level(times, 5e-3, 100, 1);
  add_level(times, 1e-3, 300, 2);
  add_level(times, 2e-3, 300, 3);
  const auto points = change_points(times);
  REQUIRE(points.size() == 1);
  CHECK(points[0].at == 400);
}

TEST_CASE("nights without a time are skipped, and points tell their night") {
  Series series;
  for (int i = 0; i < 16; ++i) {
    Night night;
    if (i != 3) night.seconds = Estimate::exact(i < 9 ? 1e-3 : 2e-3);
    series.nights.push_back(night);
  }
  const auto points = change_points(series);
  REQUIRE(points.size() == 1);
  CHECK(points[0].at == 9);
}
