// Charge and current deposition with Kokkos: particles over atomic additions or what a ScatterView
// makes of them, or teams that each gather a tile in scratch memory. The caller provides positions
// in cells, 0 <= x < nx and so on, and rho, jx, jy, jz of nz ny nx nodes, x fastest.
#include "rooftune/kokkos.h"

#include <Kokkos_ScatterView.hpp>
#include <vector>

#include "tiling.h"

using namespace pic_deposit_kernel;
using rooftune::ExecutionSpace;
using rooftune::Int64;

constexpr int moments = 4;  ///< charge and three components of current
enum Quantity { at_x, at_y, at_z, at_vx, at_vy, at_vz, at_w, quantity_count };
constexpr bool together = KNOB_NODES == KNOB_NODES_TOGETHER;

/// Where the moments of the nodes lie: four arrays, or side by side.
struct Nodes {
  double* start;
  Int64 count;
  KOKKOS_INLINE_FUNCTION Int64 at(Int64 node, int m) const {
    return together ? node * moments + m : m * count + node;
  }
};

struct Particles {
  const double* of[quantity_count];
  Int64 count;
};

struct Box {
  Int64 nx, ny, nz;
  Int64 nodes() const { return nx * ny * nz; }
};

/// A particle's first nodes, counted from lowest<Order>, its shares along the axes, its moments.
template <int Order>
struct Gift {
  static constexpr int s = support<Order>;
  int32_t first[3];
  double w[3][s], m[moments];

  KOKKOS_INLINE_FUNCTION Gift(const Particles& p, Int64 n) {
    for (int axis = 0; axis < 3; ++axis) {
      const double x = p.of[axis][n];
      first[axis] = first_node<Order>(x);
      weights(distance(x, first[axis]), w[axis]);
    }
    m[0] = p.of[at_w][n];
    for (int k = 1; k < moments; ++k) m[k] = m[0] * p.of[at_vx + k - 1][n];
  }
  /// Calls add(node, moment, value) for all nodes x[a] + y[b] + z[c].
  template <class Add>
  KOKKOS_INLINE_FUNCTION void spread(const Int64 (&x)[s], const Int64 (&y)[s], const Int64 (&z)[s],
                                     const Add& add) const {
    for (int c = 0; c < s; ++c)
      for (int b = 0; b < s; ++b)
        for (int a = 0; a < s; ++a)
          for (int k = 0; k < moments; ++k)
            add(x[a] + y[b] + z[c], k, w[0][a] * (w[1][b] * w[2][c]) * m[k]);
  }
  /// The same for the nodes of the periodic box.
  template <class Add>
  KOKKOS_INLINE_FUNCTION void spread(const Box& box, const Add& add) const {
    Int64 x[s], y[s], z[s];
    for (int a = 0; a < s; ++a) {
      x[a] = wrapped(first[0] + a + lowest<Order>, box.nx);
      y[a] = wrapped(first[1] + a + lowest<Order>, box.ny) * box.nx;
      z[a] = wrapped(first[2] + a + lowest<Order>, box.nz) * box.ny * box.nx;
    }
    spread(x, y, z, add);
  }
};

static rooftune::DeviceArray<const double> particles_in[quantity_count];
static rooftune::DeviceArray<double> grids_out[moments];
static std::vector<double> sorted[quantity_count];
static std::vector<Int64> tile_begin;
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
        Gift<Order>(p, n).spread(box, [&](Int64 node, int k, double value) {
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
        Gift<Order>(p, n).spread(
            box, [&](Int64 node, int k, double value) { access(to.at(node, k)) += value; });
      });
  Kokkos::Experimental::contribute(view, scatter);
}

/// The nodes of a tile in scratch memory, moments side by side, as large as those of the largest.
struct TileNodes {
  Tiling t;
  Int64 row, plane, size;

