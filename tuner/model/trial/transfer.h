// Results of other studies given to a search before its first trial, kept with the study, so it
// goes on the same when those records have changed or are gone.
#pragma once
#include <string>
#include <vector>

#include "space/configuration.h"

namespace rooftune::trial {

/// Another study as a source of proposals, with its state at the time.
struct TransferSource {
  std::string study;         ///< StudyHeader::id; of an entry shipped with Rooftune the file's name
  std::string machine;       ///< name; of such an entry model and cores
  std::string digest;        ///< of its trials (configurations, outcomes, times) when read
  std::uint64_t trials = 0;  ///< 0: an entry shipped with Rooftune
  std::string problem;       ///< its parameters, as JSON
  std::vector<Configuration> proposals = {};  ///< its fastest, as far as this space has them
  static void fields(auto& self, auto& visit) {
    visit("study", self.study).defaulted("machine", self.machine);
    visit.defaulted("digest", self.digest).defaulted("trials", self.trials);
    visit.defaulted("problem", self.problem)("proposals", self.proposals).open();
  }
};

struct Transfer {
  std::vector<TransferSource> sources;   ///< sources of at least one proposal
  std::vector<Configuration> proposals;  ///< in the order of trials
  std::uint64_t skipped = 0;  ///< entries shipped with Rooftune, of absent knobs or values
  static void fields(auto& self, auto& visit) {
    visit.defaulted("studies", self.sources)("proposals", self.proposals);
    visit.defaulted("skipped", self.skipped).open();
  }
};

/// "started from the best known: 3 of 0123 on host ({"n":1000}, 40 trials); 1 of
/// triad.openmp.json on ..."
std::string to_text(const Transfer& transfer);

}  // namespace rooftune::trial
