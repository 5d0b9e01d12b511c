#include "trial/statistics.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "core/error.h"
#include "core/rng.h"

using namespace rooftune;

namespace {

std::vector<double> one_to(int n) {
  std::vector<double> xs;
  for (int i = n; i >= 1; --i) xs.push_back(i);  // unsorted on purpose
  return xs;
}

Measurement of(std::vector<Sample> samples) {
  Measurement m;
  m.samples = std::move(samples);
  summarise(m);
  return m;
}

}  // namespace

TEST_CASE("quantiles interpolate as Hyndman and Fan's type 7") {
  CHECK(quantile({3, 1, 2}, 0.5) == 2);
  CHECK(quantile({4, 1, 2, 3}, 0.5) == 2.5);
  CHECK(quantile({1, 2, 3, 4, 5}, 0.25) == 2);
  CHECK(quantile({1, 2, 3, 4}, 0.25) == Approx(1.75));  // R: quantile(1:4, .25)
  CHECK(quantile({1, 2}, 0) == 1);
  CHECK(quantile({1, 2}, 1) == 2);
  CHECK(quantile({7}, 0.3) == 7);
  CHECK_THROWS_AS(quantile({}, 0.5), Error);
}

// Ranks of the sign-test interval of a median: any table of order statistics, e.g. Conover,
// Practical Nonparametric Statistics (1999), or binomial sums by hand.
TEST_CASE("the interval of a median has the tabulated ranks") {
  const auto ranks = [](int n, double confidence) {
    const Estimate e = quantile_interval(one_to(n), 0.5, confidence);
    return std::pair(e.low, e.high);
  };
  using Pair = std::pair<double, double>;
  CHECK(ranks(6, 0.95) == Pair(1, 6));  // 1 - 2/64 = 0.969
  CHECK(ranks(8, 0.95) == Pair(1, 8));
  CHECK(ranks(9, 0.95) == Pair(2, 8));     // 0.961
  CHECK(ranks(10, 0.95) == Pair(2, 9));    // 0.979
  CHECK(ranks(12, 0.95) == Pair(3, 10));   // 0.961
  CHECK(ranks(20, 0.95) == Pair(6, 15));   // 0.959
  CHECK(ranks(30, 0.95) == Pair(10, 21));  // 0.957
  CHECK(ranks(20, 0.99) == Pair(4, 17));   // 0.997
  CHECK(quantile_coverage(6, 0.5, 0.95) == Approx(1 - 2 / 64.0));
  CHECK(quantile_coverage(20, 0.5, 0.95) == Approx(0.958611));
}

TEST_CASE("too few samples give the extremes, and the coverage says what they are worth") {
  const Estimate e = quantile_interval(one_to(4), 0.5, 0.95);
  CHECK(e.low == 1);
  CHECK(e.high == 4);
  CHECK(e.value == 2.5);
  CHECK(quantile_coverage(4, 0.5, 0.95) == Approx(1 - 2 / 16.0));
  CHECK(quantile_coverage(5, 0.5, 0.95) < 0.95);
  CHECK(quantile_coverage(6, 0.5, 0.95) >= 0.95);
  CHECK(quantile_coverage(0, 0.5, 0.95) == 0);
  const Estimate one = quantile_interval({3}, 0.25, 0.95);
  CHECK(one == Estimate::exact(3));
}

TEST_CASE("a tail that its extreme cannot cover takes its share from the other") {
  // n = 11: (3/4)^11 = 0.042 lies below the smallest sample; equal tails would ask for 0.025.
  CHECK(quantile_coverage(11, 0.25, 0.95) >= 0.95);
  CHECK(quantile_coverage(10, 0.25, 0.95) < 0.95);
  const Estimate e = quantile_interval(one_to(11), 0.25, 0.95);
  CHECK(e.low == 1);
  CHECK(e.high < 11);
}

