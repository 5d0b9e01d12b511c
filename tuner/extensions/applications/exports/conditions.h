// What must hold of a problem for a configuration to be right on it: what the search space asks of
// the facts of a problem, not of knobs or the machine.
#pragma once
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "store/study_record.h"

namespace rooftune::exports {

/// One of them. The application sees to those that the arguments of a call do not tell.
struct Condition {
  std::string expression;  ///< over parameters and facts, as the space has it: "symmetric > 0"
  std::string reason;      ///< why another problem is refused, for people
  /// The same in C++ over the scalar arguments of the kernel, by their names; empty where it needs
  /// what no argument is.
  std::string check;
  bool operator==(const Condition&) const = default;
};

/// Whether one of them asks for the same, for whatever reason.
bool holds(const std::vector<Condition>& conditions, const Condition& one);

/// Of a configuration of the space that the study holds. Entries of the space that say
/// "about": "speed" ask for nothing: the results are right without them.
std::vector<Condition> conditions_of(const StudyRecord& study, const Kernel& kernel,
                                     const Configuration& configuration);

}  // namespace rooftune::exports
