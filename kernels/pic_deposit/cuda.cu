// Charge and current deposition in CUDA: particles added to all nodes atomically, or tile by tile
// in shared memory first, particle by particle or cell by cell. The caller provides positions in
// cells, 0 <= x < nx and so on, and rho, jx, jy, jz of nz ny nx nodes, x fastest.
#include "cuda_deposit.h"

#if KNOB_SCATTER == KNOB_SCATTER_CELLS
#include "cuda_cells.h"
#endif

#if ROOFTUNE_HOST
#include "kept_order.h"
#endif

namespace pic_deposit_kernel {

/// Particles of one tile that a block takes at a time.
struct Part {
  int start[3];  ///< first nodes of the tile
  Int64 from, to;
};

/// Particles of a block in one step; KNOB_ITEMS neighbours of a thread.
constexpr Int64 at_once = Int64{KNOB_BLOCK} * KNOB_ITEMS;
constexpr int order = KNOB_FIXED_ORDER;
constexpr bool by_tiles = KNOB_SCATTER == KNOB_SCATTER_TILES;

/// Particles [from, to) dealt to the threads of `blocks` blocks.
template <class Target>
__device__ __forceinline__ void deal(const HintedParticles& p, Int64 from, Int64 to, Int64 block,
                                     Int64 blocks, const Target& target) {
  for (Int64 start = from + block * at_once; start < to; start += blocks * at_once) {
    const Int64 first = start + Int64{threadIdx.x} * KNOB_ITEMS, last = first + KNOB_ITEMS;
    deposit<order>(p, first, last < to ? last : to, target);
  }
}

/// Blocks walk over the parts; a part's sums lie in shared memory until all its particles are in.
__device__ __forceinline__ void deposit_parts(const HintedParticles& p, const Part* parts,
                                              Int64 count, const TileShape& local, const Box& box,
                                              const Nodes& nodes) {
  ROOFTUNE_DYNAMIC_SHARED(double, sums);
  const int numbers = local.size * moments, thread = static_cast<int>(threadIdx.x);
  for (Int64 which = blockIdx.x; which < count; which += gridDim.x) {
    const Part part = parts[which];
    const InTile<order> target{local, {part.start[0], part.start[1], part.start[2]}, sums};
    for (int n = thread; n < numbers; n += KNOB_BLOCK) sums[n] = 0;
    __syncthreads();
    deal(p, part.from, part.to, 0, 1, target);
    __syncthreads();
    // The numbers that a thread clears for the next part are those that it has given: no barrier.
    for (int n = thread; n < numbers; n += KNOB_BLOCK) {
      const double sum = sums[n];
      // Nodes beyond a shorter tile hold nothing.
      if (sum == 0) continue;
      const int node = KNOB_LOCAL == KNOB_LOCAL_TOGETHER ? n / moments : n % local.size;
      const int k = KNOB_LOCAL == KNOB_LOCAL_TOGETHER ? n % moments : n / local.size;
      atomicAdd(nodes.at(target.in_box(box, node), k), sum);
    }
  }
}

}  // namespace pic_deposit_kernel

/// Sums that atomic additions start from.
ROOFTUNE_KERNEL __launch_bounds__(256, 1)
    pic_clear(pic_deposit_kernel::Nodes nodes, rooftune::Int64 count) {
  using namespace pic_deposit_kernel;
  const Int64 n = Int64{blockIdx.x} * 256 + threadIdx.x;
  if (n >= count) return;
#pragma unroll
  for (int k = 0; k < moments; ++k) *nodes.at(n, k) = 0;
}

#if KNOB_SCATTER == KNOB_SCATTER_CELLS

/// Blocks walk over the parts.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    pic_cells(pic_deposit_kernel::CellParticles p, const pic_deposit_kernel::CellPart* parts,
              rooftune::Int64 count, pic_deposit_kernel::CellNodes local,
              pic_deposit_kernel::Box box, pic_deposit_kernel::Nodes nodes) {
  using namespace pic_deposit_kernel;
  ROOFTUNE_DYNAMIC_SHARED(double, sums);
  const int numbers = local.size * moments;
  for (int n = static_cast<int>(threadIdx.x); n < numbers; n += KNOB_BLOCK) sums[n] = 0;
  __syncthreads();
  for (Int64 which = blockIdx.x; which < count; which += gridDim.x) {
    const CellPart part = parts[which];
    deposit_cells(p, part, local, sums, sums + numbers);
    __syncthreads();
    give_rows(local, part, box, nodes, sums);
    __syncthreads();
  }
}

#else

