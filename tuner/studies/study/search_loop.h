// A study's search: ask the strategy, evaluate, record, stop; then the finals. It sees only
// interfaces, so a replayed or synthetic evaluator can test it whole.
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

/// What the user sees of a running search.
struct Progress {
  enum class Phase { search, build, race, staircase };
  const History& history;
  const Trial* latest = nullptr;  ///< nullptr before the first trial
  Phase phase = Phase::search;
  double elapsed = 0;  ///< [s], earlier runs included
  double done = 0;     ///< used share of the budget, [0, 1]
};
/// The search is over, and finalists are measured again.
inline bool in_finals(Progress::Phase phase) {
  return phase == Progress::Phase::race || phase == Progress::Phase::staircase;
}

/// Every event passes through here: first to the store, then into the study's record.
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

/// What a search works on; everything that it refers to must outlive it.
struct SearchSetting {
  const SearchSpace& space;
  const Strategy& strategy;
  const Bound& bound;  ///< gaps refer to it
  Evaluator& evaluator;
  Recorder& recorder;
  Schedule& schedule;  ///< the study's; from the finals on, it keeps time for counts
};

struct SearchOptions : SearchSpec {
  /// The share of the wall time for the stages after race and staircase.
  double afterwards = 0;
  bool counts = false;  ///< best and baseline will be counted, which uses up part of `afterwards`
  size_t finalists = 4;
  /// A configuration's least possible time; one that cannot win is pruned, with the proof. Empty:
  /// no pruning.
  LeastTimeOf least_time = {};
  /// Micro-kernels to run beside a race: for the ceiling that binds, and those near the best and on
  /// the way to it from the baseline. Empty: none can run.
  std::function<Roofs(Seconds best, Seconds baseline)> roofs = {};
  /// Whether the evaluator shows a race round by round; see Evaluator.
  bool sees_rounds = true;
  /// Tried in this order, after the baseline and before the strategy's proposals, whatever the
  /// budget; a published path's steps where the spec has one.
  Configurations first = {};
  /// Under way when earlier runs ended, and perhaps the reason: tried after everything else.
  Configurations interrupted_trials = {};
  OtherNodes* nodes = nullptr;  ///< at work on the same search; nullptr: none
  TextCallback say = [](const std::string&) {};
  /// Called after each trial in the search.
  Callback between_trials = [] {};
  /// Watches other activity on the machine during a trial; empty: no watching.
  std::function<Watching()> watch = {};
  Question interrupted = [] { return false; };
  std::function<void(const Progress&)> progress = [](const Progress&) {};

  void throw_if_interrupted() const {
    if (interrupted()) throw Interrupted{};
  }
};

struct SearchEnd : Stopped {
  uint64_t evaluated = 0;  ///< trials in this run, with the staircase's
};

/// The end when the user interrupts.
SearchEnd cut_short();

/// Races like the evaluator, and records variants with a wrong result.
class RefutingEvaluator : public Forwarding<Evaluator> {
 public:
  RefutingEvaluator(Evaluator& evaluator, Recorder& recorder)
      : evaluator_(evaluator), recorder_(recorder) {}
  Rounds race(const Configurations& configurations, const RacePlan& how,
              const Between& between) override {
    Rounds result = evaluator_.race(configurations, how, between);
    for (const Refuted& refuted : result.refuted) recorder_.append(refuted);
    return result;
  }

 private:
  Evaluator& target() override { return evaluator_; }
  Evaluator& evaluator_;
  Recorder& recorder_;
};

/// The fewest rounds in a race that give an interval for five configurations.
inline constexpr int least_race_rounds = 10;

class SearchLoop {
 public:
  SearchLoop(SearchSetting setting, SearchOptions options);
  /// Goes on at the end of the recorder's record (empty for a new study; the baseline is then tried
  /// first). Race and staircase on record stay as long as there are no new trials. When the user
  /// interrupts, it gives up the trial or race in flight; the next run begins that anew.
  SearchEnd run();

