// The knobs of cuda.cu, and what follows from them.
#pragma once
#include "rooftune/portable.h"

namespace mhd {

constexpr int threads = KNOB_BLOCK_X * KNOB_BLOCK_Y * KNOB_BLOCK_Z;
constexpr int sites_together = KNOB_VECTOR;  ///< of a thread, along x
constexpr bool in_place = KNOB_STREAMING == KNOB_STREAMING_EXCHANGE;
constexpr bool by_pairs = KNOB_COLLISION == KNOB_COLLISION_PAIRS;
constexpr bool whole = KNOB_FISSION == KNOB_FISSION_NONE;  ///< a step is one launch
constexpr bool through_shared =
    by_pairs && whole && (KNOB_HOLD == KNOB_HOLD_SHARED || KNOB_HOLD == KNOB_HOLD_ASYNC);
constexpr int column_bytes = through_shared ? 72 * 8 * sites_together * threads : 0;

#if KNOB_INDEX == 32
using Index = rooftune::Int32;  ///< of an element of a lattice
#else
using Index = rooftune::Int64;
#endif

}  // namespace mhd
