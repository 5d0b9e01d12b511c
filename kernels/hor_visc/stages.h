// The stages of a tile, each for one row: two quantities in one loop, or one loop for each.
// The caller calls them row by row. Reads KNOB_ macros.
#pragma once
#include "stresses.h"

namespace hor_visc_kernel {

constexpr bool pairs = KNOB_FUSE == KNOB_FUSE_PAIRS;
#define HOR_VISC_POINT (auto p, std::int64_t i) __attribute__((always_inline))

/// `first` at [from, to) and `second` `shift` points farther east, each written to its own row;
/// `ahead` is announced.
template <class First, class Second>
ROOFTUNE_INLINE void two(std::int64_t from, std::int64_t to, std::int64_t shift,
                         const double* ahead, const First& first, double* first_row,
                         double* first_squared, const Second& second, double* second_row,
                         double* second_squared) {
  const auto put = [](auto p, std::int64_t i, auto value, double* row, double* squared) {
    using P = decltype(p);
    P::put(row, i, value);
    if (stores_squares && squared) P::put(squared, i, value * value);
  };
  if constexpr (pairs) {
    for_points(from, to, nullptr, ahead, [&] HOR_VISC_POINT {
      const auto a = first(p, i);
      const auto b = second(p, i + shift);
      put(p, i, a, first_row, first_squared);
      put(p, i + shift, b, second_row, second_squared);
    });
  } else {
    for_points(from, to, nullptr, ahead,
               [&] HOR_VISC_POINT { put(p, i, first(p, i), first_row, first_squared); });
    for_points(from + shift, to + shift, nullptr, nullptr,
               [&] HOR_VISC_POINT { put(p, i, second(p, i), second_row, second_squared); });
  }
}

/// Shear of row j and tension of row j + 1.
inline void strains(const Tile& t, std::int64_t j) {
  two(t.i0 - 2, t.i1 + 1, 1, t.ahead(t.fields.u, j), ShearAt(t, j, t.u(j), t.u(j + 1), t.v(j)),
      t.temporary(shear_row, j), t.temporary(shear_squared_row, j),
      TensionAt(t, j + 1, t.u(j + 1), t.v(j + 1), t.v(j)), t.temporary(tension_row, j + 1),
      t.temporary(tension_squared_row, j + 1));
}

/// Thickness of the faces of row j, where it is stored.
inline void thickness(const Tile& t, std::int64_t j) {
  if (!stores_thickness) return;
  const FaceThickness face(t, j);
  double *const u = t.temporary(thickness_u_row, j), *const v = t.temporary(thickness_v_row, j);
  for_points(t.i0 - 1, t.i1 + 1, nullptr, nullptr, [&] HOR_VISC_POINT {
    using P = decltype(p);
    P::put(u, i, face.computed_u(p, i));
    P::put(v, i, face.computed_v(p, i));
  });
}

/// Laplacian of the flow, row j.
inline void laplacians(const Tile& t, std::int64_t j) {
  two(t.i0 - 1, t.i1 + 1, 0, t.ahead(t.fields.v, j), DivergenceU(t, j, tension_row, shear_row),
      t.temporary(laplacian_u_row, j), nullptr, DivergenceV(t, j, tension_row, shear_row),
      t.temporary(laplacian_v_row, j), nullptr);
}

/// Stress of the corners of row j and of the cells of row j + 1.
inline void stresses(const Tile& t, std::int64_t j) {
  two(t.i0 - 1, t.i1, 1, t.ahead(t.fields.h, j), StressQ(t, j), t.temporary(stress_q_row, j),
      nullptr, StressT(t, j + 1), t.temporary(stress_t_row, j + 1), nullptr);
}

/// Both accelerations of row j in one loop.
inline void accelerations_together(const Tile& t, std::int64_t j, double* du, double* dv) {
  const DivergenceU along_x(t, j, stress_t_row, stress_q_row);
  const DivergenceV along_y(t, j, stress_t_row, stress_q_row);
  const FaceThickness face(t, j);
  // Both can be streamed only where they reach a vector's boundary at the same point.
  const bool stream =
      (reinterpret_cast<std::uintptr_t>(du) - reinterpret_cast<std::uintptr_t>(dv)) % (8 * width) ==
      0;
  for_points(t.i0, t.i1, KNOB_NT_STORE ? du : nullptr, nullptr, [&] HOR_VISC_POINT {
    const auto u = along_x(p, i), v = along_y(p, i);
    const auto hu = face.u(p, i) + vanishing, hv = face.v(p, i) + vanishing;
    if (KNOB_DIVIDE == KNOB_DIVIDE_JOINT) {
      const auto both = 1.0 / (hu * hv);
      put_acceleration(p, du, i, u * (hv * both), stream);
      put_acceleration(p, dv, i, v * (hu * both), stream);
    } else {
      put_acceleration(p, du, i, quotient(u, hu), stream);
      put_acceleration(p, dv, i, quotient(v, hv), stream);
    }
  });
}

inline void accelerations_apart(const Tile& t, std::int64_t j, double* du, double* dv) {
  const DivergenceU along_x(t, j, stress_t_row, stress_q_row);
  const DivergenceV along_y(t, j, stress_t_row, stress_q_row);
  const FaceThickness face(t, j);
  for_points(t.i0, t.i1, KNOB_NT_STORE ? du : nullptr, nullptr, [&] HOR_VISC_POINT {
    put_acceleration(p, du, i, quotient(along_x(p, i), face.u(p, i) + vanishing), true);
  });
  for_points(t.i0, t.i1, KNOB_NT_STORE ? dv : nullptr, nullptr, [&] HOR_VISC_POINT {
    put_acceleration(p, dv, i, quotient(along_y(p, i), face.v(p, i) + vanishing), true);
  });
}

inline void accelerations(const Tile& t, std::int64_t j) {
  double *const du = t.out(t.fields.du, j), *const dv = t.out(t.fields.dv, j);
  pairs ? accelerations_together(t, j, du, dv) : accelerations_apart(t, j, du, dv);
}

/// All stages of a tile: each over all rows before the next begins, or all stages row by row, each
/// as far behind the one before as its stencil asks.
inline void march(const Tile& t) {
  if (in_rows) {
    for (std::int64_t j = t.j0 - 2; j < t.j1 + 1; ++j) {
      strains(t, j);
      if (j < t.j0 - 1) continue;
      thickness(t, j);
      laplacians(t, j);
      if (j < t.j0) continue;
      stresses(t, j - 1);
      if (j > t.j0) accelerations(t, j - 1);
    }
  } else {
    for (std::int64_t j = t.j0 - 2; j < t.j1 + 1; ++j) strains(t, j);
    for (std::int64_t j = t.j0 - 1; j < t.j1 + 1; ++j) thickness(t, j);
    for (std::int64_t j = t.j0 - 1; j < t.j1 + 1; ++j) laplacians(t, j);
    for (std::int64_t j = t.j0 - 1; j < t.j1; ++j) stresses(t, j);
    for (std::int64_t j = t.j0; j < t.j1; ++j) accelerations(t, j);
  }
  if (KNOB_NT_STORE) rooftune::stream_fence();
}

}  // namespace hor_visc_kernel
