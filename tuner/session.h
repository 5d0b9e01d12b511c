// A tuning session: ask the strategy, evaluate, remember, stop; then race the finalists, find out
// which knobs made the winner, and promote what turns out faster without one. READ THIS FIRST. It
// sees only interfaces, so a replayed or synthetic evaluator tests all of it.
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "roofline/roofline.h"
#include "search/pruning.h"
#include "search/strategy.h"
#include "trial/ablation.h"
#include "trial/race.h"

namespace rooftune {

/// Any of the limits may be set; the first that is reached ends the search. Counts include earlier
/// runs of the study, but neither what was pruned nor what was promoted after a search.
struct Budget {
  std::optional<std::uint64_t> evaluations;
  std::optional<Seconds> time = {};    ///< wall time of building, validating, timing and searching
  std::optional<Seconds> device = {};  ///< time that the device was kept: validating and timing
};

enum class StopReason { closed, certified, budget, certain, exhausted, interrupted };
const char* to_text(StopReason reason);

/// What the user sees while it runs.
struct Progress {
  const History& history;
  const Trial* latest = nullptr;           ///< nullptr before the first trial
  const Configuration* running = nullptr;  ///< about to be tried
  std::string phase;                       ///< "search", "race" or "ablation"
  double elapsed = 0;                      ///< [s], earlier runs included
  double done = 0;                         ///< share of the budget used, [0, 1]
};

struct SessionOptions {
  std::uint64_t seed = 1;
  Budget budget;
  std::optional<Certainty> certainty;  ///< owed: a strategy with a model
  double target_gap = 1.05;
  std::size_t finalists = 4;
  /// Times that configurations cannot beat; what cannot win is pruned with its proof. Empty:
  /// nothing is.
  LeastTimeOf least_time;
  /// Set each changed knob of the winner back and measure it. What is faster so is tried and raced,
  /// and when it wins its own knobs are set back, at most twice.
  bool ablation = true;
  /// Tried in this order after the baseline, before the strategy is asked and whatever the budget.
  std::vector<Configuration> first;
  std::function<bool()> interrupted = [] { return false; };
  std::function<void(const Progress&)> progress = [](const Progress&) {};
};

/// Where trials go as they happen; RecordWriter behind it in `tune`.
class Memory {
 public:
  virtual ~Memory() = default;
  virtual void started(const Configuration& configuration, std::uint64_t index) = 0;
  /// The user wanted an end: what was started last is no trial and will be tried again.
  virtual void given_up(const Configuration& configuration, std::uint64_t index) = 0;
  virtual void append(const Trial& trial) = 0;
  virtual void append(const Race& race) = 0;
  virtual void append(const Ablation& ablation) = 0;
};

/// What the end of an earlier run of the study measured; it stands while nothing new is tried.
struct Finish {
  std::optional<Race> race;          ///< absent when nothing was worth a race
  std::optional<Ablation> ablation;  ///< absent without a winner that differs from the baseline
};

struct SessionEnd {
  StopReason reason = StopReason::exhausted;
  std::string sentence;  ///< why it stopped, in words and figures
  Finish finish;
  std::uint64_t evaluated = 0;  ///< trials of this run, pruned and promoted ones included
  std::string refuted;          ///< which trial showed that nothing can be pruned here; else empty
};

/// An end that the user wanted.
SessionEnd cut_short();

class Session {
 public:
  /// All references must outlive the session. `bound` is what gaps are taken against.
  Session(const SearchSpace& space, const Strategy& strategy, const Bound& bound,
          Evaluator& evaluator, Memory& memory, SessionOptions options);
  /// Continues `history` (empty for a new study; the baseline is then tried first) and appends to
  /// it. `earlier`: how an earlier run ended, kept when nothing new was tried. Interrupted by the
  /// user it gives up the trial, race or ablation in flight, which the next run begins anew.
  SessionEnd run(History& history, const Finish& earlier = {});

 private:
  /// Tries configurations until there is a reason to stop.
  SessionEnd search(History& history);
  std::optional<Configuration> next();
  /// The first of `options.first` that was not tried; nullptr when all were.
  const Configuration* forced() const;
  /// `promoted_because`: see Trial.
  void evaluate(History& history, const Configuration& configuration,
                const std::string& promoted_because = {});
  void remember(History& history, Trial trial);
  /// Appends it as a pruned trial when it is proven that it cannot win.
  bool prune(History& history, const Configuration& configuration);
  /// Nothing that is left can win, in words; empty when something may.
  std::string certificate();
  std::optional<SessionEnd> stop(const History& history);
  /// Which limit of the budget is reached, in words; empty when none is.
  std::string spent(const History& history) const;
  /// The chance that more than the share is left, when it is small enough to stop.
  std::optional<double> certain() const;
  /// The gap when it is closed, confirmed by measuring the best again; a best that is faster than
  /// the low end of the bound closes nothing.
  std::optional<double> closed_gap(const History& history);
  /// Races, sets knobs back, promotes what is faster, and stores all; what `finish` holds is kept.
  /// Throws Interrupted; it holds what was completed then.
  void complete(History& history, Finish& finish);
  std::optional<Race> race(const History& history) const;
  /// The rounds of a race whose configurations stand; nullopt when none was completed.
  std::optional<Race> raced(const History& history, Race race) const;
  std::optional<Ablation> ablation(const History& history, const Race& race) const;
  /// Tries what is faster than the winner without one of its knobs and races it; false when there
  /// is nothing that was not raced for that before, or it cannot be raced.
  bool promote(History& history, Finish& finish);
  double elapsed() const;
  double share_done(const History& history) const;

  const SearchSpace& space_;
  const Strategy& strategy_;
  const Bound& bound_;
  Evaluator& evaluator_;
  Memory& memory_;
  SessionOptions options_;
  History proposed_;  ///< what the strategy has seen: the history without what was promoted
  double earlier_seconds_ = 0;
  Pruning pruning_;
  std::optional<std::uint64_t> doubted_;  ///< trial whose closed gap was not confirmed
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace rooftune
