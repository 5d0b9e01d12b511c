// What stands in the way of studies on this computer, and what they can use.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/json.h"

namespace rooftune::host {

struct HostCheck {
  ROOFTUNE_NESTED_ENUM(State, good,
                       unknown,  ///< no way to find out here
                       limits,   ///< studies run, their times or conclusions are worse
                       absent,   ///< something that only some studies need is missing
                       fault     ///< no study can run
  )
  std::string what;  ///< "compiler", "clock", "counters" ...
  State state = State::good;
  std::string found;
  std::string effect;  ///< on results; empty when good
  std::string cure;    ///< a command or a change; empty if none is known
  ROOFTUNE_FIELDS(what, state, found, effect, cure)
};
using HostChecks = std::vector<HostCheck>;

/// Clock, boost, huge pages, NUMA balancing and load, as far as they can be read. `cores`: usable
/// ones; `root` stands for / (a test's own /sys and /proc).
HostChecks setting_checks(int cores, const fs::path& root = "/");
/// All checks of this computer. `results`: where studies would be written.
HostChecks host_checks(const fs::path& results);

/// {"schema": "rooftune-doctor-1", "checks": [{"what", "state", "found", "effect", "cure"}]}
Json json_of(const HostChecks& checks);

struct BackendHere {
  std::string name;
  bool available = false;
  std::string with;  ///< compiler, library, cards; or the missing part
  std::string cure;  ///< empty when nothing is missing
  ROOFTUNE_FIELDS(name, available, with, cure)
};
/// openmp, kokkos and the GPU runtimes' back ends. Throws Error without a compiler.
std::vector<BackendHere> backends_here();

}  // namespace rooftune::host
