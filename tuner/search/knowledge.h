// What is known of a study before its first trial, and that only a tuner with a roofline knows. It
// stays the same for the whole study, also when it is resumed.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "search/strategy.h"

namespace rooftune {

/// So many of the fastest of one other study come first. More of them crowd out trials that cover
/// the space where the other misleads (docs/strategies.md).
inline constexpr std::size_t most_of_a_study = 6;

struct Knowledge {
  /// Configurations that were best elsewhere (another machine, size or night), best first.
  std::vector<Configuration> transferred;
  /// Paradigms that the binding ceiling or wall asks for: knobs that break one of them move first.
  std::set<std::string> binding;
  /// Knobs whose product is the number of threads of a GPU's block; empty where none is.
  std::vector<std::string> block_knobs;
  /// A time [s] that no variant with this configuration can beat; nullopt where nothing is known.
  std::function<std::optional<double>(const Configuration&)> lower_bound;
};

/// The strategy "roofline" with what is known; without knowledge it learns from trials alone.
std::unique_ptr<Strategy> make_roofline(Knowledge knowledge);
/// The strategy of this name, with what is known where it can use it. Throws Error as
/// make_strategy.
std::unique_ptr<Strategy> make_strategy(const std::string& name, Knowledge knowledge);

}  // namespace rooftune
