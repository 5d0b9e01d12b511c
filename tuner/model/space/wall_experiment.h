// Experiments stated in a search-space file: the knob, or the step of the problem's size, to make
// one wall of traffic appear and disappear with no other relevant change.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/json.h"
#include "space/search_space.h"

namespace rooftune::space {

/// One way to measure the cost of a wall. Exactly one of `knob`, `problem` and `none` is set.
struct WallExperimentSpec {
  std::string wall;                  ///< write_allocate, capacity or conflict
  std::string knob;                  ///< by a knob: its name
  std::vector<Value> with, without;  ///< values in front of the wall, values past it, best first
  std::map<std::string, Value> problem;  ///< by a step of size: parameters of a problem that fits
  std::string per;   ///< formula over parameters and facts, proportional to the time
  std::string none;  ///< why nothing isolates it here
};

/// The walls with experiments, in the order of reports.
const std::vector<std::string>& experimental_walls();

/// The member "experiments" of a search-space file; absent: none. Throws Error with all faults: an
/// unknown wall, knob, value or parameter, values on both sides, formulas without a value.
std::vector<WallExperimentSpec> wall_experiments_from_json(const Json& json,
                                                           const std::string& where,
                                                           const SearchSpace& space,
                                                           const Facts& facts);

/// The amount proportional to the time of a problem: a number above 0. Throws Error.
double amount(const std::string& per, const Facts& facts);

}  // namespace rooftune::space
