// Studies on record, found by kernel, machine, back end, problem or id.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/fields.h"
#include "core/list.h"
#include "space/knob.h"
#include "space/search_space.h"
#include "store/record_reader.h"
#include "store/study_record.h"
#include "store/study_store.h"
#include "study/platform.h"
#include "study/result.h"
#include "study/spec.h"

namespace rooftune::study {

struct StudyDigest {
  StudyRecord head;  ///< header and setup alone
  size_t trials = 0;
  std::string fingerprint;     ///< all trials', see History
  std::string last;            ///< date of the last trial
  Configurations fastest;      ///< first to last, at most most_of_a_study
  std::optional<double> best;  ///< the validated best's time [s]
  Texts inconclusive;          ///< as in StudyResult; a fault of the analysis too
  static void fields(auto& self, auto& visit) {
    visit("header", self.head.header)("setup", self.head.setup);
    ROOFTUNE_EACH(visit, self, trials, fingerprint, last, fastest, best, inconclusive);
    visit.open();
  }
};

/// The digest in digest.json beside the records, if it was made from these very files; else a new
/// one from all records, which is written there if possible. nullopt without records. `head` says
/// why a study cannot be read whole.
std::optional<StudyDigest> read_digest(const fs::path& results, const StudyFiles& study);
/// Writes the digest at a run's end; a fault only costs the next reader time.
void keep_digest(const fs::path& results, const StudyRecord& record, const StudyResult& result);

/// Empty members do not restrict.
struct RecordFilter : StudySubject {
  std::string id = {};
  /// A single input finds studies of that input alone, several find a study of them all.
  InputSpecs inputs = {};
  std::optional<CacheState> cache = {};
  double amortize = 0;  ///< 0 does not restrict
};
/// The filter for a command that reads studies, from its spec. With an `id`, and no other machine
/// than the default, it finds a study on any machine.
RecordFilter filter_of(const StudySpec& spec, const std::string& id = {});

/// All matches with a trial, sorted by their last trial. Throws Error without a match, and lists
/// the kernels or machines that have studies.
std::vector<StudyDigest> find_studies(const fs::path& results, const RecordFilter& filter);
/// The match with the latest run, with_model(). Throws Error like find_studies() without a match,
/// and for records unreadable here.
StudyRecord find_study(const fs::path& results, const RecordFilter& filter);
/// The study without impossible entries, noting where today's kernel, space or machine file differs
/// from the record's. Throws Error for records unreadable here.
StudyRecord with_model(StudyRecord study);
/// The id of the latest study with this kernel and back end, and the parts (files, variables,
/// words) in which the new study of `header` differs from it; empty where there is none or only the
/// search differs.
using Difference = std::pair<std::string, Texts>;
Difference difference_from_latest(const fs::path& results, const StudyHeader& header);

}  // namespace rooftune::study
