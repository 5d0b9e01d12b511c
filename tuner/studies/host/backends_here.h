// Back ends usable on this computer, to build and to run.
#pragma once
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::host {

struct BackendHere {
  std::string name;
  bool available = false;
  std::string with;  ///< compiler, library, cards; or the missing part
  std::string cure;  ///< empty when nothing is missing
};
/// openmp, kokkos and those of the GPU runtimes. Throws Error without a compiler.
std::vector<BackendHere> backends_here();

}  // namespace rooftune::host
