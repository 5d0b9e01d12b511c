// Floating-point operations of an instruction, by its name and the width of its registers.
#pragma once
#include <vector>

#include "instrumentation/effect.h"
#include "instrumentation/module.h"

namespace rooftune::instrumentation {

/// As the processors' own counters have it: moves, conversions, comparisons and rounding are none;
/// minima, maxima and reciprocal estimates are one each, an fma is one of kind fma.
std::vector<Operations> operations_of(const Instruction& instruction);
/// "addpd" of "vaddpd", "movq" of "vmovq": one name for both encodings.
std::string plain_name(const std::string& mnemonic);

}  // namespace rooftune::instrumentation
