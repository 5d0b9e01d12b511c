// Finds the nearest export: by machine, then by problem. Candidates are made once per load and
// never changed.
#pragma once
#include <rooftune/rooftune.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/exported.h"

namespace rooftune::runtime {

/// One problem from an export, with everything prepared that a look-up needs, also the answer's
/// texts.
struct Candidate {
  Candidate(std::shared_ptr<const Exported> of, size_t which);
  std::shared_ptr<const Exported> of;
  size_t which;                           ///< among Exported::problems
  std::string names;                      ///< the problem's parameters
  std::string other_problem;              ///< reason: "tuned for the problem n=1000"
  std::string other_machine_and_problem;  ///< both
  const Exported& exported() const { return *of; }
  const Standing& standing() const { return of->standing; }
  const NamedValues& problem() const { return exported().problems[which]; }
  const std::string& machine() const {
    return exported().machine_id.empty() ? exported().machine : exported().machine_id;
  }
};

/// Orders by kernel, then the newest first, then by content: the loading order does not matter.
bool operator<(const Candidate& a, const Candidate& b);

using Candidates = std::vector<const Candidate*>;  ///< sorted, none twice

/// See rooftune_look_up(). Allocates nothing.
rooftune_answer look_up(const Candidates& candidates, const char* kernel, const char* machine,
                        const rooftune_value* problem, size_t parameters) noexcept;
/// The value with this name; nullptr without. Allocates nothing.
const NamedValue* find(const NamedValues& values, const char* name) noexcept;

}  // namespace rooftune::runtime
