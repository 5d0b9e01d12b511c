// SNAP on a GPU: where the arrays of atoms lie, and what one thread (or the lanes of one bond) does
// in each stage. The caller's pointers lie in the memory of the card.
#pragma once
#include "cuda_walk.h"

namespace snap_kernel {

using SiteView = View<0>;

/// A Y to which several threads add.
struct AtomicView : SiteView {};

template <class T>
__device__ __forceinline__ void add_to(const AtomicView& y, int e, const T& re, const T& im) {
  atomicAdd(y.re(e), re);
  atomicAdd(y.im(e), im);
}

/// Atoms of a block of the layout; 0: all are one.
constexpr int layout_atoms = KNOB_LAYOUT == KNOB_LAYOUT_ATOM_SLOW ? 1
                             : KNOB_LAYOUT == KNOB_LAYOUT_BLOCKS  ? KNOB_LAYOUT_ATOMS
                                                                  : 0;

/// Complex elements of all atoms, or of all neighbours (slots) of all atoms. `together` atoms lie
/// side by side: 1, all of them, or blocks.
struct Field {
  double* base;
  Int64 elements, slots, together;

  ROOFTUNE_FUNCTION static Int64 doubles(Int64 atoms, Int64 elements, Int64 slots, Int64 together) {
    return (atoms + together - 1) / together * together * elements * slots * 2;
  }
  ROOFTUNE_FUNCTION SiteView at(Int64 atom, Int64 slot = 0) const {
    constexpr int known = layout_atoms > 0 ? layout_atoms : 1;
    const Int64 block = (layout_atoms > 0 ? atom / known : 0) * slots + slot;
    const Int64 place = layout_atoms > 0 ? atom % known : atom;
    double* const start = base + block * elements * 2 * together;
    if (interleaved) return {start + 2 * place, 2 * together, 1};
    return {start + place, together, elements * together};
  }
};

/// Atoms of a block that has all stages of a group, and what is kept of the geometry of a bond.
constexpr int group_atoms = 32, bond_number_count = 8;

/// Row and column of an element of the half.
struct Place {
  short j, mb, ma;
};

/// The arrays of one atom.
struct Site {
  SiteView half, full, y, weights;
};

/// Everything that does not change from atom to atom.
struct Model {
  Constants constants;
  int order;
  double cutoff, constant_energy;
  Int64 atoms, slots;
  int half_elements;
  const Place* place;
  const Int32 *first, *neighbour, *mirror;
  const double* displacement;
  Field half, full, y, weights, stored_u, stored_du;
  double *slopes, *force, *energy;
  // Of groups of atoms: first strip of each warp, and the geometry of bonds.
  const int* share;
  const Strip* strip;
  const Segment* segment;
  const double* strip_c;
  double* bond_numbers;

  ROOFTUNE_FUNCTION int twojmax() const {
    return KNOB_FIXED_TWOJMAX > 0 ? KNOB_FIXED_TWOJMAX : order;
  }
  ROOFTUNE_FUNCTION const double* scale() const { return rooted ? nullptr : constants.scale; }
  ROOFTUNE_FUNCTION Site site(Int64 atom) const {
    return {half.at(atom), full.at(atom), y.at(atom), rotates ? weights.at(atom) : SiteView{}};
  }
  ROOFTUNE_FUNCTION Int64 bonds(Int64 atom) const { return first[atom + 1] - first[atom]; }
};

/// Where the neighbour of bond p is; p < 0 (a lane without a bond): somewhere, with fc = 0.
__device__ __forceinline__ Geometry<double> geometry(const Model& m, Int64 p) {
  const double nowhere[3] = {0.25 * m.cutoff, 0, 0};
  const double* const d = p < 0 ? nowhere : m.displacement + 3 * p;
  Geometry<double> g;
  const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), phase = pi * r / m.cutoff;
  g.inverse_r = 1 / r;
  for (int c = 0; c < 3; ++c) g.unit[c] = d[c] * g.inverse_r;
  g.angle_slope = angle_share * pi / m.cutoff;
  g.sine = sin(angle_share * phase);
  g.cosine = cos(angle_share * phase);
  g.fc = p < 0 ? 0 : 0.5 * (cos(phase) + 1);
  g.fc_slope = p < 0 ? 0 : -0.5 * pi / m.cutoff * sin(phase);
  return g;
}

/// U of one element: the atom's own contribution.
__device__ __forceinline__ void clear_element(const Model& m, int e, const SiteView& half) {
  *half.re(e) = m.place[e].ma == m.place[e].mb ? 1.0 : 0.0;
  *half.im(e) = 0;
}

