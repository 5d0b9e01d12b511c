// Horizontal viscosity in CUDA: a launch per stage with temporaries in memory, or all stages of a
// tile in one launch with temporaries in shared memory, stage by stage or by columns that march
// down the layers. The caller provides h, u, v of nz (ny + 4) (nx + 4) points, the planes of
// metrics.h and du, dv of nz ny nx points.
#include "rooftune/cuda_hints.h"

namespace hor_visc_kernel {
constexpr bool layers_fastest = false;
/// No launch writes the metric.
__device__ __forceinline__ double metric_value(const double* p) {
  using rooftune::Load;
  constexpr bool read_only = KNOB_METRIC_LOADS == KNOB_METRIC_LOADS_READ_ONLY;
  return rooftune::load < read_only ? Load::read_only : Load::plain > (p);
}
}  // namespace hor_visc_kernel

#include "sea.h"

#if KNOB_FUSION == KNOB_FUSION_MARCH
#include "cuda_march.h"
#endif

namespace hor_visc_kernel {

constexpr int threads = KNOB_BLOCK_X * KNOB_BLOCK_Y;
constexpr bool by_stages = KNOB_FUSION == KNOB_FUSION_STAGES;
constexpr bool in_pairs = !by_stages || KNOB_FUSE == KNOB_FUSE_PAIRS;

/// Rows [j0, j1) and points [i0, i1) of each, counted with the halo.
struct Area {
  Int64 j0, j1, i0, i1;
};

/// Layers that a block computes one after the other, which share the metric in its caches.
ROOFTUNE_FUNCTION Int64 depth(Int64 nz) {
  return KNOB_LAYERS > 0 && KNOB_LAYERS < nz ? KNOB_LAYERS : nz;
}

/// One point per thread of a plane of blocks, and the layers of this block.
template <template <int> class Stage>
__device__ __forceinline__ void stage_over(const Sea& s, const Area& area, bool is_second) {
  const Int64 j = area.j0 + Int64{blockIdx.y} * KNOB_BLOCK_Y + threadIdx.y;
  const Int64 i = area.i0 + Int64{blockIdx.x} * KNOB_BLOCK_X + threadIdx.x;
  if (j >= area.j1 || i >= area.i1) return;
  const Int64 layers = depth(s.nz);
  for (Int64 group = blockIdx.z; group * layers < s.nz; group += gridDim.z)
    for (Int64 k = group * layers; k < (group + 1) * layers && k < s.nz; ++k)
      if constexpr (in_pairs)
        Stage<both>{s}(k, j, i);
      else if (is_second)
        Stage<second>{s}(k, j, i);
      else
        Stage<first>{s}(k, j, i);
}

/// Points of an area one after the other, dealt to the threads of the block.
template <template <int> class Stage>
__device__ __forceinline__ void stage_in_tile(const Sea& s, const Area& area, Int64 k) {
  const int width = static_cast<int>(area.i1 - area.i0);
  const int count = width * static_cast<int>(area.j1 - area.j0);
  const int mine = static_cast<int>(threadIdx.y) * KNOB_BLOCK_X + static_cast<int>(threadIdx.x);
  for (int n = mine; n < count; n += threads)
    Stage<both>{s}(k, area.j0 + n / width, area.i0 + n % width);
}

/// A row of a tile with the points around it that its stages need.
constexpr int tile_row = KNOB_TILE_X + 2 * halo, tile_points = tile_row * (KNOB_TILE_Y + 2 * halo);
constexpr int tile_bytes = 8 * temporary_count * tile_points;

}  // namespace hor_visc_kernel

#if KNOB_FUSION == KNOB_FUSION_TILE

