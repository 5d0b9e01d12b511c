// The covariance of a Gaussian process over configurations, for many distances at once.
#pragma once
#include <cstddef>

namespace rooftune {

/// Matern 5/2 of a squared weighted distance.
double matern(double squared_distance);
/// The same of `count` squared distances, in place.
void matern(double* values, std::size_t count);

}  // namespace rooftune
