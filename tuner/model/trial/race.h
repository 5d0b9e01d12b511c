// Races: rounds of the same configurations, and what they tell.
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
  std::vector<Numbers> seconds;
  /// [input][round][configuration] where `seconds` are those of an Objective; else empty.
  std::vector<std::vector<Numbers>> inputs = {};
  Disturbed disturbed = {};  ///< samples whose waits may decide nothing
  bool with_baseline = false;
  int looks = 3;                      ///< planned interim analyses, for the correction
  std::string fault;                  ///< a finalist failed on re-measurement
  std::vector<RacedRoof> roofs = {};  ///< empty where none could run beside them
  /// Faults of rounds unlike the others.
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

/// Conclusions; ratios are of rounds in which neither sample was disturbed, with exact sign-test
/// intervals corrected (Bonferroni) for the number of comparisons and looks at family-wise 95 %. So
/// a few rounds of any size, disturbed by what nobody counted, make no answer and forbid none. With
/// too few such rounds all count, and what holds must hold with the waits of either taken off.
struct Verdict {
  /// Fastest by medians of paired ratios, of those that beat the baseline beyond the noise where
  /// there are any; else the baseline.
  size_t winner = 0;
  Indices ties;                     ///< others not slower beyond the noise
  std::optional<Estimate> speedup;  ///< baseline / fastest; absent without a baseline
  std::vector<Estimate> seconds;  ///< per configuration: lower quartile over rounds, 95 % interval
  bool decided() const { return ties.empty(); }
  /// The baseline is among the ties or the winner: nothing beats it beyond the noise.
  bool baseline_stands = false;
  /// Baseline over fastest (over a rival that may be, where the baseline is), where the two cannot
  /// be told apart and their ratio is not known within 10 %.
  std::optional<Estimate> doubt;
  /// The doubt is for want of rounds in which neither was disturbed: the machine was busy.
  bool disturbed = false;
  size_t clean_pairs = 0;  ///< such rounds
  /// More rounds of these change nothing: certainly slower than the winner, a baseline three times.
  Indices leaves;
};

/// Adds rounds of the same configurations, or of those named by their `places` in the race.
void append(Race& race, const Rounds& rounds, const Indices& places = {});

/// Needs at least one complete round of at least one configuration.
Verdict judge(const Race& race);

/// One configuration's time over another's, in the rounds that both ran; 95 %. nullopt: in none.
std::optional<Estimate> paired_ratio(const Race& race, size_t first, size_t second);

/// Times of a configuration in the clean rounds of a race (in all, where none was clean), each
/// multiplied with the rate of a roof after the round over `rate`, to the power of `share`: its
/// time with the roof at this rate, where it waits for it in that share [s]; at 95 %.
Estimate seconds_under_roof(const Race& race, size_t configuration, const RacedRoof& roof,
                            double rate, double share = 1);
/// The race as one of its inputs saw it.
Race on_input(const Race& race, size_t input);
/// The times and the speed-up on one input for the choice of `whole`, the verdict on all of them.
Verdict judge_on_input(const Race& race, size_t input, const Verdict& whole);

/// The race of some of its configurations alone, in the order of `places`.
Race only(const Race& race, const Indices& places);

}  // namespace rooftune::trial
