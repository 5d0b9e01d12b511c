// likwid-perfctr's output with -O: the tables of its performance groups.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/modules.h"

namespace rooftune::counters {

/// One group over all hardware threads.
struct LikwidGroup {
  std::string name;                       ///< "FLOPS_DP"
  std::map<std::string, double> events;   ///< raw counts, summed over the threads
  std::map<std::string, double> metrics;  ///< the group's own metrics, summed over the threads
  double seconds = 0;                     ///< longest run time of a thread
};

/// Groups in the order printed; tables of statistics repeat them and are left out. Throws Error: no
/// access to the counters (with the cure), a group missing on this machine, no table, a torn line,
/// a value other than a number. "nan" and "-" of an idle thread count as 0.
std::vector<LikwidGroup> read_likwid_csv(const std::string& text);

}  // namespace rooftune::counters
