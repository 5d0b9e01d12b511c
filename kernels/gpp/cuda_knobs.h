// The knobs of cuda.cu, and what follows from them.
#pragma once

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