/// `parts`, their `count` and `local` are for tiles.
ROOFTUNE_KERNEL __launch_bounds__(KNOB_BLOCK, KNOB_MIN_BLOCKS)
    pic_particles(pic_deposit_kernel::HintedParticles p, const pic_deposit_kernel::Part* parts,
                  rooftune::Int64 count, pic_deposit_kernel::TileShape local,
                  pic_deposit_kernel::Box box, pic_deposit_kernel::Nodes nodes) {
  using namespace pic_deposit_kernel;
  if constexpr (by_tiles)
    deposit_parts(p, parts, count, local, box, nodes);
  else
    deal(p, 0, p.p.count, blockIdx.x, gridDim.x, InBox<order>{box, nodes});
}

#endif

#if KNOB_NODES == KNOB_NODES_TOGETHER
/// The four numbers of every node to the arrays of the result.
ROOFTUNE_KERNEL __launch_bounds__(256, 1)
    pic_separate(const double* sums, rooftune::Int64 count, double* rho, double* jx, double* jy,
                 double* jz) {
  const rooftune::Int64 n = rooftune::Int64{blockIdx.x} * 256 + threadIdx.x;
  if (n >= count) return;
  const double2* const four = reinterpret_cast<const double2*>(sums) + 2 * n;
  rho[n] = four[0].x;
  jx[n] = four[0].y;
  jy[n] = four[1].x;
  jz[n] = four[1].y;
}
#endif

#if ROOFTUNE_HOST

using namespace pic_deposit_kernel;

constexpr bool together = KNOB_NODES == KNOB_NODES_TOGETHER;

static KeptOrder kept;
static rooftune::DeviceBuffer<double> grids_on_card[moments], sums_on_card;
static Int64 parts;

#if KNOB_SCATTER == KNOB_SCATTER_CELLS

static rooftune::DeviceBuffer<double> records_on_card;
static rooftune::DeviceBuffer<Int64> begin_on_card;
static rooftune::DeviceBuffer<CellPart> parts_on_card;

/// Cells of the tiles in parts of at most KNOB_PART particles, or one cell with more.
static void deal_cells(const Tiling& t) {
  const auto begin = [&](Int64 cell) { return kept.begin[static_cast<std::size_t>(cell)]; };
  std::vector<CellPart> all;
  for (Int64 tile = 0; tile < t.count(); ++tile) {
    const Int64 key = t.first_key(tile), end = t.first_key(tile + 1);
    const auto first = [](const Axis& axis, Int64 n) { return static_cast<int>(axis.from(n)); };
    CellPart part{key,
                  {first(t.x, tile % t.x.count), first(t.y, tile / t.x.count % t.y.count),
                   first(t.z, tile / t.x.count / t.y.count)},
                  0,
                  0};
    for (Int64 cell = key; cell < end; ++cell) {
      const bool is_full = KNOB_PART > 0 && cell + 1 < end &&
                           begin(cell + 2) - begin(key + part.from) > Int64{KNOB_PART};
      if (!is_full && cell + 1 < end) continue;
      part.to = static_cast<int>(cell + 1 - key);
      if (begin(cell + 1) > begin(key + part.from)) all.push_back(part);
      part.from = part.to;
    }
  }
  parts = static_cast<Int64>(all.size());
  parts_on_card.copy_in(all.data(), parts);
}

static void bring_particles(const Box& box, const Particles& from) {
  std::vector<double> records(static_cast<std::size_t>((from.count + turn_records) * record));
  kept.order<order>(box, from, [&](Int64 n, Int64 to) {
    double* mine = records.data() + to * record;
    for (const int q : {at_x, at_y, at_z, at_w, at_vx, at_vy, at_vz}) *mine++ = from(q, n);
  });
  records_on_card.copy_in(records.data(), static_cast<Int64>(records.size()));
  deal_cells(tiling<order>(box.nx, box.ny, box.nz));
  kept.begin.push_back(from.count);
  begin_on_card.copy_in(kept.begin.data(), static_cast<Int64>(kept.begin.size()));
}

#else

static rooftune::DeviceBuffer<double> particles_on_card[quantity_count];
static rooftune::DeviceBuffer<Part> parts_on_card;

