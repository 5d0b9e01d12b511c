// Lattice Boltzmann magnetohydrodynamics for OpenMP: with every knob at its default, planes shared
// among threads, two lattices of separate arrays, one site after the other. The state lives in
// lattices of the variant's own between lbmhd_prepare and lbmhd_finish.
#include <omp.h>

#include <cstdint>

#include "memory.h"
#include "rooftune/kept.h"
#include "state.h"
#include "wavefront.h"

namespace mhd {

constexpr bool pushes = KNOB_STREAMING == KNOB_STREAMING_PUSH;
constexpr bool two_lattices = pushes || KNOB_STREAMING == KNOB_STREAMING_PULL;
constexpr bool in_pairs = KNOB_STREAMING == KNOB_STREAMING_WAVEFRONT;

struct Lattices {
  Memory first_memory, second_memory;
  State state;
  Lattice spare;  ///< of two lattices the one that the next step writes
};
static rooftune::Kept<Lattices> kept;

static void step_once(const MomentArrays& moments, const Rates& r) {
  if constexpr (two_lattices) {
    if constexpr (pushes)
      step<Push>(kept->state.lattice, kept->spare, moments, r);
    else
      step<Pull>(kept->state.lattice, kept->spare, moments, r);
    const Lattice old = kept->state.lattice;
    kept->state.lattice = kept->spare;
    kept->spare = old;
  } else if (kept->state.form == Form::plain) {
    step<Exchange>(kept->state.lattice, kept->state.lattice, moments, r);
    kept->state.form = Form::exchanged;
  } else {
    step<Local>(kept->state.lattice, kept->state.lattice, moments, r);
    kept->state.form = Form::plain;
  }
}

static void run(Int64 steps, const MomentArrays& wanted, const Rates& r) {
  const auto moments_of = [&](Int64 step) {
    return KNOB_MOMENTS == KNOB_MOMENTS_EVERY ||
                   (KNOB_MOMENTS == KNOB_MOMENTS_LAST && step == steps - 1)
               ? wanted
               : MomentArrays{};
  };
  for (Int64 step = 0; step < steps;) {
    if constexpr (in_pairs)
      if (kept->state.form == Form::plain && step + 2 <= steps) {
        wavefront::two_steps(kept->state.lattice, moments_of(step), moments_of(step + 1), r);
        step += 2;
        continue;
      }
    step_once(moments_of(step), r);
    ++step;
  }
}

}  // namespace mhd

void lbmhd_prepare(std::int64_t nx, std::int64_t ny, std::int64_t nz, std::int64_t, double, double,
                   double* f, double* g, double*, double*, double*) {
  using namespace mhd;
  const Lattice shape = lattice_of(nx, ny, nz, KNOB_PAD);
  kept->state = {kept->first_memory.reserve(shape), pushes ? Form::streamed : Form::plain};
  if (two_lattices) kept->spare = kept->second_memory.reserve(shape);
  bring_in(kept->state, f, g);
}

void lbmhd(std::int64_t, std::int64_t, std::int64_t, std::int64_t steps, double omega,
           double omega_m, double*, double*, double* density, double* momentum, double* magnetic) {
  mhd::run(steps, {density, momentum, magnetic}, {1 - omega, omega, 1 - omega_m, omega_m});
}

void lbmhd_finish(std::int64_t, std::int64_t, std::int64_t, std::int64_t, double, double, double* f,
                  double* g, double* density, double* momentum, double* magnetic) {
  using namespace mhd;
  bring_out(kept->state, f, g);
  if (KNOB_MOMENTS == KNOB_MOMENTS_FINISH)
    find_moments(kept->state.lattice, f, g, {density, momentum, magnetic});
}
