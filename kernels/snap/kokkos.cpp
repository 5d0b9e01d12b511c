// SNAP energies and forces with Kokkos: an item per atom, a launch per stage over atoms and bonds
// or atoms and elements, or a team per atom with its arrays in scratch memory. The caller provides
// bonds as in openmp.cpp and calls snap_prepare first.
#include "rooftune/kokkos.h"

#include <cmath>

#include "rooftune/kokkos_knobs.h"

#ifndef KNOB_POLICY
#define KNOB_POLICY_RANGE 0
#define KNOB_POLICY_MDRANGE 1
#define KNOB_POLICY_TEAM 2
#define KNOB_POLICY KNOB_POLICY_RANGE
#endif
#ifndef KNOB_LAYOUT
#define KNOB_LAYOUT_RIGHT 0
#define KNOB_LAYOUT_LEFT 1
#define KNOB_LAYOUT KNOB_LAYOUT_RIGHT
#endif
#ifndef KNOB_ITERATE
#define KNOB_ITERATE_RIGHT 0
#define KNOB_ITERATE_LEFT 1
#define KNOB_ITERATE KNOB_ITERATE_RIGHT
#endif
#ifndef KNOB_TILE_ATOMS
#define KNOB_TILE_ATOMS 0
#endif
#ifndef KNOB_TILE_BONDS
#define KNOB_TILE_BONDS 4
#endif
#ifndef KNOB_SCRATCH_LEVEL
#define KNOB_SCRATCH_LEVEL 1
#endif

#include "launches.h"

using namespace snap_kernel;

static Launches launches;

void snap_prepare(std::int64_t atoms, std::int64_t pairs, std::int64_t max_neighbours,
                  std::int64_t twojmax, std::int64_t, double, const double* beta,
                  const std::int32_t* first, const std::int32_t* neighbour,
                  const std::int32_t* mirror, const double* displacement, double* force,
                  double* energy) {
  launches.prepare(atoms, pairs, max_neighbours, static_cast<int>(twojmax), beta, first, neighbour,
                   mirror, displacement, force, energy);
}

void snap(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, double cutoff,
          const double* beta, const std::int32_t*, const std::int32_t*, const std::int32_t*,
          const double*, double*, double*) {
  launches.run(cutoff, beta[0]);
}

void snap_finish(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, double,
                 const double*, const std::int32_t*, const std::int32_t*, const std::int32_t*,
                 const double*, double*, double*) {
  launches.finish();
}
