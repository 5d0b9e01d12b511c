// Nonparametric statistics for timings: noise is one-sided and heavy-tailed, so no means, no normal
// law.
#pragma once
#include <optional>
#include <vector>

#include "core/list.h"
#include "trial/trial.h"

namespace rooftune::trial {

/// Quantile q in [0, 1], linear between order statistics (Hyndman-Fan type 7). xs not empty.
double quantile(Numbers xs, double q);
/// Order-statistic confidence interval for quantile q (binomial, exact), at least `confidence`; the
/// extremes where n is too small. value is the sample quantile.
Estimate quantile_interval(Numbers xs, double q, double confidence);
/// The same for `xs` as they were measured in time: similar neighbours count for fewer than they
/// are, n (1 - r) / (1 + r) where r is the correlation between neighbours (an AR(1) law; Priestley
/// 1981, section 5.3.2), known from how often both are above the quantile, when beyond chance.
Estimate quantile_over_time(const Numbers& xs, double q, double confidence);
/// What the interval from n samples really covers: `confidence` or more, unless n is too small for
/// any order statistics; then the extremes serve, and this is their coverage.
double quantile_coverage(size_t n, double q, double confidence);
/// Fills seconds, best, median, disturbed from samples: clean samples only when at least 5 (and a
/// third) are clean, else all with `disturbed`; seconds = lower quartile with the 95 % interval of
/// quantile_over_time(). It holds for these moments; see between_runs().
void summarise(Measurement& measurement);
/// The median over paired ratios in time order, with the sign test's exact interval (order
/// statistics, quantile_over_time()); the caller corrects `confidence` (Bonferroni). The sign test
/// needs 6 ratios for 95 %, and more for a corrected confidence. Fewer that are all on one side of
/// 1 get Student's t interval for the mean of their logarithms; else nothing can be told apart, and
/// the interval is the extremes, widened to hold 1.
Estimate median_ratio(const Numbers& ratios, double confidence);

/// median_ratio() for ratios with their own intervals. It takes those that are points, where these
/// tell the two apart or are enough for this confidence. Else it takes those that waits made wider
/// by at most 0.3, or where these are fewer than three, by at most 0.9, from their low ends to
/// their high ends. Without three such ratios nothing can be told apart.
Estimate ratio_in_quiet(const Estimates& ratios, double confidence);
/// quantile_over_time() for times with their own intervals.
Estimate quantile_in_quiet(const Estimates& times, double q, double confidence);
/// The values without an interval.
Numbers points(const Estimates& all);
/// Whether an interval with this confidence over so many ratios tells something apart.
bool are_enough(size_t ratios, double confidence);

/// How far a time may differ when measured again, minutes later: a factor f with the second within
/// [first / f, first x f] in 95 % of cases. `ratios`: second over first, for configurations
/// measured twice; their logarithms are taken as normal around 0, so f = exp(t s) with Student's t.
/// nullopt for fewer than three.
std::optional<double> between_runs(const Numbers& ratios);

}  // namespace rooftune::trial
