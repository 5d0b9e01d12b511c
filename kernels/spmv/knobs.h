// The knobs of openmp.cpp, and what follows from them.
#pragma once
#include "rooftune/vector.h"

namespace spmv_kernel {

// What is built here from the caller's rows; without any of it the caller's arrays serve as they
// are.
constexpr bool has_layout = KNOB_FORMAT != KNOB_FORMAT_CSR || KNOB_INDEX_BITS != 32 ||
                            KNOB_VALUE_BITS != 64 || KNOB_HALF || KNOB_BAND_COLUMNS > 0 ||
                            KNOB_REORDER != KNOB_REORDER_NONE || KNOB_LAYOUT_HUGE_PAGES ||
                            KNOB_FIRST_TOUCH != KNOB_FIRST_TOUCH_SERIAL;
constexpr int unroll = KNOB_UNROLL;
constexpr int index_bits = KNOB_INDEX_BITS;
constexpr bool layout_huge_pages = KNOB_LAYOUT_HUGE_PAGES;

/// A vector of the instruction set: a library is compiled for narrower ones than a knob was chosen
/// on, and of longer vectors the compiler makes single numbers.
constexpr int vector_lanes(int lanes) {
  return lanes < rooftune::widest_vector ? lanes : rooftune::widest_vector;
}

/// Entries of one row that are multiplied together; long rows beside chunks use the chunks'
/// vectors.
constexpr int row_width =
    vector_lanes(KNOB_FORMAT == KNOB_FORMAT_SELL ? KNOB_CHUNK_LANES : KNOB_SIMD_WIDTH);

/// What a layout keeps of a value: all of it, or its single precision where that is all of it.
#if KNOB_VALUE_BITS == 32
using Stored = float;
#else
using Stored = double;
#endif

}  // namespace spmv_kernel
