// One point of 7-point diffusion, for every back end.
// The caller passes values, or vectors of values, of one time; beta is a = nu dt / dx^2 and alpha
// is 1 - 6a.
#pragma once
#include "rooftune/portable.h"

namespace diffusion3d_body {

/// Factored: alpha u + beta (sum), 8 flops; else u + beta (sum - 6 u), 9 flops, as the equation has
/// it.
template <bool Factored, class Value>
ROOFTUNE_FUNCTION Value stepped(double alpha, double beta, const Value& here, const Value& left,
                                const Value& right, const Value& south, const Value& north,
                                const Value& below, const Value& above) {
  const Value sum = left + right + south + north + below + above;
  if (Factored) return alpha * here + beta * sum;
  return here + beta * (sum - 6.0 * here);
}

}  // namespace diffusion3d_body
