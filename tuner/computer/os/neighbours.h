// Other processes that use the cores of this machine.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::os {

struct Neighbour {
  std::string name;
  pid_t pid;
  double cores;  ///< used on average
};

/// Watches all visible processes but this one and its descendants, from its construction on.
class Neighbours {
 public:
  Neighbours();
  /// Those that used a tenth of a core and more since, most first.
  std::vector<Neighbour> busy() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_;
  std::map<pid_t, double> before_;  ///< CPU time [s]
};

/// "sh (pid 71) 0.98, cc1plus (pid 80) 0.5 and 2 more": the first three of them.
std::string to_text(const std::vector<Neighbour>& busy);

}  // namespace rooftune::os
