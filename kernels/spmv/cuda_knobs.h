// The knobs of cuda.cu, and what follows from them.
#pragma once

/// Chunks of single entries leave out rows that are too long for them.
#define SPMV_LONG_ROWS_APART (KNOB_LONG_ROWS > 0 && !KNOB_BLOCKED)

namespace spmv_kernel {

constexpr int index_bits = KNOB_INDEX_BITS;
constexpr bool layout_huge_pages = false;

/// What a layout keeps of a value: all of it, or its single precision where that is all of it.
#if KNOB_VALUE_BITS == 32
using Stored = float;
#else
using Stored = double;
#endif

}  // namespace spmv_kernel
