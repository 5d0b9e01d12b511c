// The compile-time knobs of spmv on a GPU, with what a person writes first as defaults: one thread
// per row. The build defines KNOB_<NAME>, and KNOB_<NAME>_<WORD> for every word of a knob that is
// text.
#pragma once

#ifndef KNOB_METHOD
#define KNOB_METHOD_ROWS 0
#define KNOB_METHOD_ADAPTIVE 1
#define KNOB_METHOD_MERGE 2
#define KNOB_METHOD_SELL 3
#define KNOB_METHOD_BCSR 4
#define KNOB_METHOD KNOB_METHOD_ROWS
#endif
#ifndef KNOB_FINISH
#define KNOB_FINISH_SECOND_LAUNCH 0
#define KNOB_FINISH_ATOMICS 1
#define KNOB_FINISH_LAST_BLOCK 2
#define KNOB_FINISH KNOB_FINISH_SECOND_LAUNCH
#endif
#ifndef KNOB_MATRIX_LOADS
#define KNOB_MATRIX_LOADS_PLAIN 0
#define KNOB_MATRIX_LOADS_READ_ONLY 1
#define KNOB_MATRIX_LOADS_STREAMING 2
#define KNOB_MATRIX_LOADS KNOB_MATRIX_LOADS_PLAIN
#endif
#ifndef KNOB_X_LOADS
#define KNOB_X_LOADS_PLAIN 0
#define KNOB_X_LOADS_READ_ONLY 1
#define KNOB_X_LOADS KNOB_X_LOADS_PLAIN
#endif
#ifndef KNOB_STORES
#define KNOB_STORES_PLAIN 0
#define KNOB_STORES_STREAMING 1
#define KNOB_STORES KNOB_STORES_PLAIN
#endif
#ifndef KNOB_REORDER
#define KNOB_REORDER_NONE 0
#define KNOB_REORDER_RCM 1
#define KNOB_REORDER_DEGREE 2
#define KNOB_REORDER KNOB_REORDER_NONE
#endif
#ifndef KNOB_BLOCK
#define KNOB_BLOCK 256
#endif
#ifndef KNOB_MIN_BLOCKS
#define KNOB_MIN_BLOCKS 1
#endif
#ifndef KNOB_PERSISTENT
#define KNOB_PERSISTENT 0
#endif
#ifndef KNOB_ROW_THREADS
#define KNOB_ROW_THREADS 1
#endif
#ifndef KNOB_UNROLL
#define KNOB_UNROLL 1
#endif
#ifndef KNOB_PAIRS
#define KNOB_PAIRS 0
#endif
#ifndef KNOB_INDEX_BITS
#define KNOB_INDEX_BITS 32
#endif
#ifndef KNOB_VALUE_BITS
#define KNOB_VALUE_BITS 64
#endif
#ifndef KNOB_KEEP_X
#define KNOB_KEEP_X 0
#endif
#ifndef KNOB_ITEMS
#define KNOB_ITEMS 8
#endif
#ifndef KNOB_FEW_ROWS
#define KNOB_FEW_ROWS 1
#endif
#ifndef KNOB_SHARE_ROWS
#define KNOB_SHARE_ROWS 0
#endif
#ifndef KNOB_PART_ENTRIES
#define KNOB_PART_ENTRIES 16384
#endif
#ifndef KNOB_CHUNK_ROWS
#define KNOB_CHUNK_ROWS 32
#endif
#ifndef KNOB_SORT_ROWS
#define KNOB_SORT_ROWS 1
#endif
#ifndef KNOB_LONG_ROWS
#define KNOB_LONG_ROWS 0
#endif
#ifndef KNOB_BLOCKED
#define KNOB_BLOCKED 0
#endif
#ifndef KNOB_BLOCK_ROWS
#define KNOB_BLOCK_ROWS 1
#endif
#ifndef KNOB_BLOCK_COLS
#define KNOB_BLOCK_COLS 1
#endif

/// Chunks of single entries leave out rows that are too long for them.
#define SPMV_LONG_ROWS_APART (KNOB_LONG_ROWS > 0 && !KNOB_BLOCKED)