TEST_CASE("equal samples have an interval of no width") {
  const Estimate e = quantile_interval(std::vector<double>(15, 0.1), 0.25, 0.95);
  CHECK(e == Estimate::exact(0.1));
}

TEST_CASE("a measurement uses its clean samples when there are enough") {
  std::vector<Sample> samples;
  for (int i = 0; i < 5; ++i) samples.push_back({1.0 + i, 1, 0});
  for (int i = 0; i < 10; ++i) samples.push_back({100, 0.4, 2});
  const Measurement enough = of(samples);
  CHECK_FALSE(enough.disturbed);
  CHECK(enough.best == 1);
  CHECK(enough.median == 3);
  CHECK(enough.seconds.value == 2);
  CHECK(enough.seconds.high <= 5);

  samples.push_back({100, 1, 1});  // 5 of 16 are less than a third
  CHECK(of(samples).disturbed);
  CHECK(of(samples).median == 100);
}

TEST_CASE("four clean samples are too few, all of them count then") {
  const Measurement m = of({{1, 1, 0}, {2, 1, 0}, {3, 1, 0}, {4, 1, 0}, {9, 1, 1}});
  CHECK(m.disturbed);
  CHECK(m.best == 1);
  CHECK(m.median == 3);
  CHECK(m.seconds.high == 9);
}

TEST_CASE("a sample is clean without switches and with the CPU to itself") {
  CHECK(Sample{1, 1, 0}.clean());
  CHECK_FALSE(Sample{1, 1, 1}.clean());
  CHECK_FALSE(Sample{1, 0.98, 0}.clean());
}

TEST_CASE("nothing measured cannot be summarised") {
  Measurement m;
  CHECK_THROWS_AS(summarise(m), Error);
}

TEST_CASE("few ratios tell apart only what all of them agree on") {
  // Student's t of the logarithms: their mean is log(1.598), their deviation 0.0626, t(2) is 4.30.
  const Estimate few = median_ratio({1.5, 1.6, 1.7}, 0.95);
  CHECK(few.value == 1.6);
  CHECK(few.low == Approx(1.368).epsilon(0.002));
  CHECK(few.high == Approx(1.867).epsilon(0.002));
  CHECK(median_ratio({7.29, 7.46, 7.55, 7.4}, 0.99).low > 7);
  CHECK(median_ratio({0.5, 0.6}, 0.95).high > 1);
  const Estimate open = median_ratio({0.9, 1.6, 1.7}, 0.95);
  CHECK(open.low == 0.9);
  CHECK(open.high == 1.7);
  CHECK(median_ratio({1.5}, 0.95) == Estimate{1.5, 1, 1.5});
  const Estimate enough = median_ratio({1.5, 1.6, 1.7, 1.4, 1.55, 1.52}, 0.95);
  CHECK(enough.low == 1.4);
  CHECK(enough.high == 1.7);
}

namespace {

/// An AR(1) law around 1: neighbours correlate by `r`.
std::vector<double> moody(int n, double r, std::uint64_t seed) {
  Rng rng(seed, 0);
  std::vector<double> xs;
  double mood = 0;
  for (int i = 0; i < n + 50; ++i) {
    const double noise =
        std::sqrt(-2 * std::log(1 - rng.unit())) * std::cos(6.283185307179586 * rng.unit());
    mood = r * mood + std::sqrt(1 - r * r) * noise;
    if (i >= 50) xs.push_back(1 + 0.05 * mood);
  }
  return xs;
}

double coverage(double r, Estimate (*interval)(const std::vector<double>&)) {
  int covered = 0;
  constexpr int cases = 2000;
  for (int i = 0; i < cases; ++i) {
    const Estimate found = interval(moody(30, r, static_cast<std::uint64_t>(i)));
    covered += found.low <= 1 && 1 <= found.high;
  }
  return static_cast<double>(covered) / cases;
}

}  // namespace

