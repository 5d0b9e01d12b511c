// Knobs that are the sides of a block of threads on a GPU, and what is expected of its size.
#pragma once
#include <vector>

#include "search/strategy.h"

namespace rooftune::search {

/// Knobs of a space of Kernel Tuner or KTT that are by convention the sides of a block
/// (block_size_x, block_size_y, block_size_z, in any case; Kernel Tuner's default of
/// block_size_names).
Texts community_block_knobs(const std::vector<Knob>& knobs);
/// Such knobs of one of Rooftune's CUDA kernels: block, or block_x, block_y, block_z, besides those
/// of the community.
Texts own_block_knobs(const std::vector<Knob>& knobs);

/// Natural logarithm of a configuration's expected slowdown by its number of threads per block: 0
/// between 128 and 256, "a good initial range" (NVIDIA, CUDA C++ Best Practices Guide, Thread and
/// Block Heuristics), 0.1 for each halving below and 0.05 for each doubling above. The steepness is
/// a guess, soon overruled by the trials. Empty when there is no such knob or one has other than
/// positive numbers.
Expected expected_of_blocks(const SearchSpace& space, const Texts& knobs);

}  // namespace rooftune::search
