// What look-ups among many studies need of one, without its trials: derived from its records, and
// kept beside them.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "store/study_store.h"
#include "study/result.h"

namespace rooftune::study {

struct StudyDigest {
  StudyRecord head;  ///< header and setup alone
  std::size_t trials = 0;
  std::string fingerprint;                ///< of all trials, see History
  std::string last;                       ///< date of the last trial
  std::vector<Configuration> fastest;     ///< first to last, at most most_of_a_study
  std::optional<double> best;             ///< time of the validated best [s]
  std::vector<std::string> inconclusive;  ///< as in StudyResult; a fault of the analysis too
  static void fields(auto& self, auto& visit) {
    visit("header", self.head.header)("setup", self.head.setup)("trials", self.trials);
    visit("fingerprint", self.fingerprint)("last", self.last)("fastest", self.fastest);
    visit("best", self.best)("inconclusive", self.inconclusive).open();
  }
};

/// From digest.json beside the records, if it is of these very files; else of all records, and it
/// is written where it can be. nullopt without records. Of a study that cannot be read whole
/// `head` says why.
std::optional<StudyDigest> read_digest(const std::filesystem::path& results,
                                       const StudyFiles& study);
/// Writes it at the end of a run; a fault only makes the next reader work.
void keep_digest(const std::filesystem::path& results, const StudyRecord& record,
                 const StudyResult& result);

}  // namespace rooftune::study
