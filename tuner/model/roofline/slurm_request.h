// Request to a scheduler for nodes of a machine's type.
#pragma once
#include <string>
#include <vector>

#include "core/fields.h"

namespace rooftune::roofline {

/// Member "slurm" of a machine file: options of sbatch; empty ones are not given.
struct SlurmRequest {
  std::string partition, constraint, account, gres, time;
  std::vector<std::string> options;  ///< further words, after all others: "--qos=night"

  /// As sbatch takes them: "--partition=gpu", ...
  std::vector<std::string> words() const;
  /// Faults of options set by the launcher itself, or of none at all.
  static void check(const SlurmRequest& request, const Place& place);
  static void fields(auto& self, auto& visit) {
    visit.sparse("partition", self.partition).sparse("constraint", self.constraint);
    visit.sparse("account", self.account).sparse("gres", self.gres).sparse("time", self.time);
    visit.sparse("options", self.options).then(self, check);
  }
};

}  // namespace rooftune::roofline
