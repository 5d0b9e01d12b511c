// Shape factors of particles on a grid: where a particle's nodes begin along one axis, and what
// share each gets. The caller measures positions in cells; nodes have integer coordinates.
#pragma once
#include "rooftune/portable.h"

namespace pic_deposit_kernel {

/// Nodes along one axis that a particle of this order touches.
template <int Order>
constexpr int support = Order + 1;

/// First node that a particle can touch whose position is not negative.
template <int Order>
constexpr int lowest = Order == 1 ? 0 : -1;

/// First node, counted from `lowest`, of a particle at x >= 0.
template <int Order>
ROOFTUNE_FUNCTION rooftune::Int32 first_node(double x) {
  return static_cast<rooftune::Int32>(Order == 1 ? x : x + 0.5);
}

/// Order 1: distance from the first node, in [0, 1). Order 2: from the middle one, in [-1/2, 1/2).
ROOFTUNE_FUNCTION double distance(double x, rooftune::Int32 first) { return x - first; }

/// Linear: cloud in cell.
ROOFTUNE_FUNCTION void weights(double d, double (&w)[2]) {
  w[0] = 1.0 - d;
  w[1] = d;
}
/// Quadratic: triangular-shaped cloud (Hockney and Eastwood, Computer Simulation Using Particles,
/// section 5-3).
ROOFTUNE_FUNCTION void weights(double d, double (&w)[3]) {
  w[0] = 0.5 * ((0.5 - d) * (0.5 - d));
  w[1] = 0.75 - d * d;
  w[2] = 0.5 * ((0.5 + d) * (0.5 + d));
}

}  // namespace pic_deposit_kernel