/// A tile of a plane and some layers per block.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK_X* KNOB_BLOCK_Y, KNOB_MIN_BLOCKS)
    hor_visc_tiles(hor_visc_kernel::Sea sea, unsigned tiles_x, unsigned tiles_y) {
  using namespace hor_visc_kernel;
  ROOFTUNE_DYNAMIC_SHARED(double, memory);
  const unsigned row = blockIdx.x / tiles_x;
  const Int64 layers = depth(sea.nz);
  const Int64 j0 = halo + Int64{row % tiles_y} * KNOB_TILE_Y;
  const Int64 i0 = halo + Int64{blockIdx.x % tiles_x} * KNOB_TILE_X;
  const Int64 j1 = j0 + KNOB_TILE_Y < sea.ny + halo ? j0 + KNOB_TILE_Y : sea.ny + halo;
  const Int64 i1 = i0 + KNOB_TILE_X < sea.nx + halo ? i0 + KNOB_TILE_X : sea.nx + halo;
  Sea s = sea;
  s.own_row = tile_row;
  s.own_plane = 0;
#pragma unroll
  for (int t = 0; t < temporary_count; ++t)
    s.temporary[t] = memory + t * tile_points - ((j0 - halo) * tile_row + i0 - halo);
  const Int64 from = row / tiles_y * layers;
  for (Int64 k = from; k < from + layers && k < s.nz; ++k) {
    stage_in_tile<Strains>(s, {j0 - 2, j1 + 1, i0 - 2, i1 + 1}, k);
    __syncthreads();
    stage_in_tile<Laplacians>(s, {j0 - 1, j1 + 1, i0 - 1, i1 + 1}, k);
    __syncthreads();
    stage_in_tile<Stresses>(s, {j0 - 1, j1, i0 - 1, i1}, k);
    __syncthreads();
    // The next layer's strains overwrite nothing that these read: no barrier behind them.
    stage_in_tile<Accelerations>(s, {j0, j1, i0, i1}, k);
  }
}

#elif KNOB_FUSION == KNOB_FUSION_MARCH

/// Groups of layers of a tile are neighbours: their metric comes from memory once.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK_X* KNOB_BLOCK_Y, KNOB_MIN_BLOCKS)
    hor_visc_march(hor_visc_kernel::Sea sea, unsigned tiles_x, unsigned groups) {
  using namespace hor_visc_kernel;
  const unsigned group = blockIdx.x % groups, tile = blockIdx.x / groups;
  const Int64 layers = depth(sea.nz), first = group * layers, left = sea.nz - first;
  march(sea, static_cast<int>(tile / tiles_x) * written_y,
        static_cast<int>(tile % tiles_x) * written_x, first,
        static_cast<int>(left < layers ? left : layers));
}

#else

ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK_X* KNOB_BLOCK_Y, KNOB_MIN_BLOCKS)
    hor_visc_strains(hor_visc_kernel::Sea s, hor_visc_kernel::Area area, bool is_second) {
  hor_visc_kernel::stage_over<hor_visc_kernel::Strains>(s, area, is_second);
}
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK_X* KNOB_BLOCK_Y, KNOB_MIN_BLOCKS)
    hor_visc_laplacians(hor_visc_kernel::Sea s, hor_visc_kernel::Area area, bool is_second) {
  hor_visc_kernel::stage_over<hor_visc_kernel::Laplacians>(s, area, is_second);
}
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK_X* KNOB_BLOCK_Y, KNOB_MIN_BLOCKS)
    hor_visc_stresses(hor_visc_kernel::Sea s, hor_visc_kernel::Area area, bool is_second) {
  hor_visc_kernel::stage_over<hor_visc_kernel::Stresses>(s, area, is_second);
}
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK_X* KNOB_BLOCK_Y, KNOB_MIN_BLOCKS)
    hor_visc_accelerations(hor_visc_kernel::Sea s, hor_visc_kernel::Area area, bool is_second) {
  hor_visc_kernel::stage_over<hor_visc_kernel::Accelerations>(s, area, is_second);
}

#endif

#if ROOFTUNE_HOST

using namespace hor_visc_kernel;
using rooftune::blocks_for;

static rooftune::DeviceBuffer<double> metric_on_card, h_on_card, u_on_card, v_on_card, du_on_card,
    dv_on_card, temporaries_on_card;

