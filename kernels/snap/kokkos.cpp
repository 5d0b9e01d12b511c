// SNAP energies and forces with Kokkos: an item per atom, a launch per stage over atoms and bonds
// or atoms and elements, or a team per atom with its arrays in scratch memory. The caller provides
// bonds as in openmp.cpp and calls snap_prepare first.
#include "rooftune/kokkos.h"

#include <cmath>

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
