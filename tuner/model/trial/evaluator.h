// Interface from a configuration to its trial; the session sees only this, so tests replay without
// a compiler.
#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/list.h"
#include "roofline/counts.h"
#include "roofline/launch_time.h"
#include "space/knob.h"
#include "trial/trial.h"

namespace rooftune::trial {

/// A configuration whose result was right once, and wrong in a later check.
struct Refuted {
  Configuration configuration;
  std::string detail;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, configuration, detail);
    visit.open();
  }
};

/// A sample in a race that is not clean().
struct DisturbedSample {
  size_t round = 0, configuration = 0;
  double lost = -1;  ///< see Sample
  bool operator==(const DisturbedSample&) const = default;
  static constexpr bool row = true;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, round, configuration);
    visit.sparse("lost", self.lost, -1.0);
  }
};
using Disturbed = std::vector<DisturbedSample>;

/// One paired, interleaved re-measurement of several configurations.
struct Rounds {
  /// seconds[r][c]: per call, round r, configuration c (order inside a round was shuffled).
  NumberRows seconds;
  /// The seconds per input ([input][round][configuration]) where `seconds` come from an Objective.
  std::vector<NumberRows> inputs = {};
  Disturbed disturbed = {};
  std::string
      fault;  ///< not empty: a configuration failed on re-measurement; the rounds before it stand
  std::optional<size_t> failed_configuration = {};  ///< the failed one, if one did
  /// Found wrong after the last round. There are no rounds then: they timed wrong results.
  std::vector<Refuted> refuted = {};

  /// A sample's time, see time_in_quiet().
  Estimate time(size_t round, size_t configuration) const {
    double lost = 0;
    for (const DisturbedSample& sample : disturbed)
      if (sample.round == round && sample.configuration == configuration) lost = sample.lost;
    return time_in_quiet(seconds[round][configuration], lost);
  }
};

/// The answer after a round: whether it was the last, and who leaves; whoever has left has 0 as
/// later seconds.
struct AfterRound {
  bool over = false;
  Indices leave = {};
};
/// Called after every round with all rounds so far, while nothing in the race runs.
using Between = std::function<AfterRound(const Rounds&)>;

/// How a race runs.
struct RacePlan {
  int rounds = 0;     ///< interleaved, at most
  uint64_t seed = 1;  ///< of the order in each round
};

/// All throw Interrupted at the user's request to end: the work at hand is given up.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Builds configurations to evaluate or race, side by side where it can, and returns when all is
  /// built, so nothing else runs while they are timed. A failed build shows at the evaluation.
  virtual void build(const Configurations&) {}
  /// Builds, validates, times. With `incumbent` [s] it may drop a dominated variant early; it also
  /// sets the deadline. Never throws for the variant's faults.
  virtual Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) = 0;
  /// Re-measures validated configurations. Rounds over several inputs are complete only at the end:
  /// `between` is not called for them.
  virtual Rounds race(const Configurations& configurations, const RacePlan& how,
                      const Between& between = {}) = 0;
};

/// An evaluator as a layer on another. `Kind` is an Evaluator; the target builds, evaluates and
/// races for it.
template <class Kind>
class Forwarding : public Kind {
 public:
  void build(const Configurations& configurations) override { target().build(configurations); }
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override {
    return target().evaluate(configuration, incumbent);
  }
  Rounds race(const Configurations& configurations, const RacePlan& how,
              const Between& between) override {
    return target().race(configurations, how, between);
  }

 private:
  virtual Evaluator& target() = 0;
};

/// CountedRun::provider for what was read from compiled code, without a call.
inline constexpr const char* compiled_code = "compiled code";

/// How long a counting run may take [s], by the wall clock.
struct CountingTime {
  double wanted = 0;  ///< a longer call is counted in parts
  double limit = 0;   ///< then it is ended, without counts
};

struct CountedRun {
  Configuration configuration;
  std::string provider;                ///< name in the provider table
  std::optional<Counts> counts;        ///< per call
  std::string absent_because;          ///< said when `counts` is absent
  double seconds = 0;                  ///< cost: build, warm-up, counted calls [s]
  std::optional<CallTime> reach = {};  ///< from compiled_code
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, configuration, provider);
    visit.defaulted("seconds", self.seconds);
    ROOFTUNE_EACH(visit.sparse, self, counts, absent_because, reach);
    visit.open();
  }
};

}  // namespace rooftune::trial
