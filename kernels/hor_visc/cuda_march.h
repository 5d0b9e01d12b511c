// All stages of a tile, one layer after the other: a thread owns a column of points and keeps the
// twenty factors of its operators in registers, so that the metric is read once for all layers of a
// group. What neighbours need of a layer lies in shared memory; u, v and h of the next one are on
// their way. Tiles overlap: two points on every side are computed twice.
// The caller has fewer than 2^31 points in the layers of a group.
#pragma once
#include "factors.h"
#include "sea.h"

namespace hor_visc_kernel {

constexpr int columns = KNOB_BLOCK_X * KNOB_BLOCK_Y;
constexpr int written_x = KNOB_BLOCK_X - 2 * halo, written_y = KNOB_BLOCK_Y - 2 * halo;

/// Planes of shared memory, a number for each column: fields of two layers, which take turns, and
/// then the temporaries.
enum FieldPlane { u_plane, v_plane, h_plane, field_planes };
constexpr int march_planes = 2 * field_planes + temporary_count;

/// What one thread has of its tile. Stages are computed where all that they read is in the tile.
struct Column {
  double factors[factor_count];
  double* own;  ///< its number in the first plane
  int x, y;     ///< in the tile
  double face_u = 0, face_v = 0;

  /// Its place in a plane.
  __device__ __forceinline__ double* field(int turn, FieldPlane plane) const {
    return own + (turn * field_planes + plane) * columns;
  }
  __device__ __forceinline__ double& at(Temporary t, int east = 0, int north = 0) const {
    return own[(2 * field_planes + t) * columns + north * KNOB_BLOCK_X + east];
  }
  __device__ __forceinline__ bool is_within(int west, int east, int south, int north) const {
    return x >= west && x < KNOB_BLOCK_X - east && y >= south && y < KNOB_BLOCK_Y - north;
  }
  /// Folded operators, of the numbers east and west (or here and beyond), north and south.
  template <int First>
  __device__ __forceinline__ double sum(double a, double b, double c, double d) const {
    return factors[First] * a - factors[First + 1] * b + factors[First + 2] * c -
           factors[First + 3] * d;
  }
  template <int First>
  __device__ __forceinline__ double less(double a, double b, double c, double d) const {
    return factors[First] * a - factors[First + 1] * b - factors[First + 2] * c +
           factors[First + 3] * d;
  }
  __device__ __forceinline__ double tension(double u, double west_u, double v,
                                            double south_v) const {
    return less<tension_factors>(u, west_u, v, south_v);
  }
  __device__ __forceinline__ double shear(double u, double north_u, double v, double east_v) const {
    return sum<shear_factors>(east_v, v, north_u, u);
  }
  __device__ __forceinline__ double along_u(Temporary t, Temporary s) const {
    return sum<divergence_u_factors>(at(t, 1), at(t), at(s), at(s, 0, -1));
  }
  __device__ __forceinline__ double along_v(Temporary t, Temporary s) const {
    return less<divergence_v_factors>(at(s), at(s, -1), at(t, 0, 1), at(t));
  }

