// The knobs of openmp.cpp, and what follows from them.
#pragma once

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