TEST_CASE("samples that resemble their neighbours count for fewer than they are") {
  const auto plain = [](const std::vector<double>& xs) { return quantile_interval(xs, 0.5, 0.95); };
  const auto timed = [](const std::vector<double>& xs) {
    return quantile_over_time(xs, 0.5, 0.95);
  };
  CHECK(coverage(0, timed) > 0.94);
  CHECK(coverage(0.6, plain) < 0.80);
  CHECK(coverage(0.6, timed) > 0.90);
  CHECK(coverage(0.8, plain) < 0.65);
  CHECK(coverage(0.8, timed) > 0.85);
  // Independent ones lose little.
  int same = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    same += quantile_over_time(moody(30, 0, seed), 0.25, 0.95) ==
            quantile_interval(moody(30, 0, seed), 0.25, 0.95);
  CHECK(same > 170);
  CHECK(quantile_over_time({2}, 0.5, 0.95) == Estimate{2, 2, 2});
}

TEST_CASE("what was measured twice says how far a time holds") {
  CHECK_FALSE(between_runs({1, 1.1}));
  CHECK(*between_runs({1, 1, 1}) == 1);
  // s = log 1.1, t(4, 0.975) = 2.776.
  CHECK(*between_runs({1.1, 1 / 1.1, 1.1, 1 / 1.1}) == Approx(std::pow(1.1, 2.776)).epsilon(1e-3));
  // A common shift is no less a difference.
  CHECK(*between_runs({1.1, 1.1, 1.1, 1.1}) == Approx(std::pow(1.1, 2.776)).epsilon(1e-3));
}

TEST_CASE("a ratio of disturbed times holds that of a quiet machine") {
  const Estimate twice = time_in_quiet(2, 0.3) / time_in_quiet(1, 0.3);
  CHECK(twice.value == Approx(2));
  CHECK(twice.low == Approx(1.4));
  CHECK(twice.high == Approx(2 / 0.7));
  CHECK(time_in_quiet(3, 0) / time_in_quiet(1, 0) == Estimate::exact(3));
  // One that waited nearly all the time makes the interval wide, and no gain that nobody measured.
  CHECK((time_in_quiet(24, 0) / time_in_quiet(10, 0.99)).value == Approx(2.4));
  // Nobody counted: it may all have been a wait.
  CHECK(time_in_quiet(1, -1).low < 1e-5);
  // Clean ones are the answer where they tell something apart, or are enough to say that they do
  // not.
  std::vector<Estimate> ratios(20, twice);
  CHECK(ratio_in_quiet(ratios, 0.95).high == Approx(2 / 0.7));
  ratios.push_back(Estimate::exact(0.9));
  ratios.push_back(Estimate::exact(1.5));
  CHECK(ratio_in_quiet(ratios, 0.95).high == Approx(2 / 0.7));
  ratios.resize(40, Estimate::exact(1.5));
  CHECK(ratio_in_quiet(ratios, 0.95) == Estimate::exact(1.5));
  CHECK(points(ratios).size() == 20);
}

TEST_CASE("disturbed ratios are dropped where others waited less") {
  std::vector<Estimate> ratios;
  for (int i = 0; i < 10; ++i)
    for (const double lost : {0.9, 0.1})
      ratios.push_back(time_in_quiet(2, lost) / time_in_quiet(1, lost));
  CHECK(ratio_in_quiet(ratios, 0.95).low == Approx(1.8).epsilon(1e-3));
  ratios.resize(4);
  CHECK(ratio_in_quiet(ratios, 0.95).low <= 1);
  // One that waited all the time says nothing.
  ratios.assign(8, time_in_quiet(2, 1) / time_in_quiet(1, 0));
  CHECK(ratio_in_quiet(ratios, 0.95).low < 1);
}

TEST_CASE("a trial among neighbours knows its time up to their share") {
  const Measurement busy = of(std::vector<Sample>(9, Sample{1, 1, 3, 0.5, 0.6}));
  CHECK(busy.disturbed);
  CHECK(busy.seconds.low == Approx(0.4));
  CHECK(busy.seconds.high == 1);
}
