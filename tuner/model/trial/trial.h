// One configuration's trial: outcome, measurement, cost.
#pragma once
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/list.h"
#include "core/quantity.h"
#include "space/knob.h"

namespace rooftune::trial {

ROOFTUNE_ENUM(Outcome, ok, build_failed, crashed, timed_out, out_of_memory, wrong_result, unstable,
              pruned)
/// It gave no right result. Without a default: the compiler asks about a new outcome.
inline bool failed(Outcome outcome) {
  using enum Outcome;
  switch (outcome) {
    case ok:
    case unstable:
    case pruned:
      return false;
    case build_failed:
    case crashed:
    case timed_out:
    case out_of_memory:
    case wrong_result:
      break;
  }
  return true;
}

/// A time [s] with its interval: its low end is less by the share `lost` that neighbours may have
/// added, or by nearly all of it where nobody counted (below 0).
inline Estimate time_in_quiet(double seconds, double lost) {
  constexpr double least_left = 1e-6;
  return {seconds, seconds * std::max(lost < 0 ? 0 : 1 - lost, least_left), seconds};
}

/// One timed window.
struct Sample {
  double seconds = 0;    ///< per kernel call
  double cpu_share = 1;  ///< the calling thread's CPU time over wall time
  int switches = 0;      ///< the calling thread's involuntary context switches
  /// Largest share of the wall time for which a thread was ready to run and did not, because
  /// neighbours ran, its group was throttled, or a hypervisor held it; below 0 where nobody
  /// counted.
  double waited = -1;
  /// Where the sample is not clean(): the largest share of the wall time that neighbours may have
  /// added; below 0 where nobody counted.
  double lost = -1;
  /// Nobody took a core away: the time is the code's own.
  bool clean() const {
    constexpr double noticeable = 0.02;
    return waited >= 0 ? waited < noticeable : switches == 0 && cpu_share > 0.99;
  }
  static constexpr bool row = true;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, seconds, cpu_share, switches);
    visit.sparse("waited", self.waited, -1.0).sparse("lost", self.lost, -1.0);
  }
};

/// One input among several, or {} where the trial was dropped before.
template <class Measured>
struct DroppedOr {
  Measured value;
};
template <class Measured>
Json to_json(const DroppedOr<Measured>& input) {
  return input.value.samples.empty() ? Json::object() : encode(input.value);
}
template <class Measured>
void decode(const Place& place, DroppedOr<Measured>& input) {
  if (!place->is_object() || !place->empty()) decode(place, input.value);
}

/// Slower on new inputs by the first, beyond the noise, puts its time in doubt; by the second, it
/// is no time to give to an application.
constexpr double doubtful_memory = 1.1, forbidden_memory = 1.5;

struct Measurement {
  std::vector<Sample> samples;
  int repeats = 1;              ///< calls per sample
  Estimate seconds;             ///< per call; see statistics.h for the rule
  double best = 0, median = 0;  ///< over the samples used
  bool disturbed = false;       ///< too few clean samples: all were used
  double prepare_seconds = 0;   ///< layout conversion
  /// The share of prepare_seconds within `seconds`, `best` and `median`: 0 unless the study divides
  /// the conversion among several calls. Samples never hold it.
  double amortised_seconds = 0;
  NamedNumbers figures;  ///< a program's, further ones: medians over its runs
  double max_error = 0;  ///< largest error over tolerance-scale seen in validation
  /// A call on an input never seen before over the next call on it; absent: nobody looked. Where it
  /// is beyond doubtful_memory, `seconds`, `best` and `median` are for new inputs.
  std::optional<Estimate> remembers;
  /// Each input on its own, in a study with several; without samples where the trial was dropped
  /// before. The figures above then come from the study's Objective, and there are no samples
  /// above.
  std::vector<Measurement> inputs;
  /// Every input was measured.
  bool complete() const;
  /// "remembers its last input: 2.1x slower on new data [2, 2.2]"; empty: not by `least` beyond the
  /// noise, as far as anybody looked.
  std::string memory(double least = doubtful_memory) const;
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(seconds).check("seconds", self.seconds.low > 0 && self.seconds.holds(),
                                  "a time is positive and its interval holds it");
    ROOFTUNE_EACH(visit, self, best, median);
    ROOFTUNE_EACH(visit.defaulted, self, repeats, disturbed, prepare_seconds, amortised_seconds);
    visit.defaulted("max_error", AnyNumber{self.max_error})("samples", self.samples);
    visit.sparse("remembers", self.remembers)
        .sparse("figures", self.figures)
        .sparse("inputs", list_as<DroppedOr<Measurement>>(self.inputs))
        .open();  // Earlier versions had readings of a card.
  }
};

/// What a trial costs [s].
struct Cost {
  double build = 0;  ///< its compiler's
  double validate = 0, time = 0;
  double total = 0;    ///< wall time, with its part in a wait for several compilers
  double waiting = 0;  ///< within `total`, for compilers; `build` where one ran at a time
  Cost& operator+=(const Cost& other);
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit.defaulted, self, build, validate, time, total, waiting);
  }
};

