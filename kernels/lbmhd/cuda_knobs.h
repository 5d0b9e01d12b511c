// The knobs of cuda.cu: what holds where none is set, and the constants that follow from them.
// With none set: two lattices of separate arrays, pull, a thread per site with all 72 numbers in
// registers, every direction written out.
#pragma once

#ifndef KNOB_STREAMING
#define KNOB_STREAMING_PULL 0
#define KNOB_STREAMING_PUSH 1
#define KNOB_STREAMING_EXCHANGE 2
#define KNOB_STREAMING KNOB_STREAMING_PULL
#endif
#ifndef KNOB_LAYOUT
#define KNOB_LAYOUT_SOA 0
#define KNOB_LAYOUT_AOSOA 1
#define KNOB_LAYOUT_AOS 2
#define KNOB_LAYOUT KNOB_LAYOUT_SOA
#endif
#ifndef KNOB_PAD
#define KNOB_PAD 0
#endif
#ifndef KNOB_PITCH
#define KNOB_PITCH 1
#endif
#ifndef KNOB_COLLISION
#define KNOB_COLLISION_UNROLLED 0
#define KNOB_COLLISION_PAIRS 1
#define KNOB_COLLISION KNOB_COLLISION_UNROLLED
#endif
#ifndef KNOB_HOLD
#define KNOB_HOLD_REGISTERS 0
#define KNOB_HOLD_SHARED 1
#define KNOB_HOLD_ASYNC 2
#define KNOB_HOLD_RELOAD 3
#define KNOB_HOLD KNOB_HOLD_REGISTERS
#endif
#ifndef KNOB_FISSION
#define KNOB_FISSION_NONE 0
#define KNOB_FISSION_MOMENTS 1
#define KNOB_FISSION_FIELDS 2
#define KNOB_FISSION KNOB_FISSION_NONE
#endif
#ifndef KNOB_MOMENTS
#define KNOB_MOMENTS_EVERY 0
#define KNOB_MOMENTS_LAST 1
#define KNOB_MOMENTS_FINISH 2
#define KNOB_MOMENTS KNOB_MOMENTS_EVERY
#endif
#ifndef KNOB_BLOCK_X
#define KNOB_BLOCK_X 64
#endif
#ifndef KNOB_BLOCK_Y
#define KNOB_BLOCK_Y 1
#endif
#ifndef KNOB_BLOCK_Z
#define KNOB_BLOCK_Z 1
#endif
#ifndef KNOB_MIN_BLOCKS
#define KNOB_MIN_BLOCKS 1
#endif
#ifndef KNOB_VECTOR
#define KNOB_VECTOR 1
#endif
#ifndef KNOB_ITEMS
#define KNOB_ITEMS 1
#endif
#ifndef KNOB_ORDER
#define KNOB_ORDER_XYZ 0
#define KNOB_ORDER_XZY 1
#define KNOB_ORDER KNOB_ORDER_XYZ
#endif
#ifndef KNOB_PERSISTENT
#define KNOB_PERSISTENT 0
#endif
#ifndef KNOB_INDEX
#define KNOB_INDEX 64
#endif
#ifndef KNOB_LOADS
#define KNOB_LOADS_PLAIN 0
#define KNOB_LOADS_READ_ONLY 1
#define KNOB_LOADS_STREAMING 2
#define KNOB_LOADS KNOB_LOADS_PLAIN
#endif
#ifndef KNOB_STORES
#define KNOB_STORES_PLAIN 0
#define KNOB_STORES_STREAMING 1
#define KNOB_STORES KNOB_STORES_PLAIN
#endif

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
