// The search of a study: ask the strategy, evaluate, record, stop; then the finals (finals.h). It
// sees only interfaces, so a replayed or synthetic evaluator tests all of it.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "roofline/roofline.h"
#include "search/pruning.h"
#include "search/strategy.h"
#include "study/budget.h"
#include "study/platform.h"
#include "study/recorder.h"
#include "study/schedule.h"

namespace rooftune::study {

enum class StopReason { closed, certified, budget, certain, exhausted, interrupted };
const char* to_text(StopReason reason);

/// What the user sees while it runs.
struct Progress {
  const History& history;
  const Trial* latest = nullptr;           ///< nullptr before the first trial
  const Configuration* running = nullptr;  ///< about to be tried
  std::string phase;                       ///< "search", "build", "race" or "ablation"
  double elapsed = 0;                      ///< [s], earlier runs included
  double done = 0;                         ///< share of the budget used, [0, 1]
};

/// What is searched. All that is referred to must outlive the search.
struct SearchSetting {
  const SearchSpace& space;
  const Strategy& strategy;
  const Bound& bound;  ///< what gaps are taken against
  Evaluator& evaluator;
  Recorder& recorder;
};

struct SearchOptions {
  std::uint64_t seed = 1;
  Budget budget = {};
  /// Of the command, where it began before the search.
  std::optional<Schedule> schedule = {};
  /// Share of the wall time that what comes after the race and the ablation needs.
  double afterwards = 0;
  std::optional<Certainty> certainty = {};  ///< needs a strategy with a model
  double target_gap = 1.05;
  int builders = 1;  ///< compilers at work at once; of one nothing is built ahead
  std::size_t finalists = 4;
  /// Times that configurations cannot beat; what cannot win is pruned with its proof. Empty:
  /// nothing is.
  LeastTimeOf least_time = {};
  /// Micro-kernels of the ceilings near a time, to run beside finalists. Empty: none can.
  std::function<std::unique_ptr<Roofs>(Seconds best)> roofs = {};
  /// Over which the rounds of a race are spread, so that they see more than one mood of the machine
  /// [s].
  double race_span = 0;
  /// Set each changed knob of the winner back and measure it. What is faster so is tried and raced,
  /// and when it wins its own knobs are set back, at most twice.
  bool ablation = true;
  /// Tried in this order after the baseline, before the strategy is asked and whatever the budget.
  std::vector<Configuration> first = {};
  /// Runs ended while these were under way, which may have been anybody's doing: they are tried
  /// after everything else.
  std::vector<Configuration> suspects = {};
  /// Called after each trial of the search.
  std::function<void()> between_trials = [] {};
  /// Watches what else the machine does during a trial; empty: nobody does.
  std::function<std::function<Environment()>()> watch = {};
  std::function<bool()> interrupted = [] { return false; };
  std::function<void(const Progress&)> progress = [](const Progress&) {};

  void throw_if_interrupted() const {
    if (interrupted()) throw Interrupted{};
  }
};

struct SearchEnd {
  StopReason reason = StopReason::exhausted;
  std::string sentence;         ///< why it stopped, in words and figures
  std::uint64_t evaluated = 0;  ///< trials of this run, pruned and promoted ones included
  std::string refuted;          ///< which trial showed that nothing can be pruned here; else empty
};
Stopped stopped(const SearchEnd& end);

/// An end that the user wanted.
SearchEnd cut_short();

/// Races as the evaluator does, and records whose result turned out wrong.
class RefutingEvaluator : public Evaluator {
 public:
  RefutingEvaluator(Evaluator& evaluator, Recorder& recorder)
      : evaluator_(evaluator), recorder_(recorder) {}
  void build(const std::vector<Configuration>& configurations) override {
    evaluator_.build(configurations);
  }
  Trial evaluate(const Configuration& configuration, std::optional<double> incumbent) override {
    return evaluator_.evaluate(configuration, incumbent);
  }
  Rounds race(const std::vector<Configuration>& configurations, int rounds, std::uint64_t seed,
              const Between& between) override;

 private:
  Evaluator& evaluator_;
  Recorder& recorder_;
};

class SearchLoop {
 public:
  SearchLoop(SearchSetting setting, SearchOptions options);
  /// Goes on where the recorder's record stands (empty for a new study; the baseline is then tried
  /// first). Race and ablation on record are kept when nothing new was tried. Interrupted by the
  /// user it gives up the trial, race or ablation in flight, which the next run begins anew.
  SearchEnd run();

 private:
  /// Tries configurations until there is a reason to stop.
  SearchEnd search();
  std::optional<Configuration> next();
  /// The next of those that were proposed together; nullptr when all were tried.
  const Configuration* pending() const;
  /// What the strategy proposes together, on record when it is more than one; the first of it.
  std::optional<Configuration> propose();
  /// The same for what is tried first, which is known before anything has run.
  void propose_first();
  /// Builds the configuration that is next together with those that it was proposed with, as far as
  /// the budget goes.
  void build_ahead(const Configuration& next);
  /// Trials for which there is budget.
  double affordable() const;
  /// The first of `options.first` that was not tried; nullptr when all were.
  const Configuration* forced() const;
  /// `promoted_because`: see Trial.
  void evaluate(const Configuration& configuration, const std::string& promoted_because = {});
  void remember(Trial trial);
  /// Says that what is under way did not end the run.
  void give_up(const Configuration& configuration, std::uint64_t index) noexcept;
  /// Reads what the strategy may see anew: the record's proposals, and the suspects as if they had
  /// failed, so that nobody proposes them.
  void look_again();
  /// Those that may have ended earlier runs, one after the other.
  void try_suspects();
  /// Appends it as a pruned trial when it is proven that it cannot win.
  bool prune(const Configuration& configuration);
  /// Nothing that is left can win, in words; empty when something may.
  std::string certificate();
  std::optional<SearchEnd> stop();
  /// Which limit of the budget is reached, in words; empty when none is.
  std::string spent() const;
  /// The chance that more than the share is left, when it is small enough to stop.
  std::optional<double> certain() const;
  /// The gap when it is closed, confirmed by measuring the best again; a best that is faster than
  /// the low end of the bound closes nothing.
  std::optional<double> closed_gap();
  const StudyRecord& record() const { return setting_.recorder.record(); }
  const History& history() const { return record().history; }
  /// What race, ablation and what comes after them will need of the wall time [s].
  double reserved() const;
  double share_done() const;
  void show(const std::string& phase, const Trial* latest, const Configuration* running) const;

  RefutingEvaluator refuting_;
  SearchSetting setting_;  ///< with the evaluator above
  SearchOptions options_;
  std::set<std::string> built_;  ///< keys of what is not built ahead any more
  History proposed_;  ///< what the strategy has seen: the history without what was promoted
  Schedule schedule_;
  Pruning pruning_;
  std::optional<std::uint64_t> doubted_;  ///< trial whose closed gap was not confirmed
};

}  // namespace rooftune::study
