// Expected gain of a trial, and the distributions behind it.
#pragma once
#include "core/modules.h"

namespace rooftune::search {

double normal_pdf(double z);
double normal_cdf(double z);
double student_t_cdf(double t, double freedom);

/// Mean of max(0, X), X normal with mean `gain` and this deviation: the mean gain of a trial over
/// the best, when it may be given up (Jones, Schonlau & Welch 1998).
double expected_improvement(double gain, double deviation);
/// Slightly above expected_improvement(z, 1), which grows with z: looked up in a table to rule out
/// most of thousands of candidates.
double expected_improvement_bound(double z);

}  // namespace rooftune::search
