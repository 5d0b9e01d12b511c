// Conditions on a problem for correct results of a configuration: the search space's requirements
// on the facts of a problem, not on knobs or the machine.
#pragma once
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "store/study_record.h"

namespace rooftune::exports {

/// One of them. Those beyond the arguments of a call are the application's duty.
struct Condition {
  std::string expression;  ///< over parameters and facts, as the space has it: "symmetric > 0"
  std::string reason;      ///< why another problem is refused, for people
  /// The same in C++ over the scalar arguments of the kernel, by their names; empty where it needs
  /// more than the arguments.
  std::string check;
  bool operator==(const Condition&) const = default;
};

/// Whether one of them has the same requirement, for any reason.
bool holds(const std::vector<Condition>& conditions, const Condition& one);

/// Of a configuration of the study's space. Entries of the space with "about": "speed" require
/// nothing: the results are right without them.
std::vector<Condition> conditions_of(const StudyRecord& study, const Kernel& kernel,
                                     const Configuration& configuration);

}  // namespace rooftune::exports
