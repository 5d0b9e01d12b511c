// The arrays of a call as the variant sees them, and ranges of them.
// The caller keeps what the view points to.
#pragma once
#include "fields.h"

namespace sigma_gpp {

struct View {
  std::int64_t nb, ng, nc, nw;
  Field t, e, a;          ///< e: by fractions and stored, e t
  Field t2, omega2;       ///< only of the literature's formula, stored
  const double* m;        ///< pairs
  std::int64_t m_n, m_g;  ///< doubles from one band, one G' to the next
  const double *v, *occ, *x;
  const double* cutoff;  ///< exchange_cutoff of x, in the same order
  std::int64_t x_n, x_w;
  bool vanishing;  ///< a pole is so small that |delta|^2 may be below tol_zero

  Complex<double> aqsm(std::int64_t n, std::int64_t g) const {
    const double* const p = m + n * m_n + g * m_g;
    return {p[0], p[1]};
  }
  double wx(std::int64_t n, std::int64_t w) const { return x[n * x_n + w * x_w]; }
  double cutoff_of(std::int64_t n, std::int64_t w) const { return cutoff[n * x_n + w * x_w]; }
  bool occupied(std::int64_t n) const {
    return KNOB_UNOCCUPIED == KNOB_UNOCCUPIED_COMPUTE || occ[n] != 0;
  }
};

struct Range {
  std::int64_t from, to;
};

/// Calls body(first, end, occupied) for the runs of bands that are all occupied or all not.
template <class Body>
ROOFTUNE_INLINE void for_runs(const View& v, Range n, const Body& body) {
  while (n.from < n.to) {
    const bool occupied = v.occupied(n.from);
    std::int64_t end = n.from + 1;
    while (end < n.to && v.occupied(end) == occupied) ++end;
    body(Range{n.from, end}, occupied);
    n.from = end;
  }
}

/// Adds to the sums of an energy: Re, Im of asx and of ach.
ROOFTUNE_INLINE void add(V* sums, const Complex<V>& asx, const Complex<V>& ach) {
  sums[0] += asx.re;
  sums[1] += asx.im;
  sums[2] += ach.re;
  sums[3] += ach.im;
}

}  // namespace sigma_gpp
