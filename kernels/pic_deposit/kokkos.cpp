// Charge and current deposition with Kokkos: particles over atomic additions or what a ScatterView
// makes of them, or teams that each gather a tile in scratch memory. The caller provides positions
// in cells, 0 <= x < nx and so on, and rho, jx, jy, jz of nz ny nx nodes, x fastest.
#include "rooftune/kokkos.h"

#include <Kokkos_ScatterView.hpp>

#include "kept_order.h"

using namespace pic_deposit_kernel;
using rooftune::ExecutionSpace;
using rooftune::Int64;

constexpr bool together = KNOB_NODES == KNOB_NODES_TOGETHER;

/// Where the moments of the nodes lie: four arrays, or side by side.
struct Nodes {
  double* start;
  Int64 count;
  KOKKOS_INLINE_FUNCTION Int64 at(Int64 node, int m) const {
    return together ? node * moments + m : m * count + node;
  }
};

/// Calls add(node, moment, value) for all that a particle gives to the nodes of the periodic box.
template <int Order, class Add>
KOKKOS_INLINE_FUNCTION void spread_in_box(const Particles& p, Int64 n, const Box& box,
                                          const Add& add) {
  const Gift<Order> gift(p, n);
  Int64 x[gift.s], y[gift.s], z[gift.s];
  periodic_offsets<Order>(box, gift.first, x, y, z);
  gift.spread(x, y, z, add);
}

static rooftune::DeviceArray<const double> particles_in[quantity_count];
static rooftune::DeviceArray<double> grids_out[moments];
static KeptOrder sorted;
static rooftune::DeviceArray<const Int64> begin_in;
static double* sums;  ///< of all nodes
static Int64 reserved;

static Particles particles(Int64 count) {
  Particles p{{}, count};
  for (int q = 0; q < quantity_count; ++q) p.of[q] = particles_in[q].data();
  return p;
}

static Nodes nodes(const Box& box) {
  if (box.nodes() > reserved) {
    if (sums) Kokkos::kokkos_free<rooftune::DeviceSpace>(sums);
    sums = static_cast<double*>(Kokkos::kokkos_malloc<rooftune::DeviceSpace>(
        static_cast<std::size_t>(box.nodes() * moments) * sizeof(double)));
    reserved = box.nodes();
  }
  return {sums, box.nodes()};
}

static auto range(Int64 count) {
  using Policy = Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Int64> >;
  Policy policy(0, count);
  if (KNOB_CHUNK > 0) policy.set_chunk_size(KNOB_CHUNK);
  return policy;
}

/// Particles one by one, added atomically to the nodes.
template <int Order>
static void deposit_atomically(const Particles& p, const Box& box, const Nodes& to) {
  Kokkos::parallel_for(
      range(p.count), KOKKOS_LAMBDA(const Int64 n) {
        spread_in_box<Order>(p, n, box, [&](Int64 node, int k, double value) {
          Kokkos::atomic_add(to.start + to.at(node, k), value);
        });
      });
}

/// Particles one by one into a ScatterView: copies per thread on a CPU, atomics on a GPU.
template <int Order>
static void deposit_view(const Particles& p, const Box& box, const Nodes& to) {
  using View =
      Kokkos::View<double*, rooftune::DeviceSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged> >;
  View view(to.start, static_cast<std::size_t>(to.count * moments));
  Kokkos::Experimental::ScatterView<double*, View::array_layout, ExecutionSpace> scatter(view);
  Kokkos::parallel_for(
      range(p.count), KOKKOS_LAMBDA(const Int64 n) {
        const auto access = scatter.access();
        spread_in_box<Order>(
            p, n, box, [&](Int64 node, int k, double value) { access(to.at(node, k)) += value; });
      });
  Kokkos::Experimental::contribute(view, scatter);
}

/// Particle n added to a tile's nodes in scratch memory, moments side by side.
template <int Order>
KOKKOS_INLINE_FUNCTION void take(const TileNodes& local, const Particles& p, Int64 tile, Int64 n,
                                 double* mine) {
  const Gift<Order> gift(p, n);
  Int64 x[gift.s], y[gift.s], z[gift.s];
  local.offsets<Order>(tile, gift.first, x, y, z);
  gift.spread(x, y, z, [&](Int64 node, int k, double value) {
    // Alone in its team, a thread shares the tile with nobody.
    if (KNOB_TEAM_SIZE == 1)
      mine[node * moments + k] += value;
    else
      Kokkos::atomic_add(mine + node * moments + k, value);
  });
}

