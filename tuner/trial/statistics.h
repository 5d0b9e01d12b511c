// Nonparametric statistics of timings: noise is one-sided and heavy-tailed, so no means, no normal
// law.
#pragma once
#include <vector>

#include "trial/trial.h"

namespace rooftune::inline trial {

/// Quantile q in [0, 1], linear between order statistics (Hyndman-Fan type 7). xs not empty.
double quantile(std::vector<double> xs, double q);
/// Order-statistic confidence interval of quantile q (binomial, exact), at least `confidence`;
/// the extremes where n is too small. value is the sample quantile.
Estimate quantile_interval(std::vector<double> xs, double q, double confidence);
/// The coverage that the interval of n samples really has: `confidence` or more, unless n is too
/// small for any order statistics, when the extremes are used and this tells what they are worth.
double quantile_coverage(std::size_t n, double q, double confidence);
/// Fills seconds, best, median, disturbed from samples: clean samples only when at least 5 (and a
/// third) are clean, else all with `disturbed`; seconds = lower quartile with its 95 % interval.
void summarise(Measurement& measurement);
/// Exact sign-test interval (order statistics of the paired ratios) of the median ratio;
/// `confidence` after Bonferroni is the caller's. With too few ratios for that confidence nothing
/// can be told apart: the interval is the extremes, widened to hold 1.
Estimate median_ratio(const std::vector<double>& ratios, double confidence);

}  // namespace rooftune::inline trial
