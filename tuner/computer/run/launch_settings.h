// What a configuration sets in a worker: environment, memory, team and scalar arguments.
#pragma once
#include <map>
#include <string>

#include "run/message.h"

namespace rooftune::run {

struct LaunchSettings {
  NamedTexts environment;
  Placement placement;
  Team team;
  Json scalars;
  Texts openmp = {};  ///< OpenMP library files that it is linked to, the likeliest first
};

/// The environment and OpenMP knobs, for a whole program.
NamedTexts program_variables(const SearchSpace& space, const Configuration& configuration);

/// `threads`: for a team where no knob sets them. With one NUMA node the place of a first touch
/// means nothing, and equal arrays are shared.
LaunchSettings launch_settings(const Kernel& kernel, const SearchSpace& space,
                               const Configuration& configuration, const Facts& facts, int threads,
                               bool has_numa);

/// A kernel's arguments with their counts. Throws Error naming the argument.
Slots slots(const Kernel& kernel, const Facts& facts);

}  // namespace rooftune::run