  KOKKOS_INLINE_FUNCTION Int64 x(Int64 tile) const { return t.x.from(tile % t.x.count); }
  KOKKOS_INLINE_FUNCTION Int64 y(Int64 tile) const {
    return t.y.from(tile / t.x.count % t.y.count);
  }
  KOKKOS_INLINE_FUNCTION Int64 z(Int64 tile) const {
    return t.z.from(tile / t.x.count / t.y.count);
  }
  /// Element n of a tile's nodes, added to the node of the box that it is.
  template <int Order>
  KOKKOS_INLINE_FUNCTION void add_to(const Box& box, const Nodes& to, Int64 tile, Int64 n,
                                     double value) const {
    const Int64 node = n / moments;
    const Int64 ix = wrapped(x(tile) + node % row + lowest<Order>, box.nx),
                iy = wrapped(y(tile) + node % plane / row + lowest<Order>, box.ny),
                iz = wrapped(z(tile) + node / plane + lowest<Order>, box.nz);
    Kokkos::atomic_add(
        to.start + to.at((iz * box.ny + iy) * box.nx + ix, static_cast<int>(n % moments)), value);
  }
  /// Particle n added to a tile's nodes.
  template <int Order>
  KOKKOS_INLINE_FUNCTION void take(const Particles& p, Int64 tile, Int64 n, double* mine) const {
    const Gift<Order> gift(p, n);
    Int64 nx[gift.s], ny[gift.s], nz[gift.s];
    for (int a = 0; a < gift.s; ++a) {
      nx[a] = gift.first[0] + a - x(tile);
      ny[a] = (gift.first[1] + a - y(tile)) * row;
      nz[a] = (gift.first[2] + a - z(tile)) * plane;
    }
    gift.spread(nx, ny, nz, [&](Int64 node, int k, double value) {
      // Alone in its team, a thread shares the tile with nobody.
      if (KNOB_TEAM_SIZE == 1)
        mine[node * moments + k] += value;
      else
        Kokkos::atomic_add(mine + node * moments + k, value);
    });
  }
};

template <int Order>
static TileNodes tile_nodes(const Box& box) {
  const Tiling t = tiling<Order>(box.nx, box.ny, box.nz);
  const Int64 row = t.x.longest() + Order, plane = row * (t.y.longest() + Order);
  return {t, row, plane, plane * (t.z.longest() + Order) * moments};
}

/// A team for every tile: its nodes in scratch memory, then added to all.
template <int Order>
static void deposit_tiles(const Particles& p, const Box& box, const Nodes& to) {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  const TileNodes local = tile_nodes<Order>(box);
  const Int64* const begin = begin_in.data();
  const int bytes = static_cast<int>(local.size * Int64{sizeof(double)});
  Policy policy(static_cast<int>(local.t.count()), KNOB_TEAM_SIZE);
  policy.set_scratch_size(KNOB_SCRATCH_LEVEL, Kokkos::PerTeam(bytes));
  Kokkos::parallel_for(
      policy, KOKKOS_LAMBDA(const Policy::member_type& team) {
        double* const mine =
            static_cast<double*>(team.team_scratch(KNOB_SCRATCH_LEVEL).get_shmem(bytes));
        const Int64 tile = team.league_rank();
        const auto nodes = Kokkos::TeamThreadRange(team, local.size);
        Kokkos::parallel_for(nodes, [&](Int64 n) { mine[n] = 0; });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin[tile], begin[tile + 1]),
                             [&](Int64 n) { local.take<Order>(p, tile, n, mine); });
        team.team_barrier();
        // Nodes beyond a shorter tile hold nothing.
        Kokkos::parallel_for(nodes, [&](Int64 n) {
          if (mine[n] != 0) local.add_to<Order>(box, to, tile, n, mine[n]);
        });
      });
}

/// The caller's particles, put in order on the host where the application would keep them so.
template <int Order>
static void take_particles(const Box& box, Int64 count,
                           const double* const (&from)[quantity_count]) {
  if (KNOB_SORT == KNOB_SORT_NONE) {
    for (int q = 0; q < quantity_count; ++q) particles_in[q].copy_in(from[q], count);
    return;
  }
  const Tiling t = tiling<Order>(box.nx, box.ny, box.nz);
  std::vector<Int64> table(static_cast<std::size_t>(table_size(t)));
  const Keys key = keys(t, table.data());
  const auto key_of = [&](Int64 n) {
    return static_cast<std::size_t>(key(first_node<Order>(from[at_x][n]),
                                        first_node<Order>(from[at_y][n]),
                                        first_node<Order>(from[at_z][n])));
  };
  std::vector<Int64> next(static_cast<std::size_t>(t.keys() + 1));
  for (Int64 n = 0; n < count; ++n) ++next[key_of(n) + 1];
  for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
  tile_begin.resize(static_cast<std::size_t>(t.count() + 1));
  for (std::size_t tile = 0; tile < tile_begin.size(); ++tile)
    tile_begin[tile] = next[static_cast<std::size_t>(t.first_key(static_cast<Int64>(tile)))];
  for (auto& quantity : sorted) quantity.resize(static_cast<std::size_t>(count));
  for (Int64 n = 0; n < count; ++n) {
    const auto to = static_cast<std::size_t>(next[key_of(n)]++);
    for (int q = 0; q < quantity_count; ++q) sorted[q][to] = from[q][n];
  }
  for (int q = 0; q < quantity_count; ++q) particles_in[q].copy_in(sorted[q].data(), count);
  begin_in.copy_in(tile_begin.data(), t.count() + 1);
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
  const double* const from[quantity_count] = {x, y, z, vx, vy, vz, w};
  order == 1 ? take_particles<1>(box, count, from) : take_particles<2>(box, count, from);
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
