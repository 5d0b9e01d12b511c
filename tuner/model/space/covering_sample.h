// A small deterministic set of configurations with every value of every knob, and as many pairs of
// values as its size allows.
#pragma once
#include <vector>

#include "space/search_space.h"

namespace rooftune::space {

/// The baseline with each value of the knob `algorithm` (none when there is no such knob), or the
/// nearest allowed configuration, and for each of them at least `size` others, more when single
/// values need them. A value without a configuration is left out.
std::vector<Configuration> covering_sample(const SearchSpace& space, const std::string& algorithm,
                                           std::size_t size, std::uint64_t seed);
/// "knob=value" of values absent from `sample`.
std::vector<std::string> missing_values(const SearchSpace& space,
                                        const std::vector<Configuration>& sample);

}  // namespace rooftune::space
