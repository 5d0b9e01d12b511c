// Expected times of a GPU's blocks of threads, before any trial.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "space/search_space.h"

namespace rooftune::search {

/// Of the knobs of a space of Kernel Tuner or KTT: by convention the sides of a block
/// (block_size_x, block_size_y, block_size_z, in any case; Kernel Tuner's default of
/// block_size_names).
std::vector<std::string> community_block_knobs(const std::vector<Knob>& knobs);
/// Of the knobs of one of Rooftune's CUDA kernels: block, or block_x, block_y, block_z, besides
/// those of the community.
std::vector<std::string> own_block_knobs(const std::vector<Knob>& knobs);

/// Natural logarithm of a configuration's expected slowdown by its number of threads per block: 0
/// between 128 and 256, "a good initial range" (NVIDIA, CUDA C++ Best Practices Guide, Thread and
/// Block Heuristics), 0.1 for each halving below and 0.05 for each doubling above. The steepness is
/// a guess, soon overruled by the trials. Empty when there is no such knob or one has other than
/// positive numbers.
std::function<double(const Assignment&)> expected_of_blocks(const SearchSpace& space,
                                                            const std::vector<std::string>& knobs);

}  // namespace rooftune::search
