// Horizontal viscosity with Kokkos: every stage over all layers, temporaries in memory, tiles of
// three dimensions, teams of rows or a flat range of points. The caller provides h, u, v of
// nz (ny + 4) (nx + 4) points, the planes of metrics.h and du, dv of nz ny nx points.
#include "rooftune/kokkos.h"

#include "rooftune/kokkos_box.h"

namespace hor_visc_kernel {
constexpr bool layers_fastest = KNOB_LAYOUT == KNOB_LAYOUT_LEFT;
ROOFTUNE_FUNCTION double metric_value(const double* p) { return *p; }
}  // namespace hor_visc_kernel

#include "sea.h"

using rooftune::Int64;
using namespace hor_visc_kernel;

static rooftune::DeviceArray<const double> metric_in, h_in, u_in, v_in;
static rooftune::DeviceArray<double> du_out, dv_out;
static double* own;  ///< temporaries, then the fields of the left layout
static Int64 reserved;

constexpr bool left = layers_fastest;

static double* reserve(Int64 count) {
  if (count > reserved) {
    if (own) Kokkos::kokkos_free<rooftune::DeviceSpace>(own);
    own = static_cast<double*>(Kokkos::kokkos_malloc<rooftune::DeviceSpace>(
        static_cast<std::size_t>(count) * sizeof(double)));
    reserved = count;
  }
  return own;
}

/// Layers that go through all stages together.
static Int64 depth(Int64 nz) { return KNOB_BLOCK_K > 0 && KNOB_BLOCK_K < nz ? KNOB_BLOCK_K : nz; }

/// The arrays of a call while the layers from `k` on are at work, whose temporaries take the place
/// of those before; in the left layout the variant's own fields lie behind the temporaries.
static Sea sea(Int64 nx, Int64 ny, Int64 nz, double kh, double ah, Int64 k = 0) {
  Sea s{nx, ny, nz, kh, ah};
  const Int64 points = s.plane() * nz, block = s.plane() * depth(nz);
  double* next = reserve(temporary_count * block + (left ? 5 * points : 0));
  for (double*& temporary : s.temporary) {
    temporary = next - k * s.plane();
    next += block;
  }
  s.metric = metric_in.data();
  s.h = left ? next : h_in.data();
  s.u = left ? next + points : u_in.data();
  s.v = left ? next + 2 * points : v_in.data();
  s.du = left ? next + 3 * points : du_out.data();
  s.dv = left ? next + 4 * points : dv_out.data();
  return s;
}

/// Layers of `points` points between the caller's order and the one with layers side by side.
static void transpose(Int64 points, Int64 nz, const double* from, double* to, bool in) {
  Kokkos::parallel_for(
      Kokkos::RangePolicy<rooftune::ExecutionSpace, Kokkos::IndexType<Int64> >(0, points * nz),
      KOKKOS_LAMBDA(const Int64 n) {
        const Int64 k = n / points, point = n % points;
        to[in ? point * nz + k : n] = from[in ? n : point * nz + k];
      });
}

using rooftune::BoxRange;

/// A stage as one launch, or as two.
template <template <int> class Stage>
static void launch(const Sea& s, const BoxRange& r) {
#if KNOB_FUSE == KNOB_FUSE_PAIRS
  rooftune::for_box<left>(r, Stage<both>{s});
#else
  rooftune::for_box<left>(r, Stage<first>{s});
  rooftune::for_box<left>(r, Stage<second>{s});
#endif
}

void hor_visc_prepare(std::int64_t nx, std::int64_t ny, std::int64_t nz, double kh, double ah,
                      const double* metric, const double* h, const double* u, const double* v,
                      double* du, double* dv) {
  const Int64 plane = (nx + 2 * halo) * (ny + 2 * halo);
  metric_in.copy_in(metric, metric_count * plane);
  h_in.copy_in(h, nz * plane);
  u_in.copy_in(u, nz * plane);
  v_in.copy_in(v, nz * plane);
  du_out.copy_in(du, nz * ny * nx);
  dv_out.copy_in(dv, nz * ny * nx);
  const Sea s = sea(nx, ny, nz, kh, ah);
  if (left) {
    transpose(plane, nz, h_in.data(), const_cast<double*>(s.h), true);
    transpose(plane, nz, u_in.data(), const_cast<double*>(s.u), true);
    transpose(plane, nz, v_in.data(), const_cast<double*>(s.v), true);
  }
  Kokkos::fence();
}

void hor_visc(std::int64_t nx, std::int64_t ny, std::int64_t nz, double kh, double ah,
              const double*, const double*, const double*, const double*, double*, double*) {
  for (Int64 k = 0; k < nz; k += depth(nz)) {
    const Int64 to = k + depth(nz) < nz ? k + depth(nz) : nz;
    const Sea s = sea(nx, ny, nz, kh, ah, k);
    launch<Strains>(s, {k, to, 0, ny + 3, 0, nx + 3});
    launch<Laplacians>(s, {k, to, 1, ny + 3, 1, nx + 3});
    launch<Stresses>(s, {k, to, 1, ny + 2, 1, nx + 2});
    launch<Accelerations>(s, {k, to, 2, ny + 2, 2, nx + 2});
  }
  Kokkos::fence();
}

void hor_visc_finish(std::int64_t nx, std::int64_t ny, std::int64_t nz, double kh, double ah,
                     const double*, const double*, const double*, const double*, double*, double*) {
  const Sea s = sea(nx, ny, nz, kh, ah);
  if (left) {
    transpose(nx * ny, nz, s.du, du_out.data(), false);
    transpose(nx * ny, nz, s.dv, dv_out.data(), false);
  }
  Kokkos::fence();
  du_out.copy_out();
  dv_out.copy_out();
}
