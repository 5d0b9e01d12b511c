// The product of a part of one sparse row with x, for every back end.
// The caller keeps columns in range.
#pragma once
#include "rooftune/portable.h"

namespace spmv_kernel {

/// A sum and one more product.
ROOFTUNE_FUNCTION double added(double sum, double value, double x) { return sum + value * x; }

/// Sum of value[k] x[column[k]] over k in [from, to).
ROOFTUNE_FUNCTION double row_sum(rooftune::Int64 from, rooftune::Int64 to,
                                 const rooftune::Int32* column, const double* value,
                                 const double* x) {
  double sum = 0;
  for (rooftune::Int64 k = from; k < to; ++k) sum = added(sum, value[k], x[column[k]]);
  return sum;
}

/// One term of the same sum.
ROOFTUNE_FUNCTION double term(rooftune::Int64 k, const rooftune::Int32* column, const double* value,
                              const double* x) {
  return value[k] * x[column[k]];
}

}  // namespace spmv_kernel
