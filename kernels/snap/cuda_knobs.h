// The knobs of cuda.cu, and what follows from them.
#pragma once

#include "recipe.h"
#include "rooftune/gpu.h"

#if KNOB_FIXED_TWOJMAX > 0 || KNOB_FUSION == KNOB_FUSION_GROUPS
// Rows of known length are unrolled whole: a thread then has them in registers.
#define SNAP_ROW_UNROLL 16
#endif

#include "stages.h"

namespace snap_kernel {

using rooftune::Int32;
using rooftune::Int64;

constexpr bool interleaved = KNOB_COMPLEX_PARTS == KNOB_COMPLEX_PARTS_INTERLEAVED;
constexpr bool stages_apart = KNOB_FUSION == KNOB_FUSION_STAGES;
constexpr bool stores_du = stages_apart && KNOB_STORE_DU && !rotates;
constexpr bool owner_sums = stages_apart && KNOB_U_SUM == KNOB_U_SUM_OWNER;
constexpr bool stores_u = stages_apart && (KNOB_STORE_U || owner_sums);
constexpr bool atomic_forces = KNOB_FORCES == KNOB_FORCES_ATOMIC;
/// Threads that share the row of one bond, an element each; 1: a thread has the whole row.
constexpr int row_lanes = KNOB_ROW_LANES;
/// Several threads add to the U of one atom.
constexpr bool shares_u = KNOB_OVER == KNOB_OVER_BONDS || !stages_apart;
constexpr int by_atoms = KNOB_Y_OVER_ATOMS, by_elements = KNOB_Y_OVER_ELEMENTS;
constexpr int y_over = KNOB_Y_OVER;
/// Threads of a block that gathers forces: few atoms for so many multiprocessors.
constexpr int force_threads = KNOB_BLOCK < 64 ? KNOB_BLOCK : 64;

}  // namespace snap_kernel
