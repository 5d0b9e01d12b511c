// Lattice Boltzmann magnetohydrodynamics with Kokkos: with every knob at its default, a range over
// all sites, two lattices of separate arrays. The state lives in lattices on the device between
// lbmhd_prepare and lbmhd_finish.
#include "rooftune/kokkos.h"

#include <Kokkos_Core.hpp>

#include "body.h"

namespace mhd {

constexpr bool in_place = KNOB_STREAMING == KNOB_STREAMING_EXCHANGE;
using Space = rooftune::ExecutionSpace;

/// The periodic box and where its cells are.
struct Grid {
  Int64 nx, ny, nz, component;

  ROOFTUNE_FUNCTION Int64 sites() const { return nx * ny * nz; }
  ROOFTUNE_FUNCTION Int64 cell(int k, Int64 site) const {
    return KNOB_LAYOUT == KNOB_LAYOUT_LEFT ? k * component + site : site * components + k;
  }
};

ROOFTUNE_FUNCTION Int64 next(Int64 i, int by, Int64 n) {
  const Int64 j = i + by;
  return j < 0 ? j + n : j >= n ? j - n : j;
}

/// What one step reads and writes: from x - c_i, to x; in place by turns exactly the cells that
/// were read, then locally (Bailey et al., ICPP 2009).
enum class Turn { pull, exchange, local };

template <Turn Way>
struct Cells {
  const double* from;
  double* to;
  Grid grid;
  Int64 x, y, z;

  template <int I>
  ROOFTUNE_FUNCTION Int64 site() const {
    constexpr int away = Way == Turn::local ? 0 : -1;
    return (next(z, away * c(I, 2), grid.nz) * grid.ny + next(y, away * c(I, 1), grid.ny)) *
               grid.nx +
           next(x, away * c(I, 0), grid.nx);
  }
  template <int K>
  ROOFTUNE_FUNCTION double get() const {
    constexpr int number = Way == Turn::local ? opposite_component(K) : K;
    return from[grid.cell(number, site<velocity_of(K)>())];
  }
  template <int K>
  ROOFTUNE_FUNCTION void put(double value) const {
    constexpr int back = opposite_component(K);
    if constexpr (Way == Turn::exchange)
      to[grid.cell(back, site<velocity_of(back)>())] = value;
    else
      to[grid.cell(K, (z * grid.ny + y) * grid.nx + x)] = value;
  }
};

/// One step of one site, for any policy.
template <Turn Way>
struct Step {
  const double* from;
  double* to;
  Grid grid;
  Rates rates;
  double *density, *momentum, *magnetic;  ///< null when not wanted

  ROOFTUNE_FUNCTION void at(Int64 x, Int64 y, Int64 z) const {
    const Moments<double> m = collide<double>(Cells<Way>{from, to, grid, x, y, z}, rates);
    if (density == nullptr) return;
    const Int64 s = (z * grid.ny + y) * grid.nx + x, n = grid.sites();
    density[s] = m.density;
    for (int a = 0; a < 3; ++a) momentum[a * n + s] = m.momentum[a];
    for (int a = 0; a < 3; ++a) magnetic[a * n + s] = m.magnetic[a];
  }

  ROOFTUNE_FUNCTION void operator()(Int64 s) const {
    at(s % grid.nx, s / grid.nx % grid.ny, s / grid.nx / grid.ny);
  }
  ROOFTUNE_FUNCTION void operator()(Int64 x, Int64 y, Int64 z) const { at(x, y, z); }

  /// A team per row.
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  KOKKOS_INLINE_FUNCTION void operator()(const Member& team) const {
    const Int64 row = team.league_rank();
    const Int64 vectors = (grid.nx + KNOB_VECTOR_LENGTH - 1) / KNOB_VECTOR_LENGTH;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, vectors), [&](const Int64& v) {
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, KNOB_VECTOR_LENGTH), [&](const int& i) {
        const Int64 x = v * KNOB_VECTOR_LENGTH + i;
        if (x < grid.nx) at(x, row % grid.ny, row / grid.ny);
      });
    });
  }
};

template <Turn Way>
static void launch(const Step<Way>& step) {
  const Grid& g = step.grid;
  if constexpr (KNOB_POLICY == KNOB_POLICY_MDRANGE) {
    // x is the first index, and to be the fastest on every space.
    using Policy =
        Kokkos::MDRangePolicy<Space, Kokkos::IndexType<Int64>,
                              Kokkos::Rank<3, Kokkos::Iterate::Left, Kokkos::Iterate::Left>>;
    Kokkos::parallel_for(
        "lbmhd",
        Policy({{0, 0, 0}}, {{g.nx, g.ny, g.nz}}, {{KNOB_TILE_X, KNOB_TILE_Y, KNOB_TILE_Z}}), step);
  } else if constexpr (KNOB_POLICY == KNOB_POLICY_TEAM) {
    Kokkos::parallel_for("lbmhd",
                         Kokkos::TeamPolicy<Space>(static_cast<int>(g.ny * g.nz), KNOB_TEAM_SIZE,
                                                   KNOB_VECTOR_LENGTH),
                         step);
  } else {
    Kokkos::RangePolicy<Space, Kokkos::IndexType<Int64>> policy(0, g.sites());
    if (KNOB_CHUNK > 0) policy.set_chunk_size(KNOB_CHUNK);
    Kokkos::parallel_for("lbmhd", policy, step);
  }
}

