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

/// A configuration with a right result once, and a wrong one in a later check.
struct Refuted {
  Configuration configuration;
  std::string detail;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, configuration, detail);
    visit.open();
  }
};

/// A sample of a race that is not clean().
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
  std::vector<Numbers> seconds;
  /// The seconds per input ([input][round][configuration]) where `seconds` are those of an
  /// Objective.
  std::vector<std::vector<Numbers>> inputs = {};
  Disturbed disturbed = {};
  std::string
      fault;  ///< not empty: a configuration failed on re-measurement; the rounds before it stand
  std::optional<size_t> failed_configuration = {};  ///< the failed one, if one did
  /// Found wrong after the last round. There are no rounds then: they timed wrong results.
  std::vector<Refuted> refuted = {};

  /// The time of a sample, see time_in_quiet().
  Estimate time(size_t round, size_t configuration) const {
    double lost = 0;
    for (const DisturbedSample& sample : disturbed)
      if (sample.round == round && sample.configuration == configuration) lost = sample.lost;
    return time_in_quiet(seconds[round][configuration], lost);
  }
};

/// Said after a round of a race: whether it was the last one, and who leaves; the later seconds of
/// who has left are 0.
struct AfterRound {
  bool over = false;
  Indices leave = {};
};
/// Called after every round of a race with all so far, while nothing of it runs.
using Between = std::function<AfterRound(const Rounds&)>;

/// All throw Interrupted at the user's request to end: the work at hand is given up.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Builds configurations to evaluate or race, side by side where it can, and returns when all is
  /// built, so nothing else runs while they are timed. A failed build fails at its evaluation.
  virtual void build(const Configurations&) {}
  /// Builds, validates, times. With `incumbent` [s] it may drop a dominated variant early; it also
  /// sets the deadline. Never throws for faults of the variant.
  virtual Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) = 0;
  /// Re-measures validated configurations in at most `rounds` interleaved rounds; order from
  /// `seed`. Those of several inputs are seen at the end alone, by nobody between.
  virtual Rounds race(const Configurations& configurations, int rounds, uint64_t seed,
                      const Between& between = {}) = 0;
};

/// An evaluator as a layer on another one. `Kind` is an Evaluator; the target builds, evaluates and
/// races for it.
template <class Kind>
class Forwarding : public Kind {
 public:
  void build(const Configurations& configurations) override { target().build(configurations); }
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override {
    return target().evaluate(configuration, incumbent);
  }
  Rounds race(const Configurations& configurations, int rounds, uint64_t seed,
              const Between& between) override {
    return target().race(configurations, rounds, seed, between);
  }

 private:
  virtual Evaluator& target() = 0;
};

/// CountedRun::provider of what was read from compiled code, without a call.
inline constexpr const char* compiled_code = "compiled code";

/// Wall time of a counting run [s].
struct CountingTime {
  double wanted = 0;  ///< a longer call is counted in parts
  double limit = 0;   ///< then it is ended, without counts
};

struct CountedRun {
  Configuration configuration;
  std::string provider;                ///< name in the table of providers
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
