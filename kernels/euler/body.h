// One element of the Euler step, for every back end.
// The caller passes values, or vectors of values.
#pragma once
#include "rooftune/portable.h"

namespace euler_body {

template <class Value>
ROOFTUNE_FUNCTION Value stepped(double a, const Value& x, const Value& y) {
  return y + a * x;
}

}  // namespace euler_body