struct State {
  Grid grid;
  double *now, *spare;
  bool exchanged;  ///< f_i of x is number opposite(i) at x + c_i
};

static State state;
static double *first_memory, *second_memory;
static Int64 reserved;
static rooftune::DeviceArray<double> f_array, g_array, density_array, momentum_array,
    magnetic_array;

/// One lattice or two; freed by the end of the process, as Kokkos is not finalised.
static void reserve(Int64 count) {
  if (count <= reserved) return;
  const auto allocate = [count](double*& memory) {
    if (memory) Kokkos::kokkos_free<rooftune::DeviceSpace>(memory);
    memory = static_cast<double*>(Kokkos::kokkos_malloc<rooftune::DeviceSpace>(
        static_cast<std::size_t>(count) * sizeof(double)));
  };
  allocate(first_memory);
  if (!in_place) allocate(second_memory);
  reserved = count;
}

/// Between the caller's arrays and the lattice, whatever form it has.
struct Copy {
  double *f, *g, *lattice;
  Grid grid;
  bool exchanged, out;

  ROOFTUNE_FUNCTION void operator()(Int64 i) const {
    const Int64 n = grid.sites(), s = i % n;
    const int k = static_cast<int>(i / n), v = velocity_of(k);
    const Int64 x = s % grid.nx, y = s / grid.nx % grid.ny, z = s / grid.nx / grid.ny;
    const Int64 there =
        (next(z, c(v, 2), grid.nz) * grid.ny + next(y, c(v, 1), grid.ny)) * grid.nx +
        next(x, c(v, 0), grid.nx);
    double& cell = lattice[exchanged ? grid.cell(opposite_component(k), there) : grid.cell(k, s)];
    double& element = k < velocities ? f[i] : g[i - velocities * n];
    if (out)
      element = cell;
    else
      cell = element;
  }
};

static void copy(bool out) {
  Kokkos::parallel_for(
      "lbmhd copy",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<Int64>>(0, components * state.grid.sites()),
      Copy{f_array.data(), g_array.data(), state.now, state.grid, state.exchanged, out});
  Kokkos::fence();
}

template <Turn Way>
static void step_once(double* to, const Rates& r, bool wanted) {
  launch(Step<Way>{state.now, to, state.grid, r, wanted ? density_array.data() : nullptr,
                   momentum_array.data(), magnetic_array.data()});
}

}  // namespace mhd

void lbmhd_prepare(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t, double, double,
                   double* f, double* g, double* density, double* momentum, double* magnetic) {
  using namespace mhd;
  const Int64 sites = nx * ny * nz;
  f_array.copy_in(f, velocities * sites);
  g_array.copy_in(g, 3 * magnetic_velocities * sites);
  density_array.copy_in(density, sites);
  momentum_array.copy_in(momentum, 3 * sites);
  magnetic_array.copy_in(magnetic, 3 * sites);
  const Grid grid = {nx, ny, nz, sites + KNOB_PAD};
  reserve(components * grid.component);
  state = {grid, first_memory, second_memory, false};
  copy(false);
}

void lbmhd(std::int64_t, std::int64_t, std::int64_t, std::int64_t steps, double omega,
           double omega_m, double*, double*, double*, double*, double*) {
  using namespace mhd;
  const Rates r = {1 - omega, omega, 1 - omega_m, omega_m};
  for (std::int64_t step = 0; step < steps; ++step) {
    const bool wanted = KNOB_MOMENTS == KNOB_MOMENTS_EVERY || step == steps - 1;
    if constexpr (!in_place) {
      step_once<Turn::pull>(state.spare, r, wanted);
      double* const old = state.now;
      state.now = state.spare;
      state.spare = old;
    } else {
      if (state.exchanged)
        step_once<Turn::local>(state.now, r, wanted);
      else
        step_once<Turn::exchange>(state.now, r, wanted);
      state.exchanged = !state.exchanged;
    }
  }
  Kokkos::fence();
}

void lbmhd_finish(std::int64_t, std::int64_t, std::int64_t, std::int64_t, double, double, double*,
                  double*, double*, double*, double*) {
  using namespace mhd;
  copy(true);
  f_array.copy_out();
  g_array.copy_out();
  density_array.copy_out();
  momentum_array.copy_out();
  magnetic_array.copy_out();
}
