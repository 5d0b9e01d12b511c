// The compile-time knobs of gpp, with what a person writes first as defaults.
// The build defines KNOB_<NAME>, and KNOB_<NAME>_<WORD> for every word of a knob that is text.
#pragma once

#ifndef KNOB_FORMULA
#define KNOB_FORMULA_LITERATURE 0
#define KNOB_FORMULA_FRACTIONS 1
#define KNOB_FORMULA KNOB_FORMULA_LITERATURE
#endif
#ifndef KNOB_ORDER
#define KNOB_ORDER_N_G_I 0
#define KNOB_ORDER_G_N_I 1
#define KNOB_ORDER_G_I_N 2
#define KNOB_ORDER_I_G_N 3
#define KNOB_ORDER KNOB_ORDER_N_G_I
#endif
#ifndef KNOB_ENERGIES
#define KNOB_ENERGIES_INSIDE 0
#define KNOB_ENERGIES_BETWEEN 1
#define KNOB_ENERGIES_OUTSIDE 2
#define KNOB_ENERGIES_UNROLLED 3
#define KNOB_ENERGIES KNOB_ENERGIES_INSIDE
#endif
#ifndef KNOB_HOIST
#define KNOB_HOIST_NONE 0
#define KNOB_HOIST_SUMS 1
#define KNOB_HOIST_STORED 2
#define KNOB_HOIST KNOB_HOIST_NONE
#endif
#ifndef KNOB_DIVISION
#define KNOB_DIVISION_COMPLEX 0
#define KNOB_DIVISION_REAL 1
#define KNOB_DIVISION_RECIPROCAL 2
#define KNOB_DIVISION_NEWTON 3
#define KNOB_DIVISION KNOB_DIVISION_COMPLEX
#endif
#ifndef KNOB_WEIGHT
#define KNOB_WEIGHT_COMPUTED 0
#define KNOB_WEIGHT_STORED 1
#define KNOB_WEIGHT KNOB_WEIGHT_COMPUTED
#endif
#ifndef KNOB_INVERSION
#define KNOB_INVERSION_DIVIDE 0
#define KNOB_INVERSION_NEWTON 1
#define KNOB_INVERSION KNOB_INVERSION_DIVIDE
#endif
#ifndef KNOB_MAGNITUDE
#define KNOB_MAGNITUDE_ABS 0
#define KNOB_MAGNITUDE_SQUARE 1
#define KNOB_MAGNITUDE KNOB_MAGNITUDE_ABS
#endif
#ifndef KNOB_CONDITIONAL
#define KNOB_CONDITIONAL_BRANCH 0
#define KNOB_CONDITIONAL_MASK 1
#define KNOB_CONDITIONAL KNOB_CONDITIONAL_BRANCH
#endif
#ifndef KNOB_UNOCCUPIED
#define KNOB_UNOCCUPIED_COMPUTE 0
#define KNOB_UNOCCUPIED_SKIP 1
#define KNOB_UNOCCUPIED KNOB_UNOCCUPIED_COMPUTE
#endif
#ifndef KNOB_LAYOUT
#define KNOB_LAYOUT_INTERLEAVED 0
#define KNOB_LAYOUT_SPLIT 1
#define KNOB_LAYOUT_TILED 2
#define KNOB_LAYOUT KNOB_LAYOUT_INTERLEAVED
#endif
#ifndef KNOB_WX_ORDER
#define KNOB_WX_ORDER_W_N 0
#define KNOB_WX_ORDER_N_W 1
#define KNOB_WX_ORDER KNOB_WX_ORDER_W_N
#endif
#ifndef KNOB_REDUCTION
#define KNOB_REDUCTION_CLAUSE 0
#define KNOB_REDUCTION_ATOMIC 1
#define KNOB_REDUCTION_SLOTS 2
#define KNOB_REDUCTION KNOB_REDUCTION_CLAUSE
#endif
#ifndef KNOB_COLLAPSE
#define KNOB_COLLAPSE 1
#endif
#ifndef KNOB_ENERGY_BLOCK
#define KNOB_ENERGY_BLOCK 2
#endif
#ifndef KNOB_BAND_BLOCK
#define KNOB_BAND_BLOCK 1
#endif
#ifndef KNOB_BATCH
#define KNOB_BATCH 1
#endif
#ifndef KNOB_UNROLL
#define KNOB_UNROLL 1
#endif
#ifndef KNOB_SIMD_WIDTH
#define KNOB_SIMD_WIDTH 0
#endif
#ifndef KNOB_BLOCK_N
#define KNOB_BLOCK_N 0
#endif
#ifndef KNOB_BLOCK_G
#define KNOB_BLOCK_G 0
#endif
#ifndef KNOB_BLOCK_I
#define KNOB_BLOCK_I 0
#endif
#ifndef KNOB_PAD
#define KNOB_PAD 0
#endif
#ifndef KNOB_PREFETCH
#define KNOB_PREFETCH 0
#endif
#ifndef KNOB_LAYOUT_HUGE_PAGES
#define KNOB_LAYOUT_HUGE_PAGES 0
#endif

#include "rooftune/vector.h"

namespace sigma_gpp {

constexpr int width = KNOB_SIMD_WIDTH > 0 ? KNOB_SIMD_WIDTH : 1;
constexpr int unroll = KNOB_UNROLL;
constexpr int stride = width * unroll;  ///< G vectors per step
constexpr bool fractions = KNOB_FORMULA == KNOB_FORMULA_FRACTIONS;
constexpr bool own_layout = KNOB_LAYOUT != KNOB_LAYOUT_INTERLEAVED;
constexpr bool bands_inside = KNOB_ORDER == KNOB_ORDER_G_I_N || KNOB_ORDER == KNOB_ORDER_I_G_N;
/// Energies worked on together; 0: all of them in a loop that the compiler does not know.
constexpr int energy_block = fractions || KNOB_ENERGIES == KNOB_ENERGIES_UNROLLED
                                 ? KNOB_ENERGY_BLOCK
                             : KNOB_ENERGIES == KNOB_ENERGIES_INSIDE ? 0
                                                                     : 1;
/// Whether products of the fields are read from arrays, and whether reciprocals are iterated.
constexpr bool stored =
    fractions ? KNOB_WEIGHT == KNOB_WEIGHT_STORED : KNOB_HOIST == KNOB_HOIST_STORED;
constexpr bool newton =
    fractions ? KNOB_INVERSION == KNOB_INVERSION_NEWTON : KNOB_DIVISION == KNOB_DIVISION_NEWTON;
constexpr int most_energies = 64;

using V = rooftune::Vector<width>;

}  // namespace sigma_gpp
