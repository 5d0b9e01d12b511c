// Thrown where the user's wish to end (Ctrl-C) cuts work short: nothing is known of that work. Who
// catches it records nothing. It is no std::exception, so that no one who turns faults into results
// takes it for a fault.
#pragma once
#include <functional>

#include "core/modules.h"

namespace rooftune::core {

/// No std::exception, so that code which turns faults into results does not take it for a fault.
struct Interrupted {};

/// Between two pieces of work that are worth keeping on their own.
inline void throw_if_interrupted(const std::function<bool()>& interrupted) {
  if (interrupted()) throw Interrupted{};
}

}  // namespace rooftune::core