/// Tiles with their particles, those with many in parts, so that full tiles keep nobody waiting.
static void deal_tiles(const TileNodes& nodes) {
  std::vector<Part> all;
  const std::vector<Int64>& begin = kept.tile_begin;
  for (std::size_t tile = 0; tile + 1 < begin.size(); ++tile) {
    const auto which = static_cast<Int64>(tile);
    const auto start = [](Int64 node) { return static_cast<int>(node); };
    const Int64 to = begin[tile + 1], step = KNOB_PART > 0 ? Int64{KNOB_PART} : to;
    for (Int64 from = begin[tile]; from < to; from += step)
      all.push_back({{start(nodes.x(which)), start(nodes.y(which)), start(nodes.z(which))},
                     from,
                     from + step < to ? from + step : to});
  }
  parts = static_cast<Int64>(all.size());
  parts_on_card.copy_in(all.data(), parts);
}

static void bring_particles(const Box& box, const Particles& from) {
  constexpr bool sorts = KNOB_SORT != KNOB_SORT_NONE;
  if (sorts) kept.sort<order>(box, from);
  for (int q = 0; q < quantity_count; ++q)
    particles_on_card[q].copy_in(sorts ? kept.of[q].data() : from.of[q], from.count);
  if (by_tiles) deal_tiles(tile_nodes<order>(box));
}

static HintedParticles particles(Int64 count) {
  HintedParticles result{{{}, count}};
  for (int q = 0; q < quantity_count; ++q) result.p.of[q] = particles_on_card[q].data();
  return result;
}

#endif

static Nodes nodes() {
  Nodes result{};
  for (int k = 0; k < moments; ++k)
    result.of[k] = together ? sums_on_card.data() : grids_on_card[k].data();
  return result;
}

void pic_deposit_prepare(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t count,
                         std::int64_t, const double* x, const double* y, const double* z,
                         const double* vx, const double* vy, const double* vz, const double* w,
                         double*, double*, double*, double*) {
  const Box box{nx, ny, nz};
  bring_particles(box, {{x, y, z, vx, vy, vz, w}, count});
  for (auto& grid : grids_on_card) grid.reserve(box.nodes());
  if (together) sums_on_card.reserve(moments * box.nodes());
}

/// Blocks for so many, or as many as the card holds.
template <auto Kernel>
static Int64 walking_blocks(const char* name, Int64 blocks, Int64 bytes) {
  if (!KNOB_PERSISTENT) return blocks;
  const Int64 resident = rooftune::persistent_blocks<Kernel>(name, KNOB_BLOCK, bytes);
  return resident < blocks ? resident : blocks;
}

void pic_deposit(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t count,
                 std::int64_t, const double*, const double*, const double*, const double*,
                 const double*, const double*, const double*, double*, double*, double*, double*) {
  const Box box{nx, ny, nz};
  const Int64 few = rooftune::blocks_for(box.nodes(), 256);
  ROOFTUNE_LAUNCH(pic_clear, few, 256, 0, nodes(), box.nodes());
#if KNOB_SCATTER == KNOB_SCATTER_CELLS
  const CellNodes local = cell_nodes(tiling<order>(nx, ny, nz));
  const Int64 bytes = Int64{sizeof(double)} * (moments * local.size + teams * ring_numbers),
              blocks = walking_blocks<pic_cells>("pic_cells", parts, bytes);
  if (blocks > 0)
    ROOFTUNE_LAUNCH(pic_cells, blocks, KNOB_BLOCK, bytes,
                    CellParticles{records_on_card.data(), begin_on_card.data()},
                    parts_on_card.data(), parts, local, box, nodes());
#else
  const TileNodes whole = tile_nodes<order>(box);
  const TileShape local{static_cast<int>(whole.row), static_cast<int>(whole.plane),
                        static_cast<int>(whole.size)};
  const Int64 bytes = by_tiles ? Int64{sizeof(double)} * moments * local.size : 0,
              blocks = walking_blocks<pic_particles>(
                  "pic_particles", by_tiles ? parts : rooftune::blocks_for(count, at_once), bytes);
  if (blocks > 0)
    ROOFTUNE_LAUNCH(pic_particles, blocks, KNOB_BLOCK, bytes, particles(count),
                    parts_on_card.data(), parts, local, box, nodes());
#endif
#if KNOB_NODES == KNOB_NODES_TOGETHER
  ROOFTUNE_LAUNCH(pic_separate, few, 256, 0, sums_on_card.data(), box.nodes(),
                  grids_on_card[0].data(), grids_on_card[1].data(), grids_on_card[2].data(),
                  grids_on_card[3].data());
#endif
}

void pic_deposit_finish(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t,
                        std::int64_t, const double*, const double*, const double*, const double*,
                        const double*, const double*, const double*, double* rho, double* jx,
                        double* jy, double* jz) {
  double* const to[moments] = {rho, jx, jy, jz};
  for (int k = 0; k < moments; ++k) grids_on_card[k].copy_out(to[k], nx * ny * nz);
}

#endif
