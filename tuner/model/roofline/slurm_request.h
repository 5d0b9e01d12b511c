// What a study asks of Slurm for a machine's nodes.
#pragma once
#include <string>

#include "core/fields.h"
#include "core/list.h"

namespace rooftune::roofline {

/// Member "slurm" in a machine file: options for sbatch; empty ones are not given.
struct SlurmRequest {
  std::string partition, constraint, account, gres, time;
  Texts options;  ///< further words, after all others: "--qos=night"

  /// As sbatch takes them: "--partition=gpu", ...
  Texts words() const;
  /// Adds faults for options that the launcher sets itself, and for words that are no option.
  static void check(const SlurmRequest& request, const Place& place);
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit.sparse, self, partition, constraint, account, gres, time, options);
    visit.then(self, check);
  }
};

}  // namespace rooftune::roofline
