// Per-input specialisation: every input's gain by a configuration of its own. The fastest measured
// on it are raced against the common one.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "trial/objective.h"
#include "trial/race.h"

namespace rooftune::trial {

/// The common configuration of all inputs beside the fastest trials of one of them.
struct SpecialisedInput {
  Race race;  ///< configuration 0 is the common one; no rounds when it is alone or one failed
  double common_seconds = 0;  ///< of its trial on this input [s]
  /// The winner's place in the race; 0 without rounds.
  std::size_t winner() const { return race.seconds.empty() ? 0 : judge(race).winner; }
  /// Others were to be raced, but no round was completed.
  bool failed() const { return race.configurations.size() > 1 && race.seconds.empty(); }
  static void fields(auto& self, auto& visit) {
    visit("race", self.race)("common_seconds", self.common_seconds);
    visit.check("race", !self.race.configurations.empty(), "holds no configuration");
    visit.check("common_seconds", self.common_seconds > 0, "must be above 0").open();
  }
};

struct Specialisation {
  Configuration common;
  std::vector<SpecialisedInput> inputs;
  static void fields(auto& self, auto& visit) {
    visit("common", self.common)("inputs", self.inputs).open();
  }
};

struct SpecialisationLimits {
  double seconds = 10;  ///< wall time of the rounds of one input; at least 12 rounds are measured
  std::uint64_t seed = 1;
  std::function<bool()> interrupted = [] { return false; };
};

/// nullopt when interrupted (also by an evaluator), or when the common configuration was not
/// measured on all inputs.
std::optional<Specialisation> specialise(const History& history, const Configuration& common,
                                         const std::vector<Evaluator*>& inputs,
                                         const SpecialisationLimits& limits);

/// common / own, paired, exact sign-test intervals, jointly (Bonferroni over all raced) at 95 %;
/// exactly 1 where the common one won; nullopt where the race failed.
struct SpecialisationGains {
  std::vector<std::optional<Estimate>> inputs;
  std::optional<Estimate> all;  ///< of the objective, when every input takes its own
};
SpecialisationGains gains(const Specialisation& specialisation, const Objective& objective);

}  // namespace rooftune::trial
