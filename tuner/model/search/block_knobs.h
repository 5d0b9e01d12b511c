// Knobs that are the sides of a GPU's thread block, and how a block's size is expected to change
// the time.
#pragma once
#include <vector>

#include "search/strategy.h"

namespace rooftune::search {

/// Knobs that are a block's sides by convention in spaces from Kernel Tuner or KTT (block_size_x,
/// block_size_y, block_size_z, in any case; Kernel Tuner's default for block_size_names).
Texts community_block_knobs(const Knobs& knobs);
/// Such knobs in Rooftune's own CUDA kernels: block, or block_x, block_y, block_z, besides the
/// community's.
Texts own_block_knobs(const Knobs& knobs);

/// Natural logarithm of a configuration's expected slowdown, from its threads per block: 0 between
/// 128 and 256, "a good initial range" (NVIDIA, CUDA C++ Best Practices Guide, Thread and Block
/// Heuristics), 0.1 for each halving below and 0.05 for each doubling above. The steepness is a
/// guess that trials soon overrule. Empty when there is no such knob, or one has values that are
/// not positive numbers.
Expected expected_of_blocks(const SearchSpace& space, const Texts& knobs);

}  // namespace rooftune::search