static Sea sea(Int64 nx, Int64 ny, Int64 nz, double kh, double ah) {
  Sea s{nx, ny, nz, kh, ah};
  s.metric = metric_on_card.data();
  s.h = h_on_card.data();
  s.u = u_on_card.data();
  s.v = v_on_card.data();
  s.du = du_on_card.data();
  s.dv = dv_on_card.data();
  if (by_stages)
    for (int t = 0; t < temporary_count; ++t)
      s.temporary[t] = temporaries_on_card.data() + t * s.plane() * nz;
  return s;
}

void hor_visc_prepare(std::int64_t nx, std::int64_t ny, std::int64_t nz, double, double,
                      const double* metric, const double* h, const double* u, const double* v,
                      double* du, double* dv) {
  const Int64 plane = (nx + 2 * halo) * (ny + 2 * halo);
  metric_on_card.use_in(metric, metric_count * plane);
  h_on_card.use_in(h, nz * plane);
  u_on_card.use_in(u, nz * plane);
  v_on_card.use_in(v, nz * plane);
  du_on_card.use_out(du, nz * ny * nx);
  dv_on_card.use_out(dv, nz * ny * nx);
  if (by_stages) temporaries_on_card.reserve(temporary_count * nz * plane);
}

#if KNOB_FUSION == KNOB_FUSION_STAGES
/// A stage as one launch, or as two.
template <auto Kernel>
static void launch_stage(const char* name, const Sea& s, const Area& area) {
  constexpr Int64 most = 65535;
  const Int64 groups = blocks_for(s.nz, depth(s.nz));
  const rooftune::CudaSize grid(blocks_for(area.i1 - area.i0, KNOB_BLOCK_X),
                                blocks_for(area.j1 - area.j0, KNOB_BLOCK_Y),
                                groups < most ? groups : most);
  for (int part = 0; part < (in_pairs ? 1 : 2); ++part)
    rooftune::launch<Kernel>(name, grid, rooftune::CudaSize(KNOB_BLOCK_X, KNOB_BLOCK_Y), 0, s, area,
                             part == 1);
}
#endif

void hor_visc(std::int64_t nx, std::int64_t ny, std::int64_t nz, double kh, double ah,
              const double*, const double*, const double*, const double*, double*, double*) {
  const Sea s = sea(nx, ny, nz, kh, ah);
#if KNOB_FUSION == KNOB_FUSION_TILE
  const Int64 tiles_x = blocks_for(nx, KNOB_TILE_X), tiles_y = blocks_for(ny, KNOB_TILE_Y);
  ROOFTUNE_LAUNCH(hor_visc_tiles, tiles_x * tiles_y * blocks_for(nz, depth(nz)),
                  rooftune::CudaSize(KNOB_BLOCK_X, KNOB_BLOCK_Y), tile_bytes, s, tiles_x, tiles_y);
#elif KNOB_FUSION == KNOB_FUSION_MARCH
  const Int64 tiles_x = blocks_for(nx, written_x), groups = blocks_for(nz, depth(nz));
  ROOFTUNE_LAUNCH(hor_visc_march, tiles_x * blocks_for(ny, written_y) * groups,
                  rooftune::CudaSize(KNOB_BLOCK_X, KNOB_BLOCK_Y), 8 * march_planes * columns, s,
                  tiles_x, groups);
#else
  launch_stage<hor_visc_strains>("hor_visc_strains", s, {0, ny + 3, 0, nx + 3});
  launch_stage<hor_visc_laplacians>("hor_visc_laplacians", s, {1, ny + 3, 1, nx + 3});
  launch_stage<hor_visc_stresses>("hor_visc_stresses", s, {1, ny + 2, 1, nx + 2});
  launch_stage<hor_visc_accelerations>("hor_visc_accelerations", s, {2, ny + 2, 2, nx + 2});
#endif
}

void hor_visc_finish(std::int64_t nx, std::int64_t ny, std::int64_t nz, double, double,
                     const double*, const double*, const double*, const double*, double* du,
                     double* dv) {
  du_on_card.copy_out(du, nx * ny * nz);
  dv_on_card.copy_out(dv, nx * ny * nz);
}

#endif