/// Stage U of one bond; without a bond (p < 0) its lanes only meet the others.
__device__ __forceinline__ void sum_bond(const Model& m, Int64 p, int lane, const SiteView& half,
                                         const SiteView& kept) {
  const Bond<double> q = bond(geometry(m, p));
  walk_bond<1>(m.twojmax(), q, nullptr, {m.constants.root}, lane,
               [&](int j, int mb, int ma, const double* re, const double* im) {
                 if (p < 0) return;
                 const int e = half_offset(j) + mb * (j + 1) + ma;
                 if constexpr (stores_u) {
                   *kept.re(e) = *re;
                   *kept.im(e) = *im;
                 }
                 if constexpr (owner_sums) return;
                 if constexpr (shares_u) {
                   atomicAdd(half.re(e), q.fc * *re);
                   atomicAdd(half.im(e), q.fc * *im);
                 } else {
                   *half.re(e) += q.fc * *re;
                   *half.im(e) += q.fc * *im;
                 }
               });
}

/// One element of U from what the bonds of the atom have stored.
__device__ __forceinline__ void sum_stored(const Model& m, Int64 atom, int e) {
  const SiteView half = m.half.at(atom);
  double re = *half.re(e), im = *half.im(e);
  for (Int64 k = 0; k < m.bonds(atom); ++k) {
    const double* const d = m.displacement + 3 * (m.first[atom] + k);
    const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    const double fc = 0.5 * (cos(pi * r / m.cutoff) + 1);
    const SiteView u = m.stored_u.at(atom, k);
    re += fc * *u.re(e);
    im += fc * *u.im(e);
  }
  *half.re(e) = re;
  *half.im(e) = im;
}

__device__ __forceinline__ void expand_at(const Model& m, int e, const Site& s) {
  const Place p = m.place[e];
  expand_element<double>(p.j, p.mb, p.ma, m.scale(), s.half, s.full);
}

/// Stage Y of one element.
__device__ __forceinline__ void couple_element(const Model& m, int e, const Site& s) {
  double sum_re = 0, sum_im = 0;
  for (int i = m.constants.target_first[e]; i < m.constants.target_first[e + 1]; ++i) {
    double re, im;
    coupled<double>(m.constants.coupling[i], m.constants.cg, s.full, re, im);
    sum_re += m.constants.coupling[i].beta * re;
    sum_im += m.constants.coupling[i].beta * im;
  }
  *s.y.re(e) = sum_re;
  *s.y.im(e) = sum_im;
}

/// Terms of stage Y: couplings, or products of U with U.
ROOFTUNE_FUNCTION int terms(const Model& m) {
  return shares_products ? m.constants.products : m.constants.couplings;
}

/// One term of stage Y, added to a Y of zeros.
template <class Y>
__device__ __forceinline__ void couple_term(const Model& m, int i, const SiteView& full,
                                            const Y& y) {
  if constexpr (shares_products) {
    couple_product<double>(m.constants.product[i], m.constants, full, y);
  } else {
    const Coupling& c = m.constants.coupling[i];
    double re, im;
    coupled<double>(c, m.constants.cg, full, re, im);
    add_to<double>(y, c.target, c.beta * re, c.beta * im);
  }
}

/// Y becomes what dU is contracted with.
__device__ __forceinline__ void weigh_at(const Model& m, int e, const Site& s) {
  const Place p = m.place[e];
  if constexpr (rotates)
    rotate_element<double>(p.j, p.mb, p.ma, m.scale(), m.constants.root, s.y, s.weights);
  else
    weigh_element<double>(p.j, p.mb, p.ma, m.scale(), s.y);
}

/// What element e adds to the energy, before Y is weighed.
__device__ __forceinline__ double element_energy(const Model& m, int e, const Site& s) {
  const Place p = m.place[e];
  const int f = full_offset(p.j) + p.mb * (p.j + 1) + p.ma;
  return 2.0 / 3.0 * half_weight(p.j, p.mb, p.ma) *
         (*s.full.re(f) * *s.y.re(e) + *s.full.im(f) * *s.y.im(e));
}

/// The derivative of the energy along bond p: to its slopes, or straight to the forces.
__device__ __forceinline__ void put_slopes(const Model& m, Int64 atom, Int64 p,
                                           const double* slope) {
  for (int c = 0; c < 3; ++c) {
    if constexpr (atomic_forces) {
      atomicAdd(m.force + 3 * atom + c, slope[c]);
      atomicAdd(m.force + 3 * Int64{m.neighbour[p]} + c, -slope[c]);
    } else {
      m.slopes[3 * p + c] = slope[c];
    }
  }
}

/// From sums of u and its derivatives (or rotations) against Y to the derivative of the energy.
template <bool Rotated>
__device__ __forceinline__ void finish_slopes(const Model& m, Int64 atom, Int64 p,
                                              const Bond<double>& q, const BondSlope<double>& d,
                                              const double* sum) {
  double slope[3];
  for (int c = 0; c < 3; ++c) {
    double du = sum[c + 1];
    if constexpr (Rotated) {
      const Rotation<double> r = rotation(q, d, c);
      du = r.xi * sum[1] + r.eta * sum[2] + r.omega * sum[3];
    }
    slope[c] = 2 * (d.fc[c] * sum[0] + q.fc * du);
  }
  put_slopes(m, atom, p, slope);
}

