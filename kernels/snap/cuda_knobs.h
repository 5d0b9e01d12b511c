// The compile-time knobs of snap on a GPU, with what a person writes first as defaults: a thread
// per atom, stage by stage. The build defines KNOB_<NAME>, and KNOB_<NAME>_<WORD> for every word of
// a knob that is text.
#pragma once

#ifndef KNOB_FUSION
#define KNOB_FUSION_STAGES 0
#define KNOB_FUSION_ATOM 1
#define KNOB_FUSION KNOB_FUSION_STAGES
#endif
#ifndef KNOB_OVER
#define KNOB_OVER_ATOMS 0
#define KNOB_OVER_BONDS 1
#define KNOB_OVER KNOB_OVER_ATOMS
#endif
#ifndef KNOB_Y_OVER
#define KNOB_Y_OVER_ATOMS 0
#define KNOB_Y_OVER_ELEMENTS 1
#define KNOB_Y_OVER_TERMS 2
#define KNOB_Y_OVER KNOB_Y_OVER_ATOMS
#endif
#ifndef KNOB_FASTEST
#define KNOB_FASTEST_OTHERS 0
#define KNOB_FASTEST_ATOMS 1
#define KNOB_FASTEST KNOB_FASTEST_OTHERS
#endif
#ifndef KNOB_LAYOUT
#define KNOB_LAYOUT_ATOM_SLOW 0
#define KNOB_LAYOUT_ATOM_FASTEST 1
#define KNOB_LAYOUT_BLOCKS 2
#define KNOB_LAYOUT KNOB_LAYOUT_ATOM_SLOW
#endif
#ifndef KNOB_U_SUM
#define KNOB_U_SUM_ATOMICS 0
#define KNOB_U_SUM_OWNER 1
#define KNOB_U_SUM KNOB_U_SUM_ATOMICS
#endif
#ifndef KNOB_FORCES
#define KNOB_FORCES_OWNER 0
#define KNOB_FORCES_ATOMIC 1
#define KNOB_FORCES KNOB_FORCES_OWNER
#endif
#ifndef KNOB_BLOCK
#define KNOB_BLOCK 128
#endif
#ifndef KNOB_MIN_BLOCKS
#define KNOB_MIN_BLOCKS 1
#endif
#ifndef KNOB_BLOCK_ATOMS
#define KNOB_BLOCK_ATOMS 1
#endif
#ifndef KNOB_LAYOUT_ATOMS
#define KNOB_LAYOUT_ATOMS 32
#endif
#ifndef KNOB_ROW_LANES
#define KNOB_ROW_LANES 1
#endif
#ifndef KNOB_STORE_U
#define KNOB_STORE_U 0
#endif
#ifndef KNOB_PERSISTENT
#define KNOB_PERSISTENT 0
#endif

#include "recipe.h"
#include "rooftune/cuda.h"
#include "stages.h"

namespace snap_kernel {

using rooftune::Int32;
using rooftune::Int64;

constexpr unsigned all_lanes = 0xffffffffu;
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

}  // namespace snap_kernel
