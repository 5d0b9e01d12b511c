// Lattice Boltzmann magnetohydrodynamics in CUDA: a thread per site or pair of sites. The state
// lives in lattices on the card between lbmhd_prepare and lbmhd_finish. The caller provides what
// kernel.json describes.
#include "cuda_step.h"

/// One launch of a step: `way` from the lattice `from` to `to`.
#define LBMHD_KERNEL(name, way, part)                                                \
  ROOFTUNE_KERNEL __launch_bounds__(mhd::threads, KNOB_MIN_BLOCKS)                   \
      name(const double* from, double* to, mhd::Grid grid, mhd::Rates rates,         \
           mhd::MomentArrays arrays) {                                               \
    mhd::step_block<mhd::Turn::way, mhd::Part::part>(from, to, grid, rates, arrays); \
  }

#if KNOB_STREAMING == KNOB_STREAMING_PULL
#define LBMHD_WAY pull
#elif KNOB_STREAMING == KNOB_STREAMING_PUSH
#define LBMHD_WAY push
#else
#define LBMHD_WAY exchange
#endif

#if KNOB_FISSION == KNOB_FISSION_NONE
LBMHD_KERNEL(lbmhd_step, LBMHD_WAY, all)
#if KNOB_STREAMING == KNOB_STREAMING_EXCHANGE
LBMHD_KERNEL(lbmhd_step_local, local, all)
#endif
#else
LBMHD_KERNEL(lbmhd_moments, LBMHD_WAY, moments)
#if KNOB_FISSION == KNOB_FISSION_MOMENTS
LBMHD_KERNEL(lbmhd_relax, LBMHD_WAY, relax)
#else
LBMHD_KERNEL(lbmhd_relax_f, LBMHD_WAY, relax_f)
LBMHD_KERNEL(lbmhd_relax_g, LBMHD_WAY, relax_g)
#endif
#if KNOB_STREAMING == KNOB_STREAMING_EXCHANGE
LBMHD_KERNEL(lbmhd_moments_local, local, moments)
#if KNOB_FISSION == KNOB_FISSION_MOMENTS
LBMHD_KERNEL(lbmhd_relax_local, local, relax)
#else
LBMHD_KERNEL(lbmhd_relax_f_local, local, relax_f)
LBMHD_KERNEL(lbmhd_relax_g_local, local, relax_g)
#endif
#endif
#endif

namespace mhd {

/// Where f_i of site x is: number i at x; number i at x + c_i; number opposite(i) at x + c_i.
enum class Form : int { plain, streamed, exchanged };

}  // namespace mhd

/// Between arrays in the caller's order, [72][sites], and a lattice: a row of blocks per number.
ROOFTUNE_KERNEL __launch_bounds__(256, 1)
    lbmhd_copy(double* f, double* g, double* lattice, mhd::Grid grid, mhd::Form form, bool out) {
  using namespace mhd;
  const int k = static_cast<int>(blockIdx.y), i = velocity_of(k);
  const Int64 sites = grid.sites();
  for (unsigned m = blockIdx.x * 256 + threadIdx.x; m < sites; m += gridDim.x * 256) {
    const int s = static_cast<int>(m), row = s / grid.nx;
    const int x = s % grid.nx, y = row % grid.ny, z = row / grid.ny;
    const Int64 n = k * sites + s;
    const bool moved = form != Form::plain;
    const Index there =
        moved ? grid.site(wrapped(x + c(i, 0), grid.nx), wrapped(y + c(i, 1), grid.ny),
                          wrapped(z + c(i, 2), grid.nz))
              : grid.site(x, y, z);
    double& cell = lattice[grid.cell(form == Form::exchanged ? opposite_component(k) : k, there)];
    double& element = k < velocities ? f[n] : g[n - velocities * sites];
    if (out)
      element = cell;
    else
      cell = element;
  }
}

#if KNOB_MOMENTS == KNOB_MOMENTS_FINISH

/// Of populations in the caller's order: a collision conserves them.
ROOFTUNE_KERNEL __launch_bounds__(256, 1)
    lbmhd_find(const double* f, const double* g, rooftune::Int64 sites, mhd::MomentArrays arrays) {
  using namespace mhd;
  for (Int64 s = blockIdx.x * Int64{256} + threadIdx.x; s < sites; s += Int64{gridDim.x} * 256) {
    double sums[7] = {};
    for (int i = 0; i < velocities; ++i) {
      const double value = f[i * sites + s];
      sums[0] += value;
      for (int a = 0; a < 3; ++a) sums[1 + a] += c(i, a) * value;
    }
    for (int k = 0; k < 3 * magnetic_velocities; ++k) sums[4 + k % 3] += g[k * sites + s];
    arrays.density[s] = sums[0];
    for (int a = 0; a < 3; ++a) {
      arrays.momentum[a * sites + s] = sums[1 + a];
      arrays.magnetic[a * sites + s] = sums[4 + a];
    }
  }
}

#endif

#if ROOFTUNE_HOST