/// A team for every tile: its nodes in scratch memory, then added to all.
template <int Order>
static void deposit_tiles(const Particles& p, const Box& box, const Nodes& to) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  const TileNodes local = tile_nodes<Order>(box);
  const Int64* const begin = begin_in.data();
  const Int64 numbers = local.size * moments;
  const int bytes = static_cast<int>(numbers * Int64{sizeof(double)});
  Policy policy(static_cast<int>(local.t.count()), KNOB_TEAM_SIZE);
  policy.set_scratch_size(KNOB_SCRATCH_LEVEL, Kokkos::PerTeam(bytes));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        double* const mine =
            static_cast<double*>(team.team_scratch(KNOB_SCRATCH_LEVEL).get_shmem(bytes));
        const Int64 tile = team.league_rank();
        const auto nodes = Kokkos::TeamThreadRange(team, numbers);
        Kokkos::parallel_for(nodes, [&](Int64 n) { mine[n] = 0; });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin[tile], begin[tile + 1]),
                             [&](Int64 n) { take<Order>(local, p, tile, n, mine); });
        team.team_barrier();
        // Nodes beyond a shorter tile hold nothing.
        Kokkos::parallel_for(nodes, [&](Int64 n) {
          if (mine[n] == 0) return;
          const Int64 node = local.in_box<Order>(box, tile, n / moments);
          Kokkos::atomic_add(to.start + to.at(node, static_cast<int>(n % moments)), mine[n]);
        });
      });
}

/// The caller's particles, put in order on the host where the application would keep them so.
template <int Order>
static void take_particles(const Box& box, const Particles& from) {
  if (KNOB_SORT == KNOB_SORT_NONE) {
    for (int q = 0; q < quantity_count; ++q) particles_in[q].copy_in(from.of[q], from.count);
    return;
  }
  sorted.sort<Order>(box, from);
  for (int q = 0; q < quantity_count; ++q) particles_in[q].copy_in(sorted.of[q].data(), from.count);
  begin_in.copy_in(sorted.tile_begin.data(), static_cast<Int64>(sorted.tile_begin.size()));
}

template <int Order>
static void deposit(const Particles& p, const Box& box, const Nodes& to) {
  Kokkos::parallel_for(
      range(to.count * moments), KOKKOS_LAMBDA(const Int64 n) { to.start[n] = 0; });
  if (KNOB_SCATTER == KNOB_SCATTER_TILES)
    deposit_tiles<Order>(p, box, to);
  else if (KNOB_SCATTER == KNOB_SCATTER_ATOMIC)
    deposit_atomically<Order>(p, box, to);
  else
    deposit_view<Order>(p, box, to);
}

void pic_deposit_prepare(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t count,
                         std::int64_t order, const double* x, const double* y, const double* z,
                         const double* vx, const double* vy, const double* vz, const double* w,
                         double* rho, double* jx, double* jy, double* jz) {
  const Box box{nx, ny, nz};
  const Particles from{{x, y, z, vx, vy, vz, w}, count};
  order == 1 ? take_particles<1>(box, from) : take_particles<2>(box, from);
  double* const grids[moments] = {rho, jx, jy, jz};
  for (int m = 0; m < moments; ++m) grids_out[m].copy_in(grids[m], box.nodes());
  nodes(box);
  Kokkos::fence();
}

void pic_deposit(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t count,
                 std::int64_t order, const double*, const double*, const double*, const double*,
                 const double*, const double*, const double*, double*, double*, double*, double*) {
  const Box box{nx, ny, nz};
  const Nodes to = nodes(box);
  order == 1 ? deposit<1>(particles(count), box, to) : deposit<2>(particles(count), box, to);
  double* const rho = grids_out[0].data();
  double* const jx = grids_out[1].data();
  double* const jy = grids_out[2].data();
  double* const jz = grids_out[3].data();
  Kokkos::parallel_for(
      range(box.nodes()), KOKKOS_LAMBDA(const Int64 n) {
        rho[n] = to.start[to.at(n, 0)];
        jx[n] = to.start[to.at(n, 1)];
        jy[n] = to.start[to.at(n, 2)];
        jz[n] = to.start[to.at(n, 3)];
      });
  Kokkos::fence();
}

void pic_deposit_finish(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                        const double*, const double*, const double*, const double*, const double*,
                        const double*, const double*, double*, double*, double*, double*) {
  for (auto& grid : grids_out) grid.copy_out();
}
