// Three-dimensional diffusion with Kokkos: tiles of three dimensions, teams per plane, or a flat
// range of points, on two fields. The caller provides nx ny nz elements, x fastest; the outermost
// layer stays as it is.
#include "rooftune/kokkos.h"

#include "body.h"
#include "rooftune/kokkos_box.h"

using rooftune::Int64;

/// A box of points (z, y, x) and how far neighbours lie apart in memory.
struct Box {
  Int64 nx, ny, nz;
  Int64 x, y, z;

  Int64 size() const { return nx * ny * nz; }
};

/// Right: x fastest, as the caller has it; left: z fastest, in a copy.
static Box box_of(Int64 nx, Int64 ny, Int64 nz) {
  if (KNOB_LAYOUT == KNOB_LAYOUT_RIGHT) return {nx, ny, nz, 1, nx, nx * ny};
  return {nx, ny, nz, nz * ny, nz, 1};
}

/// The step of one point.
struct Step {
  Box box;
  double alpha, beta;
  const double* from;
  double* to;

  KOKKOS_INLINE_FUNCTION void operator()(const Int64 z, const Int64 y, const Int64 x) const {
    const Int64 i = z * box.z + y * box.y + x * box.x;
    to[i] = diffusion3d_body::stepped<KNOB_FORM == KNOB_FORM_FACTORED>(
        alpha, beta, from[i], from[i - box.x], from[i + box.x], from[i - box.y], from[i + box.y],
        from[i - box.z], from[i + box.z]);
  }
};

static rooftune::DeviceArray<double> callers;
static double *own, *second;  ///< own: the left layout's field
static Int64 reserved;

static double* field(Int64 count) {
  return static_cast<double*>(Kokkos::kokkos_malloc<rooftune::DeviceSpace>(
      static_cast<std::size_t>(count) * sizeof(double)));
}

static void reserve(Int64 count) {
  if (count <= reserved) return;
  if (second) Kokkos::kokkos_free<rooftune::DeviceSpace>(second);
  if (own) Kokkos::kokkos_free<rooftune::DeviceSpace>(own);
  second = field(count);
  own = KNOB_LAYOUT == KNOB_LAYOUT_LEFT ? field(count) : nullptr;
  reserved = count;
}

/// Every point from one layout to another.
static void move_box(const Box& a, const double* from, const Box& b, double* to) {
  const Int64 nx = a.nx, ny = a.ny;
  Kokkos::parallel_for(
      Kokkos::RangePolicy<rooftune::ExecutionSpace, Kokkos::IndexType<Int64> >(0, a.size()),
      KOKKOS_LAMBDA(const Int64 i) {
        const Int64 x = i % nx, y = i / nx % ny, z = i / (nx * ny);
        to[z * b.z + y * b.y + x * b.x] = from[z * a.z + y * a.y + x * a.x];
      });
}

/// The field that the calls work on.
static double* working() { return KNOB_LAYOUT == KNOB_LAYOUT_LEFT ? own : callers.data(); }

void diffusion3d_prepare(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t, double,
                         double, double* u) {
  callers.copy_in(u, nx * ny * nz);
  reserve(nx * ny * nz);
  const Box box = box_of(nx, ny, nz);
  if (own) move_box({nx, ny, nz, 1, nx, nx * ny}, callers.data(), box, own);
  // The boundary of the second field; its inner points are written before they are read.
  move_box(box, working(), box, second);
  Kokkos::fence();
}

void diffusion3d(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t steps,
                 double alpha, double beta, double*) {
  const Box box = box_of(nx, ny, nz);
  if (nx < 3 || ny < 3 || nz < 3) return;
  double *now = working(), *next = second;
  for (std::int64_t s = 0; s < steps; ++s) {
    rooftune::for_box({1, nz - 1, 1, ny - 1, 1, nx - 1}, Step{box, alpha, beta, now, next});
    double* const stepped = next;
    next = now;
    now = stepped;
  }
  if (now != working()) move_box(box, now, box, working());
  Kokkos::fence();
}

void diffusion3d_finish(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t, double,
                        double, double*) {
  if (own) move_box(box_of(nx, ny, nz), own, {nx, ny, nz, 1, nx, nx * ny}, callers.data());
  Kokkos::fence();
  callers.copy_out();
}
