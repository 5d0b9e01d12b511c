// The stages of horizontal viscosity as GPUs call them, one point at a time. The caller runs them
// in order, each over the points of its comment, and says where temporaries lie. Reads the
// knobs.
#pragma once
#include "body.h"

namespace hor_visc_kernel {

using rooftune::Int64;

enum Temporary {
  tension_field,
  shear_field,
  laplacian_u_field,
  laplacian_v_field,
  stress_t_field,
  stress_q_field,
  temporary_count
};

/// Which of its two quantities a stage computes.
enum Part { both, first, second };

/// The arrays of a call. Points are (layer k, row j, i), counted with the halo.
struct Sea {
  Int64 nx, ny, nz;
  double kh, ah;
  const double *metric = nullptr, *h = nullptr, *u = nullptr, *v = nullptr;
  double *du = nullptr, *dv = nullptr;
  double* temporary[temporary_count] = {};
  /// From a row and a layer of the temporaries to the next; set to those of the fields, or to those
  /// of a tile.
  Int64 own_row = nx + 2 * halo, own_plane = own_row * (ny + 2 * halo);

  ROOFTUNE_FUNCTION Int64 row() const { return nx + 2 * halo; }
  ROOFTUNE_FUNCTION Int64 plane() const { return row() * (ny + 2 * halo); }
  ROOFTUNE_FUNCTION Int64 at(Int64 k, Int64 j, Int64 i) const {
    const Int64 point = j * row() + i;
    return layers_fastest ? point * nz + k : k * plane() + point;
  }
  /// Place in a temporary.
  ROOFTUNE_FUNCTION Int64 own(Int64 k, Int64 j, Int64 i) const {
    return layers_fastest ? at(k, j, i) : k * own_plane + j * own_row + i;
  }
  /// Place of du and dv, which have no halo.
  ROOFTUNE_FUNCTION Int64 inner(Int64 k, Int64 j, Int64 i) const {
    const Int64 point = (j - halo) * nx + i - halo;
    return layers_fastest ? point * nz + k : k * nx * ny + point;
  }
  ROOFTUNE_FUNCTION double m(Metric which, Int64 j, Int64 i) const {
    return metric_value(metric + which * plane() + j * row() + i);
  }
  ROOFTUNE_FUNCTION double of(Temporary t, Int64 k, Int64 j, Int64 i) const {
    return temporary[t][own(k, j, i)];
  }
  ROOFTUNE_FUNCTION double square(Temporary t, Int64 k, Int64 j, Int64 i) const {
    const double x = of(t, k, j, i);
    return x * x;
  }

