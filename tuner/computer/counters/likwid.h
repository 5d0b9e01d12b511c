// LIKWID as a counter: the command to run and its groups' counts of one launch.
#pragma once
#include <string>
#include <vector>

#include "counters/hardware_count.h"
#include "counters/likwid_csv.h"
#include "os/subprocess.h"

namespace rooftune::counters {

/// The groups that together give FLOPs and bytes per level.
const std::vector<std::string>& likwid_groups();
/// likwid-perfctr over a whole program on these hardware threads.
Command likwid_command(const std::string& program, const std::vector<int>& cpus,
                       const std::string& group, const std::vector<std::string>& argv);
/// Quantities of a whole program, by the metric names common to LIKWID's groups.
std::map<std::string, double> likwid_quantities(const std::vector<LikwidGroup>& groups);
/// One launch, from two runs of a program, different by `launches` launches: the cost of starting
/// and filling drops out. Quantities below 0, or in one run only, are missing with the reason. The
/// intervals are the rounding of LIKWID's printed digits.
HardwareCounts likwid_difference(const std::vector<LikwidGroup>& few,
                                 const std::vector<LikwidGroup>& many, double launches);

}  // namespace rooftune::counters
