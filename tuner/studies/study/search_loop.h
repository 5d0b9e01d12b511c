// The search of a study: ask the strategy, evaluate, record, stop; then the finals. It sees only
// interfaces, so a replayed or synthetic evaluator tests all of it.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/callback.h"
#include "core/list.h"
#include "core/quantity.h"
#include "roofline/roofline.h"
#include "search/pruning.h"
#include "search/strategy.h"
#include "space/knob.h"
#include "store/study_record.h"
#include "study/nodes.h"
#include "study/platform.h"
#include "study/schedule.h"
#include "study/spec.h"
#include "trial/trial.h"

namespace rooftune::study {

/// The user's view of a running search.
struct Progress {
  enum class Phase { search, build, race, staircase };
  const History& history;
  const Trial* latest = nullptr;           ///< nullptr before the first trial
  const Configuration* running = nullptr;  ///< about to be tried
  Phase phase = Phase::search;
  double elapsed = 0;  ///< [s], earlier runs included
  double done = 0;     ///< share of the budget used, [0, 1]
};
/// Finalists are measured again; the search is over.
inline bool in_finals(Progress::Phase phase) {
  return phase == Progress::Phase::race || phase == Progress::Phase::staircase;
}

/// The path of every event: first to the store, then into the record of the study.
class Recorder {
 public:
  /// `keep` may throw; an event it could not keep has not happened. The record must outlive it.
  explicit Recorder(StudyRecord& record, std::function<void(const Event&)> keep = {})
      : record_(record), keep_(std::move(keep)) {}
  const StudyRecord& record() const { return record_; }
  void append(Event event) {
    if (keep_) keep_(event);
    record_.apply(std::move(event));
  }

 private:
  StudyRecord& record_;
  std::function<void(const Event&)> keep_;
};

/// The subject of a search. Everything referred to must outlive it.
struct SearchSetting {
  const SearchSpace& space;
  const Strategy& strategy;
  const Bound& bound;  ///< reference of gaps
  Evaluator& evaluator;
  Recorder& recorder;
  Schedule& schedule;  ///< the study's; from the finals on it keeps time for counts
};

struct SearchOptions {
  uint64_t seed = 1;
  Budget budget = {};
  /// Share of the wall time for the stages after race and staircase.
  double afterwards = 0;
  bool counts = false;  ///< best and baseline will be counted, which takes part of `afterwards`
  double target_gap = 1.05;
  int builders = 1;  ///< compilers at work at once; with one nothing is built ahead
  size_t finalists = 4;
  /// Least possible times of configurations; a configuration unable to win is pruned with its
  /// proof. Empty: no pruning.
  LeastTimeOf least_time = {};
  /// Micro-kernels of ceilings to run beside a race: the one that binds, those
  /// near the best and on the way to it from the baseline. Empty: none can.
  std::function<Roofs(Seconds best, Seconds baseline)> roofs = {};
  /// Whether the evaluator shows the rounds of a race one by one; see Evaluator.
  bool sees_rounds = true;
  /// Measure the steps from the baseline to the winner, and untried values beside it.
  bool staircase = true;
  bool path = false;  ///< `first` are the steps of a published path
  /// Tried in this order after the baseline, before the strategy's proposals and beyond any budget.
  Configurations first = {};
  /// Under way when earlier runs ended, possibly their cause: tried after everything else.
  Configurations interrupted_trials = {};
  OtherNodes* nodes = nullptr;  ///< at work on the same search; nullptr: none
  std::function<void(const std::string&)> say = [](const std::string&) {};
  /// Called after each trial of the search.
  Callback between_trials = [] {};
  /// Watches other activity on the machine during a trial; empty: no watching.
  std::function<std::function<Environment()>()> watch = {};
  Question interrupted = [] { return false; };
  std::function<void(const Progress&)> progress = [](const Progress&) {};

  void throw_if_interrupted() const {
    if (interrupted()) throw Interrupted{};
  }
};

struct SearchEnd : Stopped {
  uint64_t evaluated = 0;  ///< trials of this run, those of the staircase included
};

/// An end by the user.
SearchEnd cut_short();

/// Races like the evaluator, and records variants with a wrong result.
class RefutingEvaluator : public Forwarding<Evaluator> {
 public:
  RefutingEvaluator(Evaluator& evaluator, Recorder& recorder)
      : evaluator_(evaluator), recorder_(recorder) {}
  Rounds race(const Configurations& configurations, int rounds, uint64_t seed,
              const Between& between) override {
    Rounds result = evaluator_.race(configurations, rounds, seed, between);
    for (const Refuted& refuted : result.refuted) recorder_.append(refuted);
    return result;
  }

 private:
  Evaluator& target() override { return evaluator_; }
  Evaluator& evaluator_;
  Recorder& recorder_;
};

/// The fewest rounds of a race with an interval for five.
inline constexpr int least_race_rounds = 10;

class SearchLoop {
 public:
  SearchLoop(SearchSetting setting, SearchOptions options);
  /// Goes on at the end of the recorder's record (empty for a new study; the baseline is then tried
  /// first). Race and staircase on record are kept without new trials. Interrupted by the user it
  /// gives up the trial or race in flight; the next run begins it anew.
  SearchEnd run();

