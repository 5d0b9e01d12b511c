// Value of each changed knob of the best configuration: the best with this one knob at the
// baseline's value, measured beside the best itself.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "space/knob.h"
#include "space/search_space.h"
#include "trial/evaluator.h"

namespace rooftune::trial {

/// Two times of one round [s per call].
using PairedTime = std::pair<double, double>;

/// Rounds: enough for the exact interval of a dozen ratios, and the number for a slow kernel.
inline constexpr int many_rounds = 20, few_rounds = 12;

/// First over second, round by round.
std::vector<double> ratios(const std::vector<PairedTime>& rounds);
/// A rule of records: all times are above 0.
bool are_times(const std::vector<PairedTime>& rounds);
inline constexpr const char* all_disturbed =
    "the machine was busy: neighbours disturbed every round";
inline constexpr const char* times_rule = "a round must be two times above 0";

/// The other differing knobs of two configurations: inactive by the change of `moved`.
std::vector<std::string> moved_along(const Configuration& before, const Configuration& after,
                                     const std::string& moved);

/// One changed knob, set back to the baseline's value.
struct SetBack {
  std::string knob;
  Value from, to;                  ///< the baseline's value, the best's
  std::vector<std::string> along;  ///< knobs that become inactive and so fall back with it
  /// Others of little expected effect, set back with it: there was no time for each alone.
  std::vector<std::string> together = {};
  Configuration configuration;
  std::string absent_because;      ///< why it was not measured; empty when it was
  std::vector<PairedTime> rounds;  ///< the configuration set back, the best
  bool measured() const { return !rounds.empty(); }
  static void fields(auto& self, auto& visit) {
    visit("knob", self.knob)("from", self.from)("to", self.to)("along", self.along);
    visit.sparse("together", self.together);
    visit("configuration", self.configuration).defaulted("absent_because", self.absent_because);
    visit("rounds", self.rounds).check("rounds", are_times(self.rounds), times_rule);
  }
};

struct Ablation {
  Configuration baseline, best;
  std::vector<SetBack> knobs;  ///< as they were expected to matter, most first
  std::vector<PairedTime> baseline_rounds;
  std::string fault;  ///< a configuration failed on re-measurement
  /// The same as each input saw it, where the times above are those of an Objective; else empty.
  std::vector<Ablation> inputs = {};
  static void fields(auto& self, auto& visit) {
    bool energy = false;  // As earlier versions could rank: such rounds are no times.
    visit("baseline", self.baseline)("best", self.best)("baseline_rounds", self.baseline_rounds);
    visit.check("baseline_rounds", are_times(self.baseline_rounds), times_rule);
    visit.defaulted("fault", self.fault).sparse("energy", energy);
    visit.check("energy", !energy, "its rounds are of energy, which is not ranked any more");
    visit("knobs", self.knobs).sparse("inputs", self.inputs);
  }
};

/// The changed knobs of `best`, set back one at a time. A forbidden set-back has its reason in
/// `absent_because`. In the order of the trials: the speed-up of those with the best's value over
/// those with the baseline's (medians).
std::vector<SetBack> set_backs(const SearchSpace& space, const History& history,
                               const Configuration& baseline, const Configuration& best);

struct AblationLimits {
  /// Wall time; the first group is measured in any case but below 0, the rest says if no time was
  /// left.
  double seconds = 15;
  std::uint64_t seed = 1;
  std::function<bool()> interrupted = [] { return false; };
};

/// Measures the set-backs in interleaved rounds beside the best, in groups; where there is no time
/// for each, those expected to matter least are set back together, in the first group. An untried
/// one is built and validated for it, and does not become a trial of the study. Throws Interrupted:
/// a shortened ablation is none.
Ablation ablate(const SearchSpace& space, const History& history, const Configuration& baseline,
                const Configuration& best, Evaluator& evaluator, const AblationLimits& limits);

/// How many times slower the best is with knob `knobs[index]` set back.
struct KnobEffect {
  std::size_t index = 0;
  Estimate factor;  ///< paired, exact sign-test interval
};

/// Conclusions; the intervals hold together with 95 % (Bonferroni over all ratios).
struct KnobEffects {
  std::vector<KnobEffect> single;   ///< of the measured set-backs, in their order
  std::optional<Estimate> total;    ///< baseline / best, of the same rounds
  std::optional<Estimate> product;  ///< of the single factors; a knob falling with another one
                                    ///< is part of its factor. Absent when one is unknown
  /// total / product: 1 when the knobs work independently of each other; above when some do the
  /// same job (any one of them is enough), below when they need each other.
  std::optional<Estimate> interaction;
  bool interacts() const { return interaction && (interaction->low > 1 || interaction->high < 1); }
};
KnobEffects effects(const Ablation& ablation);
/// The effects below 1 beyond their interval, least first: without this knob the best is faster.
std::vector<KnobEffect> costly(const Ablation& ablation);

}  // namespace rooftune::trial
