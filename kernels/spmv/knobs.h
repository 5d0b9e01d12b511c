// The compile-time knobs of spmv, with what a person writes first as defaults.
// The build defines KNOB_<NAME>, and KNOB_<NAME>_<WORD> for every word of a knob that is text.
#pragma once

#ifndef KNOB_FORMAT
#define KNOB_FORMAT_CSR 0
#define KNOB_FORMAT_BCSR 1
#define KNOB_FORMAT_SELL 2
#define KNOB_FORMAT_TILES 3
#define KNOB_FORMAT KNOB_FORMAT_CSR
#endif
#ifndef KNOB_SPLIT
#define KNOB_SPLIT_ROWS 0
#define KNOB_SPLIT_NONZEROS 1
#define KNOB_SPLIT_MERGE 2
#define KNOB_SPLIT KNOB_SPLIT_ROWS
#endif
#ifndef KNOB_REORDER
#define KNOB_REORDER_NONE 0
#define KNOB_REORDER_RCM 1
#define KNOB_REORDER_DEGREE 2
#define KNOB_REORDER KNOB_REORDER_NONE
#endif
#ifndef KNOB_GATHER
#define KNOB_GATHER_LOADS 0
#define KNOB_GATHER_INSTRUCTION 1
#define KNOB_GATHER KNOB_GATHER_LOADS
#endif
#ifndef KNOB_PREFETCH_HINT
#define KNOB_PREFETCH_HINT_T0 0
#define KNOB_PREFETCH_HINT_NTA 1
#define KNOB_PREFETCH_HINT KNOB_PREFETCH_HINT_T0
#endif
#ifndef KNOB_FIRST_TOUCH
#define KNOB_FIRST_TOUCH_SERIAL 0
#define KNOB_FIRST_TOUCH_OWNER 1
#define KNOB_FIRST_TOUCH KNOB_FIRST_TOUCH_SERIAL
#endif
#ifndef KNOB_INDEX_BITS
#define KNOB_INDEX_BITS 32
#endif
#ifndef KNOB_VALUE_BITS
#define KNOB_VALUE_BITS 64
#endif
#ifndef KNOB_HALF
#define KNOB_HALF 0
#endif
#ifndef KNOB_BAND_COLUMNS
#define KNOB_BAND_COLUMNS 0
#endif
#ifndef KNOB_TILE_LANES
#define KNOB_TILE_LANES 4
#endif
#ifndef KNOB_TILE_STEPS
#define KNOB_TILE_STEPS 16
#endif
#ifndef KNOB_SIMD_WIDTH
#define KNOB_SIMD_WIDTH 1
#endif
#ifndef KNOB_UNROLL
#define KNOB_UNROLL 1
#endif
#ifndef KNOB_PREFETCH
#define KNOB_PREFETCH 0
#endif
#ifndef KNOB_PREFETCH_X
#define KNOB_PREFETCH_X 0
#endif
#ifndef KNOB_NT_STORE
#define KNOB_NT_STORE 0
#endif
#ifndef KNOB_BLOCK_ROWS
#define KNOB_BLOCK_ROWS 2
#endif
#ifndef KNOB_BLOCK_COLS
#define KNOB_BLOCK_COLS 2
#endif
#ifndef KNOB_CHUNK_ROWS
#define KNOB_CHUNK_ROWS 8
#endif
#ifndef KNOB_CHUNK_LANES
#define KNOB_CHUNK_LANES 4
#endif
#ifndef KNOB_SORT_ROWS
#define KNOB_SORT_ROWS 1
#endif
#ifndef KNOB_LONG_ROWS
#define KNOB_LONG_ROWS 0
#endif
#ifndef KNOB_LAYOUT_HUGE_PAGES
#define KNOB_LAYOUT_HUGE_PAGES 0
#endif

namespace spmv_kernel {

// What is built here from the caller's rows; without any of it the caller's arrays serve as they
// are.
constexpr bool has_layout = KNOB_FORMAT != KNOB_FORMAT_CSR || KNOB_INDEX_BITS != 32 ||
                            KNOB_VALUE_BITS != 64 || KNOB_HALF || KNOB_BAND_COLUMNS > 0 ||
                            KNOB_REORDER != KNOB_REORDER_NONE || KNOB_LAYOUT_HUGE_PAGES ||
                            KNOB_FIRST_TOUCH != KNOB_FIRST_TOUCH_SERIAL;
constexpr int unroll = KNOB_UNROLL;
constexpr int index_bits = KNOB_INDEX_BITS;

/// Entries of one row that are multiplied together; long rows beside chunks use the chunks'
/// vectors.
constexpr int row_width = KNOB_FORMAT == KNOB_FORMAT_SELL ? KNOB_CHUNK_LANES : KNOB_SIMD_WIDTH;

/// What a layout keeps of a value: all of it, or its single precision where that is all of it.
#if KNOB_VALUE_BITS == 32
using Stored = float;
#else
using Stored = double;
#endif

}  // namespace spmv_kernel
