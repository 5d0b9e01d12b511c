// What the usual knobs of an OpenMP loop are when nobody sets them: the loop that everybody writes
// first. The caller includes it before anything that reads the macros, and defines before what
// shall be another.
#pragma once

#ifndef KNOB_BLOCK
#define KNOB_BLOCK 0
#endif
#ifndef KNOB_COLLAPSE
#define KNOB_COLLAPSE 1
#endif
#ifndef KNOB_SIMD_WIDTH
#define KNOB_SIMD_WIDTH 0
#endif
#ifndef KNOB_UNROLL
#define KNOB_UNROLL 1
#endif
#ifndef KNOB_NT_STORE
#define KNOB_NT_STORE 0
#endif
#ifndef KNOB_PREFETCH
#define KNOB_PREFETCH 0
#endif
#ifndef KNOB_ALIGN_STORE
#define KNOB_ALIGN_STORE 0
#endif
#ifndef KNOB_PAD
#define KNOB_PAD 0
#endif
#ifndef KNOB_SCRATCH_HUGE_PAGES
#define KNOB_SCRATCH_HUGE_PAGES 0
#endif
#ifndef KNOB_SCRATCH_OFFSET
#define KNOB_SCRATCH_OFFSET 0
#endif
#ifndef KNOB_NEIGHBOUR
#define KNOB_NEIGHBOUR_RELOAD 0
#define KNOB_NEIGHBOUR_SHUFFLE 1
#define KNOB_NEIGHBOUR KNOB_NEIGHBOUR_RELOAD
#endif