  __device__ __forceinline__ void strains(int turn) const {
    const double *const u = field(turn, u_plane), *const v = field(turn, v_plane);
    if (is_within(1, 0, 1, 0)) at(tension_field) = tension(u[0], u[-1], v[0], v[-KNOB_BLOCK_X]);
    if (is_within(0, 1, 0, 1)) at(shear_field) = shear(u[0], u[KNOB_BLOCK_X], v[0], v[1]);
  }
  __device__ __forceinline__ void laplacians() const {
    if (!is_within(1, 1, 1, 1)) return;
    at(laplacian_u_field) = along_u(tension_field, shear_field);
    at(laplacian_v_field) = along_v(tension_field, shear_field);
  }
  __device__ __forceinline__ double square(Temporary t, int east = 0, int north = 0) const {
    return at(t, east, north) * at(t, east, north);
  }
  /// Stresses times thickness; keeps the thickness of its faces.
  __device__ __forceinline__ void stresses(int turn, double kh, double ah) {
    const double* const h = field(turn, h_plane);
    if (is_within(1, 2, 1, 2)) {
      const double deformation = square_root(
          deformation2(square(shear_field), square(tension_field), square(tension_field, 1),
                       square(tension_field, 0, 1), square(tension_field, 1, 1)));
      const double south = mean(h[0], h[1]), north = mean(h[KNOB_BLOCK_X], h[KNOB_BLOCK_X + 1]),
                   west = mean(h[0], h[KNOB_BLOCK_X]), east = mean(h[1], h[KNOB_BLOCK_X + 1]);
      face_u = south;
      face_v = west;
      at(stress_q_field) = corner_numerator(south, north, west, east) /
                           corner_denominator(south, north, west, east) *
                           stress(at(shear_field),
                                  shear(at(laplacian_u_field), at(laplacian_u_field, 0, 1),
                                        at(laplacian_v_field), at(laplacian_v_field, 1)),
                                  factors[viscosity_factors + 1], factors[viscosity_factors + 3],
                                  deformation, kh, ah);
    }
    if (is_within(2, 1, 2, 1)) {
      const double deformation = square_root(
          deformation2(square(tension_field), square(shear_field), square(shear_field, -1),
                       square(shear_field, 0, -1), square(shear_field, -1, -1)));
      at(stress_t_field) =
          h[0] * stress(at(tension_field),
                        tension(at(laplacian_u_field), at(laplacian_u_field, -1),
                                at(laplacian_v_field), at(laplacian_v_field, 0, -1)),
                        factors[viscosity_factors], factors[viscosity_factors + 2], deformation, kh,
                        ah);
    }
  }
  __device__ __forceinline__ void accelerations(double& du, double& dv) const {
    const double hu = face_u + vanishing, hv = face_v + vanishing;
    const double u = along_u(stress_t_field, stress_q_field),
                 v = along_v(stress_t_field, stress_q_field);
#if KNOB_DIVIDE == KNOB_DIVIDE_JOINT
    const double r = 1.0 / (hu * hv);
    du = u * (hv * r);
    dv = v * (hu * r);
#else
    du = u / hu;
    dv = v / hv;
#endif
  }
};

/// Layers [first, first + count) of a tile whose first point, with the points that it shares, is
/// (y0, x0), counted with the halo.
__device__ __forceinline__ void march(const Sea& s, int y0, int x0, Int64 first, int count) {
  ROOFTUNE_DYNAMIC_SHARED(double, shared);
  const int row = static_cast<int>(s.row()), rows = static_cast<int>(s.ny) + 2 * halo;
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  // Columns beyond the rim repeat it: nothing that is written reads them.
  const auto within = [](int n, int limit) { return n < 0 ? 0 : n < limit ? n : limit - 1; };
  const int i = within(x0 + x, row), j = within(y0 + y, rows);
  Column column{{}, shared + y * KNOB_BLOCK_X + x, x, y};
  fold_point(
      [&](Metric m, int east, int north) {
        return s.m(m, within(y0 + y + north, rows), within(x0 + x + east, row));
      },
      [&](int place, double value) { column.factors[place] = value; });
  const int plane = static_cast<int>(s.plane()), inner = static_cast<int>(s.nx * s.ny);
  const double *const u = s.u + first * plane, *const v = s.v + first * plane,
                      *const h = s.h + first * plane;
  double *const du = s.du + first * inner, *const dv = s.dv + first * inner;
  const bool writes =
      column.is_within(halo, halo, halo, halo) && x0 + x < row - halo && y0 + y < rows - halo;
  int from = j * row + i, to = (j - halo) * static_cast<int>(s.nx) + i - halo;
  const auto fetch = [&](int turn) {
    rooftune::async_copy8(column.field(turn, u_plane), u + from);
    rooftune::async_copy8(column.field(turn, v_plane), v + from);
    rooftune::async_copy8(column.field(turn, h_plane), h + from);
    rooftune::async_commit();
    from += plane;
  };
  fetch(0);
  rooftune::async_wait<0>();
  __syncthreads();
  for (int k = 0; k < count; ++k) {
    const int turn = k & 1;
    // Stresses were the last to read the layer before; strains need not wait for accelerations.
    if (k + 1 < count) fetch(turn ^ 1);
    column.strains(turn);
    __syncthreads();
    column.laplacians();
    __syncthreads();
    column.stresses(turn, s.kh, s.ah);
    rooftune::async_wait<0>();
    __syncthreads();
    if (writes) column.accelerations(du[to], dv[to]);
    to += inner;
  }
}

}  // namespace hor_visc_kernel