/// The same from the sums of the lanes of a bond.
__device__ __forceinline__ void finish_bond(const Model& m, Int64 atom, Int64 p, int lane,
                                            const Bond<double>& q, const BondSlope<double>& d,
                                            double* sum) {
  for (int n = 0; n < 4; ++n) sum[n] = lanes_sum(sum[n]);
  if (p >= 0 && lane == 0) finish_slopes<rotates>(m, atom, p, q, d, sum);
}

/// Adds u of one element against Y and its images under rotations.
__device__ __forceinline__ void add_rotated(const SiteView& weights, int e, double re, double im,
                                            double* sum) {
#pragma unroll
  for (int n = 0; n < 4; ++n) sum[n] += re * *weights.re(4 * e + n) + im * *weights.im(4 * e + n);
}

/// Stages dU and dE of one bond; without one (p < 0) its lanes only meet the others.
__device__ __forceinline__ void slope_bond(const Model& m, Int64 atom, Int64 k, Int64 p, int lane,
                                           const Site& s) {
  const Geometry<double> g = geometry(m, p);
  const Bond<double> q = bond(g);
  const BondSlope<double> d = bond_slope(g);
  double sum[4] = {};
  if constexpr (rotates && stores_u) {
    if (p >= 0) {
      const SiteView u = m.stored_u.at(atom, k);
      for (int e = lane; e < m.half_elements; e += row_lanes)
        add_rotated(s.weights, e, *u.re(e), *u.im(e), sum);
    }
  } else if constexpr (rotates) {
    walk_bond<1>(m.twojmax(), q, nullptr, {m.constants.root}, lane,
                 [&](int j, int mb, int ma, const double* re, const double* im) {
                   if (p >= 0 && ma < contracted(j, mb, 1))
                     add_rotated(s.weights, half_offset(j) + mb * (j + 1) + ma, *re, *im, sum);
                 });
  } else {
    walk_bond<4>(m.twojmax(), q, &d, {m.constants.root}, lane,
                 [&](int j, int mb, int ma, const double* re, const double* im) {
                   if (p < 0 || ma >= contracted(j, mb, 0)) return;
                   const int e = half_offset(j) + mb * (j + 1) + ma;
                   const double y_re = *s.y.re(e), y_im = *s.y.im(e);
#pragma unroll
                   for (int n = 0; n < 4; ++n) sum[n] += re[n] * y_re + im[n] * y_im;
                 });
  }
  finish_bond(m, atom, p, lane, q, d, sum);
}

/// Stage dU of one bond, its derivatives (and u) to memory: [element][u, x, y, z].
__device__ __forceinline__ void store_slope(const Model& m, Int64 atom, Int64 k, Int64 p,
                                            int lane) {
  const Geometry<double> g = geometry(m, p);
  const BondSlope<double> d = bond_slope(g);
  const SiteView du = p < 0 ? SiteView{} : m.stored_du.at(atom, k);
  walk_bond<4>(m.twojmax(), bond(g), &d, {m.constants.root}, lane,
               [&](int j, int mb, int ma, const double* re, const double* im) {
                 if (p < 0) return;
                 const int e = half_offset(j) + mb * (j + 1) + ma;
#pragma unroll
                 for (int n = 0; n < 4; ++n) {
                   *du.re(4 * e + n) = re[n];
                   *du.im(4 * e + n) = im[n];
                 }
               });
}

/// Stage dE of one bond from what stage dU has stored.
__device__ __forceinline__ void contract_stored(const Model& m, Int64 atom, Int64 k, Int64 p,
                                                int lane, const Site& s) {
  const Geometry<double> g = geometry(m, p);
  const BondSlope<double> d = bond_slope(g);
  double sum[4] = {};
  if (p >= 0) {
    const SiteView du = m.stored_du.at(atom, k);
    for (int e = lane; e < m.half_elements; e += row_lanes) {
      // Elements that contractions leave out have a weight of zero in Y.
      const double y_re = *s.y.re(e), y_im = *s.y.im(e);
#pragma unroll
      for (int n = 0; n < 4; ++n) sum[n] += *du.re(4 * e + n) * y_re + *du.im(4 * e + n) * y_im;
    }
  }
  finish_bond(m, atom, p, lane, bond(g), d, sum);
}

/// Forces of one atom from the slopes of its bonds, seen from both ends.
__device__ __forceinline__ void gather_forces(const Model& m, Int64 atom) {
  double sum[3] = {};
  for (Int64 p = m.first[atom]; p < m.first[atom + 1]; ++p)
    for (int c = 0; c < 3; ++c)
      sum[c] += m.slopes[3 * p + c] - m.slopes[3 * Int64{m.mirror[p]} + c];
  for (int c = 0; c < 3; ++c) m.force[3 * atom + c] = sum[c];
}

}  // namespace snap_kernel
