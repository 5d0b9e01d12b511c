// SNAP energies and forces in CUDA: a launch per stage over atoms, bonds, elements or terms, or all
// stages of an atom, or of 32 atoms, in one block with their arrays in shared memory.
// The caller provides bonds as in openmp.cpp and calls snap_prepare again when inputs change.
#include "cuda_knobs.h"
#if KNOB_FUSION == KNOB_FUSION_STAGES
#include "cuda_stages.h"
#elif KNOB_FUSION == KNOB_FUSION_GROUPS
#include "cuda_groups.h"
#else
#include "cuda_atoms.h"
#endif

/// A thread per atom: its forces from the slopes of bonds, or zeros to which bonds add.
ROOFTUNE_KERNEL __launch_bounds__(snap_kernel::force_threads)
    snap_forces(const snap_kernel::Model m) {
  using namespace snap_kernel;
  const Int64 atom = Int64{blockIdx.x} * force_threads + threadIdx.x;
  if (atom >= m.atoms) return;
  if constexpr (atomic_forces)
    for (int c = 0; c < 3; ++c) m.force[3 * atom + c] = 0;
  else
    gather_forces(m, atom);
}

#if ROOFTUNE_HOST
#include "cuda_launches.h"

static snap_kernel::Launches launches;

void snap_prepare(std::int64_t atoms, std::int64_t pairs, std::int64_t max_neighbours,
                  std::int64_t twojmax, std::int64_t, double cutoff, const double* beta,
                  const std::int32_t* first, const std::int32_t* neighbour,
                  const std::int32_t* mirror, const double* displacement, double*, double*) {
  rooftune::cuda->prefer_shared(KNOB_CARVEOUT);
  launches.tables(static_cast<int>(twojmax), beta);
  launches.bonds(atoms, pairs, first, neighbour, mirror, displacement);
  launches.fields(max_neighbours, cutoff);
}

void snap(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, double,
          const double*, const std::int32_t*, const std::int32_t*, const std::int32_t*,
          const double*, double*, double*) {
  launches.run();
}

void snap_finish(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, double,
                 const double*, const std::int32_t*, const std::int32_t*, const std::int32_t*,
                 const double*, double* force, double* energy) {
  launches.finish(force, energy);
}
#endif
