// Which knobs shape the blocks of threads of a CUDA kernel whose launch is described by formulas.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "kernel/kernel.h"

namespace rooftune {

/// The knobs whose product is the number of threads of a block, one that is a factor twice twice,
/// where the kernel has scalar arguments block_x, block_y and block_z (as every kernel from a T1
/// file, whose LocalSize they are). Empty where one of them is another formula than a product of
/// knobs or 1; nullopt where the kernel has no such arguments.
std::optional<std::vector<std::string>> block_knobs_of_launch(const Kernel& kernel,
                                                              const std::vector<Knob>& knobs);

}  // namespace rooftune
