// One point of the two-point average, for every back end.
// The caller passes values, or vectors of values.
#pragma once
#include "rooftune/portable.h"

namespace finite_difference_body {

/// a (x_i + x_{i+shift}), or a x_i + a x_{i+shift} with one multiply more.
template <bool Factored, class Value>
ROOFTUNE_FUNCTION Value averaged(double a, const Value& here, const Value& beyond) {
  if (Factored) return a * (here + beyond);
  return a * here + a * beyond;
}

}  // namespace finite_difference_body
