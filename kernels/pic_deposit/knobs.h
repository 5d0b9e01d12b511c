// What every knob of the OpenMP source is when nobody sets it: the plain form.
// The caller may define any of the macros before.
#pragma once

#ifndef KNOB_SCATTER
#define KNOB_SCATTER_PRIVATE 0
#define KNOB_SCATTER_ATOMIC 1
#define KNOB_SCATTER_TILES 2
#define KNOB_SCATTER KNOB_SCATTER_PRIVATE
#endif
#ifndef KNOB_LOCAL
#define KNOB_LOCAL_APART 0
#define KNOB_LOCAL_NODES 1
#define KNOB_LOCAL_CELLS 2
#define KNOB_LOCAL KNOB_LOCAL_APART
#endif
#ifndef KNOB_SORT
#define KNOB_SORT_NONE 0
#define KNOB_SORT_CALL 1
#define KNOB_SORT_KEPT 2
#define KNOB_SORT KNOB_SORT_NONE
#endif
#ifndef KNOB_SORT_BY
#define KNOB_SORT_BY_TILE 0
#define KNOB_SORT_BY_CELL 1
#define KNOB_SORT_BY KNOB_SORT_BY_TILE
#endif
#ifndef KNOB_MERGE
#define KNOB_MERGE_ATOMIC 0
#define KNOB_MERGE_COLOUR 1
#define KNOB_MERGE KNOB_MERGE_ATOMIC
#endif
#ifndef KNOB_STORE
#define KNOB_STORE_SOA 0
#define KNOB_STORE_AOS 1
#define KNOB_STORE_AOSOA 2
#define KNOB_STORE KNOB_STORE_SOA
#endif
#ifndef KNOB_TILE_X
#define KNOB_TILE_X 8
#endif
#ifndef KNOB_TILE_Y
#define KNOB_TILE_Y 8
#endif
#ifndef KNOB_TILE_Z
#define KNOB_TILE_Z 8
#endif
#ifndef KNOB_BLOCK
#define KNOB_BLOCK 0
#endif
#ifndef KNOB_RUNS
#define KNOB_RUNS 0
#endif
#ifndef KNOB_SIMD_WIDTH
#define KNOB_SIMD_WIDTH 0
#endif
#ifndef KNOB_PREFETCH
#define KNOB_PREFETCH 0
#endif
#ifndef KNOB_SCRATCH_HUGE_PAGES
#define KNOB_SCRATCH_HUGE_PAGES 0
#endif
#ifndef KNOB_NT_STORE
#define KNOB_NT_STORE 0
#endif
