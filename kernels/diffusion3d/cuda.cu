// Three-dimensional diffusion in CUDA on two fields that change roles: a thread per point, threads
// that march along z, or tiles that are taken through several steps in registers and shared memory.
// The caller provides nx ny nz elements, x fastest; the outermost layer stays as it is.
#include "cuda_columns.h"
#include "cuda_planes.h"

using rooftune::Int64;

#define DIFFUSION3D_BOUNDS \
  __launch_bounds__(KNOB_BLOCK_X* KNOB_BLOCK_Y* KNOB_BLOCK_Z, KNOB_MIN_BLOCKS)

#if KNOB_STAGING == KNOB_STAGING_POINTS
/// to = from after one step, one point per thread.
ROOFTUNE_KERNEL DIFFUSION3D_BOUNDS diffusion3d_points(diffusion3d_cuda::Box box,
                                                      const double* __restrict__ from,
                                                      double* __restrict__ to) {
  const Int64 x = Int64{blockIdx.x} * KNOB_BLOCK_X + threadIdx.x;
  const Int64 y = Int64{blockIdx.y} * KNOB_BLOCK_Y + threadIdx.y;
  const Int64 z = Int64{blockIdx.z} * KNOB_BLOCK_Z + threadIdx.z;
  if (x < 1 || x >= box.nx - 1 || y < 1 || y >= box.ny - 1 || z < 1 || z >= box.nz - 1) return;
  const double* const p = from + z * box.plane + y * box.row + x;
  const auto at = [&](Int64 by) { return rooftune::load<diffusion3d_cuda::loads>(p + by); };
  rooftune::store<diffusion3d_cuda::stores>(
      to + (p - from), diffusion3d_cuda::stepped(box, at(0), at(-1), at(1), at(-box.row),
                                                 at(box.row), at(-box.plane), at(box.plane)));
}
#elif KNOB_STAGING == KNOB_STAGING_COLUMNS
/// to = from after one step.
ROOFTUNE_KERNEL DIFFUSION3D_BOUNDS diffusion3d_columns(diffusion3d_cuda::Box box,
                                                       diffusion3d_cuda::Tiles tiles,
                                                       const double* __restrict__ from,
                                                       double* __restrict__ to) {
  diffusion3d_cuda::march_columns(box, tiles, from, to);
}
#else
/// to = from after `steps` steps.
ROOFTUNE_KERNEL DIFFUSION3D_BOUNDS diffusion3d_planes(diffusion3d_cuda::Box box,
                                                      diffusion3d_cuda::Tiles tiles, int steps,
                                                      const double* __restrict__ from,
                                                      double* __restrict__ to) {
  diffusion3d_cuda::march_planes(box, tiles, steps, from, to);
}
#endif

/// Rows of nx points from pitch `from_row` to pitch `to_row`; what lies behind them becomes 0.
ROOFTUNE_KERNEL __launch_bounds__(256, 1)
    diffusion3d_repitch(Int64 nx, Int64 count, Int64 from_row, Int64 to_row,
                        const double* __restrict__ from, double* __restrict__ to) {
  for (Int64 row = blockIdx.x; row < count; row += gridDim.x)
    for (Int64 x = threadIdx.x; x < to_row; x += 256)
      to[row * to_row + x] = x < nx ? from[row * from_row + x] : 0;
}

#if ROOFTUNE_HOST

static rooftune::DeviceBuffer<double> callers, first_field, second_field;
/// The field of the present time, and the other one.
static double *now, *next;

static Int64 pitch(Int64 nx) { return (nx + KNOB_PAD - 1) / KNOB_PAD * KNOB_PAD; }

static void repitch(Int64 nx, Int64 count, Int64 from_row, Int64 to_row, const double* from,
                    double* to) {
  ROOFTUNE_LAUNCH(diffusion3d_repitch, rooftune::blocks_for(count, 8), 256, 0, nx, count, from_row,
                  to_row, from, to);
}

/// One launch, which takes at most `left` steps; how many it took.
static Int64 launch_steps(const diffusion3d_cuda::Box& box, Int64 left) {
  using namespace diffusion3d_cuda;
  using rooftune::blocks_for;
  const rooftune::CudaSize block(KNOB_BLOCK_X, KNOB_BLOCK_Y, KNOB_BLOCK_Z);
#if KNOB_STAGING == KNOB_STAGING_POINTS
  const rooftune::CudaSize grid(blocks_for(box.nx, KNOB_BLOCK_X), blocks_for(box.ny, KNOB_BLOCK_Y),
                                blocks_for(box.nz, KNOB_BLOCK_Z));
  ROOFTUNE_LAUNCH(diffusion3d_points, grid, block, 0, box, now, next);
  return left < 1 ? left : 1;
#else
  constexpr bool planes = KNOB_STAGING == KNOB_STAGING_PLANES;
  // The last point of each direction is boundary, which nobody writes.
  const Int64 x = blocks_for(box.nx - 1, planes ? written_x : KNOB_BLOCK_X * width);
  const Int64 y = blocks_for(box.ny - 1, planes ? written_y : KNOB_BLOCK_Y * rows);
  const Int64 march = KNOB_MARCH > 0 ? KNOB_MARCH : box.nz;
  const Int64 z = blocks_for(box.nz - 1, march);
  const Tiles tiles{static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z),
                    march};
#if KNOB_STAGING == KNOB_STAGING_COLUMNS
  ROOFTUNE_LAUNCH(diffusion3d_columns, x * y * z, block, 0, box, tiles, now, next);
  return left < 1 ? left : 1;
#else
  const Int64 taken = left < depth ? left : depth;
  ROOFTUNE_LAUNCH(diffusion3d_planes, x * y * z, block, planes_shared_bytes, box, tiles,
                  static_cast<int>(taken), now, next);
  return taken;
#endif
#endif
}

void diffusion3d_prepare(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t, double,
                         double, double* u) {
  const Int64 row = pitch(nx), count = ny * nz;
  if (row == nx) {
    now = first_field.copy_in(u, nx * count);
    next = second_field.copy_in(u, nx * count);
  } else {
    now = first_field.reserve(row * count);
    next = second_field.reserve(row * count);
    const double* const given = callers.copy_in(u, nx * count);
    repitch(nx, count, nx, row, given, now);
    repitch(nx, count, nx, row, given, next);
  }
}

void diffusion3d(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t steps,
                 double alpha, double beta, double*) {
  if (nx < 3 || ny < 3 || nz < 3) return;
  const Int64 row = pitch(nx);
  const diffusion3d_cuda::Box box{nx, ny, nz, row, row * ny, alpha, beta};
  for (Int64 done = 0; done < steps;) {
    done += launch_steps(box, steps - done);
    double* const stepped = next;
    next = now;
    now = stepped;
  }
}

void diffusion3d_finish(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t, double,
                        double, double* u) {
  const Int64 row = pitch(nx), count = ny * nz;
  if (row != nx) {
    repitch(nx, count, row, nx, now, callers.data());
    callers.copy_out(u, nx * count);
  } else {
    (now == first_field.data() ? first_field : second_field).copy_out(u, nx * count);
  }
}

#endif