namespace mhd {

static rooftune::DeviceBuffer<double> lattice_memory[2], f_on_card, g_on_card, density_on_card,
    momentum_on_card, magnetic_on_card;

/// The lattices between calls.
static struct State {
  Grid grid;
  double *now, *spare;
  Form form;
} state;

static MomentArrays moment_arrays() {
  return {density_on_card.data(), momentum_on_card.data(), magnetic_on_card.data()};
}

static void copy(bool out) {
  const Int64 blocks = rooftune::blocks_for(state.grid.sites(), 256);
  ROOFTUNE_LAUNCH(lbmhd_copy, rooftune::CudaSize(blocks < 1024 ? blocks : 1024, components), 256, 0,
                  f_on_card.data(), g_on_card.data(), state.now, state.grid, state.form, out);
}

#define LBMHD_LAUNCH(kernel)                                                                     \
  do {                                                                                           \
    Int64 count = blocks;                                                                        \
    if (KNOB_PERSISTENT) {                                                                       \
      const Int64 resident = ROOFTUNE_PERSISTENT_BLOCKS(kernel, threads, column_bytes);          \
      if (resident < count) count = resident;                                                    \
    }                                                                                            \
    ROOFTUNE_LAUNCH(kernel, count, rooftune::CudaSize(KNOB_BLOCK_X, KNOB_BLOCK_Y, KNOB_BLOCK_Z), \
                    column_bytes, state.now, to, state.grid, r, arrays);                         \
  } while (false)

static void launch(double* to, const Rates& r, const MomentArrays& arrays) {
  const Grid& g = state.grid;
  const Int64 blocks = rooftune::blocks_for(g.nx, KNOB_BLOCK_X * sites_together) *
                       rooftune::blocks_for(g.ny, KNOB_BLOCK_Y) *
                       rooftune::blocks_for(g.nz, KNOB_BLOCK_Z * KNOB_ITEMS);
#if KNOB_STREAMING == KNOB_STREAMING_EXCHANGE
  if (state.form == Form::exchanged) {
#if KNOB_FISSION == KNOB_FISSION_NONE
    LBMHD_LAUNCH(lbmhd_step_local);
#else
    LBMHD_LAUNCH(lbmhd_moments_local);
#if KNOB_FISSION == KNOB_FISSION_MOMENTS
    LBMHD_LAUNCH(lbmhd_relax_local);
#else
    LBMHD_LAUNCH(lbmhd_relax_f_local);
    LBMHD_LAUNCH(lbmhd_relax_g_local);
#endif
#endif
    return;
  }
#endif
#if KNOB_FISSION == KNOB_FISSION_NONE
  LBMHD_LAUNCH(lbmhd_step);
#else
  LBMHD_LAUNCH(lbmhd_moments);
#if KNOB_FISSION == KNOB_FISSION_MOMENTS
  LBMHD_LAUNCH(lbmhd_relax);
#else
  LBMHD_LAUNCH(lbmhd_relax_f);
  LBMHD_LAUNCH(lbmhd_relax_g);
#endif
#endif
}

static void step_once(const Rates& r, bool wanted) {
  MomentArrays arrays = moment_arrays();
  // Parts of a step hand the moments to each other.
  if (whole && !wanted) arrays.density = nullptr;
  launch(in_place ? state.now : state.spare, r, arrays);
  if (in_place) {
    state.form = state.form == Form::plain ? Form::exchanged : Form::plain;
  } else {
    double* const old = state.now;
    state.now = state.spare;
    state.spare = old;
  }
}

}  // namespace mhd

void lbmhd_prepare(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t, double, double,
                   double* f, double* g, double*, double*, double*) {
  using namespace mhd;
  const Int64 sites = nx * ny * nz, pitch = rooftune::blocks_for(nx, KNOB_PITCH) * KNOB_PITCH;
  f_on_card.copy_in(f, velocities * sites);
  g_on_card.copy_in(g, 3 * magnetic_velocities * sites);
  density_on_card.reserve(sites);
  momentum_on_card.reserve(3 * sites);
  magnetic_on_card.reserve(3 * sites);
  const Grid grid = {static_cast<int>(nx), static_cast<int>(ny), static_cast<int>(nz),
                     static_cast<Index>(pitch), static_cast<Index>(pitch * ny * nz + KNOB_PAD)};
  double* const first = lattice_memory[0].reserve(grid.elements());
  state = {grid, first, in_place ? first : lattice_memory[1].reserve(grid.elements()),
           KNOB_STREAMING == KNOB_STREAMING_PUSH ? Form::streamed : Form::plain};
  copy(false);
}

void lbmhd(std::int64_t, std::int64_t, std::int64_t, std::int64_t steps, double omega,
           double omega_m, double*, double*, double*, double*, double*) {
  const mhd::Rates r = {1 - omega, omega, 1 - omega_m, omega_m};
  for (std::int64_t step = 0; step < steps; ++step)
    mhd::step_once(r, KNOB_MOMENTS == KNOB_MOMENTS_EVERY ||
                          (KNOB_MOMENTS == KNOB_MOMENTS_LAST && step == steps - 1));
}

void lbmhd_finish(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t, double, double,
                  double* f, double* g, double* density, double* momentum, double* magnetic) {
  using namespace mhd;
  const Int64 sites = nx * ny * nz;
  copy(true);
#if KNOB_MOMENTS == KNOB_MOMENTS_FINISH
  const Int64 blocks = rooftune::blocks_for(sites, 256);
  ROOFTUNE_LAUNCH(lbmhd_find, blocks < 65536 ? blocks : 65536, 256, 0, f_on_card.data(),
                  g_on_card.data(), sites, moment_arrays());
#endif
  f_on_card.copy_out(f, velocities * sites);
  g_on_card.copy_out(g, 3 * magnetic_velocities * sites);
  density_on_card.copy_out(density, sites);
  momentum_on_card.copy_out(momentum, 3 * sites);
  magnetic_on_card.copy_out(magnetic, 3 * sites);
}

#endif
