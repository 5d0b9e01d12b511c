// Controlled experiments on walls of traffic: a configuration measured beside itself with one wall
// added or taken away, by the knob or the step of size declared for it in the search space.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "space/wall_experiment.h"
#include "trial/ablation.h"
#include "trial/evaluator.h"

namespace rooftune::trial {

/// One contender, one wall.
struct Experiment {
  static constexpr const char *of_best = "best", *of_baseline = "baseline";
  std::string wall;     ///< write_allocate, capacity or conflict
  std::string subject;  ///< of_best or of_baseline
  Configuration contender;
  std::string knob;                      ///< the moved one; empty: a step of the problem's size
  Value from, to;                        ///< the contender's value, the other side's
  std::vector<std::string> along;        ///< knobs that become inactive and so move with it
  Configuration other;                   ///< the other side
  std::map<std::string, Value> problem;  ///< parameters of the fitting problem
  std::string per;                       ///< divisor of its time
  bool in_front = true;                  ///< the contender stands in front of the wall
  std::string absent_because;            ///< why it was not measured; empty when it was
  std::vector<PairedTime> rounds;        ///< with the wall, without it [s per call]
  bool measured() const { return !rounds.empty(); }
  static void fields(auto& self, auto& visit) {
    visit("wall", self.wall)("subject", self.subject)("contender", self.contender);
    visit.defaulted("knob", self.knob)("from", self.from)("to", self.to);
    visit.defaulted("along", self.along)("other", self.other).defaulted("problem", self.problem);
    visit.defaulted("per", self.per).defaulted("in_front", self.in_front);
    visit.defaulted("absent_because", self.absent_because).defaulted("rounds", self.rounds);
    visit.check("rounds", are_times(self.rounds), times_rule).open();
  }
};

/// The experiments possible with these declarations and this contender. A wall nothing isolates is
/// there with the reason.
std::vector<Experiment> planned_experiments(const SearchSpace& space,
                                            const std::vector<WallExperimentSpec>& wall_experiments,
                                            const std::string& subject,
                                            const Configuration& contender);

/// Where a problem of another size is measured.
struct Elsewhere {
  Evaluator* evaluator = nullptr;  ///< must outlive the measurement
  double scale = 1;                ///< work of the study's problem over the other one's
  std::string absent_because;      ///< why it cannot be
};
using OpenElsewhere = std::function<Elsewhere(const Experiment&)>;

struct ExperimentLimits {
  double seconds = 15;  ///< wall time; experiments beyond it have it as a reason
  std::uint64_t seed = 1;
  std::function<bool()> interrupted = [] { return false; };
  std::function<void(const Experiment&)> before = [](const Experiment&) {};
};

/// Measures those without rounds and reason, in their order, each in interleaved rounds. An untried
/// one is built and validated first, and does not become a trial of the study. After an interrupt
/// by the user the current and all later ones are absent for this reason.
void measure(std::vector<Experiment>& experiments, const History& history, Evaluator& evaluator,
             const OpenElsewhere& elsewhere, const ExperimentLimits& limits);

/// stands: the contender pays for the wall. broken: it would pay without its remedy. costs_nothing:
/// within 5 % (or the cure costs more than the wall).
enum class WallVerdict { stands, broken, costs_nothing, cannot_tell, no_experiment };
inline Words words(WallVerdict) {
  static constexpr const char* all[] = {"stands", "broken", "costs_nothing", "cannot_tell",
                                        "no_experiment"};
  return all;
}

struct WallConclusion {
  WallVerdict verdict = WallVerdict::no_experiment;
  Estimate cost;  ///< time with the wall over time without; paired, exact sign-test interval
};

/// One for each; the intervals hold together with 95 % (Bonferroni). A wall of size is broken if it
/// stands for the baseline and costs the best nothing.
std::vector<WallConclusion> conclusions(const std::vector<Experiment>& experiments);

}  // namespace rooftune::trial