  /// Strains of a flow, the fields u and v or two temporaries: a(k, j, i) and b(k, j, i).
  template <class A, class B>
  ROOFTUNE_FUNCTION double tension_of(const A& a, const B& b, Int64 k, Int64 j, Int64 i) const {
    return tension(m(dy_dx_t, j, i),
                   difference(m(idy_u, j, i), a(k, j, i), m(idy_u, j, i - 1), a(k, j, i - 1)),
                   m(dx_dy_t, j, i),
                   difference(m(idx_v, j, i), b(k, j, i), m(idx_v, j - 1, i), b(k, j - 1, i)));
  }
  template <class A, class B>
  ROOFTUNE_FUNCTION double shear_of(const A& a, const B& b, Int64 k, Int64 j, Int64 i) const {
    return shear(m(mask_q, j, i), m(dy_dx_q, j, i),
                 difference(m(idy_v, j, i + 1), b(k, j, i + 1), m(idy_v, j, i), b(k, j, i)),
                 m(dx_dy_q, j, i),
                 difference(m(idx_u, j + 1, i), a(k, j + 1, i), m(idx_u, j, i), a(k, j, i)));
  }
  ROOFTUNE_FUNCTION double along_u(Temporary t, Temporary s, Int64 k, Int64 j, Int64 i) const {
    return divergence_u(
        m(iarea_u, j, i), m(idy_u, j, i),
        difference(m(dy2_t, j, i + 1), of(t, k, j, i + 1), m(dy2_t, j, i), of(t, k, j, i)),
        m(idx_u, j, i),
        difference(m(dx2_q, j, i), of(s, k, j, i), m(dx2_q, j - 1, i), of(s, k, j - 1, i)));
  }
  ROOFTUNE_FUNCTION double along_v(Temporary t, Temporary s, Int64 k, Int64 j, Int64 i) const {
    return divergence_v(
        m(iarea_v, j, i), m(idy_v, j, i),
        difference(m(dy2_q, j, i), of(s, k, j, i), m(dy2_q, j, i - 1), of(s, k, j, i - 1)),
        m(idx_v, j, i),
        difference(m(dx2_t, j + 1, i), of(t, k, j + 1, i), m(dx2_t, j, i), of(t, k, j, i)));
  }
  ROOFTUNE_FUNCTION double face_u(Int64 k, Int64 j, Int64 i) const {
    return mean(h[at(k, j, i)], h[at(k, j, i + 1)]);
  }
  ROOFTUNE_FUNCTION double face_v(Int64 k, Int64 j, Int64 i) const {
    return mean(h[at(k, j, i)], h[at(k, j + 1, i)]);
  }
};

/// A field of the caller, or a temporary, as the strains read it.
struct Field {
  const Sea& s;
  const double* start;
  ROOFTUNE_FUNCTION double operator()(Int64 k, Int64 j, Int64 i) const {
    return start[s.at(k, j, i)];
  }
};
struct Own {
  const Sea& s;
  Temporary t;
  ROOFTUNE_FUNCTION double operator()(Int64 k, Int64 j, Int64 i) const { return s.of(t, k, j, i); }
};

/// Shear of (j, i) and tension of (j + 1, i + 1), for j and i from 0 to two less than the rows.
template <int Which>
struct Strains {
  Sea s;
  ROOFTUNE_FUNCTION void operator()(Int64 k, Int64 j, Int64 i) const {
    const Field u{s, s.u}, v{s, s.v};
    if (Which != second) s.temporary[shear_field][s.own(k, j, i)] = s.shear_of(u, v, k, j, i);
    if (Which != first)
      s.temporary[tension_field][s.own(k, j + 1, i + 1)] = s.tension_of(u, v, k, j + 1, i + 1);
  }
};

/// Laplacian of the flow, for inner points and one around.
template <int Which>
struct Laplacians {
  Sea s;
  ROOFTUNE_FUNCTION void operator()(Int64 k, Int64 j, Int64 i) const {
    if (Which != second)
      s.temporary[laplacian_u_field][s.own(k, j, i)] =
          s.along_u(tension_field, shear_field, k, j, i);
    if (Which != first)
      s.temporary[laplacian_v_field][s.own(k, j, i)] =
          s.along_v(tension_field, shear_field, k, j, i);
  }
};

/// Stress of the corner (j, i) and of the cell (j + 1, i + 1), both times thickness.
template <int Which>
struct Stresses {
  Sea s;
  ROOFTUNE_FUNCTION void operator()(Int64 k, Int64 j, Int64 i) const {
    if (Which != second) s.temporary[stress_q_field][s.own(k, j, i)] = corner(k, j, i);
    if (Which != first) s.temporary[stress_t_field][s.own(k, j + 1, i + 1)] = cell(k, j + 1, i + 1);
  }
  ROOFTUNE_FUNCTION double corner(Int64 k, Int64 j, Int64 i) const {
    const double deformation = square_root(
        deformation2(s.square(shear_field, k, j, i), s.square(tension_field, k, j, i),
                     s.square(tension_field, k, j, i + 1), s.square(tension_field, k, j + 1, i),
                     s.square(tension_field, k, j + 1, i + 1)));
    const double south = s.face_u(k, j, i), north = s.face_u(k, j + 1, i), west = s.face_v(k, j, i),
                 east = s.face_v(k, j, i + 1);
    return corner_numerator(south, north, west, east) /
           corner_denominator(south, north, west, east) *
           stress(s.of(shear_field, k, j, i),
                  s.shear_of(Own{s, laplacian_u_field}, Own{s, laplacian_v_field}, k, j, i),
                  s.m(laplacian_q, j, i), s.m(biharmonic_q, j, i), deformation, s.kh, s.ah);
  }
  ROOFTUNE_FUNCTION double cell(Int64 k, Int64 j, Int64 i) const {
    const double deformation = square_root(
        deformation2(s.square(tension_field, k, j, i), s.square(shear_field, k, j, i),
                     s.square(shear_field, k, j, i - 1), s.square(shear_field, k, j - 1, i),
                     s.square(shear_field, k, j - 1, i - 1)));
    return s.h[s.at(k, j, i)] *
           stress(s.of(tension_field, k, j, i),
                  s.tension_of(Own{s, laplacian_u_field}, Own{s, laplacian_v_field}, k, j, i),
                  s.m(laplacian_t, j, i), s.m(biharmonic_t, j, i), deformation, s.kh, s.ah);
  }
};

/// Accelerations of inner points.
template <int Which>
struct Accelerations {
  Sea s;
  ROOFTUNE_FUNCTION void operator()(Int64 k, Int64 j, Int64 i) const {
    if (KNOB_DIVIDE == KNOB_DIVIDE_JOINT && Which == both) {
      const double hu = s.face_u(k, j, i) + vanishing, hv = s.face_v(k, j, i) + vanishing;
      const double r = 1.0 / (hu * hv);
      s.du[s.inner(k, j, i)] = s.along_u(stress_t_field, stress_q_field, k, j, i) * (hv * r);
      s.dv[s.inner(k, j, i)] = s.along_v(stress_t_field, stress_q_field, k, j, i) * (hu * r);
      return;
    }
    if (Which != second)
      s.du[s.inner(k, j, i)] =
          s.along_u(stress_t_field, stress_q_field, k, j, i) / (s.face_u(k, j, i) + vanishing);
    if (Which != first)
      s.dv[s.inner(k, j, i)] =
          s.along_v(stress_t_field, stress_q_field, k, j, i) / (s.face_v(k, j, i) + vanishing);
  }
};

}  // namespace hor_visc_kernel
