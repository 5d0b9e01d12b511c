// What a search was told of other studies before its first trial, kept with the study, so that it
// goes on the same when those records have changed or are gone.
#pragma once
#include <string>
#include <vector>

#include "core/json.h"
#include "space/configuration.h"

namespace rooftune::trial {

/// Another study that proposals came from, and what was known of it then.
struct TransferSource {
  std::string study;    ///< StudyHeader::id; of an entry that came with Rooftune the file's name
  std::string machine;  ///< name; of such an entry model and cores
  std::string digest;   ///< of its trials (configurations, outcomes, times) when read
  std::uint64_t trials = 0;                   ///< 0: an entry that came with Rooftune
  std::string problem;                        ///< its parameters, as JSON
  std::vector<Configuration> proposals = {};  ///< its fastest, as far as this space has them
};

struct Transfer {
  std::vector<TransferSource> sources;   ///< those that gave something
  std::vector<Configuration> proposals;  ///< in the order in which they are tried
  std::uint64_t skipped = 0;  ///< entries that came with Rooftune, of knobs or values that are gone
};

/// "started from the best known: 3 of 0123 on host ({"n":1000}, 40 trials); 1 of
/// triad.openmp.json on ..."
std::string to_text(const Transfer& transfer);
Json to_json(const Transfer& transfer);
/// Throws Error for what is no such record.
Transfer transfer_from_json(const Json& json, const std::string& where);

}  // namespace rooftune::trial
