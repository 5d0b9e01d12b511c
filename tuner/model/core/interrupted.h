// Exception at the user's request to end (Ctrl-C): the work at hand has no result. A handler
// records nothing.
#pragma once
#include <functional>

#include "core/modules.h"

namespace rooftune::core {

/// No std::exception, so code that turns faults into results does not take it for a fault.
struct Interrupted {};

/// Between two pieces of work, each worth keeping on its own.
inline void throw_if_interrupted(const std::function<bool()>& interrupted) {
  if (interrupted()) throw Interrupted{};
}

}  // namespace rooftune::core
