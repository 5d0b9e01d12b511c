// Register chains that lead from one loop iteration to the next.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "instrumentation/instruction.h"

namespace rooftune::instrumentation {

/// How many links of each sort a chain has: "loads" for an address, else precision and kind ("fp64
/// fma").
using Chain = ByName<uint64_t>;
/// The longest register chain that a loop iteration takes over from the one before. Empty if no
/// chain is worth telling, such as a counter. Values that go through memory are not followed.
Chain longest_chain(const Instructions& body);

/// The block number behind each label.
using LabelledBlocks = std::map<std::string, size_t, std::less<>>;
/// The innermost loops' chains, by the block that closes each loop with a jump back.
std::map<size_t, Chain> chains_of_loops(const std::vector<Instructions>& blocks,
                                        const LabelledBlocks& labels);

}  // namespace rooftune::instrumentation
