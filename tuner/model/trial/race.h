// Races: rounds with the same configurations, and what they tell.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "trial/evaluator.h"

namespace rooftune::trial {

/// A ceiling whose micro-kernel ran after each round of a race.
struct RacedRoof {
  std::string ceiling;
  Numbers rates;  ///< [round], flop/s or B/s as in the machine file
  ROOFTUNE_FIELDS(ceiling, rates)
};

/// Finalists and their rounds; configuration 0 is the baseline when `with_baseline`.
struct Race {
  Configurations configurations;
  /// [round][configuration], per call; 0 where it had left before: see Verdict::leaves.
  NumberRows seconds;
  /// [input][round][configuration] where `seconds` come from an Objective; else empty.
  std::vector<NumberRows> inputs = {};
  Disturbed disturbed = {};  ///< samples whose waits may decide nothing
  bool with_baseline = false;
  int looks = 3;                      ///< planned interim analyses, for the correction
  std::string fault;                  ///< a finalist failed on re-measurement
  std::vector<RacedRoof> roofs = {};  ///< empty where none could run beside them
  /// Adds faults for rounds unlike the others.
  static void check(const Race& race, const Place& place);
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit.defaulted, self, with_baseline, looks);
    visit.check("looks", self.looks >= 1 && self.looks <= 1000, "must be 1 to 1000");
    visit.defaulted("fault", self.fault)("configurations", self.configurations);
    ROOFTUNE_FIELD(seconds);
    ROOFTUNE_EACH(visit.sparse, self, inputs, disturbed, roofs);
    visit.then(self, check).open();  // Earlier versions had energy and challengers.
  }
};

/// Conclusions. Ratios come from rounds in which neither sample was disturbed, with exact sign-test
/// intervals corrected (Bonferroni) for all comparisons and looks at family-wise 95 %. So a few
/// rounds of any size, disturbed by something nobody counted, make no answer and forbid none. With
/// too few such rounds all count, and a conclusion must hold with either sample's waits taken off.
struct Verdict {
  /// Fastest by medians of paired ratios, among those that beat the baseline beyond the noise; the
  /// baseline where none does. Without a baseline the fastest of all.
  size_t winner = 0;
  Indices ties;                     ///< others not slower beyond the noise
  std::optional<Estimate> speedup;  ///< baseline / fastest; absent without a baseline
  Estimates seconds;  ///< per configuration: lower quartile over rounds, 95 % interval
  bool decided() const { return ties.empty(); }
  /// The baseline is among the ties or the winner: nothing beats it beyond the noise.
  bool baseline_stands = false;
  /// Baseline over fastest, where the two cannot be told apart and their ratio is not known within
  /// 10 %. Where the baseline is fastest: over a rival that may be faster.
  std::optional<Estimate> doubt;
  /// The doubt comes from having too few rounds in which neither was disturbed: the machine was
  /// busy.
  bool disturbed = false;
  size_t clean_pairs = 0;  ///< such rounds
  /// More rounds with these change nothing: they are certainly slower than the winner, a baseline
  /// by three times.
  Indices leaves;
};

/// Adds rounds with the same configurations, or with those at these `places` in the race.
void append(Race& race, const Rounds& rounds, const Indices& places = {});

/// Needs at least one complete round with at least one configuration.
Verdict judge(const Race& race);

/// One configuration's time over another's, in the rounds that both ran; 95 %. nullopt: in none.
std::optional<Estimate> paired_ratio(const Race& race, size_t first, size_t second);

/// A configuration's times in its clean rounds (in all rounds, where none was clean), each
/// multiplied by (the roof's rate after the round / `rate`) ^ `share`: its time with the roof at
/// this rate, where it waits for the roof in that share [s]; at 95 %.
Estimate seconds_under_roof(const Race& race, size_t configuration, const RacedRoof& roof,
                            double rate, double share = 1);
/// The race as one input saw it.
Race on_input(const Race& race, size_t input);
/// The times and the speed-up on one input for the choice that `whole`, the verdict on all inputs,
/// made.
Verdict judge_on_input(const Race& race, size_t input, const Verdict& whole);

/// The race with only some of its configurations, in the order of `places`.
Race only(const Race& race, const Indices& places);

}  // namespace rooftune::trial
