// Flops of SNAP by counting the loops: the nominal count of the published algorithm and the least
// that any variant of the search space executes. The caller multiplies by atoms and bonds.
#pragma once
#include "tables.h"

namespace snap {

struct Work {
  double per_atom = 0, per_bond = 0;
};

/// TestSNAP as written: 18 flops per step of the recursion and 4 per element of U; 10 per product,
/// 4 per row and 4 per element of Z; 120 and 24 for the derivatives; 12 for the contraction.
inline Work nominal_work(int twojmax) {
  Work w;
  for (int j1 = 0; j1 <= twojmax; ++j1)
    for (int j2 = 0; j2 <= j1; ++j2)
      for (int j = j1 - j2; j <= snap_kernel::smaller(twojmax, j1 + j2); j += 2)
        for (int mb = 0; 2 * mb <= j; ++mb)
          for (int ma = 0; ma <= j; ++ma) {
            const int shift = (j1 + j2 - j) / 2;
            const double rows = snap_kernel::Span(j1, j2, mb + shift).count();
            w.per_atom += rows * (10 * snap_kernel::Span(j1, j2, ma + shift).count() + 4) + 4;
          }
  double steps = 0;
  for (int j = 1; j <= twojmax; ++j) steps += (j / 2 + 1) * j;
  const double half = snap_kernel::half_offset(twojmax + 1);
  w.per_bond = (18 + 120) * steps + (24 + 12) * half + 4 * snap_kernel::full_offset(twojmax + 1);
  return w;
}

/// Products of U with U once for all j, each weighed once per j and direction, pairs j1 = j2 halved
/// by their symmetry; one recursion on monomials, the sum into U, four contractions per bond.
inline Work least_work(int twojmax) {
  Work w;
  for (int j1 = 0; j1 <= twojmax; ++j1)
    for (int j2 = 0; j2 <= j1; ++j2) {
      const int sum = j1 + j2;
      const int top = sum <= twojmax ? sum : twojmax - (sum - twojmax) % 2;
      for (int mb = 0; 2 * mb <= sum; ++mb)
        for (int ma = 0; ma <= (2 * mb == sum ? sum / 2 : sum); ++ma) {
          const int least = snap_kernel::larger(
              j1 - j2,
              snap_kernel::larger(sum - 2 * mb, 2 * ma > sum ? 2 * ma - sum : sum - 2 * ma));
          if (least > top) continue;
          const double products = snap_kernel::Span(j1, j2, mb).count() *
                                  static_cast<double>(snap_kernel::Span(j1, j2, ma).count());
          w.per_atom += products * (6 + 4 * ((top - least) / 2 + 1)) * (j1 == j2 ? 0.5 : 1);
        }
    }
  for (int j = 1; j <= twojmax; ++j)
    for (int mb = 0; 2 * mb <= j; ++mb) {
      const int count = snap_kernel::contracted(j, mb, 0);
      const int ends = count == j + 1 ? 2 : 1;
      w.per_bond += 14 * (count - ends) + 6 * ends + 2 * count + 16 * count;
    }
  return w;
}

}  // namespace snap
