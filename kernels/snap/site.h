// SNAP of one atom and of one bond on a device: the stages with one number per lane.
// The caller's pointers lie in the memory of the execution space.
#pragma once
#include "recipe.h"
#include "stages.h"

namespace snap_kernel {

using DeviceView = View<0>;

/// The arrays of one atom.
struct Site {
  DeviceView half, full, y, weights;
};

template <int N, class Raise, class Visit>
ROOFTUNE_FUNCTION void walk_device(int twojmax, const Raise& raise, const Visit& visit) {
  if constexpr (by_rows)
    walk_rows<double, N>(twojmax, raise, visit);
  else
    walk_layers<double, N>(twojmax, raise, visit);
}

/// Everything that does not change from bond to bond.
struct Model {
  Constants constants;
  int twojmax;
  double cutoff, constant_energy;
  const rooftune::Int32 *first, *mirror;
  const double* displacement;
  double *slopes, *force, *energy;

  KOKKOS_INLINE_FUNCTION const double* scale() const { return rooted ? nullptr : constants.scale; }

  KOKKOS_INLINE_FUNCTION Geometry<double> geometry(rooftune::Int64 p) const {
    const double* const d = displacement + 3 * p;
    Geometry<double> g;
    const double r = std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), phase = pi * r / cutoff;
    g.inverse_r = 1 / r;
    for (int c = 0; c < 3; ++c) g.unit[c] = d[c] * g.inverse_r;
    g.angle_slope = angle_share * pi / cutoff;
    g.sine = std::sin(angle_share * phase);
    g.cosine = std::cos(angle_share * phase);
    g.fc = 0.5 * (std::cos(phase) + 1);
    g.fc_slope = -0.5 * pi / cutoff * std::sin(phase);
    return g;
  }

  KOKKOS_INLINE_FUNCTION void clear(const Site& s) const {
    clear_u<double>(twojmax, false, s.half, 1.0);
    for (int e = 0; e < half_offset(twojmax + 1); ++e) *s.y.re(e) = *s.y.im(e) = 0;
  }

  /// Stage U of bond p. `shared`: other threads add to the same U.
  KOKKOS_INLINE_FUNCTION void sum(rooftune::Int64 p, const Site& s, bool shared) const {
    const Bond<double> q = bond(geometry(p));
    const Raiser<rooted, double> raise{q, nullptr, {constants.root}};
    walk_device<1>(twojmax, raise, [&](int j, int mb, const Strand<double, 1>& strand) {
      const Row<double>& row = strand.row[0];
      if (!shared) return add_row(j, mb, q.fc, row, s.half);
      const int e = half_offset(j) + mb * (j + 1);
      for (int ma = 0; ma <= j; ++ma) {
        Kokkos::atomic_add(s.half.re(e + ma), q.fc * row.re[ma]);
        Kokkos::atomic_add(s.half.im(e + ma), q.fc * row.im[ma]);
      }
    });
  }

  KOKKOS_INLINE_FUNCTION void expand(const Site& s) const {
    expand_u<double>(twojmax, scale(), s.half, s.full);
  }

  /// Stage Y of one element.
  KOKKOS_INLINE_FUNCTION void couple_element(int e, const Site& s) const {
    double sum_re = 0, sum_im = 0;
    for (int i = constants.target_first[e]; i < constants.target_first[e + 1]; ++i) {
      double re, im;
      coupled<double>(constants.coupling[i], constants.cg, s.full, re, im);
      sum_re += constants.coupling[i].beta * re;
      sum_im += constants.coupling[i].beta * im;
    }
    *s.y.re(e) = sum_re;
    *s.y.im(e) = sum_im;
  }

  /// Stage Y of one atom.
  KOKKOS_INLINE_FUNCTION void couple(const Site& s) const {
    if constexpr (shares_products)
      couple_shared<double>(constants, s.full, s.y);
    else
      for (int e = 0; e < half_offset(twojmax + 1); ++e) couple_element(e, s);
  }

  KOKKOS_INLINE_FUNCTION void weigh(rooftune::Int64 atom, const Site& s) const {
    energy[atom] = constant_energy + contracted_energy<double>(twojmax, s.full, s.y);
    if constexpr (rotates)
      rotate_y<double>(twojmax, scale(), constants.root, s.y, s.weights);
    else
      weigh_y<double>(twojmax, scale(), s.y);
  }

  /// Stages dU and dE of bond p.
  KOKKOS_INLINE_FUNCTION void slope(rooftune::Int64 p, const Site& s) const {
    const Geometry<double> g = geometry(p);
    const Bond<double> q = bond(g);
    const BondSlope<double> d = bond_slope(g);
    const Raiser<rooted, double> raise{q, &d, {constants.root}};
    double sum[4] = {}, du[3];
    if constexpr (rotates) {
      walk_device<1>(twojmax, raise, [&](int j, int mb, const Strand<double, 1>& strand) {
        const int e = half_offset(j) + mb * (j + 1);
        for (int ma = 0; ma < contracted(j, mb, 1); ++ma)
          for (int n = 0; n < 4; ++n)
            sum[n] += strand.row[0].re[ma] * *s.weights.re(4 * (e + ma) + n) +
                      strand.row[0].im[ma] * *s.weights.im(4 * (e + ma) + n);
      });
      for (int c = 0; c < 3; ++c) {
        const Rotation<double> r = rotation(q, d, c);
        du[c] = r.xi * sum[1] + r.eta * sum[2] + r.omega * sum[3];
      }
    } else {
      walk_device<4>(twojmax, raise, [&](int j, int mb, const Strand<double, 4>& strand) {
        const int e = half_offset(j) + mb * (j + 1);
        for (int ma = 0; ma < contracted(j, mb, 0); ++ma)
          for (int n = 0; n < 4; ++n)
            sum[n] +=
                strand.row[n].re[ma] * *s.y.re(e + ma) + strand.row[n].im[ma] * *s.y.im(e + ma);
      });
      for (int c = 0; c < 3; ++c) du[c] = sum[c + 1];
    }
    for (int c = 0; c < 3; ++c) slopes[3 * p + c] = 2 * (d.fc[c] * sum[0] + q.fc * du[c]);
  }

  /// Forces of one atom from the slopes of its bonds, seen from both ends.
  KOKKOS_INLINE_FUNCTION void gather(rooftune::Int64 atom) const {
    double sum[3] = {};
    for (rooftune::Int64 p = first[atom]; p < first[atom + 1]; ++p)
      for (int c = 0; c < 3; ++c)
        sum[c] += slopes[3 * p + c] - slopes[3 * rooftune::Int64{mirror[p]} + c];
    for (int c = 0; c < 3; ++c) force[3 * atom + c] = sum[c];
  }
};

}  // namespace snap_kernel
