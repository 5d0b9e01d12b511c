// A configuration's settings of a worker: its environment, memory, team and scalar arguments.
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
  Texts openmp = {};  ///< files of the OpenMP library that it is linked to, the likeliest first
};

/// The knobs of the environment and of OpenMP, for a program of its own.
NamedTexts program_variables(const SearchSpace& space, const Configuration& configuration);

/// `threads`: those of a team without a knob for it. With one NUMA node the place of a first touch
/// means nothing, and equal arrays are shared.
LaunchSettings launch_settings(const Kernel& kernel, const SearchSpace& space,
                               const Configuration& configuration, const Facts& facts, int threads,
                               bool has_numa);

/// Arguments of a kernel with their counts. Throws Error naming the argument.
std::vector<Slot> slots(const Kernel& kernel, const Facts& facts);

}  // namespace rooftune::run
