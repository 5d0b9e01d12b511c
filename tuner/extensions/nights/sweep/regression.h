// Regressions of a night's best against the accepted one of its series, and their causes: a cheap
// look at the nights before decides whether to ask, and a race against the accepted variant, as it
// was built then, is the answer. Two nights on one machine differ by more than a regression that
// matters; two variants in the same rounds do not.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/fields.h"
#include "core/list.h"
#include "host/rematch.h"
#include "study/baseline.h"
#include "study/prepare.h"
#include "study/result.h"

namespace rooftune::sweep {

/// How a study stands after a night, the most urgent first. regressed and improved: the sources or
/// tools made the accepted configuration slower or faster; machine: the kept build itself became
/// slower; better: the search found a faster configuration; none: held against a baseline, as it
/// was; unjudged: there is no verdict.
ROOFTUNE_ENUM(Standing, regressed, failed, inconclusive, machine, improved, better, first, none,
              unjudged)

/// A smaller slowdown does not matter, unless a plan sets another limit.
inline constexpr double usual_threshold = 0.03;

struct SeriesVerdict {
  std::string key;  ///< series_key()
  Standing finding = Standing::none;
  std::string sentence = {};  ///< the finding in words and figures
  /// Over the kept build of the accepted configuration, paired: the same configuration as built
  /// tonight, and tonight's best.
  std::optional<Estimate> code = {}, tuning = {};
  std::optional<Estimate> machine = {};  ///< time of the kept build tonight over its time then
  double threshold = usual_threshold;    ///< the plan's
  bool raced = false;                    ///< false: the times of the nights gave no reason to
  bool decided =
      true;  ///< false: the rounds of the finding tell neither slower nor faster nor same
  /// The ratio of the finding; absent where it decided nothing.
  std::optional<Estimate> ratio() const {
    if (!decided) return std::nullopt;
    if (finding == Standing::machine) return machine;
    const bool of_code = code && finding != Standing::better && finding != Standing::none;
    return of_code ? code : tuning;
  }
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, key, finding, sentence);
    ROOFTUNE_EACH(visit.defaulted, self, code, tuning, machine, threshold);
    ROOFTUNE_FIELD(raced).defaulted("decided", self.decided);
    visit.open();  // Nights of earlier versions have one ratio, of the search's best.
  }
};

/// Behind a verdict's word: " 1.31x [1.2, 1.4]", ", not decided", or nothing.
std::string ratio_of(const SeriesVerdict& verdict);

/// Whether tonight's time is reason for a race: fewer than three nights are known, or it is further
/// than half the threshold from their median. Times in seconds, of the latest nights at most ten.
bool is_suspicious(const Numbers& nights, double tonight, double threshold);

/// Reason for a race of tonight's best against the baseline, in words; empty without one.
/// `changed`: changed parts of the study's identity.
std::string reason_to_race(const Numbers& nights, double tonight, double threshold,
                           const Texts& changed);

/// The answer of a race. Only the accepted configuration as built tonight, from other sources or by
/// other tools than then, makes a regression or an improvement; the search can only find better.
/// `revision`: tonight's, of the kernel's repository; may be empty.
SeriesVerdict judge(const Baseline& baseline, const Rematch& rematch, double threshold,
                    const std::string& revision = {});

/// Best times [s] of a series in the runs of a plan (folders under `root`), the latest ten at most,
/// oldest first, since `date` and since the clock was last set back; unreadable files are left out.
Numbers nights_since(const fs::path& root, const std::string& study, const std::string& key,
                     const std::string& date);

/// Where verdicts of a plan come from.
struct Watch {
  fs::path results, root;  ///< all results; the folder of the plan's runs
  double threshold = usual_threshold;
  std::function<void(const std::string&)> log = {};  ///< why there is a race; may be empty
};
/// Compares the best of a study just run with the baseline of its series; the first best of a
/// series becomes it. Throws Interrupted; any fault is an inconclusive verdict with its reason.
SeriesVerdict held_against_baseline(const Watch& watch, const std::string& study,
                                    const StudyRecord& record, const StudyResult& result,
                                    PreparedStudy& prepared);

}  // namespace rooftune::sweep
