// The measured staircase: from the baseline to the winner, one change at a time, in one interleaved
// race, with the ceilings and walls that each change broke.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "kernel/published.h"
#include "roofline/amounts.h"
#include "roofline/counts.h"
#include "roofline/roofline.h"
#include "space/knob.h"
#include "store/study_record.h"
#include "trial/staircase.h"

namespace rooftune::study {

/// A configuration in a staircase.
struct Stair {
  Configuration configuration;
  std::optional<uint64_t> trial;  ///< Trial::index; absent: it was not tried
  Step::Changes changes;          ///< against the stair before; empty for the baseline
  /// Per call: the median, over the rounds, of its time over the winner's, times the winner's time
  /// [s]. So all stairs' gains multiply to the speed-up. Absent: it did not run.
  std::optional<Estimate> seconds;
  std::optional<Estimate> gain;  ///< the stair before over this one; absent for the first
  int rounds = 0;                ///< clean ones behind `seconds`; a large step needs few
  std::optional<Counts> counts;  ///< by all providers; absent: not counted
  std::optional<Limit> limit;    ///< how busy it keeps the machine; absent: not counted, no time
  Amounts because;               ///< what changed most; counted
  /// The first and last step that `because` explains: steps between two counted stairs share it,
  /// and the step that gained most shows it.
  std::pair<size_t, size_t> because_steps = {};
  /// Ceilings and walls between this time and the one before, the slowest first.
  LedgerEntries passed;
  std::string absent_because;              ///< why it has no time: failed, impossible, no time left
  std::optional<PublishedStep> published;  ///< for a published path: the step's name and figures
  ROOFTUNE_FIELDS(configuration, trial, changes, seconds, gain, rounds, because, because_steps)
};
using Stairs = std::vector<Stair>;

/// A value that was tried beside the winner after the search, because it promised a gain.
struct TriedNext {
  Step::Changes changes;         ///< against the winner
  std::optional<Estimate> gain;  ///< winner over this, paired; absent: it did not run
  std::string absent_because;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, changes, gain);
    visit("absent", self.absent_because);
  }
};

struct Staircase {
  Stairs stairs;                  ///< baseline first, winner last; a path's in its order
  Texts unneeded;                 ///< knobs that the search's best changed to no gain
  std::vector<TriedNext> next;    ///< the most promising first
  int rounds = 0;                 ///< the race's interleaved rounds
  int dropped = 0;                ///< rounds that were disturbed, and not counted
  std::string shortened_because;  ///< why steps were joined or left out; empty: none was
  std::string title, source;      ///< a published path's; empty: measured for this study
  static void fields(auto& self, auto& visit) {
    visit.sparse("next", self.next);
    ROOFTUNE_EACH(visit, self, unneeded, rounds, dropped);
    visit("shortened", self.shortened_because);
    ROOFTUNE_EACH(visit.sparse, self, title, source);
  }
};

struct StudyResult;

/// The race that an answer is about: the staircase's, else the finalists' race cut down to baseline
/// and winner. nullopt: neither race had a round, or nothing beat the baseline.
std::optional<StaircaseRace> staircase_race(const StudyRecord& study);

/// The staircase that `race` measured, on the `places` from climbed(), for a result that has its
/// trials, counts and space; without broken ceilings.
Staircase staircase_of(const StudyResult& result, const StudyRecord& study,
                       const StaircaseRace& race, const Indices& places);

/// Fills a result's ledger, and the broken ceilings in its staircase.
void fill_ledger(StudyResult& result, const StaircaseRace& race, const Indices& places);

}  // namespace rooftune::study
