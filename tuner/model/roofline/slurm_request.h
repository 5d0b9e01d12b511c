// Request to a scheduler for nodes of a machine's type.
#pragma once
#include <string>
#include <vector>

#include "core/json.h"

namespace rooftune::roofline {

/// Member "slurm" of a machine file: options of sbatch; empty ones are not given.
struct SlurmRequest {
  std::string partition, constraint, account, gres, time;
  std::vector<std::string> options;  ///< further words, after all others: "--qos=night"

  /// As sbatch takes them: "--partition=gpu", ...
  std::vector<std::string> words() const;
};

/// Reads the object; adds errors to the reader's faults.
SlurmRequest read_slurm_request(ObjectReader& reader);
Json to_json(const SlurmRequest& request);

}  // namespace rooftune::roofline