struct Trial {
  uint64_t index = 0;  ///< position in the study's history
  Configuration configuration;
  Outcome outcome = Outcome::ok;
  std::string detail;  ///< why not ok: compiler's first error, signal, mismatch
  std::optional<Measurement> measurement;
  Cost cost;
  std::string artefact;  ///< the executed file's cache key
  std::string started;   ///< UTC
  /// Why it was tried after the search and not by it: "staircase" (a step), "next". Strategies
  /// never see such a trial. Empty: the search proposed it.
  std::string because;
  std::string node = {};  ///< where it ran, in a study on several; empty: the node that races
  bool ok() const { return outcome == Outcome::ok && measurement.has_value(); }
  /// One call takes this; it was measured.
  double seconds() const { return measurement->seconds.value; }
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, index, configuration, outcome);
    ROOFTUNE_EACH(visit.sparse, self, detail, measurement);
    visit.check("measurement", self.outcome != Outcome::ok || self.measurement,
                "a trial that is ok has one");
    ROOFTUNE_EACH(visit.defaulted, self, cost, artefact, started);
    ROOFTUNE_EACH(visit.sparse, self, because, node);
  }
};
using TrialList = std::vector<Trial>;
using TrialRefs = std::vector<const Trial*>;

/// About how long [s] one more call in its own sample takes by the wall clock: a program runs for
/// longer than its printed figure. The trial was measured.
double wall_of_call(const Trial& trial);
/// About how long its part in a round takes by the wall clock [s]: it settles and is sampled, and
/// where neighbours were at work, sampled again.
double wall_of_round(const Trial& trial);
/// About how long entering a race takes by the wall clock [s]: one validated call before it, and
/// one after it.
double wall_of_entering(const Trial& trial);

/// Why a search ended.
/// baseline_failed: there is nothing to compare with; the next run tries it again.
ROOFTUNE_ENUM(StopReason, closed, certified, budget, exhausted, interrupted, baseline_failed)
/// Whether a longer search could find something better. Without a default: the compiler asks about
/// a new reason.
inline bool time_helps(StopReason reason) {
  using enum StopReason;
  switch (reason) {
    case closed:
    case certified:
    case exhausted:
    case baseline_failed:
      return false;
    case budget:
    case interrupted:
      return true;
  }
  return false;
}
/// How a run ended.
struct Stopped {
  StopReason reason = StopReason::exhausted;
  std::string sentence;  ///< the reason in words and figures
  std::string refuted;   ///< the trial that refuted pruning; else empty
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_EACH(visit, self, reason, sentence);
    visit.defaulted("refuted", self.refuted).open();
  }
};

class History {
 public:
  void append(Trial trial);
  /// Turns its ok trials into wrong results.
  void refute(const Configuration& configuration, const std::string& detail);
  size_t size() const { return trials_.size(); }
  const TrialList& trials() const { return trials_; }
  bool tried(const Configuration& configuration) const;
  /// A configuration's latest trial; nullptr when never tried.
  const Trial* find(const Configuration& configuration) const;
  /// Fastest ok trial by Estimate::value; nullptr when none is ok.
  const Trial* best() const;
  Cost cost() const;
  std::map<Outcome, int> counts() const;
  /// ok trials, fastest first, at most n; each configuration has its fastest.
  TrialRefs fastest(size_t n) const;
  /// A hash over the first `n` trials (configurations, outcomes, times), n <= size(): equal
  /// beginnings have equal fingerprints, so a state derived from one need not be derived again.
  uint64_t fingerprint(size_t n) const;

 private:
  TrialList trials_;
  ByName<size_t> by_key_;
  std::vector<uint64_t> fingerprints_;  ///< after each trial
};

struct OwnFigure {
  std::string unit;   ///< as typed; empty: a number alone
  bool more = false;  ///< is better
  double scale = 1;   ///< where more is better the figure is scale / seconds, else scale * seconds
  double of(double seconds) const { return more ? scale / seconds : scale * seconds; }
  Estimate of(const Estimate& seconds) const {
    const double low = of(seconds.low), high = of(seconds.high);
    return {of(seconds.value), more ? high : low, more ? low : high};
  }
  ROOFTUNE_FIELDS(unit, more, scale)
};

/// Another study that proposals come from, with its state at the time.
struct TransferSource {
  /// StudyHeader::id; an entry shipped with Rooftune has its file's name; empty: the user
  std::string study;
  std::string machine;            ///< name; such an entry has model and cores
  std::string digest;             ///< its trials' (configurations, outcomes, times) when read
  uint64_t trials = 0;            ///< 0: an entry shipped with Rooftune
  std::string problem;            ///< its parameters, as JSON
  Configurations proposals = {};  ///< its fastest, as far as this space has them
  static void fields(auto& self, auto& visit) {
    ROOFTUNE_FIELD(study);
    ROOFTUNE_EACH(visit.defaulted, self, machine, digest, trials, problem);
    ROOFTUNE_FIELD(proposals).open();
  }
};

/// How long [s] a card's model expects a call to take, from a configuration's compiled code.
struct Modelled {
  Configuration configuration;
  double seconds = 0;
  ROOFTUNE_FIELDS(configuration, seconds)
};
using ModelledTimes = std::vector<Modelled>;

struct Transfer {
  std::vector<TransferSource> sources;  ///< those that gave at least one proposal
  Configurations proposals;             ///< in the order they are tried
  ModelledTimes modelled;               ///< fastest first; on a card
  uint64_t skipped = 0;  ///< entries shipped with Rooftune whose knobs or values are absent here
  static void fields(auto& self, auto& visit) {
    visit.defaulted("studies", self.sources)("proposals", self.proposals);
    visit.defaulted("skipped", self.skipped).sparse("modelled", self.modelled).open();
  }
};

/// "started from the best known: 3 of 0123 on host ({"n":1000}, 40 trials); 1 of
/// triad.openmp.json on ..."
std::string to_text(const Transfer& transfer);

}  // namespace rooftune::trial
