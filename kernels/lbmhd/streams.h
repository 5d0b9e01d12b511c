// From where the components of a row of sites come and where they go, for each way of streaming.
// The caller names lattices that hold what the scheme expects.
#pragma once
#include "lattice.h"

namespace mhd {

/// Component k of site x is read from the cell at x + in c of number k, or of the opposite velocity
/// where in_opposite; and likewise written to x + out c.
template <int In, bool InOpposite, int Out, bool OutOpposite>
struct Scheme {
  static constexpr int in = In, out = Out;
  static constexpr bool in_opposite = InOpposite, out_opposite = OutOpposite;
  static constexpr bool local = In == 0 && Out == 0;
  /// A component goes where the one of the opposite velocity came from.
  static constexpr bool in_place = InOpposite != OutOpposite;

  static constexpr int in_shift(int k) { return in * c(velocity_of(k), 0); }
  static constexpr int out_shift(int k) { return out * c(velocity_of(k), 0); }
};

using Pull = Scheme<-1, false, 0, false>;
using Push = Scheme<0, false, 1, false>;
/// In place by turns (Bailey et al., ICPP 2009): a step writes exactly the cells that it read.
using Exchange = Scheme<-1, false, 1, true>;
using Local = Scheme<0, true, 0, false>;

/// Cells of component k at the first site of their row.
template <class S>
struct Streams {
  double* in[components];
  double* apart[S::in_place ? 1 : components];  ///< where another lattice is written

  ROOFTUNE_INLINE double* out(int k) const {
    return S::in_place ? in[opposite_component(k)] : apart[k];
  }
};

template <int Sign, bool Opposite, int I = 0>
ROOFTUNE_FUNCTION void fill_streams(double** streams, const Lattice& at, const Int64 (&row)[3][3]) {
  if constexpr (I < velocities) {
    constexpr int cell = Opposite ? opposite(I) : I;
    double* const here = at.start + row[1 + Sign * c(I, 2)][1 + Sign * c(I, 1)];
    streams[I] = here + storage.slot[cell] * at.component;
    if constexpr (I < magnetic_velocities)
      for (int a = 0; a < 3; ++a) streams[g(I, a)] = here + storage.slot[g(cell, a)] * at.component;
    fill_streams<Sign, Opposite, I + 1>(streams, at, row);
  }
}

/// Of row (z, y) of the sites.
template <class S>
inline Streams<S> find_streams(const Lattice& from, const Lattice& to, Int64 z, Int64 y) {
  Int64 row[3][3];
  for (int dz = -1; dz <= 1; ++dz)
    for (int dy = -1; dy <= 1; ++dy)
      row[1 + dz][1 + dy] =
          wrapped(z + dz, from.nz) * from.plane + wrapped(y + dy, from.ny) * from.row;
  Streams<S> streams;
  fill_streams<S::in, S::in_opposite>(streams.in, from, row);
  if constexpr (!S::in_place) fill_streams<S::out, S::out_opposite>(streams.apart, to, row);
  return streams;
}

}  // namespace mhd
