// The arithmetic of triad for one element, the same in every back end.
#pragma once
#include "rooftune/portable.h"

namespace triad_body {

ROOFTUNE_FUNCTION double value(double b, double s, double c) { return b + s * c; }

ROOFTUNE_FUNCTION void element(rooftune::Int64 i, double s, const double* b, const double* c,
                               double* a) {
  a[i] = value(b[i], s, c[i]);
}

}  // namespace triad_body
