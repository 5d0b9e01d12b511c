// Chains of registers from one iteration of a loop to the next.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "instrumentation/instruction.h"

namespace rooftune::instrumentation {

/// Links of a chain by their number: "loads" for an address, else precision and kind ("fp64 fma").
using Chain = ByName<uint64_t>;
/// The longest chain of registers that an iteration of a loop takes over from the one before. Empty
/// for none worth a word, as a counter. Values that go through memory are not followed.
Chain longest_chain(const std::vector<Instruction>& body);

/// The number of the block behind each label.
using LabelledBlocks = std::map<std::string, size_t, std::less<>>;
/// Chains of the innermost loops, by the block that closes each with a jump back.
std::map<size_t, Chain> chains_of_loops(const std::vector<std::vector<Instruction>>& blocks,
                                        const LabelledBlocks& labels);

}  // namespace rooftune::instrumentation
