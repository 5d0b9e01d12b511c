// Stage Y and what else is done once per atom, or per vector of atoms.
#pragma once
#include "bonds.h"

namespace snap_kernel {

/// U before the bonds: the unit matrix, in lane 0 where lanes are added up afterwards.
inline void clear_atom(const Context& x, const Batch& batch, std::int64_t a) {
  const int twojmax = order_of(x.twojmax);
  if constexpr (neighbour_lanes > 1) {
    clear_u<BondLanes>(twojmax, mirrors_bonds, lane_sums(batch), 0.0);
    clear_u<double>(twojmax, mirrors_bonds, lane_sums(batch), 1.0);
  } else {
    clear_u<AtomLanes>(twojmax, mirrors_bonds, mirrors_bonds ? batch.full.at(a) : batch.half.at(a),
                       1.0);
  }
}

/// U of one atom from its lanes.
inline void add_lanes(const Batch& batch, std::int64_t a) {
  if constexpr (neighbour_lanes > 1) {
    const SumView from = lane_sums(batch);
    const LayoutView to = mirrors_bonds ? batch.full.at(a) : batch.half.at(a);
    const auto count = static_cast<int>(mirrors_bonds ? batch.full.elements : batch.half.elements);
    for (int e = 0; e < count; ++e) {
      double re = 0, im = 0;
      for (int l = 0; l < neighbour_lanes; ++l) {
        re += from.re(e)[l];
        im += from.im(e)[l];
      }
      *to.re(e) = re;
      *to.im(e) = im;
    }
  }
}

/// U with all rows and in its own scale; Y cleared.
inline void expand_atom(const Context& x, const Batch& batch, std::int64_t a) {
  const int twojmax = order_of(x.twojmax);
  if constexpr (!mirrors_bonds)
    expand_u<AtomLanes>(twojmax, x.scale(), batch.half.at(a), batch.full.at(a));
  else if constexpr (!rooted)
    rescale_u<AtomLanes>(twojmax, x.constants.scale, batch.full.at(a));
  const LayoutView y = batch.y.at(a);
  for (int e = 0; e < half_offset(twojmax + 1); ++e) {
    put<AtomLanes>(y.re(e), AtomLanes{});
    put<AtomLanes>(y.im(e), AtomLanes{});
  }
}

template <class T>
ROOFTUNE_INLINE void couple_one(const Context& x, const Coupling& c, const LayoutView& u, T& re,
                                T& im) {
  if constexpr (simd_columns && sizeof(T) == sizeof(double))
    coupled_columns(c, x.constants.cg, u, re, im);
  else
    coupled<T>(c, x.constants.cg, u, re, im);
}

/// One element of Y from all its couplings.
inline void couple_target(const Context& x, const Batch& batch, std::int64_t a, int e) {
  const LayoutView u = batch.full.at(a), y = batch.y.at(a);
  AtomLanes sum_re{}, sum_im{};
  for (int i = x.constants.target_first[e]; i < x.constants.target_first[e + 1]; ++i) {
    AtomLanes re, im;
    couple_one(x, x.constants.coupling[i], u, re, im);
    sum_re += x.constants.coupling[i].beta * re;
    sum_im += x.constants.coupling[i].beta * im;
  }
  put<AtomLanes>(y.re(e), sum_re);
  put<AtomLanes>(y.im(e), sum_im);
}

/// Z of all couplings first, then their sums into Y.
inline void couple_through_z(const Context& x, const Batch& batch, std::int64_t a) {
  const LayoutView u = batch.full.at(a), y = batch.y.at(a), z = batch.z.at(a);
  for (int i = 0; i < x.constants.couplings; ++i) {
    AtomLanes re, im;
    couple_one(x, x.constants.coupling[i], u, re, im);
    put<AtomLanes>(z.re(i), re);
    put<AtomLanes>(z.im(i), im);
  }
  for (int i = 0; i < x.constants.couplings; ++i) {
    const Coupling& c = x.constants.coupling[i];
    add_to<AtomLanes>(y, c.target, c.beta * get<AtomLanes>(z.re(i)),
                      c.beta * get<AtomLanes>(z.im(i)));
  }
}

/// Stage Y of one atom or vector of atoms.
inline void couple_atom(const Context& x, const Batch& batch, std::int64_t a) {
  const LayoutView u = batch.full.at(a), y = batch.y.at(a);
  if constexpr (shares_products) {
    couple_shared<AtomLanes>(x.constants, u, y);
  } else if constexpr (by_target) {
    for (int e = 0; e < half_offset(order_of(x.twojmax) + 1); ++e) couple_target(x, batch, a, e);
  } else if constexpr (stores_z) {
    couple_through_z(x, batch, a);
  } else {
    for (int i = 0; i < x.constants.couplings; ++i) {
      const Coupling& c = x.constants.coupling[i];
      AtomLanes re, im;
      couple_one(x, c, u, re, im);
      add_to<AtomLanes>(y, c.target, c.beta * re, c.beta * im);
    }
  }
}

/// Energies, and Y weighed for the contractions of stage dE.
inline void weigh_atom(const Context& x, const Batch& batch, std::int64_t first_atom,
                       std::int64_t a, double* energy) {
  const int twojmax = order_of(x.twojmax);
  const LayoutView y = batch.y.at(a);
  const AtomLanes sum = contracted_energy<AtomLanes>(twojmax, batch.full.at(a), y);
  for (int l = 0; l < atom_lanes; ++l)
    if (first_atom + a + l < x.atoms.count)
      energy[first_atom + a + l] = x.atoms.beta[0] + lane<atom_lanes>(sum, l);
  if constexpr (rotates)
    rotate_y<AtomLanes>(twojmax, x.scale(), x.constants.root, y, batch.weights.at(a));
  else
    weigh_y<AtomLanes>(twojmax, x.scale(), y);
}

}  // namespace snap_kernel
