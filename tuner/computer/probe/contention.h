// Other activity of the machine during a measurement: load, pressure, steal, and the effective
// clock. Unknown is not the same as none.
#pragma once
#include <optional>
#include <string>

#include "core/modules.h"

namespace rooftune::probe {

/// One reading of the system's counters.
struct Contention {
  double seconds = 0;          ///< when [s]
  std::optional<double> busy;  ///< CPU seconds spent by all processes
  /// Of them by this process and its descendants: workers and compilers.
  std::optional<double> own;
  std::optional<double> steal;    ///< CPU seconds taken by the hypervisor
  std::optional<double> waiting;  ///< seconds with some task waiting for a CPU (PSI)
  std::optional<double> load;     ///< load average of the last minute
  /// Core clock of this thread [Hz]: the fastest of five chains of dependent additions, 15 us each.
  /// Absent where the architecture has no such chain.
  std::optional<double> clock;
};
Contention contention();
/// "while measuring: 0.3 CPUs busy with other work, steal 0.1 %, ...".
std::string contention_note(const Contention& before, const Contention& after);

}  // namespace rooftune::probe
