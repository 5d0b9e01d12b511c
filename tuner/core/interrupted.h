// The user's wish to end (Ctrl-C) cuts work short: of that work nothing is known, and whoever
// catches this records nothing.
#pragma once
#include <functional>

namespace rooftune {

/// No std::exception, so that code which turns faults into results does not take it for a fault.
struct Interrupted {};

/// Between two pieces of work that are worth keeping on their own.
inline void throw_if_interrupted(const std::function<bool()>& interrupted) {
  if (interrupted()) throw Interrupted{};
}

}  // namespace rooftune
