// One point of one-dimensional diffusion, for every back end.
// The caller passes values, or vectors of values, of one time; beta is a = nu dt / dx^2 and alpha
// is 1 - 2a.
#pragma once
#include "rooftune/portable.h"

namespace diffusion_body {

/// How the same sum is written: alpha x + beta (x_- + x_+), 4 flops; x + beta (x_- - 2x + x_+) and
/// beta x_- + alpha x + beta x_+, 5 flops each.
enum class Form { factored, difference, distributed };

template <Form form, class Value>
ROOFTUNE_FUNCTION Value stepped(double alpha, double beta, const Value& left, const Value& here,
                                const Value& right) {
  if (form == Form::factored) return alpha * here + beta * (left + right);
  if (form == Form::difference) return here + beta * (left - 2.0 * here + right);
  return beta * left + alpha * here + beta * right;
}

}  // namespace diffusion_body
