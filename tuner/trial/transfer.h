// What a search was told of other studies before its first trial, kept with the study, so that it
// goes on the same when those records have changed or are gone.
#pragma once
#include <string>
#include <vector>

#include "core/json.h"
#include "space/configuration.h"

namespace rooftune::inline trial {

/// Another study that proposals came from, and what was known of it then.
struct TransferSource {
  std::string study, machine;  ///< StudyHeader::id, name of the machine
  std::string digest;          ///< of its trials (configurations, outcomes, times) when read
  std::uint64_t trials = 0;
  std::string problem;                        ///< its parameters, as JSON
  std::vector<Configuration> proposals = {};  ///< its fastest, as far as this space has them
};

struct Transfer {
  std::vector<TransferSource> sources;   ///< those that gave something
  std::vector<Configuration> proposals;  ///< in the order in which they are tried
};

/// "5 configurations of 2 other studies: 3 of 0123 on host ({"n":1000}, 40 trials), ..."
std::string to_text(const Transfer& transfer);
Json to_json(const Transfer& transfer);
/// Throws Error for what is no such record.
Transfer transfer_from_json(const Json& json, const std::string& where);

}  // namespace rooftune::inline trial