 private:
  /// Tries configurations until there is a reason to stop; other nodes then do nothing more.
  SearchEnd search();
  SearchEnd searched();
  std::optional<Configuration> next();
  /// The next of the configurations proposed together; nullptr after the last.
  const Configuration* pending() const;
  /// The strategy's proposals, on record as a batch when more than one; the first of them.
  std::optional<Configuration> propose();
  /// The same for the fixed first configurations, known before any run.
  void propose_first();
  /// Builds the next configuration together with the rest of its batch, within the budget.
  void build_ahead(const Configuration& next);
  /// Time that a trial may take at most [s], else it is given up and the budget spent: half of the
  /// time kept for the stages after the search is left. Infinite beyond any budget.
  double time_for(const Configuration& configuration) const;
  /// Trials left in the budget, and in its number of evaluations.
  double affordable() const;
  double evaluations_left() const;
  /// The first untried one of `options.first`; nullptr after the last.
  const Configuration* forced() const;
  /// `because`: see Trial.
  void evaluate(const Configuration& configuration, const std::string& because = {});
  void remember(Trial trial);
  /// Records an unfinished trial: its configuration did not end the run.
  void give_up(const Configuration& configuration, uint64_t index) noexcept;
  /// Refreshes the strategy's view: the record's proposals without those that failed before the
  /// baseline was well, and the interrupted trials as failures, so it never proposes them.
  void look_again();
  /// The interrupted trials, one after the other.
  void try_interrupted();
  /// Appends it as a pruned trial given a proof against it.
  bool prune(const Configuration& configuration);
  bool prune_proven(const Configuration& configuration);
  /// Certificate that no remaining configuration can win, in words; empty without one.
  std::string certificate();
  std::optional<SearchEnd> stop();
  /// The exhausted limit of the budget, in words; empty without one.
  std::string spent() const;
  /// The gap when it is closed, confirmed by measuring the best again; a best faster than the low
  /// end of the bound closes nothing.
  std::optional<double> closed_gap();
  const StudyRecord& record() const { return setting_.recorder.record(); }
  const History& history() const { return record().history; }
  double likely_counts() const;  ///< [s]
  double share_done() const;
  void show(Progress::Phase phase, const Trial* latest, const Configuration* running) const;

  // nodes.cpp
  /// What another node was given and has not reported, in this order.
  struct AtWork {
    std::string node;
    std::vector<Started> in_hand = {};
  };
  /// Given to other nodes, not reported yet.
  Configurations in_hand() const;
  /// Takes what other nodes report, once the baseline is well here.
  void listen();
  /// Gives more to those with at most one trial in hand.
  void feed();
  void take(NodeReport report);
  /// A node is ready: it is left out unless it is equal.
  void welcome(const NodeReport& report);
  /// What a node that is gone had in hand is tried by others, once; not again what was under way
  /// at the end of a second node.
  void take_back(const NodeReport& report);
  void give_more(AtWork& node);
  /// The next of those that came back to try here. What was under way at the end of a node may have
  /// ended it, and is for other nodes, as long as there are some.
  std::optional<Configuration> back_here();
  /// Whether a further trial here fits into the number of evaluations.
  bool has_room() const;
  /// Waits for a report of another node; false where nothing is in hand.
  bool wait_for_others();
  /// Notes the nodes that were not ready before the end of the search.
  void name_absent();
  /// Gives up what they have in hand.
  void dismiss() noexcept;
  void note(StudyNode node);

  // finals.cpp
  /// Records a race and a staircase unless the record has valid ones. Throws Interrupted; completed
  /// parts are on record then.
  void finals();
  /// The same, as long as nothing is refuted.
  void conclude();
  std::optional<Race> race();
  /// The rounds of a race of valid configurations; nullopt after a refutation. Without rounds it
  /// has a fault: the reason for none.
  std::optional<Race> raced(Race race);
  double left_for_race() const;  ///< [s]
  /// Between the baseline and the best so far, as long as no staircase was measured.
  int likely_steps() const;
  /// Reserve of wall time for race, staircase and later stages [s].
  double reserved() const;
  /// The best, where its trial was faster than the baseline's beyond the noise of trials; nullptr:
  /// a race must tell.
  const Trial* clearly_faster() const;
  /// Records the staircase of a configuration; beside it the race of the finalists, where there is
  /// none. False without time for its race.
  bool climb_to(Configuration found);
  /// The winner of the race, or what it could not tell from the baseline; nullopt: nothing beats
  /// it.
  std::optional<Configuration> worth_climbing() const;

  RefutingEvaluator refuting_;
  SearchSetting setting_;  ///< with the evaluator above
  SearchOptions options_;
  TextSet built_;              ///< keys excluded from building ahead
  History proposed_;           ///< the strategy's view: without trials after the search
  std::vector<AtWork> nodes_;  ///< that are equal and not lost
  TextSet left_out_;           ///< names of other nodes
  Configurations back_;        ///< from nodes that were lost
  TextSet under_way_;          ///< keys of what ran at the end of a node
  size_t first_of_run_ = 0;    ///< Trial::index
  Pruning pruning_;
  std::optional<uint64_t> doubted_;  ///< trial with an unconfirmed closed gap
  double raced_ = 0;                 ///< time of all races so far [s]
};

}  // namespace rooftune::study
