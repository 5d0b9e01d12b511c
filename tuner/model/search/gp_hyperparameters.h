// Relevance of each knob coordinate for the time, learnt from trials: automatic relevance
// determination.
#pragma once
#include <vector>

#include "search/distance.h"

namespace rooftune::search {

/// Added to the variance of an observation: keeps the factorisation of nearly equal rows stable.
inline constexpr double jitter = 1e-8;

/// Parameters of the learnt kernel: the weight of each coordinate, and the share of noise.
struct GpHyperparameters {
  std::vector<double> weights;  ///< by coordinate of KnobDistances
  double noise = 1e-2;          ///< variance, the process itself having 1
};

/// The hyperparameters with the largest marginal likelihood (Rasmussen & Williams 2006, eq. 5.8)
/// within reach of a coordinate search from `start`, with a log-normal prior of the weights;
/// `sweeps` times over all coordinates.
GpHyperparameters fitted_hyperparameters(const KnobDistances& distances,
                                         const std::vector<const Assignment*>& xs,
                                         const std::vector<double>& ys, GpHyperparameters start,
                                         int sweeps);

}  // namespace rooftune::search
