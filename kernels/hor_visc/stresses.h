// Thickness of faces, stresses times thickness, and accelerations, point by point along a row.
// The caller has computed the temporaries that they read.
#pragma once
#include "strains.h"

namespace hor_visc_kernel {

/// Thickness of east and north faces, from cells or from what was stored.
struct FaceThickness {
  const double *h, *h_north, *stored_u, *stored_v;
  ROOFTUNE_INLINE FaceThickness(const Tile& t, std::int64_t j)
      : h(t.h(j)),
        h_north(t.h(j + 1)),
        stored_u(t.temporary(thickness_u_row, j)),
        stored_v(t.temporary(thickness_v_row, j)) {}
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> computed_u(P, std::int64_t i) const {
    return mean(P::field(h, i), P::field(h, i + 1));
  }
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> computed_v(P, std::int64_t i) const {
    return mean(P::field(h, i), P::field(h_north, i));
  }
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> u(P p, std::int64_t i) const {
    return stores_thickness ? P::field(stored_u, i) : computed_u(p, i);
  }
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> v(P p, std::int64_t i) const {
    return stores_thickness ? P::field(stored_v, i) : computed_v(p, i);
  }
};

/// Squares of a strain, computed anew or from what was stored.
struct Squares {
  const double *strain, *stored;
  ROOFTUNE_INLINE Squares(const Tile& t, std::int64_t j, Temporary strain, Temporary squared)
      : strain(t.temporary(strain, j)), stored(t.temporary(squared, j)) {}
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> operator()(P, std::int64_t i) const {
    if (stores_squares) return P::field(stored, i);
    const ValueOf<P> s = P::field(strain, i);
    return s * s;
  }
};

/// Stress of a cell times its thickness.
struct StressT {
  TensionAt of_laplacian;
  Squares shear_here, shear_south, tension_here;
  const double *strain, *laplacian, *biharmonic, *h;
  double kh, ah;
  ROOFTUNE_INLINE StressT(const Tile& t, std::int64_t j)
      : of_laplacian(t, j, t.temporary(laplacian_u_row, j), t.temporary(laplacian_v_row, j),
                     t.temporary(laplacian_v_row, j - 1)),
        shear_here(t, j, shear_row, shear_squared_row),
        shear_south(t, j - 1, shear_row, shear_squared_row),
        tension_here(t, j, tension_row, tension_squared_row),
        strain(t.temporary(tension_row, j)),
        laplacian(t.viscosity(laplacian_t, j)),
        biharmonic(t.viscosity(biharmonic_t, j)),
        h(t.h(j)),
        kh(t.kh),
        ah(t.ah) {}
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> operator()(P p, std::int64_t i) const {
    const ValueOf<P> deformation =
        root(deformation2(tension_here(p, i), shear_here(p, i), shear_here(p, i - 1),
                          shear_south(p, i), shear_south(p, i - 1)));
    return P::field(h, i) * stress(P::field(strain, i), of_laplacian(p, i), P::metric(laplacian, i),
                                   P::metric(biharmonic, i), deformation, P::spread(kh),
                                   P::spread(ah));
  }
};

/// Stress of a corner times the thickness there.
struct StressQ {
  ShearAt of_laplacian;
  Squares tension_here, tension_north, shear_here;
  FaceThickness face, face_north;
  const double *strain, *laplacian, *biharmonic;
  double kh, ah;
  ROOFTUNE_INLINE StressQ(const Tile& t, std::int64_t j)
      : of_laplacian(t, j, t.temporary(laplacian_u_row, j), t.temporary(laplacian_u_row, j + 1),
                     t.temporary(laplacian_v_row, j)),
        tension_here(t, j, tension_row, tension_squared_row),
        tension_north(t, j + 1, tension_row, tension_squared_row),
        shear_here(t, j, shear_row, shear_squared_row),
        face(t, j),
        face_north(t, j + 1),
        strain(t.temporary(shear_row, j)),
        laplacian(t.viscosity(laplacian_q, j)),
        biharmonic(t.viscosity(biharmonic_q, j)),
        kh(t.kh),
        ah(t.ah) {}
  template <class P>
  ROOFTUNE_INLINE ValueOf<P> operator()(P p, std::int64_t i) const {
    using V = ValueOf<P>;
    const V deformation =
        root(deformation2(shear_here(p, i), tension_here(p, i), tension_here(p, i + 1),
                          tension_north(p, i), tension_north(p, i + 1)));
    const V south = face.u(p, i), north = face_north.u(p, i), west = face.v(p, i),
            east = face.v(p, i + 1);
    const V thickness = quotient(corner_numerator(south, north, west, east),
                                 corner_denominator(south, north, west, east));
    return thickness * stress(P::field(strain, i), of_laplacian(p, i), P::metric(laplacian, i),
                              P::metric(biharmonic, i), deformation, P::spread(kh), P::spread(ah));
  }
};

template <class P>
ROOFTUNE_INLINE void put_acceleration(P, double* row, std::int64_t i, ValueOf<P> value,
                                      bool stream) {
  KNOB_NT_STORE&& stream ? P::stream(row, i, value) : P::put(row, i, value);
}

}  // namespace hor_visc_kernel
