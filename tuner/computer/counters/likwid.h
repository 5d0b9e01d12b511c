// LIKWID as a counter: the tables of likwid-perfctr, and the counts of one launch.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "counters/hardware_count.h"

namespace rooftune::counters {

/// One performance group over all hardware threads.
struct LikwidGroup {
  std::string name;                       ///< "FLOPS_DP"
  std::map<std::string, double> metrics;  ///< the group's own metrics, summed over the threads
  double seconds = 0;                     ///< longest run time of a thread
};

/// Groups in the order printed with -O; raw events are left out, and so are the tables of
/// statistics that repeat them. Throws Error: no access to the counters (with the cure), a group
/// missing on this machine, no table, a torn line, a value other than a number. "nan" and "-" of an
/// idle thread count as 0.
std::vector<LikwidGroup> read_likwid_csv(const std::string& text);
/// Quantities of a whole program, by the metric names common to LIKWID's groups.
std::map<std::string, double> likwid_quantities(const std::vector<LikwidGroup>& groups);
/// One launch, from two runs of a program, different by `launches` launches: the cost of starting
/// and filling drops out. Quantities below 0, or in one run only, are missing with the reason. The
/// intervals are the rounding of LIKWID's printed digits.
HardwareCounts likwid_difference(const std::vector<LikwidGroup>& few,
                                 const std::vector<LikwidGroup>& many, double launches);

}  // namespace rooftune::counters
