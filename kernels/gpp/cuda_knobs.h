// The knobs of cuda.cu: what holds where none is set, and the constants that follow from them.
// With none set: a thread per cell, everything in the cell, complex divisions (v1 of the slides).
#pragma once

#ifndef KNOB_FORMULA
#define KNOB_FORMULA_LITERATURE 0
#define KNOB_FORMULA_FRACTIONS 1
#define KNOB_FORMULA KNOB_FORMULA_LITERATURE
#endif
#ifndef KNOB_BLOCK_X
#define KNOB_BLOCK_X 128
#endif
#ifndef KNOB_BLOCK_Y
#define KNOB_BLOCK_Y 1
#endif
#ifndef KNOB_MIN_BLOCKS
#define KNOB_MIN_BLOCKS 1
#endif
#ifndef KNOB_BLOCK_N
#define KNOB_BLOCK_N 1
#endif
#ifndef KNOB_PAIRS_I
#define KNOB_PAIRS_I 1
#endif
#ifndef KNOB_PAIRS_G
#define KNOB_PAIRS_G 1
#endif
#ifndef KNOB_UNROLL
#define KNOB_UNROLL 1
#endif
#ifndef KNOB_ENERGY_BLOCK
#define KNOB_ENERGY_BLOCK 2
#endif
#ifndef KNOB_ENERGIES
#define KNOB_ENERGIES_GRID 0
#define KNOB_ENERGIES_LAUNCHES 1
#define KNOB_ENERGIES KNOB_ENERGIES_GRID
#endif
#ifndef KNOB_CONDITIONAL
#define KNOB_CONDITIONAL_BRANCH 0
#define KNOB_CONDITIONAL_MASK 1
#define KNOB_CONDITIONAL KNOB_CONDITIONAL_BRANCH
#endif
#ifndef KNOB_HOIST
#define KNOB_HOIST_NONE 0
#define KNOB_HOIST_SUMS 1
#define KNOB_HOIST KNOB_HOIST_NONE
#endif
#ifndef KNOB_DIVISION
#define KNOB_DIVISION_COMPLEX 0
#define KNOB_DIVISION_REAL 1
#define KNOB_DIVISION_RECIPROCAL 2
#define KNOB_DIVISION KNOB_DIVISION_COMPLEX
#endif
#ifndef KNOB_REFINE
#define KNOB_REFINE_EXACT 0
#define KNOB_REFINE_NEWTON 1
#define KNOB_REFINE_HALLEY 2
#define KNOB_REFINE KNOB_REFINE_EXACT
#endif
#ifndef KNOB_BATCH
#define KNOB_BATCH 1
#endif
#ifndef KNOB_MAGNITUDE
#define KNOB_MAGNITUDE_ABS 0
#define KNOB_MAGNITUDE_SQUARE 1
#define KNOB_MAGNITUDE KNOB_MAGNITUDE_ABS
#endif
#ifndef KNOB_UNOCCUPIED
#define KNOB_UNOCCUPIED_COMPUTE 0
#define KNOB_UNOCCUPIED_SKIP 1
#define KNOB_UNOCCUPIED KNOB_UNOCCUPIED_COMPUTE
#endif
#ifndef KNOB_WX_ORDER
#define KNOB_WX_ORDER_W_N 0
#define KNOB_WX_ORDER_N_W 1
#define KNOB_WX_ORDER KNOB_WX_ORDER_W_N
#endif
#ifndef KNOB_LAYOUT
#define KNOB_LAYOUT_INTERLEAVED 0
#define KNOB_LAYOUT_SPLIT 1
#define KNOB_LAYOUT KNOB_LAYOUT_INTERLEAVED
#endif
#ifndef KNOB_LOADS
#define KNOB_LOADS_PLAIN 0
#define KNOB_LOADS_READ_ONLY 1
#define KNOB_LOADS_STREAMING 2
#define KNOB_LOADS KNOB_LOADS_PLAIN
#endif
#ifndef KNOB_STAGE
#define KNOB_STAGE_NONE 0
#define KNOB_STAGE_SCALARS 1
#define KNOB_STAGE_ALL 2
#define KNOB_STAGE KNOB_STAGE_NONE
#endif
#ifndef KNOB_TILE_N
#define KNOB_TILE_N 8
#endif
#ifndef KNOB_BUFFERS
#define KNOB_BUFFERS 1
#endif
#ifndef KNOB_RASTER
#define KNOB_RASTER_I_G_N 0
#define KNOB_RASTER_G_I_N 1
#define KNOB_RASTER_G_N_I 2
#define KNOB_RASTER_N_I_G 3
#define KNOB_RASTER KNOB_RASTER_I_G_N
#endif
#ifndef KNOB_PERSISTENT
#define KNOB_PERSISTENT 0
#endif
#ifndef KNOB_REDUCTION
#define KNOB_REDUCTION_SECOND 0
#define KNOB_REDUCTION_LAST 1
#define KNOB_REDUCTION_ATOMIC 2
#define KNOB_REDUCTION_WARPS 3
#define KNOB_REDUCTION KNOB_REDUCTION_SECOND
#endif
#ifndef KNOB_KEEP_IN_L2
#define KNOB_KEEP_IN_L2 0
#endif

namespace sigma_gpp {

constexpr bool by_fractions = KNOB_FORMULA == KNOB_FORMULA_FRACTIONS;
constexpr bool split = KNOB_LAYOUT == KNOB_LAYOUT_SPLIT;
constexpr bool staged = KNOB_STAGE != KNOB_STAGE_NONE;
constexpr bool all_staged = KNOB_STAGE == KNOB_STAGE_ALL;
constexpr bool atomic_sums =
    KNOB_REDUCTION == KNOB_REDUCTION_ATOMIC || KNOB_REDUCTION == KNOB_REDUCTION_WARPS;

constexpr int unroll = KNOB_UNROLL;  ///< bands per iteration
constexpr int threads = KNOB_BLOCK_X * KNOB_BLOCK_Y;
constexpr int energies = KNOB_ENERGY_BLOCK;     ///< worked on together in registers
constexpr int numbers = 4 * energies;           ///< Re, Im of asx and of ach for each
constexpr int pairs_i = KNOB_PAIRS_I;           ///< G of a thread, a block apart
constexpr int pairs_g = KNOB_PAIRS_G;           ///< G' of a thread
constexpr int pairs = pairs_i * pairs_g;        ///< (G', G) of a thread
constexpr int tile_i = KNOB_BLOCK_X * pairs_i;  ///< G of a block
constexpr int tile_g = KNOB_BLOCK_Y * pairs_g;  ///< G' of a block

}  // namespace sigma_gpp
