// Finds regressions: a night's best against its series' accepted variant, and what caused the
// difference. A cheap look at earlier nights decides whether to ask; a race against the accepted
// variant, as it was built then, gives the answer. Two nights on one machine differ by more than a
// regression that matters; two variants in the same rounds do not.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/callback.h"
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
/// slower; better: the search found a faster configuration; none: compared with a baseline,
/// unchanged; unjudged: there is no verdict.
ROOFTUNE_ENUM(Standing, regressed, failed, inconclusive, machine, improved, better, first, none,
              unjudged)

/// A smaller slowdown does not matter, unless a plan sets another limit.
inline constexpr double usual_threshold = 0.03;

struct SeriesVerdict {
  std::string key;  ///< series_key()
  Standing finding = Standing::none;
  std::string sentence = {};  ///< the finding in words and figures
  /// Time ratios, paired, to the accepted configuration's kept build: the same configuration as
  /// built tonight, and tonight's best.
  std::optional<Estimate> code = {}, tuning = {};
  std::optional<Estimate> machine = {};  ///< the kept build's time tonight over its time then
  double threshold = usual_threshold;    ///< the plan's
  bool raced = false;                    ///< false: the nights' times gave no reason to
  bool decided = true;  ///< false: the rounds tell neither slower nor faster nor same
  /// The ratio that the finding rests on; absent where nothing was decided.
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
    visit.open();  // Nights from earlier versions have one ratio, the search's best.
  }
};

/// What follows a verdict's word: " 1.31x [1.2, 1.4]", ", not decided", or nothing.
std::string ratio_of(const SeriesVerdict& verdict);

/// Whether tonight's time is reason for a race: fewer than three nights are known, or it differs
/// from their median by more than half the threshold. Times [s]; at most the latest ten nights
/// count.
bool is_suspicious(const Numbers& nights, double tonight, double threshold);

/// Why to race tonight's best against the baseline, in words; empty without a reason. `changed`:
/// which parts of the study's identity changed.
std::string reason_to_race(const Numbers& nights, double tonight, double threshold,
                           const Texts& changed);

/// What a race tells. Only the accepted configuration as built tonight, from other sources or by
/// other tools than then, makes a regression or an improvement; the search can only find better.
/// `revision`: tonight's, in the kernel's repository; may be empty.
SeriesVerdict judge(const Baseline& baseline, const Rematch& rematch, double threshold,
                    const std::string& revision = {});

/// A series' best times [s] in a plan's runs (folders under `root`), the latest ten at most, oldest
/// first, since `date` and since the clock was last set back; unreadable files are left out.
Numbers nights_since(const fs::path& root, const std::string& study, const std::string& key,
                     const std::string& date);

/// Where a plan's verdicts come from.
struct Watch {
  fs::path results, root;  ///< all results; the folder with the plan's runs
  double threshold = usual_threshold;
  TextCallback log = {};  ///< why there is a race; may be empty
};
/// Compares a study's best, just measured, with its series' baseline; a series' first best becomes
/// the baseline. Throws Interrupted; any fault is an inconclusive verdict with its reason.
SeriesVerdict held_against_baseline(const Watch& watch, const std::string& study,
                                    const StudyRecord& record, const StudyResult& result,
                                    PreparedStudy& prepared);

}  // namespace rooftune::sweep
