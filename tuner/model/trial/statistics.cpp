#include "trial/statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "core/list.h"

namespace rooftune::trial {
namespace {

/// Fewer clean samples than this, or than one in so many of all, say too little on their own.
constexpr size_t least_clean = 5, least_clean_part = 3;

/// Boost.Math has medians, but no sample quantile of this type.
double sorted_quantile(const Numbers& sorted, double q) {
  const double position = q * double(sorted.size() - 1);
  const auto below = size_t(std::floor(position));
  const size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = position - double(below);
  // Not a + share (b - a): equal neighbours must give exactly their value.
  return share == 0 ? sorted[below] : (1 - share) * sorted[below] + share * sorted[above];
}

/// Which ranks (1-based) the interval's ends have, and P(X_(low) <= quantile < X_(high)).
struct Ranks {
  size_t low, high;
  double coverage;
};

namespace policies = boost::math::policies;
/// How many samples lie below the quantile, B; its own quantiles are whole numbers.
template <policies::discrete_quantile_policy_type rounding = policies::integer_round_outwards>
using Below =
    boost::math::binomial_distribution<double,
                                       policies::policy<policies::discrete_quantile<rounding>>>;

/// P(B <= k)
double at_most(size_t k, size_t n, double q) {
  return k >= n ? 1 : boost::math::cdf(Below<>(double(n), q), double(k));
}

/// Largest low end with a miss P(B < low) within `budget`; 1 without any.
size_t low_rank(size_t n, double q, double budget) {
  if (budget <= 0) return 1;
  const Below<policies::integer_round_down> below(double(n), q);
  return std::min(n, size_t(boost::math::quantile(below, budget)) + 1);
}

/// Smallest high end with a miss P(B >= high) within `budget`; n without any.
size_t high_rank(size_t n, double q, double budget) {
  if (budget <= 0) return n;
  const Below<policies::integer_round_up> below(double(n), q);
  const auto most = boost::math::quantile(boost::math::complement(below, budget));
  return std::min(n, size_t(most) + 1);
}

/// Equal tails; a tail that its extreme cannot reach takes its share from the other, so fewer
/// samples do: with 11 the lower quartile lies below all in 4.2 % of cases, which leaves 0.8 % of 5
/// for the high end. Conover, Practical Nonparametric Statistics, section 3.2.
Ranks ranks(size_t n, double q, double confidence) {
  const double miss = 1 - confidence;
  const double low_extreme = at_most(0, n, q);
  const double high_extreme = 1 - at_most(n - 1, n, q);
  Ranks result{};
  result.low = low_rank(n, q, high_extreme > miss / 2 ? miss - high_extreme : miss / 2);
  result.high = high_rank(n, q, low_extreme > miss / 2 ? miss - low_extreme : miss / 2);
  result.coverage = at_most(result.high - 1, n, q) - at_most(result.low - 1, n, q);
  return result;
}

bool above_one(double ratio) { return ratio > 1; }

Estimate holding_one(Estimate ratio) {
  ratio.low = std::min(ratio.low, 1.0);
  ratio.high = std::max(ratio.high, 1.0);
  return ratio;
}

/// Student's t interval for the geometric mean, widened to hold `value`, the median.
Estimate mean_of_logarithms(const Numbers& ratios, double value, double confidence) {
  const auto n = double(ratios.size());
  double mean = 0, squares = 0;
  for (const double ratio : ratios) mean += std::log(ratio) / n;
  for (const double ratio : ratios) squares += std::pow(std::log(ratio) - mean, 2);
  // A clock has steps, so even equal ratios have some spread.
  constexpr double least_deviation = 1e-3;
  const double deviation = std::max(std::sqrt(squares / (n - 1)), least_deviation);
  const boost::math::students_t_distribution<double> student(n - 1);
  const double half =
      boost::math::quantile(boost::math::complement(student, (1 - confidence) / 2)) * deviation /
      std::sqrt(n);
  return {value, std::min(value, std::exp(mean - half)), std::max(value, std::exp(mean + half))};
}

void refuse_empty(const Numbers& xs) {
  if (xs.empty()) throw Error("statistics of no samples");
}

/// How many independent samples would tell as much about their quantile.
size_t effective_size(const Numbers& xs, double quantile) {
  const auto n = double(xs.size());
  double above = 0, both = 0;
  for (const size_t i : indices(xs)) {
    above += xs[i] > quantile;
    both += i > 0 && xs[i] > quantile && xs[i - 1] > quantile;
  }
  const double share = above / n, variance = share * (1 - share);
  if (xs.size() < 8 || !(variance > 0)) return xs.size();
  constexpr double beyond_chance = 1.28, most = 0.9;
  const double signs = (both / (n - 1) - share * share) / variance;
  if (signs < beyond_chance / std::sqrt(n)) return xs.size();
  // Normal neighbours with correlation r have signs that correlate by 2 / pi asin r.
  const double r = std::min(most, std::sin(std::numbers::pi / 2 * std::min(signs, 1.0)));
  return size_t(std::max(1.0, std::floor(n * (1 - r) / (1 + r))));
}

/// Applies `figure` to the low ends, the values and the high ends.
template <class Figure>
Estimate of_intervals(const Estimates& all, const Figure& figure) {
  return {figure(members(all, &Estimate::value)).value, figure(members(all, &Estimate::low)).low,
          figure(members(all, &Estimate::high)).high};
}

}  // namespace

double quantile(Numbers xs, double q) {
  refuse_empty(xs);
  sort(xs);
  return sorted_quantile(xs, q);
}

double quantile_coverage(size_t n, double q, double confidence) {
  return n == 0 ? 0 : ranks(n, q, confidence).coverage;
}

Estimate quantile_interval(Numbers xs, double q, double confidence) {
  refuse_empty(xs);
  sort(xs);
  const Ranks ends = ranks(xs.size(), q, confidence);
  const double value = sorted_quantile(xs, q);
  return {value, std::min(value, xs[ends.low - 1]), std::max(value, xs[ends.high - 1])};
}

Estimate quantile_over_time(const Numbers& xs, double q, double confidence) {
  refuse_empty(xs);
  Numbers sorted = xs;
  sort(sorted);
  const double value = sorted_quantile(sorted, q);
  const size_t n = effective_size(xs, value);
  const Ranks ends = ranks(n, q, confidence);
  // The ranks among n, at the same shares of all.
  const auto at = [&](double rank) { return rank / double(n) * double(sorted.size()); };
  const auto low = size_t(at(double(ends.low) - 1));
  const auto high = size_t(std::ceil(at(double(ends.high))));
  return {value, std::min(value, sorted[low]), std::max(value, sorted[high - 1])};
}

std::optional<double> between_runs(const Numbers& ratios) {
  if (ratios.size() < 3) return std::nullopt;
  double squares = 0;
  for (const double ratio : ratios) squares += std::log(ratio) * std::log(ratio);
  const auto n = double(ratios.size());
  const boost::math::students_t_distribution<double> student(n);
  return std::exp(boost::math::quantile(student, 0.975) * std::sqrt(squares / n));
}

void summarise(Measurement& measurement) {
  Numbers clean, all;
  for (const auto& sample : measurement.samples) {
    all.push_back(sample.seconds);
    if (sample.clean()) clean.push_back(sample.seconds);
  }
  refuse_empty(all);
  measurement.disturbed =
      clean.size() < least_clean || least_clean_part * clean.size() < all.size();
  const Numbers& used = measurement.disturbed ? all : clean;
  measurement.seconds = quantile_over_time(used, 0.25, 0.95);
  // Where nobody counted waits, only the samples' own spread tells.
  if (measurement.disturbed) {
    const auto times = members(measurement.samples, [](const auto& sample) {
      return time_in_quiet(sample.seconds, std::max(sample.lost, 0.0));
    });
    measurement.seconds.low =
        std::min(measurement.seconds.low, quantile_in_quiet(times, 0.25, 0.95).low);
  }
  measurement.best = *min_element(used);
  measurement.median = quantile(used, 0.5);
}

Numbers points(const Estimates& all) {
  Numbers exact;
  for (const Estimate& one : all)
    if (one.low == one.high) exact.push_back(one.value);
  return exact;
}

bool are_enough(size_t ratios, double confidence) {
  constexpr double rounding = 1e-12;
  return quantile_coverage(ratios, 0.5, confidence) >= confidence - rounding;
}

Estimate quantile_in_quiet(const Estimates& times, double q, double confidence) {
  return of_intervals(times,
                      [&](const Numbers& xs) { return quantile_over_time(xs, q, confidence); });
}

Estimate ratio_in_quiet(const Estimates& ratios, double confidence) {
  const auto exact = points(ratios);
  if (!exact.empty()) {
    const Estimate clean = median_ratio(exact, confidence);
    if (are_enough(exact.size(), confidence) || clean.low > 1 || clean.high < 1) return clean;
  }
  constexpr size_t fewest = 3;
  // Rounds that lost more are dropped, where that leaves some.
  for (const double most_lost : {0.3, 0.9}) {
    const auto usable = filtered(
        ratios, [&](const Estimate& one) { return one.low >= (1 - most_lost) * one.high; });
    if (usable.size() >= fewest)
      return of_intervals(usable, [&](const Numbers& xs) { return median_ratio(xs, confidence); });
  }
  return holding_one(of_intervals(
      ratios, [&](const Numbers& xs) { return quantile_over_time(xs, 0.5, confidence); }));
}

Estimate median_ratio(const Numbers& ratios, double confidence) {
  const Estimate ratio = quantile_over_time(ratios, 0.5, confidence);
  if (are_enough(ratios.size(), confidence)) return ratio;
  const bool agree = ratios.size() > 1 && (all_of(ratios, above_one) || none_of(ratios, above_one));
  return agree ? mean_of_logarithms(ratios, ratio.value, confidence) : holding_one(ratio);
}

}  // namespace rooftune::trial
