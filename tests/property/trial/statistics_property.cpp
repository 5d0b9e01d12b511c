// Coverage of the intervals by simulation, with fixed seeds: the true quantile lies inside as often
// as promised, for the one-sided, heavy-tailed noise that timings have.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "core/rng.h"
#include "trial/statistics.h"

using namespace rooftune;

namespace {

/// Inverse distribution functions; the true quantile of each is itself.
struct Law {
  const char* name;
  std::function<double(double)> inverse;
};

const std::vector<Law>& laws() {
  static const std::vector<Law> all{
      {"uniform", [](double u) { return u; }},
      {"exponential", [](double u) { return 1 - std::log(1 - u); }},
      {"Pareto", [](double u) { return std::pow(1 - u, -1 / 1.2); }},
      {"two modes", [](double u) { return u < 0.6 ? 1 + 0.01 * u : 3 + u; }}};
  return all;
}

double covered(const Law& law, std::size_t n, double q, double confidence, int rounds) {
  Rng rng(n, static_cast<std::uint64_t>(q * 1000));
  int inside = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> xs(n);
    for (double& x : xs) x = law.inverse(rng.unit());
    const Estimate e = quantile_interval(xs, q, confidence);
    const double truth = law.inverse(q);
    inside += e.low <= truth && truth <= e.high;
  }
  return static_cast<double>(inside) / rounds;
}

}  // namespace

TEST_CASE("intervals cover the true quantile as often as they say") {
  constexpr int rounds = 1500;
  for (const auto& law : laws())
    for (const double q : {0.25, 0.5})
      for (const std::size_t n : {3, 5, 8, 12, 20, 30, 60, 200})
        for (const double confidence : {0.9, 0.95, 0.99}) {
          INFO(law.name << " n " << n << " q " << q << " confidence " << confidence);
          const double exact = quantile_coverage(n, q, confidence);
          const double share = covered(law, n, q, confidence, rounds);
          // Exact for every continuous law: five standard errors of the simulation.
          const double error = 5 * std::sqrt(exact * (1 - exact) / rounds) + 1e-9;
          REQUIRE(std::abs(share - exact) <= error);
        }
}

TEST_CASE("the coverage reaches the confidence from some n on, and never falls below again") {
  for (const double q : {0.1, 0.25, 0.5, 0.75})
    for (const double confidence : {0.9, 0.95, 0.99, 0.9958}) {
      INFO("q " << q << " confidence " << confidence);
      bool reached = false;
      for (std::size_t n = 1; n <= 300; ++n) {
        const bool here = quantile_coverage(n, q, confidence) >= confidence - 1e-12;
        if (reached) REQUIRE(here);
        reached = here;
      }
      REQUIRE(reached);
    }
}

TEST_CASE("an interval holds its value, lies within the samples and widens with the confidence") {
  Rng rng(5, 0);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> xs(1 + rng.below(50));
    for (double& x : xs) x = 1 - std::log(1 - rng.unit());
    const double q = rng.unit();
    const Estimate narrow = quantile_interval(xs, q, 0.8);
    const Estimate wide = quantile_interval(xs, q, 0.99);
    REQUIRE(narrow.low <= narrow.value);
    REQUIRE(narrow.value <= narrow.high);
    REQUIRE(wide.low <= narrow.low);
    REQUIRE(wide.high >= narrow.high);
    REQUIRE(wide.low >= *std::min_element(xs.begin(), xs.end()));
    REQUIRE(wide.high <= *std::max_element(xs.begin(), xs.end()));
  }
}

TEST_CASE("the order of the samples does not matter") {
  Rng rng(6, 0);
  for (int round = 0; round < 100; ++round) {
    Measurement m;
    for (std::uint64_t i = 0; i < 1 + rng.below(40); ++i)
      m.samples.push_back({1 + rng.unit(), 1, static_cast<int>(rng.below(2))});
    Measurement reversed = m;
    std::reverse(reversed.samples.begin(), reversed.samples.end());
    summarise(m);
    summarise(reversed);
    REQUIRE(m.seconds == reversed.seconds);
    REQUIRE(m.median == reversed.median);
    REQUIRE(m.disturbed == reversed.disturbed);
  }
}

TEST_CASE("the sign test finds no difference where there is none more often than allowed") {
  // Identical variants: ratios are symmetric around 1 on the logarithmic scale.
  constexpr int rounds = 4000;
  constexpr double confidence = 1 - 0.05 / 9;
  int wrong = 0;
  Rng rng(8, 0);
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> ratios(12);
    for (double& r : ratios) r = (1 - std::log(1 - rng.unit())) / (1 - std::log(1 - rng.unit()));
    const Estimate e = median_ratio(ratios, confidence);
    wrong += e.low > 1 || e.high < 1;
  }
  CHECK(wrong <= rounds * (1 - confidence) + 5 * std::sqrt(rounds * (1 - confidence)));
}