 private:
  /// Tries configurations until there is a reason to stop; other nodes then do nothing more.
  SearchEnd search();
  SearchEnd searched();
  std::optional<Configuration> next();
  /// The next configuration from the batch proposed last; nullptr after its end.
  const Configuration* pending() const;
  /// Asks the strategy for proposals, records them as a batch if there are several, and returns the
  /// first.
  std::optional<Configuration> propose();
  /// Records the fixed first configurations as a batch; they are known before anything runs.
  void propose_first();
  /// Builds the next configuration together with the rest of its batch, within the budget.
  void build_ahead(const Configuration& next);
  /// The time after which a trial is given up and the budget is spent [s]: by then, half the time
  /// kept for the stages after the search is left. Infinite for trials that no budget limits.
  double time_for(const Configuration& configuration) const;
  /// How many trials the budget still has room for; and its limit on evaluations alone.
  double affordable() const;
  double evaluations_left() const;
  /// The first of `options.first` that was not tried; nullptr after the last.
  const Configuration* forced() const;
  /// `because`: see Trial.
  void evaluate(const Configuration& configuration, const std::string& because = {});
  void remember(Trial trial);
  /// Records that a trial was given up: its configuration did not end the run.
  void give_up(const Configuration& configuration, uint64_t index) noexcept;
  /// Refreshes the strategy's view: the record's proposals without those that failed before the
  /// baseline was well, and the interrupted trials as failures, so it never proposes them.
  void look_again();
  /// Tries the interrupted trials, one after the other.
  void try_interrupted();
  /// Appends the configuration as a pruned trial if there is a proof against it.
  bool prune(const Configuration& configuration);
  bool prune_proven(const Configuration& configuration);
  /// Certifies in words that no remaining configuration can win; empty if one may.
  std::string certificate();
  std::optional<SearchEnd> stop();
  /// The limit that the budget has reached, in words; empty if none.
  std::string spent() const;
  /// The gap when it is closed, confirmed by measuring the best again; a best faster than the
  /// bound's low end closes nothing.
  std::optional<double> closed_gap();
  const StudyRecord& record() const { return setting_.recorder.record(); }
  const History& history() const { return record().history; }
  double likely_counts() const;  ///< [s]
  double share_done() const;
  /// `latest`: the trial that just ended; nullptr: none did.
  void show(Progress::Phase phase, const Trial* latest = nullptr) const;

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
  /// Others try once more what a lost node had in hand, but not what was under way when a second
  /// node ended.
  void take_back(const NodeReport& report);
  void give_more(AtWork& node);
  /// The next configuration to try here that came back from a lost node. One that was under way
  /// when its node ended may have ended it: as long as there are other nodes, it is for them.
  std::optional<Configuration> back_here();
  /// Whether the limit on evaluations allows another trial here.
  bool has_room() const;
  /// Waits for another node's report; false where nothing is in hand.
  bool wait_for_others();
  /// Notes the nodes that were not ready when the search ended.
  void name_absent();
  /// Gives up what other nodes have in hand.
  void dismiss() noexcept;
  void note(StudyNode node);

  // finals.cpp
  /// Records a race and a staircase unless the record has valid ones. Throws Interrupted; completed
  /// parts are on record then.
  void finals();
  /// Records both once; finals() calls it again as long as it refutes a configuration.
  void conclude();
  std::optional<Race> race();
  /// Races valid configurations; nullopt after a refutation. A race without rounds has a fault that
  /// says why.
  std::optional<Race> raced(Race race);
  double left_for_race() const;  ///< [s]
  /// How many steps are likely between the baseline and the best so far; 0 once a staircase is on
  /// record.
  int likely_steps() const;
  /// The wall time reserved for race, staircase and later stages [s].
  double reserved() const;
  /// The best, if its trial was faster than the baseline's beyond the trials' noise; nullptr: a
  /// race must tell.
  const Trial* clearly_faster() const;
  /// Records a configuration's staircase, and with it the finalists' race if there is none. False
  /// without time for its race.
  bool climb_to(Configuration found);
  /// The race's winner, or what the race could not tell from the baseline; nullopt: nothing beats
  /// the baseline.
  std::optional<Configuration> worth_climbing() const;

  RefutingEvaluator refuting_;
  SearchSetting setting_;  ///< its evaluator is refuting_
  SearchOptions options_;
  TextSet built_;              ///< keys that are not built ahead any more
  History proposed_;           ///< the strategy's view: without trials after the search
  std::vector<AtWork> nodes_;  ///< those that are equal and not lost
  TextSet left_out_;           ///< names of nodes that were left out
  Configurations back_;        ///< from nodes that were lost
  TextSet under_way_;          ///< keys of what ran when a node ended
  size_t first_of_run_ = 0;    ///< Trial::index
  Pruning pruning_;
  std::optional<uint64_t> doubted_;  ///< trial whose closed gap was not confirmed
  double raced_ = 0;                 ///< time spent in races so far [s]
};

}  // namespace rooftune::study
